import Bytes
import Model

extension User {
    private static let longestPassword = 1024

    /// Whether a text is a valid password: not empty, not too long, and without control characters, which HTTP Basic
    /// cannot carry (RFC 7617 section 2).
    package static func canHavePassword(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= longestPassword && text.utf8.allSatisfy { $0 >= ASCII.space && $0 != 0x7f }
    }
}
