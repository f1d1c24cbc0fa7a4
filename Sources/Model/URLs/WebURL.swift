import Bytes

/// An absolute `http` or `https` URL, taken apart once and strictly.
///
/// Two readers that disagree on a URL's host are a request to the wrong server. A text that could be read in two ways is
/// refused: user information, fragments, backslashes, blanks, numbers that only some readers take for addresses.
/// All parts are ASCII, so that comparing them compares bytes.
package struct WebURL: Hashable, Sendable {
    /// What is wrong with a text. The raw value says it in words.
    package enum Problem: String, Error, Sendable {
        case scheme = "it must begin with https:// or http://"
        case userInformation = "it must not have a user or a password"
        case host = "it has no valid host"
        case port = "its port is not a number from 1 to 65535"
        case target = "its path or query has a character that must be percent-encoded, or a malformed escape"
        case fragment = "it must not have a fragment"
        case tooLong = "it is longer than 2048 bytes"
        /// Of an origin.
        case path = "it must not have a path or a query"
    }

    /// The longest URL, in bytes.
    package static let maximumLength = 2048

    package let origin: WebOrigin
    /// Path and query as they stand, at least `/`.
    package let target: String

    package init(_ text: String) throws(Problem) {
        guard text.utf8.count <= WebURL.maximumLength else { throw .tooLong }
        try self.init(text, checking: WebURL.check)
    }

    /// - Parameter target: in visible ASCII, with its slash.
    package init(_ origin: WebOrigin, target: String = "/") {
        self.origin = origin
        self.target = target
    }

    /// A URL as applications write it: of any length, and with every visible character of ASCII in path and query.
    package init(lenient text: String) throws(Problem) { try self.init(text, checking: WebURL.checkLeniently) }

    private init(_ text: String, checking check: (ArraySlice<UInt8>) throws(Problem) -> Void) throws(Problem) {
        let bytes = Array(text.utf8)
        let end = try WebOrigin.end(in: bytes)
        origin = try WebOrigin(bytes[..<end])
        guard !bytes[end...].contains(UInt8(ascii: "#")) else { throw .fragment }
        try check(bytes[end...])
        let target = String(decoding: bytes[end...], as: UTF8.self)
        self.target = target.utf8.first == ASCII.slash ? target : "/\(target)"
    }

    /// What RFC 3986 allows in path and query (sections 3.3 and 3.4), escapes whole.
    private static func check(_ text: ArraySlice<UInt8>) throws(Problem) {
        let marks = Set("-._~!$&'()*+,;=:@/?%".utf8)
        var escaped = 0
        for byte in text {
            if escaped > 0 {
                guard ASCII.hexadecimalValue(byte) != nil else { throw .target }
                escaped -= 1
                continue
            }
            guard ASCII.isLetter(byte) || ASCII.isDigit(byte) || marks.contains(byte) else { throw .target }
            if byte == ASCII.percent { escaped = 2 }
        }
        guard escaped == 0 else { throw .target }
    }

    private static func checkLeniently(_ text: ArraySlice<UInt8>) throws(Problem) {
        guard text.first != ASCII.backslash, text.allSatisfy({ $0 > ASCII.space && $0 < 0x7f }) else { throw .target }
    }

    /// Whether the connection is encrypted and its server checked.
    package var isSecure: Bool { origin.isSecure }
    package var scheme: String { origin.scheme }
    package var host: String { origin.host }
    package var port: UInt16 { origin.port }
    package var authority: String { origin.authority }

    /// The target without its query.
    package var path: String { String(target.prefix { $0 != "?" }) }
}

extension WebURL: CustomStringConvertible {
    package var description: String { "\(origin)\(target)" }
}
