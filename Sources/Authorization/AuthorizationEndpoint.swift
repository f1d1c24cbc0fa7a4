import Bytes
import Endpoints
import HTTP
import Identity
import LoginPages
import Model
import OAuthServer
import Outbound

/// The authorization endpoint (RFC 6749 section 3.1): browsers log in by the session and the pages of single sign-on, and
/// are sent to the client with a code.
struct AuthorizationEndpoint: Sendable {
    typealias Answer = Effect<EndpointResponse>

    let flow: LoginFlow

    var service: TokenService { flow.service }

    /// A valid request of a browser.
    struct Inquiry: Sendable {
        var visit: LoginFlow.Visit
        let client: Client
        let request: AuthorizationRequest
        let reply: AuthorizationReply
        /// The login for this request; nil before.
        let login: MadeLogin?
        /// Whether the client is known to have the redirect URI, so that browsers may be sent there.
        var isProven: Bool

        var rules: AuthorizationRules? { client.grants.authorization }
        /// Another program on the device may use the redirect URI, so each access is shown (RFC 8252 section 8.6). So is
        /// that of a client that has registered itself, whose name means nothing (RFC 7591 section 5).
        var remembersConsent: Bool { reply.destination.kind == .web && !client.isRegistered }
        var browser: BrowserRequest { visit.browser }
        var now: Int64 { visit.now }

        func refusal(_ refusal: AuthorizationRefusal) -> EndpointResponse {
            isProven ? reply.refusal(refusal) : refusal.page
        }
    }

    func answer(_ request: EndpointRequest, now: Int64) -> Answer {
        do throws(SingleSignOnFailure) {
            guard LoginFlow.isNavigation(request) else { throw .notNavigated }
            switch request.method {
            case .get:
                // For pages before the request is known to be valid.
                let query = try? FormFields.parse(request.query.span)
                let languages = AcceptLanguage.locales(query?.first("ui_locales") ?? "")
                return try show(request, now: now).map { $0.preferring(languages) }
            case .post: return try receive(request, now: now)
            default: return .done(BrowserLoginFailure.page(allow: "GET, POST"))
            }
        } catch {
            return .done(error.response)
        }
    }

    private func show(_ request: EndpointRequest, now: Int64) throws(SingleSignOnFailure) -> Answer {
        guard let fields = try? FormFields.parse(request.query.span) else { throw .malformedParameter }
        let browser = BrowserRequest(request, query: fields, now: now)
        if let sealed = fields.first("resume") {
            var inquiry = try resumed(sealed, browser)
            inquiry.visit.isForced = fields.first("prompt")?.isExactly("login") ?? false
            return proceed(inquiry)
        }
        guard !fields.isRepeated("client_id"), let id = fields.value("client_id") else {
            return .done(AuthorizationFailure.unknownClient.response)
        }
        if let document = ClientDocument(id, service.settings) { return begin(fields, of: document, browser) }
        return service.settings.client(id, now: now).then { found in
            guard case .success(let client) = found else {
                return .done(SingleSignOnFailure.unavailable.response)
            }
            guard let client, let rules = client.grants.authorization, client.oauthConsumer,
                !client.isRevoked
            else {
                let failure = AuthorizationFailure.unknownClient.response
                return .done(failure.comparing(["client_id \(Evidence.quoted(id))"]))
            }
            return beginRequest(fields, client, rules, browser)
        }
    }

    func beginRequest(
        _ fields: FormFields, _ client: Client, _ rules: AuthorizationRules, _ browser: BrowserRequest,
        isProven: Bool = true
    ) -> Answer {
        if !fields.isRepeated("request_uri"), let reference = fields.value("request_uri"),
            PushedRequests.isReference(reference)
        {
            return resumePushed(reference, client, browser)
        }
        guard !fields.isRepeated("redirect_uri"), let text = fields.value("redirect_uri"),
            let destination = rules.destination(text)
        else {
            return .done(foreignRedirect(fields.value("redirect_uri") ?? "", of: client))
        }
        do throws(AuthorizationRefusal) {
            let settings = service.settings
            if rules.requiresPushedRequests { throw .notPushed }
            let request = try AuthorizationRequest(fields, of: client, settings)
            var inquiry = try inquiry(request, client, browser)
            inquiry.isProven = isProven
            return proceed(inquiry)
        } catch {
            let reply = AuthorizationReply(destination, fields, issuer: service.settings.issuer)
            let (asked, allowed) = (fields.value("scope") ?? "", service.settings.scopes(of: client))
            let compared =
                error == .invalidScope ? TokenServiceSettings.evidence(onScopes: asked, allowed: allowed) : []
            let refusal = isProven ? reply.refusal(error) : error.page
            return .done(refusal.comparing(compared).audited("sso.authorize", .refused, client: client.reference))
        }
    }

    func foreignRedirect(_ asked: String, of client: Client) -> EndpointResponse {
        let known = client.grants.authorization?.redirectURIs.map(\.text) ?? []
        return AuthorizationFailure.foreignRedirect.response
            .comparing(["redirect_uri \(Evidence.quoted(asked)), registered \(Evidence.list(known))"])
            .audited("sso.authorize", .refused, client: client.reference)
    }

    /// A request that was checked before, after the login or with the answer to a consent page.
    private func resumed(_ sealed: String, _ browser: BrowserRequest) throws(SingleSignOnFailure) -> Inquiry {
        guard let (request, login) = flow.resume(sealed, now: browser.now),
            let authorization = request.authorization
        else { throw .foreignRequest }
        return try inquiry(request: request, authorization, browser, login)
    }

    // MARK: Pushed requests

    /// A request that the client sends to the gateway itself (RFC 9126 section 2).
    func push(_ request: EndpointRequest, now: Int64) -> Answer {
        let settings = service.settings
        return PushedRequests(service, flow.seals.loginRequests).receive(request, now: now) { fields, client in
            do throws(AuthorizationRefusal) {
                let text = fields.isRepeated("redirect_uri") ? nil : fields.value("redirect_uri")
                guard let text, client.grants.authorization?.destination(text) != nil else {
                    return .failure(
                        PushedRequests.Refusal(
                            "invalid_request", "the redirect URI is not registered", .authorizationRedirectForeign))
                }
                let request = try AuthorizationRequest(fields, of: client, settings)
                return .success(request.query)
            } catch {
                return .failure(PushedRequests.Refusal(error.error, error.description, error.reason))
            }
        }
    }

    /// The browser with the reference to a pushed request. Other parameters do not count (RFC 9126 section 4).
    private func resumePushed(_ reference: String, _ client: Client, _ browser: BrowserRequest) -> Answer {
        let pushed = PushedRequests(service, flow.seals.loginRequests)
        return pushed.take(reference, of: client, now: browser.now).then { result in
            let text: String?
            switch result {
            case .success(let found): text = found
            case .failure: return .done(SingleSignOnFailure.unavailable.response)
            }
            guard let request = text.flatMap({ AuthorizationRequest(query: $0) }),
                request.clientID.isExactly(client.clientID),
                let inquiry = try? inquiry(request, client, browser)
            else { return .done(AuthorizationFailure.unknownReference.response) }
            return proceed(inquiry)
        }
    }

    private func inquiry(
        _ request: AuthorizationRequest, _ client: Client, _ browser: BrowserRequest
    ) throws(AuthorizationRefusal) -> Inquiry {
        do throws(SingleSignOnFailure) {
            return try inquiry(request: LoginRequest(.authorization(request), of: client), request, browser, nil)
        } catch {
            // The client and its redirect URI are known.
            throw .unavailable
        }
    }

    func inquiry(
        request: LoginRequest, _ authorization: AuthorizationRequest, _ browser: BrowserRequest, _ login: MadeLogin?
    ) throws(SingleSignOnFailure) -> Inquiry {
        var visit = try flow.visit(request, browser)
        guard let client = visit.client, let destination = visit.destination else { throw .notEnabled }
        visit.isForced = false
        let reply = AuthorizationReply(destination, authorization, issuer: service.settings.issuer)
        return Inquiry(
            visit: visit, client: client, request: authorization, reply: reply, login: login,
            isProven: ClientDocument.host(of: client) == nil)
    }

    // MARK: Login

    private func proceed(_ inquiry: Inquiry) -> Answer {
        continueLogin(inquiry).map { $0.preferring(inquiry.request.languages) }
    }

    private func continueLogin(_ inquiry: Inquiry) -> Answer {
        guard let session = flow.session(of: inquiry.browser, inquiry.visit) else {
            // The browser keeps no cookies, or has several.
            if inquiry.login != nil, !inquiry.visit.isForced {
                return .done(flow.lost(inquiry.visit))
            }
            return logIn(inquiry)
        }
        guard !needsLogin(inquiry, session) else {
            var inquiry = inquiry
            inquiry.visit.isForced = true
            return logIn(inquiry)
        }
        return flow.whileStored(session, now: inquiry.now) { isStored in
            guard let isStored else { return .done(inquiry.refusal(.unavailable)) }
            return isStored ? askOrGrant(session, inquiry) : logIn(inquiry)
        }
    }

    /// Whether the user must log in again despite a session. A login for this request is one (OpenID Connect Core section
    /// 3.1.2.1).
    private func needsLogin(_ inquiry: Inquiry, _ session: Session) -> Bool {
        if inquiry.visit.isForced { return true }
        let limit = inquiry.browser.isReading ? MadeLogin.longestReturn : MadeLogin.longestAnswer
        if inquiry.login?.satisfies(session, within: limit, now: inquiry.now) == true { return false }
        if inquiry.request.prompts.contains(where: { $0 == .login || $0 == .account }) { return true }
        guard let age = inquiry.request.maximumAge else { return false }
        return (session.login.providerTime ?? session.login.authenticatedAt) + age < inquiry.now || age == 0
    }

    private func logIn(_ inquiry: Inquiry) -> Answer {
        guard !inquiry.request.prompts.contains(.none) else { return refuse(.loginRequired, inquiry) }
        return flow.beginLogin(inquiry.visit)
    }

    private func refuse(_ refusal: AuthorizationRefusal, _ inquiry: Inquiry, subject: String = "") -> Answer {
        .done(inquiry.refusal(refusal).audited("authorize", .refused, inquiry.visit, subject))
    }

    // MARK: Consent

    func askOrGrant(_ session: Session, _ inquiry: Inquiry) -> Answer {
        let prompts = inquiry.request.prompts
        // SSO-10
        guard inquiry.visit.isOfRealm(session) else {
            return prompts.contains(.none)
                ? refuse(.loginRequired, inquiry) : .done(flow.refuseRealm(session, inquiry.visit))
        }
        guard inquiry.isProven else { return prove(session, inquiry) }
        if prompts.contains(.consent) { return ask(session, inquiry) }
        if inquiry.rules?.consent == AuthorizationRules.Consent.none { return grant(session, inquiry) }
        guard inquiry.remembersConsent else { return ask(session, inquiry) }
        return consents(session, inquiry).find(now: inquiry.now).then { result in
            switch result {
            case .failure: return refuse(.unavailable, inquiry)
            case .success(let held):
                let isCovered = inquiry.request.scopes.allSatisfy { scope in
                    held?.contains { $0.isExactly(scope) } ?? false
                }
                return held != nil && isCovered ? grant(session, inquiry) : ask(session, inquiry)
            }
        }
    }

    private func consents(_ session: Session, _ inquiry: Inquiry) -> ConsentRecords {
        ConsentRecords(settings: service.settings, client: inquiry.client, session: session)
    }

    private func ask(_ session: Session, _ inquiry: Inquiry) -> Answer {
        guard !inquiry.request.prompts.contains(.none) else {
            return refuse(.consentRequired, inquiry, subject: session.subject)
        }
        let sealed = flow.sealed(inquiry.visit.request, after: inquiry.login, now: inquiry.now)
        let purpose = AuthorizationEndpoint.purpose(session, inquiry.visit.request)
        let (ticket, cookie) = flow.ticket(purpose, inquiry.browser)
        var question = ConsentQuestion(
            client: inquiry.client.title, user: session.subject,
            rights: PageWords.rights(of: inquiry.client, inquiry.request.scopes, service.settings),
            place: inquiry.reply.destination.place,
            otherAccount: flow.location(of: inquiry.visit) + "&prompt=login")
        question.isUnverified = inquiry.client.isRegistered
        question.origin = ClientDocument.host(of: inquiry.client)
        var page = Page.consent(
            question, action: service.settings.paths[.authorization], ticket: ticket, fields: [("request", sealed)])
        page.formAction = "'self' \(inquiry.reply.destination.formAction)"
        return .done(page.response(status: 200, reason: .consentAsked, fields: cookie))
    }

    /// The purpose of a consent form: one request in one session.
    private static func purpose(_ session: Session, _ request: LoginRequest) -> String {
        (["consent", session.id] + request.texts).map { "\($0.utf8.count) \($0)" }.joined(separator: " ")
    }

    /// An authorization request by POST, or the answer to a consent page.
    private func receive(_ request: EndpointRequest, now: Int64) throws(SingleSignOnFailure) -> Answer {
        guard BrowserRequest.isForm(request), let form = try? FormFields.parse(request.body.span),
            let query = try? FormFields.parse(request.query.span)
        else { throw .malformedParameter }
        let browser = BrowserRequest(request, query: query, now: now)
        guard form.first("ticket") != nil else {
            // Cookies do not come with a form of another site, but with the link that follows.
            let query = FormEncoding.form(form.fields.map { ($0.name, $0.value) })
            let location = service.settings.paths[.authorization] + "?" + String(decoding: query, as: UTF8.self)
            return .done(.redirect(303, to: location, reason: .authorizationMoved))
        }
        guard form.repeatedName == nil, AuthorizationEndpoint.isOwnForm(request) else {
            return .done(BrowserLoginFailure.foreignForm.response(.start))
        }
        let inquiry = try resumed(form.first("request") ?? "", browser)
        return receive(form, inquiry).map { $0.preferring(inquiry.request.languages) }
    }

    /// The answer to a consent page.
    private func receive(_ form: FormFields, _ inquiry: Inquiry) -> Answer {
        let again = Page.Link(.tryAgain, to: flow.location(of: inquiry.visit))
        guard let session = flow.session(of: inquiry.browser, inquiry.visit) else {
            return .done(BrowserLoginFailure.foreignForm.response(again))
        }
        do throws(BrowserLoginFailure) {
            _ = try LoginTicket(
                form.first("ticket") ?? "", for: AuthorizationEndpoint.purpose(session, inquiry.visit.request),
                nonce: inquiry.browser.nonce, flow.seals.tickets, now: inquiry.now)
        } catch {
            return .done(error.response(again))
        }
        let decision = form.first(Page.Decision.name).flatMap(Page.Decision.init(rawValue:))
        return inquiry.isProven
            ? decide(decision, session, inquiry)
            : proveAgain(session, inquiry) { inquiry in decide(decision, session, inquiry) }
    }

    /// Whether the page that sent the form is of this origin (Fetch Metadata section 2.4). Browsers without the field are
    /// accepted: the ticket has the proof.
    static func isOwnForm(_ request: EndpointRequest) -> Bool {
        let sites = request.fields.filter { $0.name.isExactly("sec-fetch-site") }
        return sites.allSatisfy { $0.value.isExactly("same-origin") }
    }

    private func decide(_ decision: Page.Decision?, _ session: Session, _ inquiry: Inquiry) -> Answer {
        guard decision == .approve else { return refuse(.denied, inquiry, subject: session.subject) }
        guard inquiry.visit.isOfRealm(session) else {
            return .done(flow.refuseRealm(session, inquiry.visit))
        }
        return flow.whileStored(session, now: inquiry.now) { isStored in
            guard let isStored else { return .done(inquiry.refusal(.unavailable)) }
            guard isStored, !needsLogin(inquiry, session) else { return logIn(inquiry) }
            // Others are asked each time, and what they were granted is no consent to a site.
            guard inquiry.remembersConsent else { return grant(session, inquiry) }
            return consents(session, inquiry).remember(inquiry.request.scopes, now: inquiry.now).then {
                grant(session, inquiry)
            }
        }
    }

    // MARK: The code

    private func grant(_ session: Session, _ inquiry: Inquiry) -> Answer {
        let (request, client) = (inquiry.request, inquiry.client)
        let code = AuthorizationCode(
            redirectURI: request.redirectURI, challenge: request.challenge, proofKey: request.proofKey,
            nonce: request.nonce, scope: request.scopes.joined(separator: " "),
            resources: request.resources, session: session)
        return code.issue(for: client, subject: session.subject, service.settings, now: inquiry.now).map { code in
            guard let code else { return inquiry.refusal(.unavailable) }
            var used = session
            used.usedAt = inquiry.now
            let cookie = flow.cookie(flow.seals.sessionCookie, flow.seals.seal(used), inquiry.browser)
            return inquiry.reply.code(code, fields: [cookie])
                .audited("code", .granted, inquiry.visit, session.subject)
        }
    }
}
