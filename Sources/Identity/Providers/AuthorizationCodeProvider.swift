import Bytes
import JOSE
import Model
import Outbound

/// A provider of the authorization code flow (RFC 6749 section 4.1, RFC 7636, OpenID Connect Core section 3.1).
/// Immutable except for cached metadata; used by all threads.
package final class AuthorizationCodeProvider: BrowserIdentityProvider {
    package struct Settings: Sendable {
        package enum Place: Sendable {
            /// OpenID Connect: a discovery document whose `issuer` must match, and its keys.
            case openID(issuer: String, discovery: WebURL, keys: any KeySource)
            /// Plain OAuth 2: the user info endpoint identifies the user.
            case plain(authorization: WebURL, token: WebURL, userInfo: WebURL, revocation: WebURL? = nil)
        }

        package var name: String
        package var place: Place
        package var client: OAuth2Client
        /// Endpoints that replace those of the discovery document.
        package var endpoints = NamedEndpoints()
        package var flow = CodeFlowSettings()
        package var rules: ProviderRules
        /// Names of claims needed in addition to those of `rules`, by other consumers.
        package var wantedClaims: [String] = []
        /// Keys for its encrypted ID tokens and logout tokens.
        package var decryption = TokenDecryption()
        /// Which tokens of logins are kept.
        package var kept = ProvidedTokens.Kept()
        package var clockSkewSeconds: Int64 = 60
        package var transport = OutboundTransport()

        package init(name: String, place: Place, client: OAuth2Client, rules: ProviderRules) {
            self.name = name
            self.place = place
            self.client = client
            self.rules = rules
        }

        /// Who gives its tokens, and to which client.
        var origin: String {
            switch place {
            case .openID(let issuer, _, _): "\(client.id) \(issuer)"
            case .plain(_, let token, _, _): "\(client.id) \(token)"
            }
        }
    }

    package var name: String { settings.name }
    package var rules: ProviderRules { settings.rules }

    let settings: Settings
    let caller: any OutboundCaller
    /// Nil without a discovery document.
    private let metadata: ServerMetadata?
    /// Verifies ID tokens and logout tokens; nil for providers without them.
    let verifier: JWTVerifier?

    package init(_ settings: Settings, caller: any OutboundCaller) {
        self.settings = settings
        self.caller = caller
        guard case .openID(let issuer, let discovery, let keys) = settings.place else {
            (metadata, verifier) = (nil, nil)
            return
        }
        metadata = ServerMetadata(at: discovery, issuer: issuer, settings.transport, caller: caller)
        var trust = TrustedIssuer(
            name: settings.name, issuer: issuer, audiences: [settings.client.id], keys: .published(keys),
            algorithms: settings.flow.algorithms, purpose: nil, clockSkewSeconds: settings.clockSkewSeconds)
        trust.decryption = settings.decryption
        verifier = JWTVerifier(issuers: [trust])
    }

    /// Expected `iss` of its answers; nil if unknown.
    var issuer: String? {
        if case .openID(let issuer, _, _) = settings.place { issuer } else { nil }
    }

    func endpoints(now: Int64) -> Effect<Result<CodeFlowEndpoints, ProviderFailure>> {
        guard let metadata else {
            guard case .plain(let authorization, let token, let userInfo, let revocation) = settings.place else {
                return .done(.failure(.answer("discovery")))
            }
            var endpoints = CodeFlowEndpoints(authorization: authorization, token: token, userInfo: userInfo)
            endpoints.revocation = revocation
            return .done(.success(endpoints))
        }
        return metadata.document(now: now).map { [transport = settings.transport, own = settings.endpoints] answer in
            switch answer {
            case .failure(let failure): .failure(ProviderFailure(failure))
            case .success(let document):
                Result { () throws(ProviderFailure) in
                    try CodeFlowEndpoints(
                        document, own, allowsHTTP: transport.allowsHTTP, showsCertificate: transport.hasCertificate)
                }
            }
        }
    }

    // MARK: To the provider

    package func begin(_ start: LoginStart, now: Int64) -> Effect<Result<LoginRedirect, ProviderFailure>> {
        endpoints(now: now).map { [self] result in
            result.map { LoginRedirect(location: $0.authorization.with(request(start))) }
        }
    }

    private func request(_ start: LoginStart) -> [(String, String)] {
        var fields = [
            ("response_type", "code"), ("client_id", settings.client.id), ("redirect_uri", start.redirectURI),
            ("state", start.state), ("code_challenge", start.secrets.challenge), ("code_challenge_method", "S256"),
        ]
        if !settings.flow.scopes.isEmpty { fields.append(("scope", settings.flow.scopes.joined(separator: " "))) }
        if verifier != nil { fields.append(("nonce", start.secrets.nonce)) }
        if start.forcesLogin { fields.append(("prompt", "login")) }
        if verifier != nil, let demand = start.demand {
            if !demand.levels.isEmpty { fields.append(("acr_values", demand.levels.joined(separator: " "))) }
            if let age = demand.maximumAge { fields.append(("max_age", "\(age)")) }
        }
        // What a page asks for precedes what is asked for at every login.
        let sent = fields.map(\.0)
        return fields
            + settings.flow.parameters.filter {
                !sent.contains($0.name) || !AuthorizationCodeProvider.ofDemands.contains($0.name)
            }
            .map { ($0.name, $0.value) }
    }

    /// Parameters of demands (OpenID Connect Core section 3.1.2.1).
    private static let ofDemands = ["acr_values", "max_age"]

    // MARK: Logout

    package func logout(_ request: ProviderLogoutRequest, now: Int64) -> Effect<ProviderLogoutForm?> {
        guard settings.flow.logsOutThere, metadata != nil else { return .done(nil) }
        return endpoints(now: now).map { [settings] result in
            guard case .success(let endpoints) = result, let url = endpoints.endSession else { return nil }
            var fields = [("client_id", settings.client.id), ("post_logout_redirect_uri", request.back)]
            if let state = request.state { fields.append(("state", state)) }
            // Another provider may have the name since the login.
            if let tokens = request.tokens, tokens.origin.isExactly(settings.origin), let hint = tokens.idToken {
                fields.append(("id_token_hint", hint))
            }
            return ProviderLogoutForm(to: url, fields, method: settings.flow.logoutMethod)
        }
    }

    package func logoutNotice(issuer named: String, sessionID: String, now: Int64) -> LogoutNotice? {
        guard issuer?.isExactly(named) == true, !sessionID.isEmpty else { return nil }
        return LogoutNotice(scope: .session(sessionID), tokenID: "", issuedAt: now)
    }

    package func logoutNotice(_ token: [UInt8], now: Int64) -> Effect<Result<LogoutNotice, ProviderFailure>> {
        verified(token, now: now).map { result in
            result.flatMap { token in Result { () throws(ProviderFailure) in try LogoutNotice(token) } }
        }
    }
}
