import Model
import Reactor

/// The servers of one upstream.
package struct Upstream: Sendable {
    package var settings: UpstreamSettings
    package var servers: [ServerSettings]
    /// `Host` for requests without one (HTTP/1.0).
    package var authority: [UInt8]
    /// TLS; nil for none.
    package var tls: UpstreamTLS?

    package init(_ settings: UpstreamSettings, servers: [ServerSettings]) {
        self.settings = settings
        self.servers = servers
        authority = servers.first?.authority ?? []
    }

    /// An upstream of one server.
    package init(name: String, address: SocketAddress) {
        self.init(UpstreamSettings(name: name), servers: [ServerSettings(.address(address))])
    }

    /// Whether requests for one upstream may use the connections of the other.
    func hasSameServers(as other: Upstream) -> Bool {
        settings.name == other.settings.name && speaksAlike(other)
            && servers.map(\.target) == other.servers.map(\.target)
    }

    /// Whether connections have the same TLS and HTTP version.
    func speaksAlike(_ other: Upstream) -> Bool { tls == other.tls && settings.http2 == other.settings.http2 }
}
