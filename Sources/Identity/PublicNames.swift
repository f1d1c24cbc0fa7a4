import Bytes
import Model

/// The names by which clients reach this gateway, as its configuration has them. `Host` is the client's own word, and so is
/// whatever is made of it.
package struct PublicNames: Sendable {
    private let origins: [OutboundURL]
    private let hosts: [HostPattern]

    /// - Parameters:
    ///   - origins: such as `https://gw.example.com`.
    ///   - hosts: those of routes.
    package init(origins: [String] = [], hosts: [HostPattern] = []) {
        self.origins = origins.compactMap { try? OutboundURL($0) }
        self.hosts = hosts
    }

    /// Whether a URL is this gateway's: by scheme, host and port that of an origin, or by its host a route's.
    package func include(_ url: OutboundURL) -> Bool {
        origins.contains { $0.scheme == url.scheme && $0.port == url.port && $0.host.isExactly(url.host) }
            || isOfRoute(url.host)
    }

    /// Whether an authority, as `Host` has it, has the host of one of these names, at whichever port.
    package func include(authority: String) -> Bool {
        guard let url = try? OutboundURL("http://\(authority)") else { return false }
        return origins.contains { $0.host.isExactly(url.host) } || isOfRoute(url.host)
    }

    /// An address names the machine that is asked, whoever writes it.
    private func isOfRoute(_ host: String) -> Bool {
        if host.isExactly("localhost") || AddressText.isIPv4(Array(host.utf8).span) || host.utf8.contains(ASCII.colon) {
            return true
        }
        return hosts.contains { $0.fits(host) }
    }
}
