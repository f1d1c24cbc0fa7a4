import Bytes
import Configuration
import Crypto
import Identity
import JOSE
import Model
import Outbound
import Policy

extension Assembly {
    /// The trusted issuers whose servers are asked about tokens (RFC 7662).
    mutating func introspectedIssuers(_ caller: any OutboundCaller) -> [IntrospectedIssuerSettings] {
        var issuers: [IntrospectedIssuerSettings] = []
        for (index, entry) in configuration.trustedIssuers.enumerated() {
            guard let introspection = entry.introspection,
                let server = server(introspection, of: entry, at: "/trustedIssuers/\(index)/introspection")
            else { continue }
            var issuer = IntrospectedIssuerSettings(
                introspector: Introspector(server: server, caller: caller), rules: entry.users,
                // `azp` marks no ID token here.
                purpose: .accessToken(
                    isTyped: entry.tokenType == .accessToken, acceptsIDTokens: entry.acceptIDTokens,
                    parties: entry.listedClients(configuration.backends) ?? .any, checksProofs: true),
                level: entry.level, backendID: entry.backend.flatMap(backendID), tokenSources: entry.tokenSources)
            issuer.levelsByMethod = entry.levelsByMethod
            issuer.requiresProof = entry.requiresProof
            issuers.append(issuer)
        }
        return issuers
    }

    private mutating func server(
        _ introspection: IntrospectionEntry, of entry: TrustedIssuerEntry, at pointer: String
    ) -> IntrospectionServer? {
        guard let client = introspection.client.client(&self, at: pointer),
            let transport = introspection.client.transport(
                &self, authorities: introspection.authorityFile, at: pointer)
        else { return nil }
        var server = IntrospectionServer(
            name: entry.name, issuer: entry.issuer, url: introspection.url, client: client,
            audiences: entry.audiences, requireAudience: entry.requireAudience)
        server.tokenPrefix = introspection.tokenPrefix
        server.clockSkewSeconds = entry.clockSkew.components.seconds
        server.cacheSeconds = introspection.cache.components.seconds
        server.negativeCacheSeconds = introspection.negativeCache.components.seconds
        server.assertionAudience = introspection.assertionAudience
        server.transport = transport
        server.transport.connectTimeoutMilliseconds = introspection.connectTimeout.milliseconds
        server.transport.readTimeoutMilliseconds = introspection.readTimeout.milliseconds
        return server
    }

    /// A TLS context that trusts the authorities of a file.
    mutating func context(authorities path: String, at pointer: String) -> TLSClientContext? {
        guard let pem = contents(of: path, at: pointer) else { return nil }
        var identity = RetainedTLS.ClientIdentity()
        identity.authorities = pem
        do throws(TLSSettingsError) {
            return try retained.tls.context(identity)
        } catch {
            self.error(pointer, "\(path): \(error)")
            return nil
        }
    }
}
