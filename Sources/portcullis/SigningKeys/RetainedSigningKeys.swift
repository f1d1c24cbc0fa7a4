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
        /// By the path of the index.
        var read: [String: Known] = [:]
        var isAdopted = false
        /// The states of changed indices that were reported.
        var reported: [String: FileState?] = [:]
    }

    private let state = Mutex(State())
    private let failures = Mutex<[[String]: String]>([:])

    /// What is done beside the requests.
    enum KeyTask: String {
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
        state.withLock { state in
            state.isAdopted = false
            state.read[files.indexFile] = known
            state.reported[files.indexFile] = nil
        }
        return try files.ring(now: now)
    }

    /// Remembers the outcome of a task, which is tried again every few seconds after a failure.
    /// - Parameter detail: of a failure; nil for a success.
    /// - Returns: whether it is another one than the last.
    func note(failure detail: String?, of task: KeyTask, _ files: SigningKeyFiles) -> Bool {
        failures.withLock { last in
            let key = [task.rawValue, files.indexFile]
            defer { last[key] = detail }
            return last[key] != detail
        }
    }

    /// Gets shared keys for a start, and waits for the store until the time is over. Without it, or with keys in it that
    /// are not accepted, the files must hold keys that were shared before.
    func startFollowing(_ files: SigningKeyFiles, patienceMilliseconds: Int64, _ log: EventLog) throws(KeyFileError) {
        guard files.sharedKeys != nil, state.withLock({ $0.read[files.indexFile] == nil }) else { return }
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
                if note(failure: error.message, of: .following, files) {
                    log.write(.signingKeysFailed, [("detail", .text(error.message))])
                }
                return
            }
        }
    }

    private static let pauseMicroseconds: UInt32 = 100_000

    /// The keys that were read last are in force.
    func adopt() { state.withLock { $0.isAdopted = true } }

    /// A configuration is read, which has these indices alone.
    func keep(_ indexFiles: [String]) {
        state.withLock { state in
            state.read = state.read.filter { indexFiles.contains($0.key) }
            state.isAdopted = false
        }
    }

    /// Whether an index has changed since it was read. Each change is reported once: a configuration that is not valid
    /// keeps it from being read.
    func hasNewIndex() -> Bool {
        state.withLock { state in
            var isNew = false
            for (path, read) in state.read {
                let now = FileState(path)
                guard now != read.state, state.reported[path] != .some(now) else { continue }
                state.reported[path] = .some(now)
                isNew = true
            }
            return isNew
        }
    }

    /// What was read last, if its keys are in force: others must not be replaced, since the process signs with those before.
    var adopted: [Known] { state.withLock { $0.isAdopted ? Array($0.read.values) : [] } }
}
