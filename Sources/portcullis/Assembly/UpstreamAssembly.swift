import Configuration
import Gateway
import Model
import Reactor

/// The upstreams, with the TLS to their servers.
struct UpstreamAssembly: AssemblyPart {
    let context: AssemblyContext

    func upstreams() -> [Upstream] {
        var identities: Set<RetainedTLS.ClientIdentity> = []
        let upstreams = configuration.upstreams.map { entry in
            // Weight 0 drains a server: it gets no more requests.
            var upstream = Upstream(
                entry.settings,
                servers: entry.servers.filter { $0.weight > 0 }.compactMap { ServerSettings($0, entry.hostHeader) })
            let (http2, pointer) = (entry.settings.http2, "/upstreams/\(entry.settings.name)/tls")
            if let tls = entry.tls,
                let identity = ClientTLSAssembly(context: context).clientIdentity(tls, http2: http2, at: pointer)
            {
                identities.insert(identity)
                upstream.tls = ClientTLSAssembly(context: context).clientContext(identity, at: pointer).map {
                    UpstreamTLS($0, serverName: tls.serverName ?? entry.hostHeader.name)
                }
                if http2 {
                    // Upgrades need HTTP/1.1, so the server must not negotiate HTTP/2 for them.
                    var plain = identity
                    plain.http2 = false
                    identities.insert(plain)
                    upstream.tls?.upgradeContext = ClientTLSAssembly(context: context).clientContext(plain, at: pointer)
                }
            }
            return upstream
        }
        retained.tls.keep(only: identities)
        return upstreams
    }
}

extension ServerSettings {
    /// Nil for an invalid address, which the configuration excludes.
    fileprivate init?(_ entry: ServerEntry, _ host: HostHeader) {
        guard let target = Target(entry.place) else { return nil }
        self.init(target, weight: entry.weight, isBackup: entry.isBackup)
        switch host {
        // A path is not an authority (RFC 9110 section 7.2).
        case .client: if case .unix = entry.place { authority = Array("localhost".utf8) }
        case .upstream: authority = Array(entry.authority.utf8)
        case .fixed(let text): authority = Array(text.utf8)
        }
    }
}

extension ServerSettings.Target {
    /// Nil for an invalid address.
    init?(_ place: ServerEntry.Place) {
        let target: ServerSettings.Target? =
            switch place {
            case .address(let address, let port): .address(SocketAddress(address, port: UInt16(port)))
            case .unix(let path): SocketAddress(unixPath: path).map { .address($0) }
            case .name(let host, let port): .name(host: host, port: UInt16(clamping: port))
            }
        guard let target else { return nil }
        self = target
    }
}
