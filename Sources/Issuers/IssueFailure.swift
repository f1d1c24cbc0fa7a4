import Model

/// Why there is no token. The caller is authenticated, so none of these is answered with 401 (ISS-03), but that the login is over.
package struct IssueFailure: ReasonedFailure, Equatable {
    package enum Kind: Sendable, CaseIterable {
        /// The issuer refuses this caller.
        case refused
        /// The issuer is unreachable or overloaded; a later request may succeed.
        case unavailable
        /// The issuer's answer is malformed, or its token has already expired.
        case invalidToken
        /// The issuer refuses the gateway itself: a configuration error.
        case misconfigured
        /// The issuer derives its tokens from the caller's, but the caller sent none.
        case credentialMissing
        /// The provider has ended the login that the token would come from.
        case loginEnded
    }

    package let kind: Kind
    /// Pause requested by the issuer or the breaker; nil if unknown.
    package let requestedPause: Int?
    /// Details for the log; ignored by comparisons.
    package let detail: String?

    private init(_ kind: Kind, pause: Int? = nil, detail: String? = nil) {
        self.kind = kind
        requestedPause = pause
        self.detail = detail
    }

    package static func == (left: IssueFailure, right: IssueFailure) -> Bool {
        left.kind == right.kind && left.requestedPause == right.requestedPause
    }

    /// The same failure with details for the log.
    package func because(_ detail: String) -> IssueFailure {
        IssueFailure(kind, pause: requestedPause, detail: detail)
    }

    package static let refused = IssueFailure(.refused)
    package static let unavailable = IssueFailure(.unavailable)
    package static let invalidToken = IssueFailure(.invalidToken)
    package static let misconfigured = IssueFailure(.misconfigured)
    package static let credentialMissing = IssueFailure(.credentialMissing)
    package static let loginEnded = IssueFailure(.loginEnded)

    /// - Parameter seconds: at least one, and limited to an hour.
    package static func unavailable(retryAfter seconds: Int) -> IssueFailure {
        IssueFailure(.unavailable, pause: min(max(1, seconds), 3600))
    }

    package static let all = Kind.allCases.map { IssueFailure($0) }

    package var reason: Reason {
        switch kind {
        case .refused: .issuerRefused
        case .unavailable: .issuerUnavailable
        case .invalidToken: .issuerInvalidToken
        case .misconfigured: .issuerMisconfigured
        case .credentialMissing: .issuerCredentialMissing
        case .loginEnded: .loginEnded
        }
    }

    /// Seconds for `Retry-After`; nil if waiting does not help.
    package var retryAfterSeconds: Int? { requestedPause ?? reason.retryAfterSeconds }

    /// Whether the issuer is down: false if it answered, nil if it was not called.
    var isOutage: Bool? {
        switch kind {
        case .unavailable, .invalidToken: true
        case .refused, .misconfigured, .loginEnded: false
        case .credentialMissing: nil
        }
    }
}
