import Model
import Reactor

/// The attributes `server.address` and `server.port`.
extension TraceSpan {
    /// - Parameter authority: host and port as in a request; the port of the scheme if it names none.
    static func server(_ authority: String, isSecure: Bool) -> [(name: String, value: Value)] {
        var (host, port) = (authority[...], isSecure ? 443 : 80)
        // The colons of an IPv6 address are in brackets.
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            host = authority[..<colon]
            if let number = UInt16(authority[authority.index(after: colon)...]) { port = Int(number) }
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        return [("server.address", .text(String(host))), ("server.port", .number(port))]
    }

    /// The path of a unix socket has no port.
    static func server(_ target: ServerSettings.Target) -> [(name: String, value: Value)] {
        switch target {
        case .name(let host, let port): return [("server.address", .text(host)), ("server.port", .number(Int(port)))]
        case .address(let address):
            guard let ip = address.ipAddress else { return [("server.address", .text(address.description))] }
            return [("server.address", .text(ip.description)), ("server.port", .number(Int(address.port)))]
        }
    }
}
