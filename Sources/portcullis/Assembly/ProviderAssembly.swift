import Configuration
import Crypto
import Gateway
import Identity
import JOSE
import LoginPages
import Model
import Outbound
import Reactor

/// Identity providers behind logins by browser (SSO-07, RP-01).
struct ProviderAssembly: AssemblyPart {
    let context: AssemblyContext

    /// Sends browsers to the providers.
    func providerLogin(
        _ seals: BrowserSeals, _ store: RetainedStore.Opened, _ assertions: AssertionSources
    ) -> ProviderLogin {
        var providers: [any BrowserIdentityProvider] = []
        for entry in configuration.allIdentityProviders where !entry.name.isEmpty {
            switch entry.kind {
            // The gateway's own form is not redirected to.
            case .local: break
            case .oidc, .oauth2: if let provider = provider(entry) { providers.append(provider) }
            case .saml:
                if let provider = SAMLProviderAssembly(context: context).provider(entry, assertions) {
                    providers.append(provider)
                }
            }
        }
        let log = retained.log
        let queue = SerialQueue(label: "provider revocations")
        let revoker = ProviderRevoker(offload: { queue.submit($0) }) {
            [counts = retained.providerRevocations] provider, failure in
            counts.count(failure, at: provider)
            guard let failure else { return log.write(.providerTokenRevoked, [("provider", .text(provider))]) }
            log.write(
                .providerRevocationFailed,
                [
                    ("provider", .text(provider)), ("reason", .text("\(failure.reason)")),
                    ("detail", .text(failure.detail)),
                ])
        }
        return ProviderLogin(
            providers, seals: seals, store: store.tokens, revocations: retained.revocations,
            baseURL: configuration.baseURL.description, paths: configuration.tokenService.paths,
            furtherOrigins: configuration.additionalBaseURLs, throttle: retained.callbackThrottle, revoker: revoker,
            host: LoginHost(LoginAssembly(context: context).publicNames()) { log.write($0, requestID: $1) }
        ) { provider, failure, requestID in
            log.write(
                .providerLoginFailed,
                [
                    ("provider", .text(provider)), ("reason", .text("\(failure.reason)")),
                    ("detail", .text(failure.detail)), ("request_id", .text(requestID)),
                ])
        }
    }

    private func provider(_ entry: IdentityProviderEntry) -> AuthorizationCodeProvider? {
        guard
            var transport = entry.calls.client.transport(
                context, authorities: entry.calls.authorityFile, at: entry.pointer)
        else {
            return nil
        }
        transport.allowsHTTP = entry.isHTTPAllowed
        transport.connectTimeoutMilliseconds = entry.calls.connectTimeout.milliseconds
        transport.readTimeoutMilliseconds = entry.calls.readTimeout.milliseconds
        var authorities: [UInt8]?
        if let path = entry.calls.client.tls?.authoritiesFile ?? entry.calls.authorityFile {
            authorities = context.read(path, at: "\(entry.pointer)/caFile")
        }
        guard let place = place(entry, authorities), let client = entry.calls.client.client(context, at: entry.pointer)
        else {
            return nil
        }
        var settings = AuthorizationCodeProvider.Settings(
            name: entry.name, place: place, client: client, rules: entry.users)
        settings.endpoints.authorization = entry.authorizationEndpoint
        settings.endpoints.token = entry.tokenEndpoint
        settings.endpoints.userInfo = entry.userInfoEndpoint
        settings.endpoints.revocation = entry.revocationEndpoint
        settings.wantedClaims = wantedClaims(of: entry)
        settings.flow = entry.calls.flow
        settings.clockSkewSeconds = entry.clockSkew.components.seconds
        settings.decryption.keys = DecryptionKeyEntry.keys(
            entry.decryptionKeys, context, at: "\(entry.pointer)/decryptionKeys")
        settings.transport = transport
        return AuthorizationCodeProvider(settings, caller: SharingCaller(retained.outbound))
    }

    /// Claims that domains need in addition to the provider's own rules.
    private func wantedClaims(of entry: IdentityProviderEntry) -> [String] {
        let isEmail = configuration.serviceDomains.contains {
            $0.authentication.relyingParty?.providers.contains(entry.name) == true
                && $0.authentication.relyingParty?.usernameFromEmail == true
        }
        return isEmail ? [ProviderRules.emailClaim] : []
    }

    private func place(
        _ entry: IdentityProviderEntry, _ authorities: [UInt8]?
    ) -> AuthorizationCodeProvider.Settings.Place? {
        guard let issuer = entry.issuer else {
            // Missing members have been reported.
            guard let authorization = entry.authorizationEndpoint, let token = entry.tokenEndpoint,
                let userInfo = entry.userInfoEndpoint
            else { return nil }
            return .plain(
                authorization: authorization, token: token, userInfo: userInfo, revocation: entry.revocationEndpoint)
        }
        guard let discovery = entry.discovery, let keys = keys(of: entry, issuer, discovery, authorities) else {
            return nil
        }
        return .openID(issuer: issuer, discovery: discovery, keys: keys)
    }

    private func keys(
        of entry: IdentityProviderEntry, _ issuer: String, _ discovery: WebURL, _ authorities: [UInt8]?
    ) -> RemoteKeySet? {
        do throws(RemoteKeySettings.Problem) {
            var settings = try RemoteKeySettings(
                issuer: issuer, discovery: discovery, keys: entry.keys, allowHTTP: entry.isHTTPAllowed)
            settings.connectTimeoutMilliseconds = entry.calls.connectTimeout.milliseconds
            settings.readTimeoutMilliseconds = entry.calls.readTimeout.milliseconds
            settings.authorities = authorities
            let keys = try? retained.keys.keys(settings, name: entry.name, caller: retained.outbound, log: retained.log)
            guard let keys else {
                context.error("\(entry.pointer)/caFile", "no connection can be made with these authorities")
                return nil
            }
            // The gateway is ready without them, since only logins at the provider need them.
            context.issuerKeys.append(IssuerKeys(name: entry.name, keys: keys, isOptional: true))
            return keys
        } catch {
            // The configuration excludes this.
            context.error(entry.pointer, "there is no address that the keys may be fetched from")
            return nil
        }
    }
}

extension LoginChoice {
    init(_ entry: IdentityProviderEntry) {
        self.init(
            entry.kind == .local ? LoginChoice.ownForm : entry.name, name: entry.name, title: entry.displayName)
    }
}
