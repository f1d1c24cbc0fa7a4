import Bytes
import Model

/// The public names of this gateway, from its configuration. The client controls `Host`, so nothing derived from it is
/// trusted.
package struct PublicNames: Sendable {
    private let origins: [WebOrigin]
    private let hosts: [HostPattern]

    /// - Parameters:
    ///   - origins: those of the gateway.
    ///   - hosts: those of routes.
    package init(origins: [WebOrigin] = [], hosts: [HostPattern] = []) {
        self.origins = origins
        self.hosts = hosts
    }

    /// Whether an origin is the gateway's, or its host a route's.
    package func include(_ origin: WebOrigin) -> Bool { origins.contains(origin) || isOfRoute(origin.host) }

    /// The origin for clients that reach the gateway as `requested`: the same if it is the gateway's, otherwise its first.
    package func origin(for requested: WebOrigin?) -> WebOrigin? {
        origins.first { $0 == requested } ?? origins.first
    }

    /// Where browsers log in that have asked a host other than the gateway's own, since cookies belong to a host; nil for
    /// its own, and for none.
    /// - Parameter authority: as in `Host`.
    package func home(of authority: String) -> WebOrigin? {
        guard !authority.isEmpty else { return nil }
        let host = (try? WebOrigin("http://\(authority)"))?.host ?? ""
        return origins.contains { $0.host.isExactly(host) } ? nil : origins.first
    }

    /// Whether a host, in lower case, is the gateway's or a route's.
    package func include(host: String) -> Bool {
        origins.contains { $0.host.isExactly(host) } || hosts.contains { $0.fits(host) }
    }

    /// Whether an authority, as in `Host`, has the host of one of these names, at any port.
    package func include(authority: String) -> Bool {
        guard let named = try? WebOrigin("http://\(authority)") else { return false }
        return origins.contains { $0.host.isExactly(named.host) } || isOfRoute(named.host)
    }

    /// Includes `localhost` and IP addresses, which name the machine itself.
    private func isOfRoute(_ host: String) -> Bool {
        if host.isExactly("localhost") || AddressText.isIPv4(Array(host.utf8).span) || host.utf8.contains(ASCII.colon) {
            return true
        }
        return hosts.contains { $0.fits(host) }
    }
}
