import Bytes

/// Scheme, host and port of an `http` or `https` URL (RFC 6454 section 4).
package struct WebOrigin: Hashable, Sendable {
    package let isSecure: Bool
    /// Name in lower case or IP literal; IPv6 in the form of RFC 5952, without brackets.
    package let host: String
    /// The default port of the scheme without an explicit one.
    package let port: UInt16

    package init(isSecure: Bool, host: String, port: UInt16) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
    }

    /// An origin without anything after it.
    package init(_ text: String) throws(WebURL.Problem) {
        let bytes = Array(text.utf8)
        let end = try WebOrigin.end(in: bytes)
        guard end == bytes.count else { throw .path }
        try self.init(bytes[..<end])
    }

    /// - Parameter text: `scheme "://"` and an authority.
    init(_ text: ArraySlice<UInt8>) throws(WebURL.Problem) {
        guard !text.contains(UInt8(ascii: "@")) else { throw .userInformation }
        let parts: SerializedOrigin
        do throws(SerializedOrigin.Problem) {
            parts = try SerializedOrigin(text.span)
        } catch {
            throw error == .port ? .port : .host
        }
        guard let host = WebOrigin.host(Array(text[parts.host.range]), isAddress: parts.isAddress) else { throw .host }
        // Both have been checked: "http" or "https", and at most 65535.
        let isSecure = parts.scheme.count == 5
        let port = parts.port.flatMap { Decimal.parse(text.span.slice($0)) } ?? (isSecure ? 443 : 80)
        self.init(isSecure: isSecure, host: host, port: UInt16(port))
    }

    /// End of the authority of an `http` or `https` URL.
    static func end(in bytes: [UInt8]) throws(WebURL.Problem) -> Int {
        guard let schemeEnd = SerializedOrigin.endOfScheme(bytes.span), schemeEnd + 3 < bytes.count,
            ["http", "https"].contains(String(decoding: bytes[..<schemeEnd].map(ASCII.lowercased), as: UTF8.self))
        else { throw .scheme }
        let ends: Set<UInt8> = [ASCII.slash, UInt8(ascii: "?"), UInt8(ascii: "#"), ASCII.backslash]
        return bytes[(schemeEnd + 3)...].firstIndex(where: ends.contains) ?? bytes.endIndex
    }

    private static func host(_ text: [UInt8], isAddress: Bool) -> String? {
        if isAddress {
            let literal = text.dropFirst().dropLast()
            return literal.contains(ASCII.colon) ? IPAddress(text: literal.span)?.textAsIPv6 : nil
        }
        let name = text.map(ASCII.lowercased)
        guard HostName.isValid(name.span), !endsInNumber(name) || AddressText.isIPv4(name.span) else { return nil }
        return String(decoding: name, as: UTF8.self)
    }

    /// Whether the last label is a number: some readers take 127.1 and 0x7f000001 for addresses, others for names (WHATWG
    /// URL, "ends in a number checker").
    private static func endsInNumber(_ name: [UInt8]) -> Bool {
        let label = name[((name.lastIndex(of: ASCII.dot) ?? -1) + 1)...]
        if label.allSatisfy(ASCII.isDigit) { return true }
        return label.starts(with: "0x".utf8) && label.dropFirst(2).allSatisfy { ASCII.hexadecimalValue($0) != nil }
    }

    package var scheme: String { isSecure ? "https" : "http" }

    /// Host, and port where it is not the scheme's own, as `Host` carries them (RFC 9110 section 7.2).
    package var authority: String { port == (isSecure ? 443 : 80) ? urlHost : "\(urlHost):\(port)" }

    /// The host with the brackets of IPv6.
    package var urlHost: String { host.utf8.contains(ASCII.colon) ? "[\(host)]" : host }

    /// Whether only this machine can be meant.
    package var isLocal: Bool {
        host == "localhost" || host.hasSuffix(".localhost") || IPAddress(host)?.isLoopback == true
    }
}

extension WebOrigin: CustomStringConvertible {
    /// The origin as browsers write it: no default port (RFC 6454 section 6.2).
    package var description: String { "\(scheme)://\(authority)" }
}
