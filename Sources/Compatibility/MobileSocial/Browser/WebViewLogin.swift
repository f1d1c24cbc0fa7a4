import Authorization
import Bytes
import Endpoints
import HTTP
import Identity
import LoginPages
import Model
import Outbound
import TokenStorage

/// A login of a native application that goes on in its embedded web view (AGT-06). The web view sends a form with
/// `userToken` to the address of the login form, and is sent on as after a login. `registrationHandle` beside it proves the
/// device of a registered one (OMS-15).
struct WebViewLogin: Sendable {
    let flow: LoginFlow
    let place: DomainLogin
    let visit: LoginFlow.Visit

    /// The user token is used up: its session ends with its access tokens, and the browser's takes its place, with the time,
    /// level and methods of the login, and no longer life.
    func take(_ token: String, _ fields: FormFields) -> Answer {
        let request = visit.browser.request
        guard request.secure || request.address?.isLoopback == true else { return .deny(.insecure) }
        guard isOfApplication else { return .deny(.foreignPage) }
        return place.social.sessions.with(token, of: place.domain.name, now: visit.browser.now) {
            session throws(MobileSocialFailure) in
            try check(session.facts)
            return whileOnDevice(of: session, fields.first("registrationHandle")) {
                withEnd(of: session.facts.foundations[...], session.record.accessExpiresAt) { move(session, until: $0) }
            }
        }
    }

    /// The token is used up only where the login can count.
    private func check(_ facts: MobileSession.Facts) throws(MobileSocialFailure) {
        let realm = place.domain.application(named: facts.application)?.backend.realm
        // Without its server, the domain does not know whether the user is still one of its own (OMS-12). A further proof has
        // no place in the form, and what was exchanged belongs to the agent.
        guard !facts.isOffline, facts.proof.isEmpty, facts.parent.isEmpty,
            realm?.isExactly(place.application.backend.realm) == true
        else { throw .invalidUserToken }
        guard !place.domain.isMobile || !facts.registration.isEmpty else { throw .missingClientProof }
        guard facts.level >= visit.request.page?.level ?? 0 else { throw .levelTooLow }
    }

    /// Whether the request comes from the application and not from a page, which could log its visitors in as another user. A
    /// page of another site cannot do without `Origin`, and no page can send `Sec-Fetch-Site: none`, which engines add to the
    /// form of an application beside `Origin: null`.
    private var isOfApplication: Bool {
        func values(_ name: String) -> [String] {
            visit.browser.request.fields.filter { $0.name.isExactly(name) }.map(\.value)
        }
        let (sites, origins) = (values("sec-fetch-site"), values("origin"))
        if sites.isEmpty { return origins.isEmpty }
        return sites.count == 1 && sites[0].isExactly("none") && origins.allSatisfy { $0.isExactly("null") }
    }

    private func whileOnDevice(
        of session: MobileSession, _ handle: String?, _ next: @escaping @Sendable () -> Answer
    ) -> Answer {
        let (id, now, settings) = (session.facts.registration, visit.browser.now, place.social.settings)
        if id.isEmpty { return next() }
        guard let handle else { return .deny(.missingClientProof) }
        return settings.ask(.find(.access(settings.key.digest(handle))), now: now) { found in
            guard case .record(let record?) = found, SessionService.isFoundation(record, at: now),
                record.id.isExactly(id)
            else { return .deny(.invalidClientProof) }
            return next()
        }
    }

    /// Continues with the second in which a session ends with the records that it depends on, if not before.
    private func withEnd(
        of foundations: ArraySlice<String>, _ end: Int64, _ next: @escaping @Sendable (Int64) -> Answer
    ) -> Answer {
        guard let first = foundations.first else { return next(end) }
        return place.social.settings.ask(.find(.id(first)), now: visit.browser.now) { found in
            guard case .record(let record?) = found else { return .deny(.invalidUserToken) }
            return withEnd(of: foundations.dropFirst(), min(end, record.accessExpiresAt), next)
        }
    }

    private func move(_ session: MobileSession, until end: Int64) -> Answer {
        let (now, settings) = (visit.browser.now, place.social.settings)
        let limits = place.limits
        var facts = session.facts
        facts.application = place.application.name
        facts.idleSeconds = [limits.idle, facts.idleSeconds].compactMap(\.self).min()
        let moved = place.proven(
            MobileSession(
                facts, subject: session.record.subject, backend: place.application.backend,
                limit: min(limits.session ?? end - now, end - now), now: now))
        guard flow.obstacle(to: moved.session, visit) == nil else { return .deny(.levelTooLow) }
        // The store removes a record once, so that of two requests with the token one is too late.
        return settings.ask(.revoke(.id(session.id)), now: now) { answer in
            guard case .removed(let gone) = answer, let record = gone.first else { return .deny(.invalidUserToken) }
            settings.revocations.revoke(tokenID: record.tokenID, until: record.accessExpiresAt)
            return flow.open(moved, visit).map { response in
                var response = response
                response.audit?.replaces = record.id
                return response
            }
        }
    }
}
