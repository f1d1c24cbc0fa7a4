import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import Model
import OAuthServer
import Outbound
import Synchronization
import TokenStorage

/// Goes on with a login that a browser has come back from.
package typealias LoginReturn = @Sendable (ProviderLogin.Arrival) -> Effect<EndpointResponse>

/// Browsers on their way to identity providers and back (SSO-07, RP-01). What a login is for is the business of whoever
/// begins it, and gets the answer.
package final class ProviderLogin: Sendable {
    /// What its endpoints are answered by.
    ///
    /// - Parameter returns: how logins go on, by what they were begun for.
    package func handlers(
        _ returns: [LoginErrand.Kind: LoginReturn]
    ) -> [EndpointDescriptor: EndpointHandler] {
        [
            .providerCallback: { self.receive($0, returns, now: $1) },
            .providerLogout: { self.logOut($0, now: $1) },
            .providerMetadata: { request, _ in .done(request.read { self.metadata(request) }) },
        ]
    }

    /// A browser that comes back, to what has sent it to the provider.
    private func receive(
        _ request: EndpointRequest, _ returns: [LoginErrand.Kind: LoginReturn], now: Int64
    ) -> Effect<EndpointResponse> {
        guard request.method != .post else { return take(request, now: now) }
        return receive(request, now: now).then { answer in
            switch answer {
            case .ended(let response): return .done(response)
            case .arrived(let arrival):
                let answer =
                    returns[arrival.errand.kind]?(arrival) ?? .done(BrowserLoginFailure.unknownService.response)
                return answer.map { response in
                    var response = response
                    response.headers += arrival.fields
                    return response
                }
            }
        }
    }

    /// What came of a browser that has come back.
    enum Return: Sendable {
        /// There is nothing to go on with: a page that says so.
        case ended(EndpointResponse)
        case arrived(Arrival)
    }

    /// A browser that is back, and what the provider says.
    package struct Arrival: Sendable {
        package let errand: LoginErrand
        package let result: Result<ProvidedIdentity, ProviderFailure>
        package let browser: BrowserRequest
        /// What the browser is to be told beside whatever it is answered.
        var fields: [(name: String, value: String)] = []
    }

    /// Told of every login that failed, for the log.
    package typealias Observer = @Sendable (_ provider: String, _ failure: ProviderFailure, _ requestID: String) -> Void

    let store: any TokenStore
    let revocations: RevocationList
    private let providers: [any BrowserIdentityProvider]
    /// Whether there is no provider that browsers are sent to.
    package var isEmpty: Bool { providers.isEmpty }
    let seals: BrowserSeals
    private let baseURL: String
    private let furtherOrigins: [WebOrigin]
    private let throttle: LoginThrottle
    /// Logins that browsers have come back from, as far as this process remembers.
    private let seen = Mutex(RecentSet(capacity: 16_384))
    private let hash = KeyedHash(seed0: SecureRandom.uint64(), seed1: SecureRandom.uint64())
    let observe: Observer

    /// - Parameters:
    ///   - baseURL: that of the gateway, without a trailing slash.
    ///   - furtherOrigins: other ones of the gateway.
    ///   - throttle: holds networks back whose browsers bring answers that are none; not that of passwords, so that a provider
    ///     that is set up wrongly keeps nobody out elsewhere.
    package init(
        _ providers: [any BrowserIdentityProvider], seals: BrowserSeals, store: any TokenStore,
        revocations: RevocationList, baseURL: String, furtherOrigins: [WebOrigin] = [],
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

    package func provider(named name: String) -> (any BrowserIdentityProvider)? {
        providers.first { $0.name.isExactly(name) }
    }

    /// Where the browser is: its cookies are of that host, and come back to no other.
    private func origin(of request: EndpointRequest) -> String {
        let origin = try? WebOrigin("\(request.secure ? "https" : "http")://\(request.authority)")
        return furtherOrigins.first { $0 == origin }?.description ?? baseURL
    }

    /// Answers by form are addressed to `baseURL` alone: it is what the provider has read of the gateway.
    private func redirectURI(of provider: any BrowserIdentityProvider, _ request: EndpointRequest) -> String {
        let origin = provider.answersByForm ? baseURL : origin(of: request)
        return ProviderLogin.redirectURI(of: provider.name, baseURL: origin)
    }

    /// The one that a path ends with.
    func provider(at path: String) -> (any BrowserIdentityProvider)? {
        guard let names = PathSegment.decode(path, behind: ProviderEndpoints.callbackPath), names.count == 1 else {
            return nil
        }
        return provider(named: names[0])
    }

    /// Where a provider sends browsers back to.
    /// - Parameter baseURL: as of `init`.
    package static func redirectURI(of provider: String, baseURL: String) -> String {
        "\(baseURL)\(ProviderEndpoints.callbackPath)\(PathSegment.encode(provider))"
    }

    /// Where a provider reads what it must know of the gateway.
    package static func metadataURL(of provider: String, baseURL: String) -> String {
        "\(baseURL)\(ProviderEndpoints.metadataPath)\(PathSegment.encode(provider))"
    }

    // MARK: To the provider

    /// Sends the browser to the provider.
    package func begin(
        _ provider: any BrowserIdentityProvider, _ errand: LoginErrand, _ browser: BrowserRequest,
        forcesLogin: Bool = false
    ) -> Effect<EndpointResponse> {
        let nonce = LoginTicket.nonce(browser.nonce)
        let ticket = ProviderTicket(provider: provider.name, errand: errand, nonce: nonce, now: browser.now)
        let isByForm = provider.answersByForm
        var logins = LoginsUnderWay(browser, seals)
        guard !isByForm || logins.add(ticket) else { return .done(BrowserLoginFailure.malformedRequest.response) }
        let start = LoginStart(
            state: isByForm ? ticket.id : ticket.sealed(seals.providerTickets), secrets: ticket.secrets,
            redirectURI: redirectURI(of: provider, browser.request), forcesLogin: forcesLogin)
        let kept = isByForm ? [logins.field(secure: browser.request.secure)] : []
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
                return EndpointResponse(status: 302, headers: headers + kept, body: [], reason: .loginAtProvider)
            }
        }
    }

    /// A page that says why there is no login.
    /// - Parameter again: where to begin anew; nil for nowhere.
    package func page(_ failure: ProviderFailure, again: String? = nil) -> EndpointResponse {
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
        guard let browser = BrowserRequest(request, now: now), let provider = provider(at: request.path) else {
            return .done(.ended(BrowserLoginFailure.unknownService.response))
        }
        // Not by a HEAD: it says what a GET would do, and the answer counts once.
        guard request.method == .get else {
            let methods = provider.answersByForm ? "GET, POST" : "GET"
            return .done(.ended(BrowserLoginFailure.page(allow: methods)))
        }
        let ticket: ProviderTicket
        do throws(BrowserLoginFailure) {
            ticket = try self.ticket(of: browser, provider)
        } catch {
            return .done(.ended(error.response))
        }
        guard ticket.provider.isExactly(provider.name) else {
            observe(provider.name, .foreignAnswer, request.requestID)
            return .done(.ended(page(.foreignAnswer)))
        }
        switch throttle.admit(network: request.address?.subscriberBytes ?? [], now: now) {
        case .refused(let seconds): return .done(.ended(ProviderLogin.throttled(seconds)))
        case .admitted(let attempt):
            // A code goes to its provider once, so that its ticket is used up before the answer is known. An answer by form
            // uses the ticket up only when it is accepted: a wrong one leaves the login open for the right one.
            guard provider.answersByForm ? !isUsed(ticket) : use(ticket) else {
                throttle.withdraw(attempt)
                return .done(.ended(BrowserLoginFailure.foreignForm.response))
            }
            return finish(ticket, provider, browser).then { [self] arrival in
                switch arrival.result {
                // Neither is anything that a browser could have made up for the provider to look at.
                case .success, .failure(.denied), .failure(.unavailable): throttle.withdraw(attempt)
                case .failure: break
                }
                guard case .success = arrival.result else { return .done(.arrived(arrival)) }
                if provider.answersByForm, !use(ticket) {
                    return .done(.ended(BrowserLoginFailure.foreignForm.response))
                }
                return takeOnce(ticket, now: now) { .arrived(arrival) }
            }
        }
    }

    private func isUsed(_ ticket: ProviderTicket) -> Bool {
        let id = hash.hash(Array(ticket.id.utf8).span)
        return seen.withLock { $0.contains(id) }
    }

    /// - Returns: whether the ticket was unused.
    private func use(_ ticket: ProviderTicket) -> Bool {
        let id = hash.hash(Array(ticket.id.utf8).span)
        return seen.withLock { seen in
            defer { seen.insert(id) }
            return !seen.contains(id)
        }
    }

    private func ticket(
        of browser: BrowserRequest, _ provider: any BrowserIdentityProvider
    ) throws(BrowserLoginFailure) -> ProviderTicket {
        let state = browser.query.first("state") ?? ""
        guard provider.answersByForm else {
            return try ProviderTicket(state, nonce: browser.nonce, seals.providerTickets, now: browser.now)
        }
        guard let ticket = LoginsUnderWay(browser, seals).ticket(id: state) else { throw .foreignForm }
        return ticket
    }

    /// Of browsers that come back from one login, one goes on, in whatever process. The store is told of those alone who have
    /// logged in: anybody gets tickets, as many as he likes, and would fill it up.
    private func takeOnce(
        _ ticket: ProviderTicket, now: Int64, _ next: @escaping @Sendable () -> Return
    ) -> Effect<Return> {
        store.ask(.remember(key: "provider\u{1f}login\u{1f}\(ticket.id)", until: ticket.expiresAt), now: now) {
            [self] result in
            guard case .success(let answer) = result else { return .done(.ended(page(.unavailable("store")))) }
            return .done(answer == .fresh(true) ? next() : .ended(BrowserLoginFailure.foreignForm.response))
        }
    }

    private static func throttled(_ seconds: Int) -> EndpointResponse {
        Page.message(PageText.error, PageText.tooManyAttempts, isError: true).response(
            status: 429, reason: TokenFailure.loginThrottled.definition.reason,
            fields: [(name: "Retry-After", value: "\(seconds)")])
    }

    private func finish(
        _ ticket: ProviderTicket, _ provider: any BrowserIdentityProvider, _ browser: BrowserRequest
    ) -> Effect<Arrival> {
        guard !provider.answersByForm else {
            return collect(ticket, provider, browser).map { [seals] result in
                guard case .success = result else {
                    return Arrival(errand: ticket.errand, result: result, browser: browser)
                }
                var logins = LoginsUnderWay(browser, seals)
                logins.remove(id: ticket.id)
                let fields = [logins.field(secure: browser.request.secure)]
                return Arrival(errand: ticket.errand, result: result, browser: browser, fields: fields)
            }
        }
        let query = browser.query
        let callback = ProviderCallback(
            code: query.first("code"), error: query.first("error"), issuer: query.first("iss"),
            fields: query.fields.map { ($0.name, $0.value) })
        let finish = provider.finish(
            callback, ticket.secrets, redirectURI: redirectURI(of: provider, browser.request), now: browser.now)
        return finish.map { [self] result in
            if case .failure(let failure) = result { observe(provider.name, failure, browser.request.requestID) }
            return Arrival(errand: ticket.errand, result: result, browser: browser)
        }
    }
}
