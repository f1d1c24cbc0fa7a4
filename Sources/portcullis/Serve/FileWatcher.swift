import Configuration
import Gateway
import Reactor
import Synchronization

/// Notices when files of the configuration change, for `watchFiles`.
///
/// A change is a difference between the states of the files now and those before they were read last. So files that the
/// gateway has written and read itself do not cause another reload, and no change between two looks is missed.
final class FileWatcher: Sendable {
    /// How long the files must stay as they are before they are read: they are often written one after the other.
    private static let quietMilliseconds: Int32 = 300
    /// The longest delay of files that keep changing.
    private static let longestDelay = Duration.seconds(5)

    private let directory: String
    private let log: EventLog
    /// The states of the files before they were read last, by path; nil for one that was not there.
    private let known = Mutex<[String: FileState?]>([:])
    private let isEnabled = Atomic(false)
    private let hasThread = Atomic(false)

    init(directory: String, log: EventLog) {
        self.directory = directory
        self.log = log
    }

    /// Starts or stops calling `changed` after changes.
    func use(_ isEnabled: Bool, changed: @escaping @Sendable () -> Void) {
        self.isEnabled.store(isEnabled, ordering: .relaxed)
        guard isEnabled, !hasThread.exchange(true, ordering: .relaxed) else { return }
        _ = WorkerThread(name: "files") { [self] in
            do throws(KernelError) {
                try wait(changed)
            } catch {
                log.write(.watchFailed, [("detail", .text(error.text))])
                // The next reload tries again.
                hasThread.store(false, ordering: .relaxed)
            }
        }
    }

    /// Remembers the states of the files that `body` reads.
    /// - Parameter body: gets a function that it calls with the path of each file before it is read.
    func reading<Value>(_ body: (@escaping @Sendable (String) -> Void) -> Value) -> Value {
        // A look at the files waits until they have been read.
        known.withLock { known in
            let record = Record()
            record.states.withLock { $0 = states(of: []) }
            let value = body { path in record.states.withLock { $0[path] = .some(FileState(path)) } }
            // Key files that were missing have been made meanwhile.
            known = Dictionary(
                uniqueKeysWithValues: record.states.withLock { $0 }.map { ($0, $1 ?? FileState($0)) })
            return value
        }
    }

    private final class Record: Sendable {
        let states = Mutex<[String: FileState?]>([:])
    }

    /// Runs until the process ends. The directories must be watched before the files are looked at, so that a change in
    /// between is an event.
    private func wait(_ changed: () -> Void) throws(KernelError) {
        let events = try DirectoryWatch()
        while true {
            for directory in directories() {
                do throws(KernelError) { try events.add(directory) } catch  where error.isMissingPath {}
            }
            if isEnabled.load(ordering: .relaxed), differs { changed() }
            _ = events.wait()
            let start = ContinuousClock.now
            while events.wait(milliseconds: FileWatcher.quietMilliseconds),
                ContinuousClock.now - start < FileWatcher.longestDelay
            {}
        }
    }

    private var differs: Bool {
        known.withLock { $0 != states(of: $0.keys) }
    }

    /// The states of these files and of the JSON files of the directory.
    private func states(of paths: some Sequence<String>) -> [String: FileState?] {
        let names = (try? FileSystem.names(in: directory)) ?? []
        var states: [String: FileState?] = [:]
        for path in paths { states[path] = .some(FileState(path)) }
        for name in names where ConfigurationLoader.isRead(name) {
            let path = "\(directory)/\(name)"
            states[path] = .some(FileState(path))
        }
        return states
    }

    /// Those of the files, and those in which a directory or the target of a symbolic link may be replaced.
    private func directories() -> Set<String> {
        var directories: Set = [directory]
        for path in known.withLock({ Array($0.keys) }) + [directory] {
            for place in [FilePath.absolute(path), FileSystem.resolved(path)] {
                directories.insert(FilePath.directory(of: place))
            }
        }
        return directories
    }
}
