import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import Model
import OAuthServer
import Outbound
import TokenStorage

/// Answers that the provider's page posts through the browser (SAML bindings section 3.5).
///
/// The post comes from another site, so browsers omit `Lax` cookies and the browser is not yet identified. The handler
/// therefore verifies the provider's signature, stores the answer, and redirects to the callback with a sealed
/// reference that is valid for a minute. The browser sends its cookies with that GET. The answer is accepted once, from
/// the browser that has the login's ticket, if it answers that login's request.
///
/// Alternatives were rejected: a `SameSite=None` cookie needs TLS even in trials and is sent with requests from any
/// site. A page that posts the form again needs a script or a click, and contains untrusted input.
extension ProviderLogin {
    /// The gateway as the service provider of a provider that answers by form: metadata, and the assertion consumer
    /// service.
    func serveAsProvider(_ request: EndpointRequest, now: Int64) -> Effect<EndpointResponse> {
        guard let names = PathSegment.decode(request.path, behind: paths[.serviceProvider]), names.count == 2,
            let provider = provider(named: names[0]), let fields = provider.answerFields,
            let metadata = provider.metadata
        else { return .done(BrowserLoginFailure.unknownService.response) }
        switch names[1] {
        case EndpointPaths.metadataName:
            let headers = [
                (name: "Content-Type", value: metadata.contentType),
                (name: "X-Content-Type-Options", value: "nosniff"),
            ]
            return .done(
                request.read {
                    EndpointResponse(status: 200, headers: headers, body: metadata.document, reason: .metadata)
                })
        case EndpointPaths.assertionConsumerName:
            guard request.method == .post else { return .done(BrowserLoginFailure.page(allow: "POST")) }
            return take(request, fields, of: provider, now: now)
        default: return .done(BrowserLoginFailure.unknownService.response)
        }
    }

    /// `POST` with the provider's answer, and the state that it returns.
    private func take(
        _ request: EndpointRequest, _ fields: AnswerFields, of provider: any BrowserIdentityProvider, now: Int64
    ) -> Effect<EndpointResponse> {
        let refuse = { @Sendable [self] (failure: ProviderFailure) -> Effect<EndpointResponse> in
            observe(provider.name, failure, request.requestID)
            return .done(page(failure))
        }
        guard TokenForm.isForm(request.contentType),
            let form = try? FormFields.parse(request.body.span, limit: ProviderEndpoints.longestForm),
            form.repeatedName == nil, let response = form.first(fields.answer)
        else { return refuse(.malformedCallback) }
        // Without it the answer is unsolicited, and refused.
        guard let state = form.first(fields.state), ProviderTicket.isID(state) else {
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

    /// Stores the answer. Prevents replays: each assertion is accepted once, at any endpoint (profiles section
    /// 4.1.4.5). It is remembered for the maximum duration of a login, since later it answers no request.
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
        let path = paths.callback(of: provider.name)
        return EndpointResponse(
            status: 303,
            headers: [
                (name: "Location", value: "\(path)?state=\(state)&answer=\(answer)"),
                (name: "Cache-Control", value: "no-store"), (name: "Referrer-Policy", value: "no-referrer"),
            ],
            body: [], reason: reason)
    }

    // MARK: With the browser's cookie

    /// The posted answer to a pending login of this browser.
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
        // Already logged.
        case .failed(let failure): return .done(.failure(failure))
        case .held(let id):
            return store.ask(.revoke(.id(id)), now: now) { [seals] answer in
                guard case .success(.removed(let gone)) = answer else { return refuse(.unavailable("store")) }
                guard let record = gone.first,
                    let posted = PostedIdentity(record, provider: provider.name, seals, now: now)
                else { return refuse(.malformedCallback) }
                // Answers another browser's request: a login CSRF attempt.
                guard provider.isAnswer(posted.requestID, to: ticket.secrets) else {
                    return refuse(.assertion("InResponseTo"))
                }
                return .done(.success(posted.identity))
            }
        }
    }
}
