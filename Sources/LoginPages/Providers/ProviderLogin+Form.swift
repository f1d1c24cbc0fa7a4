import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import Model
import OAuthServer
import Outbound
import TokenStorage

/// Answers that a provider's page has the browser post (SAML bindings section 3.5).
///
/// The form comes from another site, so that the browser sends none of its `Lax` cookies with it, and here nobody knows
/// whose browser it is. What the provider has signed is therefore checked and laid down, and the browser goes on to the
/// same path by a GET, with a sealed word of it for a minute: to that it sends its cookies, and there the answer is taken
/// by the browser that has the ticket of the login, once, if it answers that login's request. A cookie for other sites
/// (`SameSite=None`) would need TLS in every trial, and would go with whatever any site has the browser send. A page that
/// posts the form once more, to its own site, would need a script or a click, and have what anybody posts here in it.
extension ProviderLogin {
    /// `POST` with `SAMLResponse` and `RelayState`.
    func take(_ request: EndpointRequest, now: Int64) -> Effect<EndpointResponse> {
        guard let provider = provider(at: request.path) else {
            return .done(BrowserLoginFailure.unknownService.response)
        }
        guard provider.answersByForm else { return .done(BrowserLoginFailure.page(allow: "GET")) }
        let refuse = { @Sendable [self] (failure: ProviderFailure) -> Effect<EndpointResponse> in
            observe(provider.name, failure, request.requestID)
            return .done(page(failure))
        }
        guard TokenForm.isForm(request.contentType),
            let form = try? FormFields.parse(request.body.span, limit: ProviderEndpoints.longestForm),
            form.repeatedName == nil, let response = form.first("SAMLResponse")
        else { return refuse(.malformedCallback) }
        // What nobody here has asked for comes without it, and goes nowhere.
        guard let state = form.first("RelayState"), ProviderTicket.isID(state) else {
            return refuse(.assertion("unsolicited"))
        }
        return provider.read(ProviderForm(response: response), now: now).then { [self] result in
            switch result {
            case .failure(let failure):
                observe(provider.name, failure, request.requestID)
                return .done(goOn(provider, state, .failed(failure), now: now))
            case .success(let posted):
                return keep(posted, provider, now: now) { [self] outcome in
                    if case .failed(let failure) = outcome { observe(provider.name, failure, request.requestID) }
                    return .done(goOn(provider, state, outcome, now: now))
                }
            }
        }
    }

    /// Replays: what the provider has signed counts once, wherever it is shown (profiles section 4.1.4.5). It is remembered
    /// for as long as a login may take, since it is an answer to nothing after that.
    private func keep(
        _ posted: PostedIdentity, _ provider: any BrowserIdentityProvider, now: Int64,
        _ next: @escaping @Sendable (PostedAnswer.Outcome) -> Effect<EndpointResponse>
    ) -> Effect<EndpointResponse> {
        guard let record = posted.record(seals, now: now) else { return next(.failed(.assertion("too large"))) }
        let key = "provider\u{1f}assertion\u{1f}\(provider.name)\u{1f}\(ProviderLogin.digest(posted.assertionID))"
        let until = now + LoginStart.lifetimeSeconds + PostedAnswer.lifetimeSeconds
        return store.ask(.remember(key: key, until: until), now: now) { [store] answer in
            guard case .success(let fresh) = answer else { return next(.failed(.unavailable("store"))) }
            guard fresh == .fresh(true) else { return next(.failed(.assertion("replayed"))) }
            return store.ask(.insert(record), now: now) { answer in
                guard case .success(.record(_?)) = answer else { return next(.failed(.unavailable("store"))) }
                return next(.held(record.id))
            }
        }
    }

    private func goOn(
        _ provider: any BrowserIdentityProvider, _ state: String, _ outcome: PostedAnswer.Outcome, now: Int64
    ) -> EndpointResponse {
        let answer = PostedAnswer(provider: provider.name, state: state, outcome: outcome)
            .sealed(seals.postedAnswers, now: now)
        let reason: Reason =
            if case .failed(let failure) = outcome { failure.reason } else { .providerAnswerTaken }
        let path = "\(ProviderEndpoints.callbackPath)\(PathSegment.encode(provider.name))"
        return EndpointResponse(
            status: 303,
            headers: [
                (name: "Location", value: "\(path)?state=\(state)&answer=\(answer)"),
                (name: "Cache-Control", value: "no-store"), (name: "Referrer-Policy", value: "no-referrer"),
            ],
            body: [], reason: reason)
    }

    // MARK: With the browser's cookie

    /// What was posted for a login that this browser has under way.
    func collect(
        _ ticket: ProviderTicket, _ provider: any BrowserIdentityProvider, _ browser: BrowserRequest
    ) -> Effect<Result<ProvidedIdentity, ProviderFailure>> {
        let now = browser.now
        let refuse = {
            @Sendable [self] (failure: ProviderFailure) -> Effect<Result<ProvidedIdentity, ProviderFailure>> in
            observe(provider.name, failure, browser.request.requestID)
            return .done(.failure(failure))
        }
        guard let answer = PostedAnswer(browser.query.first("answer") ?? "", seals.postedAnswers, now: now),
            answer.provider.isExactly(provider.name), answer.state.isExactly(ticket.id)
        else { return refuse(.malformedCallback) }
        switch answer.outcome {
        // The log has it already.
        case .failed(let failure): return .done(.failure(failure))
        case .held(let id):
            return store.ask(.revoke(.id(id)), now: now) { [seals] answer in
                guard case .success(.removed(let gone)) = answer else { return refuse(.unavailable("store")) }
                guard let record = gone.first,
                    let posted = PostedIdentity(record, provider: provider.name, seals, now: now)
                else { return refuse(.malformedCallback) }
                // The answer to somebody else's request, who wants this browser to go on as himself.
                guard provider.isAnswer(posted.requestID, to: ticket.secrets) else {
                    return refuse(.assertion("InResponseTo"))
                }
                return .done(.success(posted.identity))
            }
        }
    }

    /// The document that the provider takes the gateway's addresses and keys from.
    func metadata(_ request: EndpointRequest) -> EndpointResponse {
        guard let names = PathSegment.decode(request.path, behind: ProviderEndpoints.metadataPath), names.count == 1,
            let document = provider(named: names[0])?.metadata
        else { return BrowserLoginFailure.unknownService.response }
        return EndpointResponse(
            status: 200,
            headers: [
                (name: "Content-Type", value: "application/samlmetadata+xml"),
                (name: "X-Content-Type-Options", value: "nosniff"),
            ],
            body: document, reason: .metadata)
    }
}
