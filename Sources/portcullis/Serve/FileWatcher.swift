import Configuration
import Foundation
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
    private let known = Mutex(Known())
    private let isEnabled = Atomic(false)
    private let hasThread = Atomic(false)

    private struct Known {
        /// The files that the configuration names, such as certificates and keys.
        var named: Set<String> = []
        var states: [String: FileState] = [:]
    }

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
                log.write("watch_failed", [("detail", .text(error.text))])
                // The next reload tries again.
                hasThread.store(false, ordering: .relaxed)
            }
        }
    }

    /// Remembers the states of the files. Call before they are read.
    func beginReading() {
        known.withLock { $0.states = states($0.named) }
    }

    /// - Parameter named: paths of the files that the configuration names. For those that were not known when the reading
    ///   began, the next event causes one more reload.
    func finishReading(named: Set<String>) {
        known.withLock { $0.named = named }
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
        known.withLock { $0.states != states($0.named) }
    }

    /// The states of the JSON files of the directory and of the named files.
    private func states(_ named: Set<String>) -> [String: FileState] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        var states: [String: FileState] = [:]
        for path in named.union(names.filter(ConfigurationLoader.isRead).map { "\(directory)/\($0)" }) {
            states[path] = FileState(path)
        }
        return states
    }

    /// Those of the files, and those in which a directory or the target of a symbolic link may be replaced.
    private func directories() -> Set<String> {
        var directories: Set = [directory]
        for url in known.withLock(\.named).union([directory]).map({ URL(filePath: $0) }) {
            for path in [url, url.resolvingSymlinksInPath()] {
                directories.insert(path.deletingLastPathComponent().path(percentEncoded: false))
            }
        }
        return directories
    }
}
