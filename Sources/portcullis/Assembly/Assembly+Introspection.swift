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

/// How the gateway authenticates to servers of others: identity providers and introspection servers.
extension ProviderClientEntry {
    /// Nil after an error.
    func client(_ assembly: inout Assembly, at pointer: String) -> OAuth2Client? {
        authentication(&assembly, at: pointer).map { OAuth2Client(id: id, authentication: $0) }
    }

    private func authentication(_ assembly: inout Assembly, at pointer: String) -> OAuth2Client.Authentication? {
        switch method {
        case .none: return OAuth2Client.Authentication.none
        case .certificate: return .certificate
        case .secretBasic: return secret.map { .secretBasic($0.value) }
        case .secretPost: return secret.map { .secretPost($0.value) }
        case .privateKeyJWT:
            guard let path = keyFile,
                let key = assembly.signingKey(at: path, keyAlgorithm, pointer: "\(pointer)/clientKeyFile")
            else { return nil }
            let signer = keyID.map { JWTSigner(key: key, keyID: $0) } ?? JWTSigner(key: key)
            assembly.providerKeys.append(JSONWebKey(key, kid: signer.keyID))
            return .privateKeyJWT(signer)
        }
    }

    /// The connections to such a server: the authorities that are trusted, and the certificate that is shown.
    /// - Parameter authorities: path of the file of `caFile` beside `tls`.
    func transport(_ assembly: inout Assembly, authorities: String?, at pointer: String) -> OutboundTransport? {
        var transport = OutboundTransport()
        guard let tls else {
            guard let authorities else { return transport }
            transport.tls = assembly.context(authorities: authorities, at: "\(pointer)/caFile")
            return transport.tls == nil ? nil : transport
        }
        guard var identity = assembly.identity(tls, at: "\(pointer)/tls") else { return nil }
        if let authorities {
            guard let pem = assembly.contents(of: authorities, at: "\(pointer)/caFile") else { return nil }
            identity.authorities = pem
        }
        transport.tls = assembly.clientContext(identity, at: "\(pointer)/tls")
        transport.hasCertificate = !identity.chain.isEmpty
        return transport.tls == nil ? nil : transport
    }
}
