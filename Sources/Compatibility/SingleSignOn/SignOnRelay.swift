import Authorization
import Endpoints
import HTTP
import Identity
import LoginPages
import Model
import OAuthServer
import Outbound

/// The relay between browsers and applications (SSO-01 to SSO-12): a browser that requests a token of a client logs in once,
/// and the token is shown to its user or posted to the application.
struct SignOnRelay: Sendable {
    typealias Answer = Effect<EndpointResponse>
    typealias Visit = LoginFlow.Visit

    let flow: LoginFlow
    /// Addresses that tokens may be posted to (SSO-03).
    let whitelist: RedirectWhitelist

    private var service: TokenService { flow.service }

    /// Answers a request for a token with a login or with the token.
    func exchange(_ browser: BrowserRequest) -> Answer {
        do throws(SingleSignOnFailure) {
            guard LoginFlow.isNavigation(browser.request) else { throw .notNavigated }
            let request = try SignOnRequest(browser.query)
            let visit = try flow.visit(LoginRequest(page: request.page, clientID: request.clientID), browser)
            guard let client = visit.client else { throw .notEnabled }
            guard !visit.isForced, let session = flow.session(of: browser, visit) else {
                return flow.beginLogin(visit)
            }
            return flow.whileStored(session, now: visit.now) { isStored in
                guard let isStored else { return .done(SingleSignOnFailure.unavailable.response) }
                return isStored ? grant(session, of: client, for: request, visit) : flow.beginLogin(visit)
            }
        } catch {
            return .done(error.response)
        }
    }

    /// Makes the token for the requested client (SSO-08) and delivers it.
    private func grant(
        _ session: Session, of client: Client, for request: SignOnRequest, _ visit: Visit
    ) -> Answer {
        // SSO-10, MBE-09.
        guard visit.isOfRealm(session) else {
            return .done(flow.refuseRealm(session, visit))
        }
        var grant = AccessTokenMinter.Grant(
            subject: session.subject, kind: .user, client: client, lifetimeSeconds: flow.settings.pageTokenSeconds())
        grant.roles = roles(session)
        grant.rights.take(session.login)
        grant.session = session.family
        grant.origins = session.foundations.map { TokenOrigin(tokenID: $0, backendID: nil) }
        let issuance = Issuance(grant, GrantedScope.none, action: "sso")
        return service.token(of: issuance, now: visit.now).map { token in
            guard let token else { return SingleSignOnFailure.unavailable.response }
            return handOver(token, issuance, session, for: request, visit)
        }
    }

    private func roles(_ session: Session) -> [String] {
        let catalogue = service.settings.catalogue
        let assigned =
            session.login.isVirtual
            ? [] : service.settings.users.user(named: session.subject, realm: session.realm)?.roles ?? []
        return catalogue.names(of: catalogue.roles(named: assigned + session.login.roles))
    }

    private func handOver(
        _ token: GrantedToken, _ issuance: Issuance, _ session: Session, for request: SignOnRequest, _ visit: Visit
    ) -> EndpointResponse {
        let seconds = token.expiresIn ?? issuance.grant.lifetimeSeconds
        var used = session
        used.usedAt = visit.now
        let cookie = [flow.cookie(flow.seals.sessionCookie, flow.seals.seal(used), visit.browser)]
        var fields = [
            ("access_token", String(decoding: token.value, as: UTF8.self)), ("token_type", "Bearer"),
            ("expires_in", "\(seconds)"),
        ]
        let response: EndpointResponse
        if let target = request.redirectURI.flatMap(whitelist.target) {
            if let state = request.state { fields.append(("state", state)) }
            response = Page.post(fields, to: target).response(status: 200, reason: .ssoTokenPosted, fields: cookie)
        } else {
            response = Page.token(
                fields[0].1, seconds: seconds, client: issuance.grant.client.title,
                logout: SingleSignOnEndpoints.logoutPath
            )
            .response(status: 200, reason: .ssoTokenShown, fields: cookie)
        }
        return response.audited(
            "token", .granted, visit, session.subject, id: issuance.grant.client.issuer == nil ? issuance.tokenID : "")
    }
}
