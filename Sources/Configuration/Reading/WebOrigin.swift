import Bytes
import Model

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

    init(isSecure: Bool, host: String, port: Int) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
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
            let literal = hostText.dropFirst().dropLast()
            guard hostText.hasSuffix("]"), literal.contains(":"), let address = IPAddress(String(literal)) else {
                throw .host
            }
            host = address.textAsIPv6
        } else {
            guard HostName.isValid(hostText) else { throw .host }
            host = hostText.lowercased()
        }
        guard let portText else {
            port = isSecure ? 443 : 80
            return
        }
        guard let number = Decimal.parse(Array(portText.utf8).span), (1...65535).contains(number) else { throw .port }
        port = number
    }

    /// Whether only this machine can be meant.
    package var isLocal: Bool {
        host == "localhost" || host.hasSuffix(".localhost") || IPAddress(host)?.isLoopback == true
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
