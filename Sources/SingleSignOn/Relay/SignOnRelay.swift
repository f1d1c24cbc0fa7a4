import Bytes
import Endpoints
import HTTP
import Identity
import LoginPages
import Model
import OAuthServer
import Outbound
import TokenStorage

/// The relay between browsers, identity providers and applications (SSO-01 to SSO-12): a browser that asks for a token of
/// a client logs in once, and the token is shown to its user or posted to the application.
struct SignOnRelay: FormTickets {
    typealias Answer = Effect<EndpointResponse>

    let service: TokenService
    let settings: SignOnSettings
    /// The logins at identity providers; nil where there are none.
    let providers: ProviderLogin?

    var seals: BrowserSeals { settings.seals }

    /// A request for a token of a backend that may have it.
    struct Visit: Sendable {
        let browser: BrowserRequest
        let request: SignOnRequest
        let backend: Backend
        /// Where the token is posted to; nil where it is shown.
        let target: RedirectTarget?
        /// Where users of the backend may log in.
        let choices: [LoginChoice]
        /// Where this one does; nil where it is still to be chosen.
        let chosen: LoginChoice?
        /// Whether the user is to log in whatever he has done before.
        var isForced: Bool

        var now: Int64 { browser.now }
        /// Where the browser asks once more.
        var location: String { request.location + (isForced ? "&prompt=login" : "") }

        func choice(named name: String) -> LoginChoice? { choices.first { $0.provider.isExactly(name) } }
    }

    /// Answers a request for a token: with a login, or with the token.
    func exchange(_ browser: BrowserRequest) -> Answer {
        do throws(SingleSignOnFailure) {
            guard SignOnRelay.isNavigation(browser.request) else { throw .notNavigated }
            let visit = try visit(SignOnRequest(browser.query), browser)
            guard !visit.isForced, let session = session(of: browser, visit) else { return beginLogin(visit) }
            return whileAlive(session, visit)
        } catch {
            return .done(error.response)
        }
    }

    /// What a request asks for, where it may be asked for: before the login, at every step of it, and before the token is
    /// made (SSO-03).
    func visit(_ request: SignOnRequest, _ browser: BrowserRequest) throws(SingleSignOnFailure) -> Visit {
        guard let backend = service.settings.backends.backend(clientID: request.clientID),
            backend.enableSSO, backend.oauthConsumer, !backend.isRevoked
        else { throw .notEnabled }
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
            isForced: browser.query.first("prompt")?.isExactly("login") ?? false)
    }

    /// Whether somebody went here, and no page of a neighbour fetched it with the browser's cookies (Fetch Metadata
    /// section 2.1). Nobody gets to know what old browsers do not say.
    static func isNavigation(_ request: EndpointRequest) -> Bool {
        request.field("sec-fetch-dest")?.isExactly("document")
            ?? !request.fields.contains { $0.name.utf8.elementsEqual("sec-fetch-dest".utf8) }
    }

    // MARK: Sessions

    /// What the cookie tells, as far as it goes by itself: of a provider of the backend's (SSO-08), in time, its user still
    /// welcome.
    private func session(of browser: BrowserRequest, _ visit: Visit) -> SignOnSession? {
        guard let session = sealedSession(of: browser), visit.choice(named: session.provider) != nil,
            session.usedAt + settings.idleSeconds > browser.now, isWelcome(session)
        else { return nil }
        return session
    }

    func sealedSession(of browser: BrowserRequest) -> SignOnSession? {
        browser.signOn.flatMap { try? seals.signOn(Array($0.utf8).span, now: browser.now) }
    }

    func isWelcome(_ session: SignOnSession) -> Bool {
        guard
            !service.settings.revocations.isRevoked(
                tokenID: session.family, subject: session.subject, backendID: nil, issuer: OwnAccessTokens.issuerName,
                issuedAt: session.authenticatedAt)
        else { return false }
        if session.isVirtual { return true }
        guard let user = service.settings.users.user(named: session.subject, realm: session.realm) else { return false }
        return user.enabled && session.authenticatedAt >= user.tokensNotBefore
    }

    /// Goes on with the token where the store still has the session and what it stands on, else with a login.
    private func whileAlive(_ session: SignOnSession, _ visit: Visit) -> Answer {
        whileHeld([session.id][...] + session.foundations, visit) { isHeld in
            isHeld ? grant(session, visit) : beginLogin(visit)
        }
    }

    private func whileHeld(
        _ ids: ArraySlice<String>, _ visit: Visit, _ next: @escaping @Sendable (Bool) -> Answer
    ) -> Answer {
        guard let first = ids.first else { return next(true) }
        return service.settings.store.ask(.find(.id(first)), now: visit.now) { result in
            switch result {
            case .success(.record(let record?)) where record.accessLives(at: visit.now):
                whileHeld(ids.dropFirst(), visit, next)
            case .success: next(false)
            case .failure: .done(SingleSignOnFailure.unavailable.response)
            }
        }
    }
}
