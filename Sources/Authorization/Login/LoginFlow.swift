import Bytes
import Endpoints
import HTTP
import Identity
import LoginPages
import Model
import OAuthServer
import Outbound
import TokenStorage

/// Logins of browsers for clients and for pages behind the gateway: each of them logs in once, by the gateway's form or at an
/// identity provider, and is sent to what it has logged in for. The session in its cookie serves the next one.
package struct LoginFlow: FormTickets {
    /// How long sessions last.
    package struct Limits: Sendable {
        /// Longest time in seconds.
        package var session: Int64
        /// Seconds without a request after which a browser has to log in again; nil for any.
        package var idle: Int64?

        package init(session: Int64 = 28_800, idle: Int64? = 3600) {
            self.session = session
            self.idle = idle
        }
    }

    /// What holds for logins.
    package struct Settings: Sendable {
        package var seals: BrowserSeals
        package var limits = Limits()
        /// Limits of sessions of single providers, by `LoginChoice.provider`.
        package var limitsByProvider: [String: Limits] = [:]
        /// Claims that sessions keep, likewise.
        package var claimsByProvider: [String: KeptClaims] = [:]
        /// The ways to log in that routes name.
        package var routeChoices: [LoginChoice] = []
        /// The realm of users who log in for pages of no client.
        package var realm = ""
        /// When sessions were used.
        package var sessions: SessionRegister
        /// Seconds that the tokens last which pages give out; asked each time, like the next.
        package var pageTokenSeconds: @Sendable () -> Int64 = { 0 }
        /// Pages of others that need a login; nil for none.
        package var pages: Pages?
        /// Checks a request for a place of others.
        package var visit: @Sendable (_ place: String, LoginRequest, BrowserRequest) -> Visit? = { _, _, _ in nil }

        package init(seals: BrowserSeals, sessions: SessionRegister) {
            self.seals = seals
            self.sessions = sessions
        }

        func limits(at provider: String) -> Limits { limitsByProvider[provider] ?? limits }
    }

    package typealias Answer = Effect<EndpointResponse>

    /// What the owner of pages says of them.
    package struct Pages: Sendable {
        /// Why browsers may not log in for a page; nil if they may.
        let refusal: @Sendable (_ page: String, Client) -> SingleSignOnFailure?
        /// Path and query of a page.
        let location: @Sendable (_ page: String, _ clientID: String) -> String

        package init(
            refusal: @escaping @Sendable (_ page: String, Client) -> SingleSignOnFailure?,
            location: @escaping @Sendable (_ page: String, _ clientID: String) -> String
        ) {
            self.refusal = refusal
            self.location = location
        }
    }

    package let service: TokenService
    package let settings: Settings
    /// Logins at identity providers; nil if there are none.
    package let providers: ProviderLogin?

    package var seals: BrowserSeals { settings.seals }

    package init(service: TokenService, settings: Settings, providers: ProviderLogin?) {
        self.service = service
        self.settings = settings
        self.providers = providers
    }

    /// A request that is allowed.
    package struct Visit: Sendable {
        package let browser: BrowserRequest
        package let request: LoginRequest
        package let place: any LoginPlace
        /// Nil for a page of no client.
        package let client: Client?
        /// What users read that they log in to; nil for the pages of this host.
        package let title: String?
        /// What the audit log names.
        let reference: String
        package let realm: String
        /// The ways to log in.
        package let choices: [LoginChoice]
        /// Nil if the user still has to choose.
        package var chosen: LoginChoice?
        /// Whether the user must log in again despite an existing session.
        package var isForced: Bool

        /// Where an authorization code goes; nil for another purpose.
        var destination: RedirectDestination?

        package init(
            _ request: LoginRequest, _ browser: BrowserRequest, at place: any LoginPlace, of client: Client? = nil,
            title: String?, reference: String, realm: String, choices: [LoginChoice]
        ) {
            self.browser = browser
            self.request = request
            self.place = place
            self.client = client
            self.title = title
            self.reference = reference
            self.realm = realm
            self.choices = choices
            chosen = choices.chosen(browser.query.first("provider"))
            isForced = browser.query.first("prompt")?.isExactly("login") ?? false
        }

        package var now: Int64 { browser.now }

        /// When the provider says that the user has logged in there. One after now has not happened; its clock may be ahead.
        package func knownTime(of identity: ProvidedIdentity) -> Int64? {
            identity.authenticatedAt.flatMap { $0 > now + LoginFlow.clockSkew ? nil : max(0, min($0, now)) }
        }

        func choice(named name: String) -> LoginChoice? { choices.first { $0.provider.isExactly(name) } }

        /// Whether the holder of a session is the same user here (SSO-10).
        package func isOfRealm(_ session: Session) -> Bool { session.login.isVirtual || session.realm.isExactly(realm) }
    }

    /// Checks a request: before the login, at every step of it, and before what it was for (SSO-03).
    package func visit(_ request: LoginRequest, _ browser: BrowserRequest) throws(SingleSignOnFailure) -> Visit {
        switch request.purpose {
        case .ofPlace(let place, _):
            guard let visit = settings.visit(place, request, browser) else { throw .notEnabled }
            return visit
        case .page(let page):
            let choices = page.ways.compactMap { name in settings.routeChoices.first { $0.name.isExactly(name) } }
            // No route names them any more.
            guard !choices.isEmpty else { throw .notEnabled }
            return Visit(
                request, browser, at: OwnLogins(flow: self), title: nil, reference: "", realm: settings.realm,
                choices: choices)
        case .authorization, .device, .ofFamily: break
        }
        guard let client = client(of: request), client.oauthConsumer, !client.isRevoked else { throw .notEnabled }
        var visit = Visit(
            request, browser, at: OwnLogins(flow: self), of: client, title: client.title,
            reference: client.reference, realm: client.realm,
            choices: client.loginChoices.isEmpty ? [LoginChoice(LoginChoice.ownForm)] : client.loginChoices)
        visit.destination = try destination(of: request, client)
        return visit
    }

    private func destination(
        of request: LoginRequest, _ client: Client
    ) throws(SingleSignOnFailure) -> RedirectDestination? {
        switch request.purpose {
        case .device:
            guard client.grants.allowsDevices else { throw .notEnabled }
        case .authorization(let authorization):
            guard let rules = client.grants.authorization else { throw .notEnabled }
            guard let destination = rules.destination(authorization.redirectURI) else { throw .redirectNotAllowed }
            return destination
        case .page, .ofPlace: break
        case .ofFamily(let page):
            guard let pages = settings.pages else { throw .notEnabled }
            if let failure = pages.refusal(page, client) { throw failure }
        }
        return nil
    }

    private func client(of request: LoginRequest) -> Client? {
        let settings = service.settings
        guard let title = request.registeredTitle else { return settings.clients.client(clientID: request.clientID) }
        return settings.client(
            of: RegisteredClient(
                id: request.clientID, title: title, redirectURI: request.authorization?.redirectURI))
    }

    /// Whether the browser navigates here, as opposed to a fetch by another page (Fetch Metadata section 2.1). Browsers
    /// without the field are accepted.
    package static func isNavigation(_ request: EndpointRequest) -> Bool {
        request.field("sec-fetch-dest")?.isExactly("document")
            ?? !request.fields.contains { $0.name.isExactly("sec-fetch-dest") }
    }

    // MARK: Sessions

    /// The session in the cookie, if it is from one of the providers (SSO-08), and its user still accepted. Whether it was
    /// used lately, `whileStored` knows.
    package func session(of browser: BrowserRequest, _ visit: Visit) -> Session? {
        guard let session = sealedSession(of: browser), visit.choice(named: session.provider) != nil,
            isAccepted(session)
        else { return nil }
        return session
    }

    package func sealedSession(of browser: BrowserRequest) -> Session? {
        browser.session(seals)
    }

    /// Whether neither session nor user was revoked.
    func isAccepted(_ session: Session) -> Bool {
        guard
            !service.settings.revocations.isRevoked(
                tokenID: session.family, subject: session.subject, backendID: nil, issuer: OwnAccessTokens.issuerName,
                issuedAt: session.login.authenticatedAt)
        else { return false }
        if session.login.isVirtual { return !service.settings.accountProviders.contains(session.provider) }
        guard let user = service.settings.users.user(named: session.subject, realm: session.realm) else { return false }
        return user.enabled && session.login.authenticatedAt >= user.tokensNotBefore
    }

    /// Continues with whether the store has the session and its foundations, and it was used lately; with nil if the store
    /// does not answer.
    package func whileStored(
        _ session: Session, now: Int64, _ next: @escaping @Sendable (Bool?) -> Answer
    ) -> Answer {
        isStored(session, now: now).then(next)
    }

    func isStored(_ session: Session, now: Int64) -> Effect<Bool?> {
        service.settings.store.haveAll([session.id][...] + session.foundations, now: now) { record in
            guard record.accessLives(at: now) else { return false }
            guard let idle = session.idleSeconds, record.id.isExactly(session.id) else { return true }
            return max(session.usedAt, record.lastUsedAt, settings.sessions.usedAt(session.id) ?? 0) + idle > now
        }
    }
}
