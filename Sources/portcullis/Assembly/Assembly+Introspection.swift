import Bytes
import Configuration
import Crypto
import Gateway
import HTTP
import Identity
import JOSE
import Model
import Outbound
import Policy
import Reactor

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
                // `azp` alone does not make a token an ID token.
                purpose: .accessToken(
                    isTyped: entry.tokenType == .accessToken, acceptsIDTokens: entry.acceptIDTokens, checksProofs: true),
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
        var server = IntrospectionServer(
            name: entry.name, issuer: entry.issuer, url: introspection.url,
            authorization: FormEncoding.basic(
                clientID: introspection.clientID, secret: introspection.clientSecret.value),
            audiences: entry.audiences, requireAudience: entry.requireAudience)
        server.tokenPrefix = introspection.tokenPrefix
        server.clockSkewSeconds = entry.clockSkew.components.seconds
        server.cacheSeconds = introspection.cache.components.seconds
        server.negativeCacheSeconds = introspection.negativeCache.components.seconds
        server.connectTimeoutMilliseconds = introspection.connectTimeout.milliseconds
        server.readTimeoutMilliseconds = introspection.readTimeout.milliseconds
        if let path = introspection.authorityFile {
            guard let context = context(authorities: path, at: "\(pointer)/caFile") else { return nil }
            server.tls = context
        }
        return server
    }

    /// A TLS context that trusts the authorities of a file.
    mutating func context(authorities path: String, at pointer: String) -> TLSClientContext? {
        guard let pem = contents(of: path, at: pointer) else { return nil }
        var identity = LastingTLS.ClientIdentity()
        identity.authorities = pem
        do throws(TLSSettingsError) {
            return try lasting.tls.context(identity)
        } catch {
            self.error(pointer, "\(path): \(error)")
            return nil
        }
    }
}

extension PoliciesSection {
    /// The policy servers that routes may name.
    func askers(_ assembly: inout Assembly) -> [PolicyAsker] {
        servers.compactMap { entry in
            let pointer = "/policyServers/\(entry.name)"
            for (place, name) in entry.rules.inputHeaders.enumerated()
            where ManagedNames.standard.contains(Array(name.utf8).span) {
                assembly.error(
                    "\(pointer)/inputHeaders/\(place)", "\"\(name)\" of clients is removed, since it cannot be believed"
                )
            }
            var transport = OutboundTransport()
            transport.connectTimeoutMilliseconds = entry.connectTimeout.milliseconds
            transport.readTimeoutMilliseconds = entry.readTimeout.milliseconds
            if let tls = entry.tls {
                guard let identity = assembly.identity(tls, at: "\(pointer)/tls") else { return nil }
                transport.tls = assembly.clientContext(identity, at: "\(pointer)/tls")
            }
            let server = PolicyServer(
                name: entry.name, url: entry.url, rules: entry.rules, transport: transport,
                authorization: entry.token.map { "Bearer \($0.value)" })
            return PolicyAsker(server, caller: assembly.lasting.outbound) { Clock.monotonicMicroseconds }
        }
    }
}

extension TracingEntry {
    /// What sends the spans; nil after an error.
    func tracer(_ assembly: inout Assembly) -> Tracer? {
        var transport = OutboundTransport()
        if let tls {
            guard let identity = assembly.identity(tls, at: "/tracing/tls") else { return nil }
            transport.tls = assembly.clientContext(identity, at: "/tracing/tls")
        }
        return Tracer(
            settings, transport: transport, authorization: authorization?.value, version: VersionCommand.number,
            caller: assembly.lasting.outbound)
    }
}
