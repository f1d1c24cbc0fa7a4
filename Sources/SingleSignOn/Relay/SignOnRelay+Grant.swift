import Bytes
import Endpoints
import HTTP
import Identity
import LoginPages
import Model
import OAuthServer
import Outbound

/// Granting the token after the login.
extension SignOnRelay {
    /// Makes the token for the requested client (SSO-08) and delivers it.
    func grant(_ session: Session, _ visit: Visit) -> Answer {
        let backend = visit.backend
        // SSO-10, MBE-09.
        guard session.login.isVirtual || session.realm.isExactly(backend.realm) else {
            return .done(refuseRealm(session, visit))
        }
        var grant = AccessTokenMinter.Grant(
            subject: session.subject, kind: .user, backend: backend, lifetimeSeconds: tokenLifetime)
        grant.roles = roles(session)
        grant.rights.take(session.login)
        grant.session = session.family
        grant.origins = session.foundations.map { TokenOrigin(tokenID: $0, backendID: nil) }
        let issuance = Issuance(grant, GrantedScope.none, action: "sso")
        return service.token(of: issuance, now: visit.now).map { token in
            guard let token else { return SingleSignOnFailure.unavailable.response }
            return handOver(token, issuance, session, visit)
        }
    }

    private func roles(_ session: Session) -> [String] {
        let catalogue = service.settings.catalogue
        let assigned =
            session.login.isVirtual
            ? [] : service.settings.users.user(named: session.subject, realm: session.realm)?.roles ?? []
        return catalogue.names(of: catalogue.roles(named: assigned + session.login.roles))
    }

    /// Lifetime of a token in seconds (SSO-09): six hours unless a policy says otherwise.
    var tokenLifetime: Int64 {
        let policy = service.settings.assertions?.currentPolicy.lifetime.seconds
        return min(policy ?? TokenLifetime.ofSSOEndpoint, TokenLifetime.longest)
    }

    private func handOver(
        _ token: GrantedToken, _ issuance: Issuance, _ session: Session, _ visit: Visit
    ) -> EndpointResponse {
        let seconds = token.expiresIn ?? issuance.grant.lifetimeSeconds
        var used = session
        used.usedAt = visit.now
        used.tokensEndAt = max(session.tokensEndAt, visit.now + seconds)
        let cookie = [cookie(.signOn, seals.seal(used), visit.browser)]
        var fields = [
            ("access_token", String(decoding: token.value, as: UTF8.self)), ("token_type", "Bearer"),
            ("expires_in", "\(seconds)"),
        ]
        let response: EndpointResponse
        if let target = visit.target {
            if let state = visit.request.state { fields.append(("state", state)) }
            response = Page.post(fields, to: target).response(status: 200, reason: .ssoTokenPosted, fields: cookie)
        } else {
            response = Page.token(
                fields[0].1, seconds: seconds, client: visit.backend.title, logout: SingleSignOnEndpoints.logoutPath
            )
            .response(status: 200, reason: .ssoTokenShown, fields: cookie)
        }
        return response.audited(
            "token", .granted, visit, session.subject, id: issuance.grant.backend.issuer == nil ? issuance.tokenID : "")
    }

    func refuseRealm(_ session: Session, _ visit: Visit) -> EndpointResponse {
        let failure = SingleSignOnFailure.wrongRealm
        return otherAccount(failure.text, status: failure.status, reason: failure.reason, visit)
            .audited("token", .refused, visit, session.subject)
    }

    /// A refusal with a link to log in with another account.
    func otherAccount(_ detail: PageText, status: Int, reason: Reason, _ visit: Visit) -> EndpointResponse {
        let link = Page.Link(.otherAccount, to: location(visit, loggedInAt: nil) + "&prompt=login")
        return Page.failure(detail, link: link).response(status: status, reason: reason)
    }
}
