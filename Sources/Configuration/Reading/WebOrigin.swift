import Bytes

/// Scheme, host and port of an `http` or `https` URL that has nothing else.
package struct WebOrigin: Hashable, Sendable {
    package let isSecure: Bool
    /// Lower-case name or IP literal, IPv6 without brackets.
    package let host: String
    /// Port, the scheme's own where the URL names none.
    package let port: Int

    /// What is wrong with a URL.
    enum Problem: Error {
        case notHTTP, userInformation, path, host, port
    }

    init(_ text: String) throws(Problem) {
        guard let separator = text.firstRange(of: "://") else { throw .notHTTP }
        switch text[..<separator.lowerBound].lowercased() {
        case "http": isSecure = false
        case "https": isSecure = true
        default: throw .notHTTP
        }
        let rest = text[separator.upperBound...]
        guard !rest.contains(where: { "/?#\\".contains($0) }) else { throw .path }
        guard !rest.contains("@") else { throw .userInformation }
        var hostText = rest
        var portText: Substring?
        if let colon = rest.lastIndex(of: ":"), !rest.hasSuffix("]") {
            hostText = rest[..<colon]
            portText = rest[rest.index(after: colon)...]
        }
        if hostText.hasPrefix("[") {
            guard hostText.hasSuffix("]"), let address = IPLiteral(String(hostText.dropFirst().dropLast())),
                address.bytes.count == 16
            else { throw .host }
            host = address.description
        } else {
            guard WebOrigin.isHostName(hostText) else { throw .host }
            host = hostText.lowercased()
        }
        guard let portText else {
            port = isSecure ? 443 : 80
            return
        }
        guard let number = Decimal.parse(Array(portText.utf8).span), (1...65535).contains(number) else { throw .port }
        port = number
    }

    /// Labels of letters, digits, hyphens and underscores, joined by dots.
    static func isHostName(_ text: Substring) -> Bool {
        guard !text.isEmpty, text.utf8.count <= 253 else { return false }
        return text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
                && label.utf8.allSatisfy {
                    ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
                }
        }
    }

    /// Whether only this machine can be meant.
    package var isLocal: Bool {
        host == "localhost" || host.hasSuffix(".localhost") || IPLiteral(host)?.isLoopback == true
    }
}

extension WebOrigin: CustomStringConvertible {
    /// The origin as browsers write it: no default port (RFC 6454 section 6.2).
    package var description: String {
        let name = host.contains(":") ? "[\(host)]" : host
        let standard = port == (isSecure ? 443 : 80)
        return "\(isSecure ? "https" : "http")://\(name)\(standard ? "" : ":\(port)")"
    }
}

extension Field {
    /// A base URL: scheme, host and port, no path.
    func origin() -> WebOrigin? {
        let expected = "an origin such as \"https://api.example.com\""
        guard let text = text(expected) else { return nil }
        do throws(WebOrigin.Problem) {
            return try WebOrigin(text)
        } catch {
            switch error {
            case .notHTTP: invalid("\(expected), with http or https")
            case .userInformation: invalid("\(expected), without user name and password")
            case .path:
                let bare = text.split(separator: "/", omittingEmptySubsequences: false).prefix(3).joined(separator: "/")
                invalid("\(expected), without path, query or trailing slash", suggestion: bare)
            case .host: invalid("\(expected), with a host name or IP address")
            case .port: invalid("\(expected), with a port from 1 to 65535")
            }
            return nil
        }
    }

    func address() -> IPLiteral? {
        let expected = "an IP address such as \"127.0.0.1\" or \"::1\""
        guard let text = text(expected) else { return nil }
        guard let address = IPLiteral(text) else {
            invalid(expected, suggestion: text == "localhost" ? "127.0.0.1" : nil)
            return nil
        }
        return address
    }

    /// A block in CIDR notation, with all bits after the prefix zero.
    func addressBlock() -> AddressBlock? {
        let expected = "a CIDR block such as \"10.0.0.0/8\""
        guard let text = text(expected) else { return nil }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let base = IPLiteral(String(parts[0])) else {
            invalid(expected)
            return nil
        }
        let width = base.bytes.count * 8
        guard let length = parts.count == 1 ? width : Decimal.parse(Array(parts[1].utf8).span), length <= width else {
            invalid("\(expected), with a prefix length from 1 to \(width)")
            return nil
        }
        guard length > 0 else {
            // Whoever trusts everybody lets every client choose its own address.
            error("a block of all addresses would trust every client", expected: expected, found: summary)
            return nil
        }
        guard let first = IPLiteral(bytes: AddressBlock.masked(base.bytes, length)), first == base else {
            let first = IPLiteral(bytes: AddressBlock.masked(base.bytes, length))
            invalid("\(expected), with no bit set after the prefix", suggestion: first.map { "\($0)/\(length)" })
            return nil
        }
        return AddressBlock(base: base, prefixLength: length)
    }
}

extension IPLiteral {
    /// An address of 4 or 16 bytes in network order.
    init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }
}
