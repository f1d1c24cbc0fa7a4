/// A reply of a Redis or Valkey server in protocol version 2 (RESP2), their default.
package enum RESPValue: Equatable, Sendable {
    /// A status without data, such as `OK`.
    case status([UInt8])
    /// An error: a code in capitals, a space, a text.
    case error([UInt8])
    case integer(Int64)
    /// A bulk string, binary-safe.
    case bytes([UInt8])
    case null
    case array([RESPValue])
}

extension RESPValue {
    /// The code of an error, such as `NOSCRIPT`; nil for other replies. The text after it is never logged or passed on,
    /// because it may repeat what was sent, passwords included.
    package var errorCode: String? {
        guard case .error(let text) = self else { return nil }
        let code = text.prefix(RESPValue.longestCode).prefix { (65...90).contains($0) || $0 == 95 }
        return code.isEmpty ? "ERR" : String(decoding: code, as: UTF8.self)
    }

    private static let longestCode = 32

    /// Whether it is this status.
    func isStatus(_ word: StaticString) -> Bool {
        guard case .status(let text) = self else { return false }
        return text.elementsEqual(word.description.utf8)
    }
}
