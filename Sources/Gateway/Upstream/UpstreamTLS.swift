import Crypto
import Reactor

/// TLS toward the servers of an upstream.
package struct UpstreamTLS: Sendable {
    package var context: TLSClientContext
    /// The same with HTTP/1.1 as the only protocol, where `context` prefers another: upgrades want it.
    package var upgradeContext: TLSClientContext?
    /// What is asked for and looked for in the certificate; nil for the host of each server.
    package var serverName: String?

    package init(_ context: TLSClientContext, serverName: String? = nil) {
        self.context = context
        self.serverName = serverName
    }

    /// The name that this server must show.
    func name(of target: ServerSettings.Target) -> String {
        if let serverName { return serverName }
        return switch target {
        case .name(let host, _): host
        case .address(let address): address.isUnix ? "localhost" : address.host
        }
    }
}

extension UpstreamTLS: Equatable {
    /// A context read anew is another one, even where the files say the same.
    package static func == (one: UpstreamTLS, other: UpstreamTLS) -> Bool {
        one.context === other.context && one.serverName == other.serverName
    }
}
