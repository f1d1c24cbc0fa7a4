import Foundation
import Glibc
import Synchronization

/// A directory of a test's own below the system's temporary one. It goes with this value; at the end of the process where
/// that lives as long; and where a process was killed, with a later one.
package final class TemporaryDirectory: Sendable {
    package let url: URL
    package var path: String { url.path }

    private static let prefix = "portcullis-"
    private static let living = Mutex<Set<String>?>(nil)
    /// Seconds after which what a process has left is taken for forgotten: in another container the process may live.
    private static let patience = 3600.0

    package init() throws {
        let name = "\(TemporaryDirectory.prefix)\(getpid())-\(UUID().uuidString)"
        url = FileManager.default.temporaryDirectory.appending(path: name)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let path = url.path
        let isFirst = TemporaryDirectory.living.withLock { living in
            defer { living = (living ?? []).union([path]) }
            return living == nil
        }
        guard isFirst else { return }
        TemporaryDirectory.removeForgotten()
        atexit {
            for path in TemporaryDirectory.living.withLock({ $0 }) ?? [] {
                try? FileManager.default.removeItem(atPath: path)
            }
        }
    }

    deinit {
        let path = url.path
        try? FileManager.default.removeItem(atPath: path)
        TemporaryDirectory.living.withLock { _ = $0?.remove(path) }
    }

    /// Those of processes that are no more.
    private static func removeForgotten() {
        let place = FileManager.default.temporaryDirectory
        for name in (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? [] {
            let parts = name.split(separator: "-")
            guard name.hasPrefix(prefix), parts.count == 7, let process = pid_t(parts[1]), process > 0,
                kill(process, 0) == -1, errno == ESRCH
            else { continue }
            let url = place.appending(path: name)
            let made = try? FileManager.default.attributesOfItem(atPath: url.path)[.modificationDate] as? Date
            guard let made, made.timeIntervalSinceNow < -patience else { continue }
            try? FileManager.default.removeItem(at: url)
        }
    }
}
