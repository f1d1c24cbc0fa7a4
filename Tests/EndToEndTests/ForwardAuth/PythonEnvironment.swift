import Foundation

/// The Python environment of the tests, which also has programs that come as wheels.
enum PythonEnvironment {
    /// The path of a program among the scripts of the environment; nil if it is not installed.
    static func script(_ name: String) -> String? {
        root.flatMap { executable($0.appending(path: "bin/\(name)")) }
    }

    /// The path of a program within a package; nil if it is not installed.
    static func program(_ path: String) -> String? {
        guard let library = root?.appending(path: "lib"),
            let versions = try? FileManager.default.contentsOfDirectory(at: library, includingPropertiesForKeys: nil)
        else { return nil }
        return versions.lazy.compactMap { executable($0.appending(path: "site-packages/\(path)")) }.first
    }

    private static var root: URL? {
        ProcessInfo.processInfo.environment["PORTCULLIS_PYTHON"].map {
            URL(filePath: $0).deletingLastPathComponent().deletingLastPathComponent()
        }
    }

    private static func executable(_ file: URL) -> String? {
        FileManager.default.isExecutableFile(atPath: file.path) ? file.path : nil
    }
}
