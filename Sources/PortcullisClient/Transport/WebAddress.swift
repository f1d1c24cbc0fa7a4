import Bytes
import Foundation
import HTTP

/// An `http` or `https` URL, taken apart: whom to connect to, and what to ask for.
struct WebAddress: Equatable, Sendable {
    let isSecure: Bool
    /// In lower case; a literal IPv6 address without its brackets.
    let host: String
    let port: UInt16
    /// Path and query, beginning with a slash.
    let target: String

    init(_ url: String) throws(ClientError) {
        guard let mark = url.range(of: "://") else {
            throw ClientError(.invalidURL, "\"\(url)\" is no absolute URL")
        }
        switch url[..<mark.lowerBound].lowercased() {
        case "http": isSecure = false
        case "https": isSecure = true
        default: throw ClientError(.unsupportedScheme, "\"\(url)\" is neither http nor https")  // OMS-02
        }
        let rest = url[mark.upperBound...]
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let authority = Array(rest[..<end].utf8)
        // What would end or split a line of the head, and a fragment, which no server is to see.
        let isClean = rest.utf8.allSatisfy { $0 > ASCII.space && $0 < 127 && $0 != UInt8(ascii: "#") }
        guard isClean, Authority.isValid(authority.span), !authority.contains(UInt8(ascii: "@")),
            let (host, port) = WebAddress.split(rest[..<end])
        else { throw ClientError(.invalidURL, "\"\(url)\" is no URL of a server") }
        self.host = host.lowercased()
        self.port = port ?? (isSecure ? 443 : 80)
        let path = rest[end...]
        target = path.hasPrefix("/") ? String(path) : "/\(path)"
    }

    private static func split(_ authority: Substring) -> (host: String, port: UInt16?)? {
        var host = authority
        var port: UInt16?
        let isLiteral = authority.hasPrefix("[")
        if let colon = authority.lastIndex(of: ":"), !isLiteral || authority[..<colon].hasSuffix("]") {
            let digits = Array(authority[authority.index(after: colon)...].utf8)
            guard let number = Decimal.parse(digits.span), (1...65_535).contains(number) else { return nil }
            port = UInt16(number)
            host = authority[..<colon]
        }
        if isLiteral {
            guard host.hasSuffix("]") else { return nil }
            host = host.dropFirst().dropLast()
        }
        return host.isEmpty ? nil : (String(host), port)
    }

    /// Scheme, host and port: what tokens are kept for.
    var origin: String { "\(isSecure ? "https" : "http")://\(hostText):\(port)" }

    /// The value of `Host`.
    var authority: String { port == (isSecure ? 443 : 80) ? hostText : "\(hostText):\(port)" }

    /// The URL without its default port: what is said to be the protected resource.
    var url: String { "\(isSecure ? "https" : "http")://\(authority)\(target)" }

    /// The target without its query.
    var path: String { String(target.prefix { $0 != "?" }) }

    private var hostText: String { host.contains(":") ? "[\(host)]" : host }
}
