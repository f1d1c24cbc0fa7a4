import Bytes
import Model

/// Where an outbound call goes: an absolute `http` or `https` URL, taken apart once and strictly.
///
/// Two readers that disagree on a URL's host are a request to the wrong server, so that whatever could be read in two
/// ways is refused: user information, fragments, backslashes, blanks, numbers that only some readers take for addresses.
/// All parts are ASCII, so that comparing them compares bytes.
package struct OutboundURL: Hashable, Sendable {
    package enum Scheme: String, Sendable {
        case http, https
    }

    /// What is wrong with a text. The raw value says it in words.
    package enum Problem: String, Error, Sendable {
        case scheme = "it must begin with https:// or http://"
        case userInformation = "it must not have a user or a password"
        case host = "it has no valid host"
        case port = "its port is not a number from 1 to 65535"
        case target = "its path or query has a character that must be percent-encoded, or a malformed escape"
        case fragment = "it must not have a fragment"
        case tooLong = "it is longer than 2048 bytes"
    }

    /// The longest URL, in bytes.
    package static let maximumLength = 2048

    package let scheme: Scheme
    /// Name in lower case or IP literal; IPv6 without brackets.
    package let host: String
    /// The scheme's own where the URL names none.
    package let port: UInt16
    /// Path and query as they stand, at least `/`.
    package let target: String

    package init(_ text: String) throws(Problem) {
        let bytes = Array(text.utf8)
        guard bytes.count <= OutboundURL.maximumLength else { throw .tooLong }
        guard let (scheme, start) = OutboundURL.scheme(of: bytes) else { throw .scheme }
        let ends: Set<UInt8> = [ASCII.slash, 0x3f, 0x23, ASCII.backslash]
        let end = bytes[start...].firstIndex(where: ends.contains) ?? bytes.endIndex
        let authority = bytes[start..<end]
        guard !authority.contains(0x40) else { throw .userInformation }
        let (hostText, portText) = OutboundURL.split(authority)
        guard let host = OutboundURL.host(hostText) else { throw .host }
        self.scheme = scheme
        self.host = host
        if let portText {
            guard let number = Decimal.parse(Array(portText).span), (1...65535).contains(number) else { throw .port }
            port = UInt16(number)
        } else {
            port = scheme == .https ? 443 : 80
        }
        target = try OutboundURL.target(bytes[end...])
    }

    /// Whether the connection is encrypted and its server checked.
    package var isSecure: Bool { scheme == .https }

    /// Host, and port where it is not the scheme's own, as `Host` carries them (RFC 9110 section 7.2).
    package var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    private static func scheme(of bytes: [UInt8]) -> (Scheme, end: Int)? {
        for scheme in [Scheme.https, .http] {
            let prefix = Array("\(scheme.rawValue)://".utf8)
            if bytes.count > prefix.count, bytes[..<prefix.count].map(ASCII.lowercased) == prefix {
                return (scheme, prefix.count)
            }
        }
        return nil
    }

    /// The colon in front of the port is the last one, and none of those in brackets.
    private static func split(_ authority: ArraySlice<UInt8>) -> (host: ArraySlice<UInt8>, port: ArraySlice<UInt8>?) {
        guard let colon = authority.lastIndex(of: ASCII.colon), !authority[colon...].contains(0x5d) else {
            return (authority, nil)
        }
        return (authority[..<colon], authority[(colon + 1)...])
    }

    private static func host(_ text: ArraySlice<UInt8>) -> String? {
        if text.first == 0x5b, text.last == 0x5d {
            let address = text.dropFirst().dropLast().map(ASCII.lowercased)
            return AddressText.isIPv6(address.span) ? String(decoding: address, as: UTF8.self) : nil
        }
        let name = text.map(ASCII.lowercased)
        guard HostName.isValid(name.span) else { return nil }
        // The C library takes 127.1 and 0x7f000001 for addresses, others for names.
        let last = name[((name.lastIndex(of: ASCII.dot) ?? -1) + 1)...]
        if ASCII.isDigit(last[last.startIndex]), !AddressText.isIPv4(name.span) { return nil }
        return String(decoding: name, as: UTF8.self)
    }

    /// What RFC 3986 allows in path and query (sections 3.3 and 3.4), escapes whole.
    private static func target(_ text: ArraySlice<UInt8>) throws(Problem) -> String {
        let marks = Set("-._~!$&'()*+,;=:@/?%".utf8)
        var escaped = 0
        for byte in text {
            if byte == 0x23 { throw .fragment }
            if escaped > 0 {
                guard ASCII.hexadecimalValue(byte) != nil else { throw .target }
                escaped -= 1
                continue
            }
            guard ASCII.isLetter(byte) || ASCII.isDigit(byte) || marks.contains(byte) else { throw .target }
            if byte == ASCII.percent { escaped = 2 }
        }
        guard escaped == 0 else { throw .target }
        let target = String(decoding: text, as: UTF8.self)
        return text.first == ASCII.slash ? target : "/" + target
    }
}

extension OutboundURL: CustomStringConvertible {
    package var description: String { "\(scheme.rawValue)://\(authority)\(target)" }
}
