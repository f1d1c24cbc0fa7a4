import Reactor

/// Why a file cannot be read.
package struct UnreadableFile: Error {
    package let path: String
    /// The description of the system error.
    package let reason: String

    package var text: String { "\(path) cannot be read: \(reason)" }
}

/// Files that are read whole.
package enum FileText {
    /// - Parameter acceptsPipes: for a file that an argument of a command names, such as `<(command)`.
    package static func read(_ path: String, acceptsPipes: Bool = false) throws(UnreadableFile) -> [UInt8] {
        do throws(KernelError) {
            return try FileSystem.read(path, acceptsPipes: acceptsPipes)
        } catch {
            throw UnreadableFile(path: path, reason: error.text)
        }
    }
}
