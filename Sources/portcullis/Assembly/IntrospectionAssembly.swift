import Configuration
import Identity
import JOSE
import Model
import Outbound
import Policy

/// The trusted issuers whose servers are asked about tokens (RFC 7662).
struct IntrospectionAssembly: AssemblyPart {
    let context: AssemblyContext

    func introspectedIssuers(_ caller: any OutboundCaller) -> [IntrospectedIssuerSettings] {
        var issuers: [IntrospectedIssuerSettings] = []
        for (index, entry) in configuration.trustedIssuers.enumerated() {
            guard let introspection = entry.introspection,
                let server = introspectionServer(introspection, of: entry, at: "/trustedIssuers/\(index)/introspection")
            else { continue }
            var issuer = IntrospectedIssuerSettings(
                introspector: Introspector(server: server, caller: caller), rules: entry.users,
                // `azp` marks no ID token here.
                purpose: .accessToken(
                    isTyped: entry.tokenType == .accessToken, acceptsIDTokens: entry.acceptIDTokens,
                    parties: entry.listedClients(configuration.clients) ?? .any, checksProofs: true),
                level: entry.level, backendID: entry.client.flatMap(context.backendID),
                tokenSources: entry.tokenSources)
            issuer.levelsByMethod = entry.levelsByMethod
            issuer.requiresProof = entry.requiresProof
            issuers.append(issuer)
        }
        return issuers
    }

    private func introspectionServer(
        _ introspection: IntrospectionEntry, of entry: TrustedIssuerEntry, at pointer: String
    ) -> IntrospectionServer? {
        guard let client = introspection.client.client(context, at: pointer),
            let transport = introspection.client.transport(
                context, authorities: introspection.authorityFile, at: pointer)
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
}
