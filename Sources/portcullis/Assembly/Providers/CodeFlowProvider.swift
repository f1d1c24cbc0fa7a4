import Configuration
import Gateway
import Identity
import JOSE
import Model
import Outbound

extension CodeFlowEntry: AssembledProvider {
    func provider(
        _ entry: IdentityProviderEntry, in context: AssemblyContext, certificates: AssertionSources
    ) -> (any BrowserIdentityProvider)? {
        guard var transport = transport(of: entry, in: context) else { return nil }
        transport.allowsHTTP = entry.isHTTPAllowed
        transport.connectTimeoutMilliseconds = calls.connectTimeout.milliseconds
        transport.readTimeoutMilliseconds = calls.readTimeout.milliseconds
        var authorities: [UInt8]?
        if let path = calls.client.tls?.authoritiesFile ?? calls.authorityFile {
            authorities = context.read(path, at: "\(entry.pointer)/caFile")
        }
        guard let place = place(entry, in: context, authorities: authorities),
            let client = calls.client.client(context, at: entry.pointer)
        else { return nil }
        var settings = AuthorizationCodeProvider.Settings(
            name: entry.name, place: place, client: client, rules: entry.users)
        settings.endpoints.authorization = addresses.authorization
        settings.endpoints.token = addresses.token
        settings.endpoints.userInfo = addresses.userInfo
        settings.endpoints.revocation = addresses.revocation
        settings.wantedClaims = wantedClaims(of: entry, context.configuration)
        settings.flow = calls.flow
        settings.kept = kept(of: entry, context.configuration)
        settings.clockSkewSeconds = entry.clockSkew.components.seconds
        settings.decryption.keys = DecryptionKeyEntry.keys(
            decryptionKeys, context, at: "\(entry.pointer)/decryptionKeys")
        settings.transport = transport
        return AuthorizationCodeProvider(settings, caller: SharingCaller(context.retained.outbound))
    }

    /// Which tokens the logins keep, for the routes with them and for the logout.
    private func kept(of entry: IdentityProviderEntry, _ configuration: GatewayConfiguration) -> ProvidedTokens.Kept {
        let logins = LoginTokenUse(configuration)
        let passes = logins.passesTokens(of: entry.name)
        var kept = ProvidedTokens.Kept()
        kept.access = passes
        kept.refresh = passes || logins.isAsked(entry.name)
        kept.idToken = issuer != nil && (passes || calls.flow.logsOutThere)
        kept.revocable = calls.flow.revokesAtLogout
        return kept
    }

    /// Claims that domains and routes need in addition to the provider's own rules.
    private func wantedClaims(of entry: IdentityProviderEntry, _ configuration: GatewayConfiguration) -> [String] {
        SessionClaims(configuration).wanted(at: entry.name).map(\.claim)
            + (configuration.namesUsersByEmail(entry.name) ? [ProviderRules.emailClaim] : [])
    }

    private func place(
        _ entry: IdentityProviderEntry, in context: AssemblyContext, authorities: [UInt8]?
    ) -> AuthorizationCodeProvider.Settings.Place? {
        guard let issuer else {
            // Missing members have been reported.
            guard let authorization = addresses.authorization, let token = addresses.token,
                let userInfo = addresses.userInfo
            else { return nil }
            return .plain(
                authorization: authorization, token: token, userInfo: userInfo, revocation: addresses.revocation)
        }
        guard let discovery,
            let keys = published(by: issuer, at: discovery, authorities: authorities, entry, context)
        else { return nil }
        return .openID(issuer: issuer, discovery: discovery, keys: keys)
    }

    private func published(
        by issuer: String, at discovery: WebURL, authorities: [UInt8]?, _ entry: IdentityProviderEntry,
        _ context: AssemblyContext
    ) -> RemoteKeySet? {
        let retained = context.retained
        do throws(RemoteKeySettings.Problem) {
            var settings = try RemoteKeySettings(
                issuer: issuer, discovery: discovery, keys: keys, allowHTTP: entry.isHTTPAllowed)
            settings.connectTimeoutMilliseconds = calls.connectTimeout.milliseconds
            settings.readTimeoutMilliseconds = calls.readTimeout.milliseconds
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

    private func transport(of entry: IdentityProviderEntry, in context: AssemblyContext) -> OutboundTransport? {
        calls.client.transport(context, authorities: calls.authorityFile, at: entry.pointer)
    }

    func server(of entry: IdentityProviderEntry, in context: AssemblyContext) -> (WebURL, OutboundTransport)? {
        guard issuer == nil, let url = addresses.token, let transport = transport(of: entry, in: context) else {
            return nil
        }
        return (url, transport)
    }
}
