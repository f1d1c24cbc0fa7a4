import Configuration
import Crypto
import Gateway
import Model
import Reactor

extension Assembly {
    mutating func upstreams() -> [UpstreamSettings] {
        var identities: Set<LastingTLS.ClientIdentity> = []
        let upstreams = configuration.upstreams.map { entry in
            var settings = settings(entry)
            let pointer = "/upstreams/\(entry.name)/tls"
            if let tls = entry.tls, let identity = identity(tls, http2: entry.http2, at: pointer) {
                identities.insert(identity)
                settings.tls = clientContext(identity, at: pointer).map {
                    UpstreamTLS($0, serverName: tls.serverName)
                }
                if entry.http2 {
                    // Upgrades are spoken in HTTP/1.1, so that there the server must not choose otherwise.
                    var plain = identity
                    plain.http2 = false
                    identities.insert(plain)
                    settings.tls?.upgradeContext = clientContext(plain, at: pointer)
                }
            }
            return settings
        }
        lasting.tls.keep(only: identities)
        return upstreams
    }

    /// nil after a word about a file that cannot be read.
    mutating func identity(
        _ tls: UpstreamTLSEntry, http2: Bool = false, at pointer: String
    ) -> LastingTLS.ClientIdentity? {
        var identity = LastingTLS.ClientIdentity()
        identity.verifies = tls.verifies
        identity.minimumVersion = tls.minimumVersion
        identity.http2 = http2
        if let path = tls.authoritiesFile {
            guard let text = contents(of: path, at: "\(pointer)/caFile") else { return nil }
            identity.authorities = text
        }
        if let certificatePath = tls.certificateFile, let keyPath = tls.keyFile {
            guard let chain = contents(of: certificatePath, at: "\(pointer)/certFile"),
                let key = contents(of: keyPath, at: "\(pointer)/keyFile")
            else { return nil }
            (identity.chain, identity.key) = (chain, key)
        }
        return identity
    }

    mutating func clientContext(
        _ identity: LastingTLS.ClientIdentity, at pointer: String
    ) -> TLSClientContext? {
        do throws(TLSSettingsError) {
            let context = try lasting.tls.context(identity)
            if let certificate = context.certificate { warnOfEnd(of: certificate, at: "\(pointer)/certFile") }
            return context
        } catch {
            let member =
                switch error {
                case .authorities: "/caFile"
                case .clientCertificate(.malformedKey), .clientCertificate(.keyMismatch),
                    .clientCertificate(.encryptedKey):
                    "/keyFile"
                case .clientCertificate: "/certFile"
                default: ""
                }
            self.error(pointer + member, error.description)
            return nil
        }
    }

    private func settings(_ entry: UpstreamEntry) -> UpstreamSettings {
        // Weight 0 lets a server run dry: it gets no request any more.
        var settings = UpstreamSettings(
            name: entry.name, servers: entry.servers.filter { $0.weight > 0 }.compactMap(ServerSettings.init))
        settings.balance = entry.balance
        settings.http2 = entry.http2
        settings.connectTimeout = entry.connectTimeout.milliseconds
        settings.responseTimeout = entry.responseTimeout.milliseconds
        settings.idleTimeout = entry.idleTimeout.milliseconds
        settings.maximumIdle = entry.maximumIdle
        settings.maximumConnections = entry.maximumConnections
        settings.maximumInFlight = entry.maximumInFlight
        settings.queueLength = entry.queue.length
        settings.queueTimeout = entry.queue.timeout.milliseconds
        settings.healthCheck = entry.healthCheck
        settings.ejection = entry.ejection
        settings.breaker = entry.circuitBreaker
        settings.retries = entry.retries
        settings.slowStart = entry.slowStart.milliseconds
        settings.resolveInterval = entry.resolveInterval.milliseconds
        return settings
    }
}

extension ServerSettings {
    /// nil where the address is none, which the configuration has made sure of.
    fileprivate init?(_ entry: ServerEntry) {
        guard let target = Target(entry.place) else { return nil }
        self.init(target, weight: entry.weight, isBackup: entry.isBackup)
        // A path is no authority (RFC 9110 section 7.2).
        if case .unix = entry.place { authority = Array("localhost".utf8) }
    }
}

extension ServerSettings.Target {
    /// nil where the address is none.
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
