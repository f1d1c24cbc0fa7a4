import Bytes
import Endpoints
import HTTP
import Identity
import LoginPages
import Model
import OAuthServer
import Outbound
import TokenStorage

/// Logouts of the gateway's own sessions.
extension LoginFlow {
    /// Asks for confirmation, then ends the session and the tokens issued in it.
    package func logOut(_ browser: BrowserRequest) -> Answer {
        let sessions = browser.sessions(seals)
        guard !sessions.isEmpty else {
            // The provider sends the browser back, which an application wanted to log out.
            let application = browser.query.first("state").flatMap { afterProvider($0, now: browser.now) }
            return .done(loggedOut(.session, browser, to: application))
        }
        return confirmLogout(browser) { end(sessions, browser, to: nil, back: $0) }
    }

    /// Ends the sessions of a browser with the tokens issued in them, and the login at the provider of one. There is more
    /// than one if another host of the domain has set a cookie.
    ///
    /// - Parameters:
    ///   - application: where the browser continues then; nil for a page.
    ///   - back: the page that users log in for again.
    func end(
        _ sessions: [Session], _ browser: BrowserRequest, to application: String?, back: ReturnTarget = .root
    ) -> Answer {
        end(sessions[...], browser).then { hasEnded in
            guard hasEnded, let session = sessions.first else {
                return .done(SingleSignOnFailure.unavailable.response)
            }
            return providerLogout(session, to: application, now: browser.now).map { there in
                loggedOut(.session, browser, there, to: application, back: back)
                    .audited("sso.logout", .changed, subject: session.subject, tokenID: session.id)
            }
        }
    }

    /// - Returns: false if the store fails.
    private func end(_ sessions: ArraySlice<Session>, _ browser: BrowserRequest) -> Effect<Bool> {
        guard let session = sessions.first else { return .done(true) }
        let entry = DenyEntry.token(
            session.family, subject: session.subject,
            until: max(session.expiresAt, browser.now + max(settings.pageTokenSeconds(), service.longestUse)))
        return service.settings.store.ask(.deny(entry), now: browser.now) { result in
            guard case .success = result else { return .done(false) }
            service.settings.revocations.apply(entry)
            let ids = [session.id] + session.foundations.flatMap(LoginFoundation.ids)
            let forgotten = service.settings.store.forget(ids[...], now: browser.now)
            let ended = providers?.ending(
                session.foundations, at: session.provider, now: browser.now, forgotten, hasEnded: { true })
            return (ended ?? forgotten).then { end(sessions.dropFirst(), browser) }
        }
    }
}
