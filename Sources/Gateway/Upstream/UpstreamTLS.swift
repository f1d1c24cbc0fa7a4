import Crypto
import Reactor

/// TLS settings for the servers of an upstream.
package struct UpstreamTLS: Sendable {
    package var context: TLSClientContext
    /// The same with HTTP/1.1 only, for upgrades, if `context` prefers another protocol.
    package var upgradeContext: TLSClientContext?
    /// Server name to send and verify; nil for the host of each server.
    package var serverName: String?

    package init(_ context: TLSClientContext, serverName: String? = nil) {
        self.context = context
        self.serverName = serverName
    }

    /// The required name of this server.
    func name(of target: ServerSettings.Target) -> String {
        if let serverName { return serverName }
        return switch target {
        case .name(let host, _): host
        case .address(let address): address.isUnix ? "localhost" : address.host
        }
    }
}

extension UpstreamTLS: Equatable {
    /// A reloaded context is a different one, even if the files are unchanged.
    package static func == (one: UpstreamTLS, other: UpstreamTLS) -> Bool {
        one.context === other.context && one.serverName == other.serverName
    }
}
