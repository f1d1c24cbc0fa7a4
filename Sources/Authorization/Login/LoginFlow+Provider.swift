import Bytes
import Crypto
import Endpoints
import Identity
import LoginPages
import Model
import OAuthServer
import Outbound

/// Logins at identity providers (SSO-07).
extension LoginFlow {
    /// Sends the browser to a provider.
    /// - Parameter isRestart: whether it has come back from there without a login that counts.
    func beginAtProvider(_ name: String, _ visit: Visit, isRestart: Bool = false) -> Answer {
        guard let providers, let provider = providers.provider(named: name) else {
            return .done(SingleSignOnFailure.unavailable.response)
        }
        // Of the request, which is sealed: `prompt` of a login page could be removed.
        let isForced = visit.isForced || visit.request.asksForLogin
        let age = visit.request.authorization?.maximumAge
        let demand = visit.request.page?.demand ?? age.map { RequiredLogin(levels: [], maximumAge: $0) }
        let earliest = isForced ? visit.now : age.map { max(0, visit.now - $0) }
        return providers.begin(
            provider,
            LoginPurpose(
                visit.place.purpose, visit.request.texts + [earliest.map { "\($0)" } ?? "", isRestart ? "again" : ""]),
            visit.browser,
            forcesLogin: isForced, demand: demand)
    }

    /// Continues with a browser that returns from a provider. Its request is checked again by the current
    /// configuration, and the client must still have the provider (mix-up attack).
    package func arrive(_ arrival: ProviderLogin.Arrival) -> Answer {
        let (texts, browser) = (arrival.purpose.texts, arrival.browser)
        do throws(SingleSignOnFailure) {
            let count = LoginRequest.textCount
            guard let login = providers, let request = LoginRequest(texts: Array(texts.prefix(count))) else {
                throw .foreignRequest
            }
            var visit = try visit(request, browser)
            let earliest = texts.dropFirst(count).first.flatMap { Decimal.parse(Array($0.utf8).span) }.map(Int64.init)
            visit.isForced = earliest != nil
            if case .failure(let failure) = arrival.result, case .interrupted = failure {
                return restart(visit, arrival, after: failure, isFirst: texts.last?.isEmpty ?? true)
                    .map { $0.preferring(request.languages) }
            }
            let result = arrival.result.madeSince(earliest).flatMap { identity in
                visit.choice(named: identity.provider) == nil
                    ? .failure(ProviderFailure.foreignAnswer) : .success(identity)
            }
            switch result {
            case .failure(let failure):
                let page = login.page(failure, again: location(of: visit)).preferring(request.languages)
                return .done(page.audited(.refused, visit, of: ""))
            case .success(let identity):
                return open(identity, by: login, visit).map { $0.preferring(request.languages) }
            }
        } catch {
            return .done(error.response)
        }
    }

    /// Goes on with a callback that does not count: a page is loaded again, or was left open for long, or another tab has
    /// replaced the browser's half. Nothing of the answer is used, so that it is as if the browser came for the first time.
    private func restart(
        _ visit: Visit, _ arrival: ProviderLogin.Arrival, after failure: ProviderFailure, isFirst: Bool
    ) -> Answer {
        // No link approves a device: its code is typed again.
        if visit.request.device != nil {
            return .done(.redirect(303, to: service.settings.paths[.device], reason: .ssoLoginAsked))
        }
        return goOn(visit, at: arrival.provider) {
            // An image or a frame of another page begins no login.
            guard isFirst, LoginFlow.isNavigation(visit.browser.request), visit.choice(named: arrival.provider) != nil
            else {
                let page = providers?.page(failure, again: location(of: visit))
                return .done(page ?? SingleSignOnFailure.foreignRequest.response)
            }
            return beginAtProvider(arrival.provider, visit, isRestart: true)
        }
    }

    /// Goes on with the session that the browser has, such as one of another tab; where there is none, otherwise.
    /// - Parameter provider: whose session counts; nil for that of any way to log in here.
    func goOn(_ visit: Visit, at provider: String? = nil, orElse next: @escaping @Sendable () -> Answer) -> Answer {
        let page = visit.request.page
        guard !visit.isForced, let session = visit.browser.session(seals, ofDomain: visit.place.isOfDomain),
            provider.map(session.provider.isExactly) ?? (visit.choice(named: session.provider) != nil),
            session.login.level >= page?.level ?? 0,
            page?.demand?.gap(of: session.authentication, now: visit.now) == nil
        else { return next() }
        return visit.place.counts(session, visit).then { counts in
            guard counts else { return next() }
            guard page != nil else { return .done(.redirect(303, to: location(visit), reason: .browserLoggedIn)) }
            return HostLogin(flow: self).destination(of: session, visit).map { place in
                place.map { .redirect(303, to: $0, reason: .browserLoggedIn) }
                    ?? SingleSignOnFailure.unavailable.response
            }
        }
    }

    /// Seconds that the clock of a provider may be wrong.
    static let clockSkew: Int64 = 60

    private func open(_ identity: ProvidedIdentity, by login: ProviderLogin, _ visit: Visit) -> Answer {
        let user: AdmittedUser
        do throws(ExternalIdentityRejection) {
            user = try visit.place.admit(identity, visit)
        } catch {
            return .done(
                otherAccount(.forbidden, status: 403, reason: error.reason, visit)
                    .audited(.refused, visit, of: "\(identity.provider):\(identity.subject)"))
        }
        return login.foundation(of: identity, subject: user.subject, until: user.until, now: visit.now).then {
            foundation in
            guard let foundation else { return .done(SingleSignOnFailure.unavailable.response) }
            return open(user.login(foundation), visit)
        }
    }

    /// What logs out at the provider; nil for the gateway's own form.
    ///
    /// - Parameters:
    ///   - tokens: those of the session that has ended.
    ///   - application: where the browser goes on to when it is back; nil for a page.
    func providerLogout(
        _ session: Session, _ tokens: ProvidedTokens?, to application: String?, now: Int64
    ) -> Effect<ProviderLogoutForm?> {
        guard let provider = providers?.provider(named: session.provider) else { return .done(nil) }
        let state = seals.loginRequests.seal(
            [LoginFlow.logoutMark, application ?? ""], expiresAt: now + LoginFlow.logoutSeconds)
        let back = service.settings.baseURL + service.settings.paths[.endSession]
        return provider.logout(ProviderLogoutRequest(back: back, state: state, tokens: tokens), now: now)
    }

    private static let logoutMark = "logout"
    /// How long a browser may take to log out at its provider.
    private static let logoutSeconds: Int64 = 600

    /// Where a browser goes on to that is back from the logout at its provider; nil for another `state`.
    func afterProvider(_ state: String, now: Int64) -> String? {
        guard let texts = try? seals.loginRequests.open(Array(state.utf8).span, now: now).texts, texts.count == 2,
            texts[0].isExactly(LoginFlow.logoutMark), !texts[1].isEmpty
        else { return nil }
        return texts[1]
    }
}

extension Result<ProvidedIdentity, ProviderFailure> {
    /// The result, or a failure if the provider reports an earlier login than was required (OpenID Connect Core section
    /// 3.1.2.1, SAML core section 3.4.1). Not all providers report the time of the login.
    ///
    /// - Parameter earliest: seconds since 1970; nil if any login is accepted.
    fileprivate func madeSince(_ earliest: Int64?) -> Self {
        guard let earliest else { return self }
        return flatMap { identity in
            guard let time = identity.authenticatedAt, time < earliest - LoginFlow.clockSkew else { return self }
            return .failure(.denied("no login since it was asked for"))
        }
    }
}
