import Bytes
import Crypto
import HTTP
import Identity
import JOSE
import Synchronization

/// Browsers on their way to identity providers and back (SSO-07, RP-01). What a login is for is the business of whoever
/// begins it, and gets the answer.
package final class ProviderLogin: Sendable {
    /// Where providers send browsers back to: each to a path of its own, so that the answer of one is none of another
    /// (RFC 9700 section 4.4.2.2).
    package static let callbackPath = "/mobile/platform/sso/callback/"
    /// Where providers say which logins have ended.
    package static let logoutPath = "/mobile/platform/sso/backchannel-logout/"

    /// What came of a browser that has come back.
    enum Return: Sendable {
        /// There is nothing to go on with: a page that says so.
        case ended(EndpointResponse)
        case arrived(LoginErrand, Result<ProvidedIdentity, ProviderFailure>, BrowserRequest)
    }

    /// Told of every login that failed, for the log.
    package typealias Observer = @Sendable (_ provider: String, _ failure: ProviderFailure, _ requestID: String) -> Void

    let store: any TokenStore
    let revocations: RevocationList
    private let providers: [any BrowserIdentityProvider]
    private let seals: BrowserSeals
    private let baseURL: String
    private let furtherOrigins: [String]
    private let throttle: LoginThrottle
    /// Logins that browsers have come back from, as far as this process remembers.
    private let seen = Mutex(RecentSet(capacity: 16_384))
    private let hash = KeyedHash(seed0: SecureRandom.uint64(), seed1: SecureRandom.uint64())
    let observe: Observer

    /// - Parameters:
    ///   - baseURL: that of the gateway, without a trailing slash.
    ///   - furtherOrigins: other ones of the gateway, such as `https://gw.example.org`.
    ///   - throttle: holds networks back whose browsers bring answers that are none; not that of passwords, so that a provider
    ///     that is set up wrongly keeps nobody out elsewhere.
    package init(
        _ providers: [any BrowserIdentityProvider], seals: BrowserSeals, store: any TokenStore,
        revocations: RevocationList, baseURL: String, furtherOrigins: [String] = [],
        throttle: LoginThrottle = LoginThrottle(),
        observe: @escaping Observer = { _, _, _ in }
    ) {
        self.providers = providers
        self.seals = seals
        self.store = store
        self.revocations = revocations
        self.baseURL = baseURL
        self.furtherOrigins = furtherOrigins
        self.throttle = throttle
        self.observe = observe
    }

    func provider(named name: String) -> (any BrowserIdentityProvider)? {
        providers.first { $0.name.isExactly(name) }
    }

    private func redirectURI(of provider: String, _ request: EndpointRequest) -> String {
        "\(origin(of: request))\(ProviderLogin.callbackPath)\(PathSegment.encode(provider))"
    }

    /// Where the browser is: its cookies are of that host, and come back to no other.
    private func origin(of request: EndpointRequest) -> String {
        let (scheme, standardPort) = request.secure ? ("https", ":443") : ("http", ":80")
        var authority = request.authority.lowercased()
        if authority.hasSuffix(standardPort) { authority.removeLast(standardPort.utf8.count) }
        let origin = "\(scheme)://\(authority)"
        return furtherOrigins.first { $0.isExactly(origin) } ?? baseURL
    }

    // MARK: To the provider

    /// Sends the browser to the provider.
    func begin(
        _ provider: any BrowserIdentityProvider, _ errand: LoginErrand, _ browser: BrowserRequest,
        forcesLogin: Bool = false
    ) -> Effect<EndpointResponse> {
        let nonce = LoginTicket.nonce(browser.nonce)
        let ticket = ProviderTicket(provider: provider.name, errand: errand, nonce: nonce, now: browser.now)
        let start = LoginStart(
            state: ticket.sealed(seals.providerTickets), secrets: ticket.secrets,
            redirectURI: redirectURI(of: provider.name, browser.request), forcesLogin: forcesLogin)
        return provider.begin(start, now: browser.now).map { [self] result in
            switch result {
            case .failure(let failure):
                observe(provider.name, failure, browser.request.requestID)
                return page(failure)
            case .success(let redirect):
                var headers = [
                    (name: "Location", value: redirect.location), (name: "Cache-Control", value: "no-store"),
                ]
                if browser.nonce?.isExactly(nonce) != true {
                    let value = BrowserCookie.login.setting(nonce, secure: browser.request.secure)
                    headers.append((name: "Set-Cookie", value: value))
                }
                return EndpointResponse(status: 302, headers: headers, body: [], reason: "login_at_provider")
            }
        }
    }

    /// A page that says why there is no login.
    /// - Parameter again: where to begin anew; nil for nowhere.
    func page(_ failure: ProviderFailure, again: String? = nil) -> EndpointResponse {
        let text =
            switch failure {
            case .denied: PageText.providerDenied
            case .unavailable: PageText.unavailable
            default: PageText.providerFailed
            }
        let link = again.map { Page.Link(text: PageText.tryAgain, target: $0) }
        let wait = failure.status == 503 ? [(name: "Retry-After", value: "5")] : []
        return Page.message(PageText.error, text, isError: true, link: link)
            .response(status: failure.status, reason: failure.reason, fields: wait)
    }

    // MARK: Back again

    /// A browser that has come back. What it brings is believed once the ticket is this gateway's, this browser's, for this
    /// provider, and has not come before.
    func receive(_ request: EndpointRequest, now: Int64) -> Effect<Return> {
        guard request.method == .get || request.method == .head else {
            return .done(.ended(BrowserLoginFailure.methodNotAllowed.page))
        }
        guard let browser = BrowserRequest(request, now: now),
            let names = PathSegment.decode(request.path, behind: ProviderLogin.callbackPath), names.count == 1,
            let provider = provider(named: names[0])
        else { return .done(.ended(BrowserLoginFailure.unknownService.page)) }
        let ticket: ProviderTicket
        do throws(BrowserLoginFailure) {
            ticket = try ProviderTicket(
                browser.query.first("state") ?? "", nonce: browser.nonce, seals.providerTickets, now: now)
        } catch {
            return .done(.ended(error.page))
        }
        guard ticket.provider.isExactly(provider.name) else {
            observe(provider.name, .foreignAnswer, request.requestID)
            return .done(.ended(page(.foreignAnswer)))
        }
        switch throttle.admit(network: request.address?.subscriberBytes ?? [], now: now) {
        case .refused(let seconds): return .done(.ended(ProviderLogin.throttled(seconds)))
        case .admitted(let attempt):
            // The provider is to see no code twice, as far as that can be known before it has spoken.
            guard isNew(ticket) else {
                throttle.withdraw(attempt)
                return .done(.ended(BrowserLoginFailure.foreignForm.page))
            }
            return finish(ticket, provider, browser).then { [self] result in
                switch result {
                // Neither is anything that a browser could have made up for the provider to look at.
                case .success, .failure(.denied), .failure(.unavailable): throttle.withdraw(attempt)
                case .failure: break
                }
                guard case .success = result else { return .done(.arrived(ticket.errand, result, browser)) }
                return takeOnce(ticket, now: now) { .arrived(ticket.errand, result, browser) }
            }
        }
    }

    private func isNew(_ ticket: ProviderTicket) -> Bool {
        let id = hash.hash(Array(ticket.id.utf8).span)
        return seen.withLock { seen in
            defer { seen.insert(id) }
            return !seen.contains(id)
        }
    }

    /// Of browsers that come back from one login, one goes on, in whatever process. The store is told of those alone who have
    /// logged in: anybody gets tickets, as many as he likes, and would fill it up.
    private func takeOnce(
        _ ticket: ProviderTicket, now: Int64, _ next: @escaping @Sendable () -> Return
    ) -> Effect<Return> {
        store.ask(.remember(key: "provider\u{1f}login\u{1f}\(ticket.id)", until: ticket.expiresAt), now: now) {
            [self] result in
            guard case .success(let answer) = result else { return .done(.ended(page(.unavailable("store")))) }
            return .done(answer == .fresh(true) ? next() : .ended(BrowserLoginFailure.foreignForm.page))
        }
    }

    private static func throttled(_ seconds: Int) -> EndpointResponse {
        Page.message(PageText.error, PageText.tooManyAttempts, isError: true).response(
            status: 429, reason: TokenFailure.loginThrottled.definition.reason,
            fields: [(name: "Retry-After", value: "\(seconds)")])
    }

    private func finish(
        _ ticket: ProviderTicket, _ provider: any BrowserIdentityProvider, _ browser: BrowserRequest
    ) -> Effect<Result<ProvidedIdentity, ProviderFailure>> {
        let query = browser.query
        let callback = ProviderCallback(
            code: query.first("code"), error: query.first("error"), issuer: query.first("iss"),
            fields: query.fields.map { ($0.name, $0.value) })
        let finish = provider.finish(
            callback, ticket.secrets, redirectURI: redirectURI(of: provider.name, browser.request), now: browser.now)
        return finish.map { [self] result in
            if case .failure(let failure) = result { observe(provider.name, failure, browser.request.requestID) }
            return result
        }
    }
}
