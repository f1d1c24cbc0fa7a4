/// A reply of a Redis or Valkey server, in version 2 of its protocol (RESP2), which is what they speak unless asked for
/// another.
package enum RESPValue: Equatable, Sendable {
    /// A word without content, such as `OK`.
    case status([UInt8])
    /// A refusal: a code in capitals, a space, a text.
    case error([UInt8])
    case integer(Int64)
    /// A bulk string: any bytes.
    case bytes([UInt8])
    case null
    case array([RESPValue])
}

extension RESPValue {
    /// The code of a refusal, such as `NOSCRIPT`; nil for every other reply. The text behind it is never logged or
    /// passed on: a server may repeat in it what it was sent, a password included.
    package var errorCode: String? {
        guard case .error(let text) = self else { return nil }
        let code = text.prefix(RESPValue.longestCode).prefix { (65...90).contains($0) || $0 == 95 }
        return code.isEmpty ? "ERR" : String(decoding: code, as: UTF8.self)
    }

    private static let longestCode = 32

    /// Whether it is a status of these bytes.
    func isStatus(_ word: StaticString) -> Bool {
        guard case .status(let text) = self else { return false }
        return text.elementsEqual(word.description.utf8)
    }
}
