import Bytes
import Identity
import Outbound

/// How to interpret the answer to a login.
struct LoginAnswer: Sendable {
    /// Unit of a lifetime.
    enum Unit: String, Sendable, CaseIterable {
        case seconds
        case milliseconds
        /// The expiry, in seconds since 1970.
        case epochSeconds
        case epochMilliseconds
    }

    var statuses: Set<Int> = [200]
    /// Statuses that refuse this caller.
    var refusals: Set<Int> = [403]
    /// Statuses that reject a password.
    var wrong: Set<Int> = [401]
    var token = ValueLocation.pointer(["access_token"])
    /// Prefix of the token, removed from it.
    var prefix = ""
    /// Nil if the answer has no lifetime.
    var lifetime: ValueLocation? = .pointer(["expires_in"])
    var unit = Unit.seconds
    /// Used if the answer has no lifetime.
    var defaultLifetimeSeconds: Int64 = 300
    /// Whether the answer is that of a token endpoint: a `token_type`, if there is one, must be Bearer.
    var isTokenResponse = true

    /// - Parameter now: when the call began, so that its duration does not extend the lifetime.
    func read(_ result: OutboundResult, now: Int64) -> Result<IssuedToken, IssueFailure> {
        switch result {
        case .failed(let failure, _): return .failure(IssueFailure(failure))
        case .response(let response):
            if statuses.contains(response.status) { return token(in: response, now: now) }
            if let failure = IssueFailure(overloaded: response) { return .failure(failure) }
            let failure: IssueFailure =
                refusals.contains(response.status)
                ? .refused : response.status == 401 || response.status == 403 ? .misconfigured : .invalidToken
            return .failure(failure.because("status \(response.status)"))
        }
    }

    /// The password verdict of an answer. As elsewhere, a correct password must yield a token: an unrelated page with
    /// status 200 must not count as a login.
    func verdict(_ result: OutboundResult, now: Int64) -> Result<PasswordVerdict, IssueFailure> {
        if case .response(let response) = result, !statuses.contains(response.status) {
            if wrong.contains(response.status) { return .success(.wrong) }
            if refusals.contains(response.status) { return .success(.forbidden) }
            if response.status == 429 {
                return .success(.throttled(pause: response.value(of: "Retry-After").flatMap(Lifetime.seconds(text:))))
            }
        }
        return read(result, now: now).map { _ in .right }
    }

    private func token(in response: OutboundResponse, now: Int64) -> Result<IssuedToken, IssueFailure> {
        let body = try? JSONNode.parse(response.body.span, maximumDepth: 32)
        guard let text = token.text(in: response, body: body), text.utf8.starts(with: prefix.utf8) else {
            return .failure(.invalidToken.because("no token"))
        }
        if isTokenResponse, let type = body?["token_type"], !type.isNull {
            guard let type = type.string, type.lowercased().utf8.elementsEqual("bearer".utf8) else {
                return .failure(.invalidToken.because("token_type"))
            }
        }
        guard let expiresAt = end(in: response, body, now: now) else {
            return .failure(.invalidToken.because("lifetime"))
        }
        let token = IssuedToken(
            value: Array(text.utf8.dropFirst(prefix.utf8.count)), issuedAt: now, expiresAt: expiresAt)
        return token.isFitForHeaders && expiresAt > now ? .success(token) : .failure(.invalidToken.because("token"))
    }

    /// Nil if present but malformed.
    private func end(in response: OutboundResponse, _ body: JSONNode?, now: Int64) -> Int64? {
        if let lifetime, let text = lifetime.text(in: response, body: body) {
            if case .cookie = lifetime { return now + (lifetime.maximumAge(in: response) ?? defaultLifetimeSeconds) }
            guard let value = Lifetime.whole(text: text) else { return nil }
            // One of zero, by which some servers say that a token is for one request, is a second.
            return switch unit {
            case .seconds: now + min(max(1, value), Lifetime.longest)
            case .milliseconds: now + min(max(1, value / 1000), Lifetime.longest)
            case .epochSeconds: min(value, now + Lifetime.longest)
            case .epochMilliseconds: min(value / 1000, now + Lifetime.longest)
            }
        }
        return now + (token.maximumAge(in: response) ?? defaultLifetimeSeconds)
    }
}
