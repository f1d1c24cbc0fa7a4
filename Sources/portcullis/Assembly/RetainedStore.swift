import Dispatch
import Gateway
import Glibc
import Issuers
import Reactor
import Synchronization
import TokenStorage

/// The store of tokens, opened by the first configuration of a process and kept by all others (GW-11): what was issued
/// and revoked does not depend on a reload.
final class RetainedStore: Sendable {
    struct Opened: Sendable {
        let tokens: RevocationFollower
        /// When sessions were used.
        let sessions: SessionRegister
        /// By which the store knows tokens.
        let key: TokenDigestKey
        /// The keys of the configuration that is being read, adopted when it comes into force; nil for the same.
        var nextKey: TokenDigestKey? = nil
        /// What tells it from the stores of other processes where it ends with this one: random, the same for all of its
        /// configurations. Empty for a store that outlives processes. A process that takes over has another one, as it has
        /// another store.
        let life: String
        /// Whether tokens, and what was revoked, are gone with this process.
        var endsWithProcess: Bool { !life.isEmpty }
        /// Of a store that several machines share; nil for others.
        let server: (any StoreServer)?
    }

    private let state = Mutex<Opened?>(nil)

    var opened: Opened? { state.withLock { $0 } }

    func keep(_ opened: Opened) { state.withLock { $0 = opened } }

    /// Waits until all that was revoked before is known, or the time is over.
    static func load(_ tokens: RevocationFollower, milliseconds: Int) {
        let loaded = DispatchSemaphore(value: 0)
        tokens.follow(now: Clock.wallSeconds) { _ in loaded.signal() }
        _ = loaded.wait(timeout: .now() + .milliseconds(milliseconds))
    }

    /// Waits until the tokens that an earlier process has kept are there, or the time is over.
    /// - Returns: whether they are.
    @discardableResult
    static func load(_ tokens: IssuedTokenArchive, milliseconds: Int) -> Bool {
        let (loaded, succeeded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        tokens.load(now: Clock.wallSeconds) { success in
            if success { succeeded.signal() }
            loaded.signal()
        }
        _ = loaded.wait(timeout: .now() + .milliseconds(milliseconds))
        return succeeded.wait(timeout: .now()) == .success
    }

    /// The same beside the work, for a store that answers once the workers run: tries until it does, ever more rarely.
    static func loadLater(_ tokens: IssuedTokenArchive) {
        WorkerThread.detached(name: "kept tokens") {
            var seconds: UInt32 = 1
            while !load(tokens, milliseconds: 5000) {
                sleep(seconds)
                seconds = min(seconds * 2, 30)
            }
        }
    }
}
