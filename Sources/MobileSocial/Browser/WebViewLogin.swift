import Bytes
import Endpoints
import HTTP
import Identity
import LoginPages
import Model
import TokenStorage

/// A login of a native application that goes on in its embedded web view (AGT-06). The web view sends a form with
/// `userToken` to the address of the login form, and is sent on as after a login. `registrationHandle` beside it proves the
/// device of a registered one (OMS-15).
struct WebViewLogin: Sendable {
    let login: BrowserLogin
    let visit: BrowserLogin.Visit

    /// The user token is used up: its session ends with its access tokens, and the browser's takes its place, with the time,
    /// level and methods of the login, and no longer life.
    func take(_ token: String, _ fields: FormFields) -> Answer {
        let request = visit.browser.request
        guard request.secure || request.address?.isLoopback == true else { return .deny(.insecure) }
        guard isOfApplication else { return .deny(.foreignPage) }
        return login.social.sessions.with(token, of: visit.domain.name, now: visit.browser.now) {
            session throws(MobileSocialFailure) in
            let realm = visit.domain.application(named: session.facts.application)?.backend.realm
            // Without its server, the domain does not know whether the user is still one of its own (OMS-12).
            guard !session.facts.isOffline, realm?.isExactly(visit.application.backend.realm) == true else {
                throw .invalidUserToken
            }
            return whileOnDevice(of: session, fields.first("registrationHandle")) { move(session) }
        }
    }

    /// Whether the request comes from the application and not from a page, which could log its visitors in as another user.
    /// A page of another site cannot do without `Origin`.
    private var isOfApplication: Bool {
        let fields = visit.browser.request.fields
        return fields.allSatisfy { field in
            !field.name.isExactly("origin")
                && (!field.name.isExactly("sec-fetch-site") || field.value.isExactly("none"))
        }
    }

    private func whileOnDevice(
        of session: MobileSession, _ handle: String?, _ next: @escaping @Sendable () -> Answer
    ) -> Answer {
        let (id, now, settings) = (session.facts.registration, visit.browser.now, login.social.settings)
        if id.isEmpty { return next() }
        guard let handle else { return .deny(.missingClientProof) }
        return settings.ask(.find(.access(settings.key.digest(handle))), now: now) { found in
            guard SessionService.isFoundation(found, at: now), case .record(let record?) = found,
                record.id.isExactly(id)
            else { return .deny(.invalidClientProof) }
            return next()
        }
    }

    private func move(_ session: MobileSession) -> Answer {
        let (now, settings) = (visit.browser.now, login.social.settings)
        // The store removes a record once, so that of two requests with the token one is too late.
        return settings.ask(.revoke(.id(session.id)), now: now) { answer in
            guard case .removed(let gone) = answer, let record = gone.first else { return .deny(.invalidUserToken) }
            settings.revocations.revoke(tokenID: record.tokenID, until: record.accessExpiresAt)
            let limits = BrowserLogin.limits(visit.application)
            var facts = session.facts
            facts.application = visit.application.name
            facts.idleSeconds = limits.idle
            let left = record.accessExpiresAt - now
            let moved = MobileSession(
                facts, subject: record.subject, backend: visit.application.backend,
                limit: min(limits.session ?? left, left), now: now)
            return login.open(moved.alone, visit)
        }
    }
}
