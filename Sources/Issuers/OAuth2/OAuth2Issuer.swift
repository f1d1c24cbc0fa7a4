import Crypto
import Identity
import Model
import OAuthServer
import Outbound

/// Obtains tokens from an external authorization server (RFC 6749, ISS-05). Module `oauth2`.
///
/// The refresh token of the last answer is tried first; if the server refuses it, the grant is used again.
final class OAuth2Issuer: TokenIssuer {
    struct Settings: Sendable {
        let client: OAuth2Client
        let grant: OAuth2Grant
        /// Additional form fields: scope, audience, resource and others (RFC 8707).
        var parameters: [(String, String)] = []
        var terms = TokenAnswer.Terms()
        var transport = OutboundTransport()
        /// Whether each caller gets its own token.
        var dependsOnCaller = true
        var publishedKeys: [SigningKey] = []
    }

    let kind = "oauth2"
    let configurationID: String
    private let settings: Settings
    private let endpoint: IssuerEndpoint
    private let caller: any OutboundCaller

    init(_ settings: Settings, endpoint: IssuerEndpoint, configurationID: String, caller: any OutboundCaller) {
        self.settings = settings
        self.endpoint = endpoint
        self.configurationID = configurationID
        self.caller = caller
    }

    var dependsOnCredential: Bool { settings.grant.dependsOnCredential }
    var dependsOnCaller: Bool { settings.dependsOnCaller }
    var publishedKeys: [SigningKey] { settings.publishedKeys }

    func issue(_ request: IssueRequest, now: Int64) -> Effect<Result<IssuedToken, IssueFailure>> {
        // Known without a call.
        if lacksCredential(request) { return .done(.failure(.credentialMissing)) }
        return atEndpoint(now: now) { [self] url in obtain(request, at: url, now: now) }
    }

    /// Whether the caller has no credential that the grant sends.
    func lacksCredential(_ request: IssueRequest) -> Bool { settings.grant.lacksCredential(request) }

    private func atEndpoint<Value: Sendable>(
        now: Int64, _ next: @escaping @Sendable (WebURL) -> Effect<Result<Value, IssueFailure>>
    ) -> Effect<Result<Value, IssueFailure>> {
        endpoint.url(now: now).then { result in
            switch result {
            case .failure(let failure): .done(.failure(failure))
            case .success(let url): next(url)
            }
        }
    }

    private func obtain(
        _ request: IssueRequest, at url: WebURL, now: Int64
    ) -> Effect<Result<IssuedToken, IssueFailure>> {
        guard let old = request.previous?.usableRefresh(now: now) else { return begin(request, at: url, now: now) }
        let form = [("grant_type", "refresh_token"), ("refresh_token", String(decoding: old, as: UTF8.self))]
        return ask(url, now: now, form).then { [self] answer in
            // RFC 6749 section 5.2: expired, revoked, or issued to another client.
            if case .refused("invalid_grant") = answer { return begin(request, at: url, now: now) }
            return .done(outcome(answer, keeping: old, request.previous?.refreshExpiresAt, now: now))
        }
    }

    /// Requests a token without a refresh token.
    private func begin(
        _ request: IssueRequest, at url: WebURL, now: Int64
    ) -> Effect<Result<IssuedToken, IssueFailure>> {
        guard case .identityAssertion(let provider) = settings.grant else { return send(request, to: url, now: now) }
        return provider.assertion(about: request, now: now).then { [self] result in
            switch result {
            case .failure(let failure): .done(.failure(failure))
            case .success(let assertion): send(request, with: assertion, to: url, now: now)
            }
        }
    }

    /// A token of this server for another one, which is not kept. The refresh token that is known is of that other one.
    private func assertion(about request: IssueRequest, now: Int64) -> Effect<Result<IssuedToken, IssueFailure>> {
        atEndpoint(now: now) { [self] url in send(request, to: url, now: now) }.map { result in
            result.mapError { $0.because("identity provider: \($0.detail ?? $0.reason.code)") }
        }
    }

    /// - Parameter assertion: that was fetched first; nil for none.
    private func send(
        _ request: IssueRequest, with assertion: IssuedToken? = nil, to url: WebURL, now: Int64
    ) -> Effect<Result<IssuedToken, IssueFailure>> {
        let work = { @Sendable [self] () -> Effect<Result<IssuedToken, IssueFailure>> in
            do throws(SAMLRejection) {
                var form = try settings.grant.form(request, endpoint: url, now: now)
                if let assertion { form.append(("assertion", String(decoding: assertion.value, as: UTF8.self))) }
                return ask(url, now: now, form).map { [self] in outcome($0, keeping: nil, nil, now: now) }
            } catch {
                return .done(.failure(.misconfigured.because("assertion: \(error.reason.code)")))
            }
        }
        return settings.grant.isSlow ? .offload(work) : work()
    }

    private func ask(_ url: WebURL, now: Int64, _ form: [(String, String)]) -> Effect<TokenAnswer> {
        exchange(url, now: now, form) { [terms = settings.terms] in TokenAnswer($0, terms, now: now) }
    }

    /// - Parameter read: interprets the answer.
    private func exchange<Value: Sendable>(
        _ url: WebURL, now: Int64, _ form: [(String, String)],
        _ read: @escaping @Sendable (OutboundResult) -> Value
    ) -> Effect<Value> {
        let work = { @Sendable [self] () -> Effect<Value> in
            let call = settings.client.call(form + settings.parameters, at: url, settings.transport, now: now)
            return .answer(of: { [caller] in caller.perform(call, then: $0) }) { .done(read($0)) }
        }
        return settings.client.isSlow ? .offload(work) : work()
    }

    /// - Parameter refresh: the refresh token that was used; kept if the answer has no new one (RFC 6749 section 6).
    private func outcome(
        _ answer: TokenAnswer, keeping refresh: [UInt8]?, _ refreshExpiresAt: Int64?, now: Int64
    ) -> Result<IssuedToken, IssueFailure> {
        switch answer {
        case .failed(let failure): return .failure(failure)
        case .refused(let code):
            var isExchange = false
            if case .tokenExchange = settings.grant, refresh == nil { isExchange = true }
            return .failure(
                TokenAnswer.failure(
                    code: code, isCallerBound: settings.grant.isCallerBound, isExchange: isExchange))
        case .token(let token):
            guard token.refresh == nil, let refresh else { return .success(token) }
            return .success(
                IssuedToken(
                    value: token.value, issuedAt: token.issuedAt, expiresAt: token.expiresAt, refresh: refresh,
                    refreshExpiresAt: refreshExpiresAt))
        }
    }
}

/// Verifies users' passwords by the password grant (RFC 6749 section 4.3), independent of the grant for tokens.
extension OAuth2Issuer {
    var verifiesPasswords: Bool { true }

    func verify(_ login: PresentedLogin, now: Int64) -> Effect<Result<PasswordVerdict, IssueFailure>> {
        let form = OAuth2Grant.passwordForm(login.username, login.password)
        return atEndpoint(now: now) { [self] url in
            exchange(url, now: now, form) { [terms = settings.terms] in OAuth2Issuer.verdict($0, terms, now: now) }
        }
    }

    private static func verdict(
        _ result: OutboundResult, _ terms: TokenAnswer.Terms, now: Int64
    ) -> Result<PasswordVerdict, IssueFailure> {
        if case .response(let response) = result, response.status == 429 {
            return .success(.throttled(pause: response.value(of: "Retry-After").flatMap(Lifetime.seconds(text:))))
        }
        return switch TokenAnswer(result, terms, now: now) {
        case .token: .success(.right)
        case .refused("invalid_grant"): .success(.wrong)
        case .refused("access_denied"): .success(.forbidden)
        case .refused(let code): .failure(TokenAnswer.failure(code: code, isCallerBound: false, isExchange: false))
        case .failed(let failure): .failure(failure)
        }
    }
}
