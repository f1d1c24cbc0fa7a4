import HTTP
import Identity
import JOSE
import Model

/// The gateway's own endpoints as requests and responses: OAuth tokens, key set, metadata, who-am-I. It opens no socket
/// and never blocks; whatever takes time is handed back as an effect.
package final class TokenService: Sendable {
    package enum Endpoint: Sendable, CaseIterable {
        /// RFC 6749 section 3.2 (OAUTH-01 to OAUTH-08).
        case token
        /// `/mobile/platform/auth/token` (JTX-01).
        case exchange
        /// RFC 7009.
        case revocation
        /// RFC 7662.
        case introspection
        /// The public keys, RFC 7517.
        case jwks
        /// RFC 8414, also served to those who look for OpenID Connect's document.
        case metadata
        /// `/mobile/platform/users/~` (BASIC-04).
        case whoAmI
        /// Those of ApiOmat applications.
        case applicationToken, applicationRevocation, applicationRevocationOfAll, applicationUsers
        /// Those of Mobile & Social, and the logout of Access Manager.
        case mobileSocial, mobileLogout
        /// The login form for browsers (SCH-02).
        case browserLogin
        /// Where browsers come back from identity providers, and where these say which logins have ended.
        case providerCallback, providerLogout
        /// What identity providers must know of the gateway.
        case providerMetadata
        /// Logins of applications at identity providers (RP-02).
        case applicationLogin
        /// User profiles (UPS-01).
        case userProfile
        /// `/mobile/platform/sso/exchange-token` (SAML-01, SSO-01), and `/mobile/platform/sso/redirect` (SAML-17).
        case singleSignOn, singleSignOnRedirect
        /// The login form of single sign-on, and its logout.
        case singleSignOnPages

        /// Longest body that it takes.
        package var maximumBodyBytes: Int {
            switch self {
            case .providerCallback, .singleSignOnRedirect: ProviderLogin.longestForm
            default: TokenService.maximumBodyBytes
            }
        }
    }

    /// Longest body that most endpoints take (OAUTH-08).
    package static let maximumBodyBytes = 65_536

    let settings: TokenServiceSettings
    let minter: AccessTokenMinter
    let keySet: [UInt8]
    let metadata: [UInt8]
    let clients: ClientAuthentication
    let ownTokens: OwnAccessTokens
    let logins: PasswordLogin

    package init(settings: TokenServiceSettings) {
        self.settings = settings
        minter = AccessTokenMinter(
            signer: settings.signer, issuer: settings.issuer, audience: settings.audience)
        keySet = settings.publishedKeys.jwks()
        metadata = TokenService.metadata(settings)
        // RFC 7523 section 3: an assertion names the token endpoint or the issuer.
        clients = ClientAuthentication(
            backends: settings.backends,
            audiences: [settings.issuer, settings.baseURL + settings.tokenPath], throttle: settings.clientThrottle)
        ownTokens = OwnAccessTokens(settings)
        logins = PasswordLogin(users: settings.users, throttle: settings.throttle)
    }

    /// Answers a request. Called on an event loop.
    /// - Parameter now: seconds since 1970.
    package func handle(_ request: EndpointRequest, endpoint: Endpoint, now: Int64) -> Effect<EndpointResponse> {
        guard request.body.count <= endpoint.maximumBodyBytes else {
            return .done(TokenFailure.bodyTooLarge.response)
        }
        switch endpoint {
        case .token: return answer { () throws(TokenFailure) in try grantToken(request, now: now) }
        case .exchange: return answer { () throws(TokenFailure) in try exchangeAssertion(request, now: now) }
        case .revocation: return answer { () throws(TokenFailure) in try revokeToken(request, now: now) }
        case .introspection: return answer { () throws(TokenFailure) in try introspect(request, now: now) }
        case .jwks: return .done(read(request) { .document(keySet, reason: .keySet) })
        case .metadata: return .done(read(request) { .document(metadata, reason: .metadata) })
        case .whoAmI: return .done(read(request) { whoAmI(request.principal) })
        case .applicationToken: return askApplications(.token, request, now: now)
        case .applicationRevocation: return askApplications(.revocation, request, now: now)
        case .applicationRevocationOfAll: return askApplications(.revocationOfAll, request, now: now)
        case .applicationUsers: return askApplications(.userObjects, request, now: now)
        case .mobileSocial: return askMobileSocial(request, now: now) { $0.handle($1, ownTokens: $2, now: $3) }
        case .mobileLogout:
            if let login = settings.browserLogin, login.isLogout(request) { return login.logOut(request, now: now) }
            return askMobileSocial(request, now: now) { $0.logOut($1, ownTokens: $2, now: $3) }
        case .browserLogin:
            return settings.browserLogin?.handle(request, now: now) ?? .deny(.unknownService)
        case .providerCallback: return receiveFromProvider(request, now: now)
        case .providerLogout: return settings.providerLogin?.logOut(request, now: now) ?? .deny(.unknownService)
        case .providerMetadata:
            return .done(
                read(request) {
                    settings.providerLogin?.metadata(request) ?? BrowserLoginFailure.unknownService.response
                })
        case .applicationLogin:
            return settings.browserLogin?.beginApplication(request, now: now) ?? .deny(.unknownService)
        case .userProfile: return askProfiles(request)
        case .singleSignOn: return answer { () throws(TokenFailure) in try signOn(request, now: now) }
        case .singleSignOnPages: return signOnPage(request, now: now)
        case .singleSignOnRedirect: return .done(captureRedirect(request))
        }
    }

    private func answer(_ body: () throws(TokenFailure) -> Effect<EndpointResponse>) -> Effect<EndpointResponse> {
        do throws(TokenFailure) { return try body() } catch { return .done(error.response) }
    }

    private func askApplications(
        _ endpoint: ApplicationTokens.Endpoint, _ request: EndpointRequest, now: Int64
    ) -> Effect<EndpointResponse> {
        settings.applications?.handle(request, endpoint: endpoint, now: now) ?? .refuse(.noSuchObject)
    }

    private func askMobileSocial(
        _ request: EndpointRequest, now: Int64,
        _ call: (MobileSocial, EndpointRequest, OwnAccessTokens, Int64) -> Effect<EndpointResponse>
    ) -> Effect<EndpointResponse> {
        guard let mobileSocial = settings.mobileSocial else {
            return .done(MobileSocialFailure.unknownService.response)
        }
        return call(mobileSocial, request, ownTokens, now)
    }

    private func askProfiles(_ request: EndpointRequest) -> Effect<EndpointResponse> {
        guard let profiles = settings.userProfiles else { return .done(ProfileFailure.noSuchResource.response) }
        return profiles.handle(request, realm: request.principal.flatMap(realm))
    }

    /// The response to GET and HEAD; other methods don't apply to documents.
    private func read(_ request: EndpointRequest, _ document: () -> EndpointResponse) -> EndpointResponse {
        guard request.method == .get || request.method == .head else {
            return TokenService.onlyReading("GET, HEAD")
        }
        return document()
    }

    /// The refusal of other methods than these.
    static func onlyReading(_ methods: String) -> EndpointResponse {
        .problem(.methodNotAllowed, "use GET", headers: [(name: "Allow", value: methods)])
    }
}
