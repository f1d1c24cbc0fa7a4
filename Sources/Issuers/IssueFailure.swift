import Model

/// Why there is no token. The caller is authenticated, so none of these is ever answered with 401 (ISS-03).
package struct IssueFailure: ReasonedFailure, Equatable {
    package enum Kind: Sendable, CaseIterable {
        /// The issuer refuses this caller.
        case refused
        /// The issuer can't be reached or is overloaded; a later request may succeed.
        case unavailable
        /// The issuer's answer makes no sense, or its token has ended already.
        case invalidToken
        /// The issuer doesn't accept the gateway itself, whoever the caller is: a mistake in the configuration.
        case misconfigured
        /// The issuer makes its tokens from the caller's own, and this caller has not brought any.
        case credentialMissing
    }

    package let kind: Kind
    /// How long the issuer wants to be left alone, or is; nil where nobody has said.
    package let requestedPause: Int?
    /// What exactly is wrong, for the log; no part of what a failure is.
    package let detail: String?

    private init(_ kind: Kind, pause: Int? = nil, detail: String? = nil) {
        self.kind = kind
        requestedPause = pause
        self.detail = detail
    }

    package static func == (left: IssueFailure, right: IssueFailure) -> Bool {
        left.kind == right.kind && left.requestedPause == right.requestedPause
    }

    /// The same failure, with a word for the log.
    package func because(_ detail: String) -> IssueFailure {
        IssueFailure(kind, pause: requestedPause, detail: detail)
    }

    package static let refused = IssueFailure(.refused)
    package static let unavailable = IssueFailure(.unavailable)
    package static let invalidToken = IssueFailure(.invalidToken)
    package static let misconfigured = IssueFailure(.misconfigured)
    package static let credentialMissing = IssueFailure(.credentialMissing)

    /// - Parameter seconds: at least one, and never more than an hour, whatever an issuer says.
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
        }
    }

    /// Seconds for a `Retry-After`; nil where waiting does not help.
    package var retryAfterSeconds: Int? { requestedPause ?? reason.retryAfterSeconds }

    /// Whether the issuer is down: yes, or no since it has answered; nil where nobody has asked it.
    var isOutage: Bool? {
        switch kind {
        case .unavailable, .invalidToken: true
        case .refused, .misconfigured: false
        case .credentialMissing: nil
        }
    }
}
