import Configuration
import Gateway
import Glibc
import JOSE
import Reactor
import Synchronization

/// What the process knows of the files of its signing keys, for rotations by schedule and by other processes.
final class RetainedSigningKeys: Sendable {
    /// The files as a configuration was read with them.
    struct Known: Sendable {
        let files: SigningKeyFiles
        let terms: SigningKeyTerms
        /// Of the index; nil if it was missing.
        let state: FileState?
        /// The second from which the next change by time is due; nil for none.
        let nextChange: Int64?

        /// Whether the index has changed since.
        var isOutdated: Bool { FileState(files.indexFile) != state }
    }

    private struct State {
        var read: Known?
        var isAdopted = false
        /// The state of a changed index that was reported; nil for none.
        var reported: FileState??
    }

    private let state = Mutex(State())
    private let failures = Mutex<[KeyTask: String]>([:])

    /// What is done beside the requests.
    enum KeyTask {
        case rotating
        case following
    }

    /// The keys in use, or nil without an index.
    func read(_ files: SigningKeyFiles, _ configuration: GatewayConfiguration) throws(KeyFileError) -> SigningKeyRing? {
        let terms = SigningKeyTerms(configuration)
        let (now, fileState) = (Clock.wallSeconds, FileState(files.indexFile))
        // Also for files that cannot be used, so that they are read again only after a change.
        let index = try? files.currentIndex(now: now)
        let known = Known(
            files: files, terms: terms, state: fileState, nextChange: index.flatMap { terms.nextStep(of: $0)?.at })
        state.withLock { $0 = State(read: known) }
        return try files.ring(now: now)
    }

    /// Remembers the outcome of a task, which is tried again every few seconds after a failure.
    /// - Parameter detail: of a failure; nil for a success.
    /// - Returns: whether it is another one than the last.
    func note(failure detail: String?, of task: KeyTask) -> Bool {
        failures.withLock { last in
            defer { last[task] = detail }
            return last[task] != detail
        }
    }

    /// Gets shared keys for a start, and waits for the store until the time is over. Without it, or with keys in it that
    /// are not accepted, the files must hold keys that were shared before.
    func startFollowing(_ files: SigningKeyFiles, patienceMilliseconds: Int64, _ log: EventLog) throws(KeyFileError) {
        guard files.sharedKeys != nil, state.withLock({ $0.read == nil }) else { return }
        let deadline = Clock.monotonicMilliseconds + patienceMilliseconds
        while true {
            do throws(KeyFileError) {
                return try files.followStore(now: Clock.wallSeconds)
            } catch {
                if error.isTransient, Clock.monotonicMilliseconds < deadline {
                    usleep(RetainedSigningKeys.pauseMicroseconds)
                    continue
                }
                guard try files.index().map({ $0.generation > 0 }) ?? false else { throw error }
                if note(failure: error.message, of: .following) {
                    log.write(.signingKeysFailed, [("detail", .text(error.message))])
                }
                return
            }
        }
    }

    private static let pauseMicroseconds: UInt32 = 100_000

    /// The keys that were read last are in force.
    func adopt() { state.withLock { $0.isAdopted = true } }

    /// A configuration with a shared secret was read.
    func forget() { state.withLock { $0 = State() } }

    /// Whether the index has changed since it was read. Each change is reported once: a configuration that is not valid
    /// keeps it from being read.
    func hasNewIndex() -> Bool {
        state.withLock { state in
            guard let read = state.read else { return false }
            let now = FileState(read.files.indexFile)
            guard now != read.state, state.reported != .some(now) else { return false }
            state.reported = .some(now)
            return true
        }
    }

    /// What was read last, if its keys are in force: others must not be replaced, since the process signs with those before.
    var adopted: Known? { state.withLock { $0.isAdopted ? $0.read : nil } }
}
