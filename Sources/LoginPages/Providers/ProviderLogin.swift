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

/// Continues a login after the browser has returned.
package typealias LoginReturn = @Sendable (ProviderLogin.Arrival) -> Effect<EndpointResponse>

/// Redirects browsers to identity providers and handles their return (SSO-07, RP-01). The component that started a
/// login receives the result.
package final class ProviderLogin: Sendable {
    /// The handlers of its endpoints.
    ///
    /// - Parameter returns: continuations, by the purpose that logins were started for.
    package func handlers(
        _ returns: [LoginPurpose.Kind: LoginReturn]
    ) -> [EndpointDescriptor: EndpointHandler] {
        [
            .providerCallback: { self.receive($0, returns, now: $1) },
            .providerLogout: { self.logOut($0, now: $1) },
            .providerFrameLogout: { self.logOutInFrame($0, now: $1) },
            .serviceProvider: { self.serveAsProvider($0, now: $1) },
        ]
    }

    /// Passes a returning browser to the component that started the login.
    private func receive(
        _ request: EndpointRequest, _ returns: [LoginPurpose.Kind: LoginReturn], now: Int64
    ) -> Effect<EndpointResponse> {
        receive(request, now: now).then { answer in
            switch answer {
            case .ended(let response): return .done(response)
            case .arrived(let arrival):
                let answer =
                    returns[arrival.purpose.kind]?(arrival) ?? .done(BrowserLoginFailure.unknownService.response)
                return answer.map { response in
                    var response = response
                    response.headers += arrival.fields
                    return response
                }
            }
        }
    }

    /// Outcome of a browser's return.
    enum Return: Sendable {
        /// The login cannot continue: an error page.
        case ended(EndpointResponse)
        case arrived(Arrival)
    }

    /// A returning browser with the provider's result.
    package struct Arrival: Sendable {
        package let purpose: LoginPurpose
        /// Name of the provider that it was sent to.
        package let provider: String
        package let result: Result<ProvidedIdentity, ProviderFailure>
        package let browser: BrowserRequest
        /// Header fields to add to any response.
        var fields: [(name: String, value: String)] = []
    }

    /// Called with every failed login, for the log.
    package typealias Observer = @Sendable (_ provider: String, _ failure: ProviderFailure, _ requestID: String) -> Void

    let store: any TokenStore
    let revocations: RevocationList
    private let providers: [any BrowserIdentityProvider]
    /// Whether no provider is configured.
    package var isEmpty: Bool { providers.isEmpty }
    let seals: BrowserSeals
    private let baseURL: String
    let paths: EndpointPaths
    private let furtherOrigins: [WebOrigin]
    private let throttle: LoginThrottle
    /// Used tickets, as far as this process remembers.
    private let seen = Mutex(RecentSet(capacity: 16_384))
    private let hash = KeyedHash(seed0: SecureRandom.uint64(), seed1: SecureRandom.uint64())
    let observe: Observer
    let revoker: ProviderRevoker?
    /// Where browsers log in; nil for any host.
    package let host: LoginHost?

    /// - Parameters:
    ///   - baseURL: of the gateway, without a trailing slash.
    ///   - paths: of its endpoints.
    ///   - furtherOrigins: additional origins of the gateway.
    ///   - throttle: limits networks whose browsers bring invalid answers. Separate from the password throttle, so that
    ///     a misconfigured provider does not block other logins.
    package init(
        _ providers: [any BrowserIdentityProvider], seals: BrowserSeals, store: any TokenStore,
        revocations: RevocationList, baseURL: String, paths: EndpointPaths = .standard,
        furtherOrigins: [WebOrigin] = [], throttle: LoginThrottle = LoginThrottle(),
        revoker: ProviderRevoker? = nil, host: LoginHost? = nil, observe: @escaping Observer = { _, _, _ in }
    ) {
        self.revoker = revoker
        self.host = host
        self.providers = providers
        self.seals = seals
        self.store = store
        self.revocations = revocations
        self.baseURL = baseURL
        self.paths = paths
        self.furtherOrigins = furtherOrigins
        self.throttle = throttle
        self.observe = observe
    }

    package func provider(named name: String) -> (any BrowserIdentityProvider)? {
        providers.first { $0.name.isExactly(name) }
    }

    /// At the origin that the browser uses, since cookies are bound to its host. Form answers always use `baseURL`, which is
    /// in the metadata that the provider has read.
    private func redirectURI(of provider: any BrowserIdentityProvider, _ request: EndpointRequest) -> String {
        let requested = try? WebOrigin("\(request.secure ? "https" : "http")://\(request.authority)")
        if provider.answersByForm { return baseURL + paths.assertionConsumer(of: provider.name) }
        let further = furtherOrigins.first { $0 == requested }
        return (further?.description ?? baseURL) + paths.callback(of: provider.name)
    }

    /// The provider named by the last segment of a path.
    func provider(at path: String) -> (any BrowserIdentityProvider)? {
        guard let names = PathSegment.decode(path, behind: paths[.providerCallback]), names.count == 1 else {
            return nil
        }
        return provider(named: names[0])
    }

    // MARK: To the provider

    /// Redirects the browser to the provider.
    package func begin(
        _ provider: any BrowserIdentityProvider, _ purpose: LoginPurpose, _ browser: BrowserRequest,
        forcesLogin: Bool = false, demand: RequiredLogin? = nil
    ) -> Effect<EndpointResponse> {
        if let elsewhere = host?.answer(browser.request) { return .done(elsewhere) }
        let nonce = LoginTicket.nonce(browser.nonce)
        let ticket = ProviderTicket(provider: provider.name, purpose: purpose, nonce: nonce, now: browser.now)
        let isByForm = provider.answersByForm
        guard let kept = isByForm ? LoginsUnderWay(browser, seals).adding(ticket) : [] else {
            return .done(BrowserLoginFailure.malformedRequest.response)
        }
        let start = LoginStart(
            state: isByForm ? ticket.id : ticket.sealed(seals.providerTickets), secrets: ticket.secrets,
            redirectURI: redirectURI(of: provider, browser.request), forcesLogin: forcesLogin, demand: demand)
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

    /// An error page.
    /// - Parameter again: where to start over; nil where that is not known.
    package func page(_ failure: ProviderFailure, again: String? = nil) -> EndpointResponse {
        let text: PageText =
            switch failure {
            case .denied: .providerDenied
            case .unavailable: .unavailable
            case .interrupted: .startOver
            default: .providerFailed
            }
        let link = again.map { Page.Link(.tryAgain, to: $0) } ?? .start
        let wait = failure.status == 503 ? [(name: "Retry-After", value: "5")] : []
        return Page.failure(text, link: link)
            .response(status: failure.status, reason: failure.reason, fields: wait)
    }

    // MARK: Back again

    /// Handles a returning browser. Its answer is used only if the ticket was issued by this gateway, to this browser,
    /// for this provider, and is unused.
    func receive(_ request: EndpointRequest, now: Int64) -> Effect<Return> {
        guard let browser = BrowserRequest(request, now: now), let provider = provider(at: request.path) else {
            return .done(.ended(BrowserLoginFailure.unknownService.response))
        }
        // Not by HEAD, which must not have effects: the answer is accepted once.
        guard request.method == .get else {
            return .done(.ended(BrowserLoginFailure.page(allow: "GET")))
        }
        guard let ticket = ticket(of: browser, provider) else {
            return .done(.ended(page(.interrupted(isLate: false))))
        }
        guard ticket.provider.isExactly(provider.name) else {
            observe(provider.name, .foreignAnswer, request.requestID)
            return .done(.ended(page(.foreignAnswer)))
        }
        let interrupted = Return.arrived(
            Arrival(
                purpose: ticket.purpose, provider: provider.name,
                result: .failure(.interrupted(isLate: now >= ticket.expiresAt)), browser: browser))
        // A ticket in a cookie is the browser's own; another tab may have replaced its half.
        let isOpen = provider.answersByForm ? now < ticket.expiresAt : ticket.isOpen(to: browser.nonce, now: now)
        guard isOpen else { return .done(interrupted) }
        return throttle.attempt(network: request.address?.subscriberBytes ?? [], now: now).then { [self] result in
            let attempt: LoginAttempt
            switch result {
            case .failure(let refusal): return .done(.ended(ProviderLogin.throttled(refusal.retryAfter)))
            case .success(let admitted): attempt = admitted
            }
            // A code is sent to the provider once, so its ticket is used up in advance. A form answer uses the ticket
            // up only when accepted; an invalid one leaves the login open for the right one.
            guard provider.answersByForm ? !isUsed(ticket) : use(ticket) else {
                attempt.withdraw()
                return .done(interrupted)
            }
            return finish(ticket, provider, browser).then { [self] arrival in
                switch arrival.result {
                // None of these means that the browser invented the answer.
                case .success, .failure(.denied), .failure(.unavailable): attempt.withdraw()
                case .failure: attempt.failed()
                }
                guard case .success = arrival.result else { return .done(.arrived(arrival)) }
                if provider.answersByForm, !use(ticket) { return .done(interrupted) }
                return takeOnce(ticket, now: now, .arrived(arrival), orElse: interrupted)
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

    private func ticket(of browser: BrowserRequest, _ provider: any BrowserIdentityProvider) -> ProviderTicket? {
        let state = browser.query.first("state") ?? ""
        return provider.answersByForm
            ? LoginsUnderWay(browser, seals).ticket(id: state) : ProviderTicket(state, seals.providerTickets)
    }

    /// Of browsers that return from one login, one continues, across all processes. The store records only successful
    /// logins: tickets are free to obtain and could be used to fill it.
    private func takeOnce(
        _ ticket: ProviderTicket, now: Int64, _ next: Return, orElse interrupted: Return
    ) -> Effect<Return> {
        store.ask(.remember(key: "provider\u{1f}login\u{1f}\(ticket.id)", until: ticket.expiresAt), now: now) {
            [self] result in
            guard case .success(let answer) = result else { return .done(.ended(page(.unavailable("store")))) }
            return .done(answer == .fresh(true) ? next : interrupted)
        }
    }

    private static func throttled(_ seconds: Int) -> EndpointResponse {
        let notice = Page.Notice.tooManyAttempts(retryAfter: seconds)
        return Page.message(.text(.failed), notice.words, isError: true, link: .again).response(
            status: 429, reason: TokenFailure.loginThrottled.definition.reason,
            fields: [(name: "Retry-After", value: "\(seconds)")])
    }

    private func finish(
        _ ticket: ProviderTicket, _ provider: any BrowserIdentityProvider, _ browser: BrowserRequest
    ) -> Effect<Arrival> {
        guard !provider.answersByForm else {
            return collect(ticket, provider, browser).map { [seals] result in
                guard case .success = result else {
                    return Arrival(purpose: ticket.purpose, provider: provider.name, result: result, browser: browser)
                }
                let fields = [LoginsUnderWay(browser, seals).removing(id: ticket.id)]
                return Arrival(
                    purpose: ticket.purpose, provider: provider.name, result: result, browser: browser, fields: fields)
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
            return Arrival(purpose: ticket.purpose, provider: provider.name, result: result, browser: browser)
        }
    }
}

extension EndpointPaths {
    /// What follows the name of a SAML provider in the paths of the gateway as its service provider.
    static let metadataName = "metadata"
    static let assertionConsumerName = "acs"

    /// Where browsers return from a provider; its redirect URI behind an origin.
    package func callback(of provider: String) -> String {
        self[.providerCallback] + PathSegment.encode(provider)
    }

    /// The gateway's metadata for a SAML provider.
    package func metadata(of provider: String) -> String {
        "\(self[.serviceProvider])\(PathSegment.encode(provider))/\(EndpointPaths.metadataName)"
    }

    /// Where the pages of a SAML provider post answers (SAML bindings section 3.5).
    package func assertionConsumer(of provider: String) -> String {
        "\(self[.serviceProvider])\(PathSegment.encode(provider))/\(EndpointPaths.assertionConsumerName)"
    }
}
