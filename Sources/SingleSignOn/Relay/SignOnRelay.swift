import Bytes
import Endpoints
import HTTP
import Identity
import LoginPages
import Model
import OAuthServer
import Outbound
import TokenStorage

/// Single sign-on of browsers.
package struct SignOnSettings: Sendable {
    package var seals: BrowserSeals
    /// Addresses that tokens may be posted to (SSO-03).
    package var whitelist: RedirectWhitelist
    package var sessionSeconds: Int64 = 28_800
    /// Seconds without a request after which a browser has to log in again.
    package var idleSeconds: Int64 = 3600

    package init(seals: BrowserSeals, whitelist: RedirectWhitelist) {
        self.seals = seals
        self.whitelist = whitelist
    }
}

/// The relay between browsers, identity providers and applications (SSO-01 to SSO-12): a browser that requests a token
/// of a client logs in once, and the token is shown to its user or posted to the application.
struct SignOnRelay: FormTickets {
    typealias Answer = Effect<EndpointResponse>

    let service: TokenService
    let settings: SignOnSettings
    /// Logins at identity providers; nil if there are none.
    let providers: ProviderLogin?

    var seals: BrowserSeals { settings.seals }

    /// An allowed request for a token of a backend.
    struct Visit: Sendable {
        let browser: BrowserRequest
        let request: SignOnRequest
        let backend: Backend
        /// Address to post the token to; nil to show it.
        let target: RedirectTarget?
        /// The ways to log in at the backend.
        let choices: [LoginChoice]
        /// Nil if the user still has to choose.
        let chosen: LoginChoice?
        /// Whether the user must log in again despite an existing session.
        var isForced: Bool

        /// Where an authorization code goes; nil for a token.
        var destination: RedirectDestination?

        var now: Int64 { browser.now }

        func choice(named name: String) -> LoginChoice? { choices.first { $0.provider.isExactly(name) } }
    }

    /// Answers a request for a token with a login or with the token.
    func exchange(_ browser: BrowserRequest) -> Answer {
        do throws(SingleSignOnFailure) {
            guard SignOnRelay.isNavigation(browser.request) else { throw .notNavigated }
            let visit = try visit(SignOnRequest(browser.query), browser)
            guard !visit.isForced, let session = session(of: browser, visit) else { return beginLogin(visit) }
            return whileStored(session, now: visit.now) { isStored in
                guard let isStored else { return .done(SingleSignOnFailure.unavailable.response) }
                return isStored ? grant(session, visit) : beginLogin(visit)
            }
        } catch {
            return .done(error.response)
        }
    }

    /// Checks a request: before the login, at every step of it, and before the token is made (SSO-03).
    func visit(_ request: SignOnRequest, _ browser: BrowserRequest) throws(SingleSignOnFailure) -> Visit {
        guard let backend = backend(of: request), backend.oauthConsumer, !backend.isRevoked,
            isAllowed(request, backend)
        else { throw .notEnabled }
        var destination: RedirectDestination?
        if let authorization = request.authorization {
            destination = backend.grants.authorization?.destination(authorization.redirectURI)
            guard destination != nil else { throw .redirectNotAllowed }
        }
        var target: RedirectTarget?
        if let text = request.redirectURI {
            target = settings.whitelist.target(text)
            guard target != nil else { throw .redirectNotAllowed }
        }
        let choices =
            backend.loginChoices.isEmpty ? [LoginChoice(LoginChoice.ownForm)] : backend.loginChoices
        return Visit(
            browser: browser, request: request, backend: backend, target: target, choices: choices,
            chosen: choices.chosen(browser.query.first("provider")),
            isForced: browser.query.first("prompt")?.isExactly("login") ?? false, destination: destination)
    }

    private func backend(of request: SignOnRequest) -> Backend? {
        let settings = service.settings
        guard let title = request.registeredTitle else { return settings.backends.backend(clientID: request.clientID) }
        return settings.backend(
            of: RegisteredClient(
                id: request.clientID, title: title, redirectURI: request.authorization?.redirectURI))
    }

    private func isAllowed(_ request: SignOnRequest, _ backend: Backend) -> Bool {
        if request.device != nil { return backend.grants.allowsDevices }
        return request.authorization == nil ? backend.enableSSO : backend.grants.authorization != nil
    }

    /// Whether the browser navigates here, as opposed to a fetch by another page (Fetch Metadata section 2.1). Browsers
    /// without the field are accepted.
    static func isNavigation(_ request: EndpointRequest) -> Bool {
        request.field("sec-fetch-dest")?.isExactly("document")
            ?? !request.fields.contains { $0.name.isExactly("sec-fetch-dest") }
    }

    // MARK: Sessions

    /// The session in the cookie, if it is from a provider of the backend (SSO-08), not idle, and its user still
    /// accepted.
    func session(of browser: BrowserRequest, _ visit: Visit) -> Session? {
        guard let session = sealedSession(of: browser), visit.choice(named: session.provider) != nil,
            session.usedAt + settings.idleSeconds > browser.now, isAccepted(session)
        else { return nil }
        return session
    }

    func sealedSession(of browser: BrowserRequest) -> Session? {
        browser.signOn.flatMap { try? seals.signOn(Array($0.utf8).span, now: browser.now) }
    }

    /// Whether neither session nor user was revoked.
    func isAccepted(_ session: Session) -> Bool {
        guard
            !service.settings.revocations.isRevoked(
                tokenID: session.family, subject: session.subject, backendID: nil, issuer: OwnAccessTokens.issuerName,
                issuedAt: session.login.authenticatedAt)
        else { return false }
        if session.login.isVirtual { return true }
        guard let user = service.settings.users.user(named: session.subject, realm: session.realm) else { return false }
        return user.enabled && session.login.authenticatedAt >= user.tokensNotBefore
    }

    /// Continues with whether the store has the session and its foundations; with nil if it does not answer.
    func whileStored(
        _ session: Session, now: Int64, _ next: @escaping @Sendable (Bool?) -> Answer
    ) -> Answer {
        whileStored([session.id][...] + session.foundations, now: now, next)
    }

    private func whileStored(
        _ ids: ArraySlice<String>, now: Int64, _ next: @escaping @Sendable (Bool?) -> Answer
    ) -> Answer {
        guard let first = ids.first else { return next(true) }
        return service.settings.store.ask(.find(.id(first)), now: now) { result in
            switch result {
            case .success(.record(let record?)) where record.accessLives(at: now):
                whileStored(ids.dropFirst(), now: now, next)
            case .success: next(false)
            case .failure: next(nil)
            }
        }
    }
}
