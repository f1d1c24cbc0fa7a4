import Bytes

/// A program that prints secrets, such as the client of a vault.
package struct SecretProgram: Sendable, Equatable {
    package var name: String
    /// Its absolute path and its arguments, in which `{key}` is the key of the secret.
    package var command: [String]
    package var timeoutMilliseconds: Int64

    package init(name: String, command: [String], timeoutMilliseconds: Int64) {
        (self.name, self.command, self.timeoutMilliseconds) = (name, command, timeoutMilliseconds)
    }

    /// A program with all its arguments.
    package struct Call: Sendable, Hashable {
        package let command: [String]
        package let timeoutMilliseconds: Int64

        package init(command: [String], timeoutMilliseconds: Int64) {
            self.command = command
            self.timeoutMilliseconds = timeoutMilliseconds
        }
    }

    package static let mark = "{key}"

    package var takesKey: Bool { command.contains { $0.contains(SecretProgram.mark) } }

    /// Nil for a key that is missing, that the program does not take, or that could be taken for something else: an
    /// option, or a path that leads upwards.
    package func call(_ key: String?) -> Call? {
        guard takesKey == (key != nil), key.map(SecretProgram.isKey) ?? true else { return nil }
        let arguments = command.map { $0.replacing(SecretProgram.mark, with: key ?? "") }
        return Call(command: arguments, timeoutMilliseconds: timeoutMilliseconds)
    }

    private static func isKey(_ key: String) -> Bool {
        func isPlain(_ byte: UInt8) -> Bool { ASCII.isLetter(byte) || ASCII.isDigit(byte) }
        guard let first = key.utf8.first, isPlain(first), key.utf8.count <= 256, !key.contains("..") else {
            return false
        }
        return key.utf8.allSatisfy { isPlain($0) || "._/@-".utf8.contains($0) }
    }
}
