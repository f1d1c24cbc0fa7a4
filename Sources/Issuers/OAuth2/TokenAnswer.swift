import Bytes
import Identity
import Outbound

/// A strictly parsed answer to a token request (RFC 6749 sections 5.1 and 5.2).
enum TokenAnswer: Sendable {
    case token(IssuedToken)
    /// An error with a code as in RFC 6749 section 5.2.
    case refused(code: String)
    case failed(IssueFailure)

    struct Terms: Sendable {
        /// Lifetime if the server does not state one (RFC 6749 section 5.1).
        var defaultLifetimeSeconds: Int64 = 300
        /// Required type (RFC 8693); nil for any.
        var issuedTokenType: String?
    }

    /// - Parameter now: when the request began, so that its duration does not extend the lifetime.
    init(_ result: OutboundResult, _ terms: Terms, now: Int64) {
        switch TokenReply(result, allowsOthers: terms.issuedTokenType != nil) {
        case .failed(let failure): self = .failed(IssueFailure(failure))
        case .granted(let granted):
            self = IssuedToken(granted, terms, now: now).map { .token($0) } ?? .failed(.invalidToken)
        case .malformed: self = .failed(.invalidToken)
        case .refused(let code): self = .refused(code: code)
        case .other(let response):
            self = .failed(
                IssueFailure(overloaded: response) ?? .invalidToken.because("status \(response.status)"))
        }
    }

    /// Maps an error code to a failure.
    static func failure(code: String, isCallerBound: Bool, isExchange: Bool) -> IssueFailure {
        switch code {
        // The last one (RFC 9470): for a login of another kind there would be a token.
        case "invalid_grant", "unauthorized_client", "access_denied", "insufficient_user_authentication":
            return (isCallerBound ? IssueFailure.refused : .misconfigured).because(code)
        // RFC 8693 section 2.2.2: the code for a refused subject token.
        case "invalid_request" where isExchange: return .refused.because(code)
        case "temporarily_unavailable", "server_error", "slow_down": return .unavailable.because(code)
        default: return .misconfigured.because(code)
        }
    }
}

extension IssuedToken {
    /// Nil for a token of another type than requested.
    fileprivate convenience init?(_ granted: TokenReply.Granted, _ terms: TokenAnswer.Terms, now: Int64) {
        if let wanted = terms.issuedTokenType {
            guard let issued = granted.members["issued_token_type"]?.string, issued.isExactly(wanted)
            else { return nil }
        }
        let refreshSeconds = granted.members["refresh_expires_in"].flatMap(Lifetime.seconds)
        self.init(
            value: Array(granted.value.utf8), issuedAt: now,
            expiresAt: now + (granted.lifetimeSeconds ?? terms.defaultLifetimeSeconds),
            refresh: granted.refresh.map { Array($0.utf8) }, refreshExpiresAt: refreshSeconds.map { now + $0 })
    }
}

extension IssueFailure {
    /// For a call without an answer.
    package init(_ failure: OutboundFailure) {
        switch failure {
        case .resolve, .connect, .tls, .timeout, .unavailable: self = .unavailable.because(failure.rawValue)
        case .malformed, .tooLarge: self = .invalidToken.because(failure.rawValue)
        }
    }

    /// For a server that is temporarily unable to answer, or limits requests; nil for other answers.
    package init?(overloaded response: OutboundResponse) {
        guard response.status == 429 || response.status >= 500 else { return nil }
        let pause = response.value(of: "Retry-After").flatMap(Lifetime.seconds(text:))
        let failure = pause.map { IssueFailure.unavailable(retryAfter: Int($0)) } ?? .unavailable
        self = failure.because("status \(response.status)")
    }
}
