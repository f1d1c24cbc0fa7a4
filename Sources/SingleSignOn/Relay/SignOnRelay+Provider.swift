import Bytes
import Endpoints
import HTTP
import Identity
import LoginPages
import Model
import OAuthServer
import Outbound

/// Logins at identity providers (SSO-07), for backends that name one.
extension SignOnRelay {
    /// Sends the browser to a provider of the backend.
    func beginAtProvider(_ name: String, _ visit: Visit) -> Answer {
        guard let providers, let provider = providers.provider(named: name) else {
            return .done(SingleSignOnFailure.unavailable.response)
        }
        let errand = LoginErrand(.relay, visit.request.texts + (visit.isForced ? ["\(visit.now)"] : []))
        return providers.begin(provider, errand, visit.browser, forcesLogin: visit.isForced)
    }

    /// Goes on with a browser that has come back from a provider. What it had asked for is looked at anew, since the
    /// policies of now count; and a backend that has other providers by now takes nothing of this one (mix-up).
    func arrive(_ arrival: ProviderLogin.Arrival) -> Answer {
        let (texts, browser) = (arrival.errand.texts, arrival.browser)
        do throws(SingleSignOnFailure) {
            let count = SignOnRequest.textCount
            guard let login = providers, let request = SignOnRequest(texts: Array(texts.prefix(count))) else {
                throw .foreignRequest
            }
            var visit = try visit(request, browser)
            let forcedAt = texts.dropFirst(count).first.flatMap { Decimal.parse(Array($0.utf8).span) }.map(Int64.init)
            visit.isForced = forcedAt != nil
            switch SignOnRelay.result(arrival.result, forcedAt: forcedAt) {
            case .failure(let failure):
                var response = login.page(failure, again: visit.location)
                response.audit = audit("login", .refused, visit, "")
                return .done(response)
            case .success(let identity):
                guard visit.choice(named: identity.provider) != nil,
                    let provider = login.provider(named: identity.provider)
                else { throw .foreignRequest }
                return open(identity, provider.rules, login, visit)
            }
        } catch {
            return .done(error.response)
        }
    }

    /// Clocks of providers may be behind ours by so many seconds.
    private static let clockSkew: Int64 = 60

    /// What has become of a login, a failure where the user was to log in once more and the provider says that he has not
    /// (OpenID Connect Core section 3.1.2.1, SAML core section 3.4.1). Not all providers say when he has.
    ///
    /// - Parameter forcedAt: seconds since 1970 when he was sent to log in whatever he had done before; nil where that counts.
    private static func result(
        _ result: Result<ProvidedIdentity, ProviderFailure>, forcedAt: Int64?
    ) -> Result<ProvidedIdentity, ProviderFailure> {
        guard let forcedAt else { return result }
        return result.flatMap { identity in
            guard let time = identity.authenticatedAt, time < forcedAt - clockSkew else { return result }
            return .failure(.denied("no login since it was asked for"))
        }
    }

    private func open(
        _ identity: ProvidedIdentity, _ rules: ProviderRules, _ login: ProviderLogin, _ visit: Visit
    ) -> Answer {
        let catalogue = service.settings.catalogue
        let known: ExternalIdentity
        do throws(ExternalIdentityRejection) {
            known = try rules.identify(
                identity, realm: visit.backend.realm, users: service.settings.users, catalogue: catalogue)
        } catch {
            var response = Page.message(
                PageText.error, PageText.forbidden, isError: true,
                link: Page.Link(text: PageText.otherAccount, target: visit.request.location + "&prompt=login")
            ).response(status: 403, reason: error.reason)
            response.audit = audit("login", .refused, visit, "\(identity.provider):\(identity.subject)")
            return .done(response)
        }
        var session = newSession(
            known.username, realm: visit.backend.realm, at: identity.provider, visit)
        session.isVirtual = known.virtual
        // Those of an account are looked up whenever a token is made.
        let assigned = catalogue.names(of: catalogue.roles(named: known.user?.roles ?? []))
        session.roles = catalogue.names(of: known.roles).filter { role in !assigned.contains { $0.isExactly(role) } }
        let until = session.expiresAt + lifetime(session, now: visit.now)
        return login.foundation(of: identity, subject: session.subject, until: until, now: visit.now).then {
            [session] foundation in
            guard let foundation else { return .done(SingleSignOnFailure.unavailable.response) }
            var session = session
            session.foundations = [foundation]
            return open(session, visit)
        }
    }

    /// Where the provider ends its own session (OpenID Connect RP-Initiated Logout); nil for the gateway's own form.
    func placeOfLogin(_ session: SignOnSession, now: Int64) -> Effect<WebURL?> {
        guard let provider = providers?.provider(named: session.provider) else {
            return .done(nil)
        }
        return provider.logoutURL(back: service.settings.baseURL + SingleSignOnEndpoints.logoutPath, now: now)
    }
}
