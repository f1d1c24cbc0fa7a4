import Bytes
import Endpoints
import HTTP
import Identity
import JOSE
import LoginPages
import Model
import Outbound

/// Forms of service domains whose users log in at an identity provider: there is none, the browser goes there instead
/// (SCH-02, RP-01).
extension BrowserLogin {
    func begin(_ visit: Visit, at name: String) -> Answer {
        guard let providers, let provider = providers.provider(named: name) else {
            return .done(BrowserLoginFailure.unknownService.response)
        }
        let errand = LoginErrand(
            .form, [visit.form.path, visit.form.domain, visit.target.text, "\(visit.level)"])
        return providers.begin(provider, errand, visit.browser)
    }

    /// The browser is back.
    func finish(
        form texts: [String], _ result: Result<ProvidedIdentity, ProviderFailure>, _ browser: BrowserRequest
    ) -> Answer {
        guard let providers, texts.count == 4, let target = ReturnTarget(texts[2]),
            let level = Decimal.parse(Array(texts[3].utf8).span),
            var visit = visit(Form(path: texts[0], domain: texts[1]), browser), !visit.domain.relyingParties.isEmpty
        else { return .done(BrowserLoginFailure.unknownService.response) }
        (visit.target, visit.level) = (target, level)
        switch result.of(visit.domain) {
        case .failure(let failure): return .done(providers.page(failure, again: action(visit)))
        case .success((let identity, let party)): return open(identity, party, providers, visit)
        }
    }

    private func open(
        _ identity: ProvidedIdentity, _ party: ServiceDomain.RelyingParty, _ providers: ProviderLogin, _ visit: Visit
    ) -> Answer {
        let (domain, application, now) = (visit.domain, visit.application, visit.browser.now)
        let user: MobileSocialService.ProvidedUser
        do throws(ExternalIdentityRejection) {
            user = try social.user(of: identity, party, application)
        } catch {
            return .done(refuse(error, identity, visit))
        }
        let limits = SessionLimits(
            session: (application.sessionTimeout ?? BrowserLogin.standardSeconds, nil),
            idle: (application.idleTimeout, nil))
        let until = now + (limits.session ?? Session.longestSeconds)
        return providers.foundation(of: identity, subject: user.subject, until: until, now: now).then {
            [self] foundation in
            guard let foundation else { return .done(providers.page(.unavailable("store"), again: action(visit))) }
            var facts = user.facts(domain, application, foundation: foundation, now: now)
            facts.idleSeconds = limits.idle
            let session = Session(
                facts, subject: user.subject, backend: application.backend, limit: limits.session, now: now)
            return open(session.alone, visit)
        }
    }

    /// Who has logged in is nobody here.
    private func refuse(
        _ rejection: ExternalIdentityRejection, _ identity: ProvidedIdentity, _ visit: Visit
    ) -> EndpointResponse {
        var response = Page.message(
            PageText.error, PageText.forbidden, isError: true,
            link: Page.Link(text: PageText.tryAgain, target: action(visit))
        ).response(status: 403, reason: rejection.reason)
        response.audit = audit(.refused, visit, "\(identity.provider):\(identity.subject)")
        return response
    }
}

extension Result where Success == ProvidedIdentity, Failure == ProviderFailure {
    /// The same for a domain whose users that provider knows, with how the domain uses it: others may look after it since
    /// the login was begun, and by their rules the word of the earlier one means nothing.
    func of(_ domain: ServiceDomain) -> Result<(ProvidedIdentity, ServiceDomain.RelyingParty), ProviderFailure> {
        flatMap { identity in
            guard let party = domain.relyingParty(named: identity.provider) else { return .failure(.foreignAnswer) }
            return .success((identity, party))
        }
    }
}
