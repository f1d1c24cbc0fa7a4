import Crypto
import HTTP
import Identity
import Issuers
import Policy
import Tokens

/// All reason codes of decisions and failures, in one order, so that counting one is an array access.
package enum Reasons {
    /// Codes of this room; those of a denial, a parse error, an upstream or an issuer are added to them.
    private static let own = [
        "body_too_large", "body_timeout", "header_timeout", "malformed_body", "overloaded", "client_closed",
        "client_reset", "client_write_timeout", "unknown_host", "rate_limited", "decision_timeout", "memory_exhausted",
        "invalid_request", "unavailable", "reload_failed", "upgrade_refused", "upstream_auth_failed",
        "upstream_auth_required",
        "not_found", "conflict", "precondition_failed", "invalid_configuration", "write_failed", "busy", "other",
    ]

    /// Every code, each once.
    package static let all: [String] = {
        var codes = DenialReason.allCases.map(\.rawValue) + own + CutReason.allCodes
        codes += UpstreamFailure.allCases.map { "\($0.code)" }
        codes += TokenFailure.allCases.map { "\($0.definition.reason)" }
        codes += MobileSocialFailure.allCases.map { "\($0.definition.reason)" }
        codes += BrowserLoginFailure.allCases.map { "\($0.reason)" }
        codes += SingleSignOnFailure.allCases.map { "\($0.reason)" }
        codes += ProviderFailure.codes + ["provider_logout_malformed", "sso_capture_empty"]
        codes += ExternalIdentityRejection.allCases.map { "\($0.reason)" }
        codes += ProfileFailure.allCases.map { "\($0.definition.reason)" }
        codes += ApplicationFailure.allCases.map { "\($0.definition.reason)" }
        codes += IssueFailure.Reason.allCases.map(\.rawValue)
        codes += HTTPParseError.allCases.map { "\($0.reason)" }
        codes += TLSFailure.codes.map { "tls_\($0)" }
        codes += H2Failure.allCases.map { "\($0.reason)" }
        var seen: Set<String> = []
        return codes.filter { seen.insert($0).inserted }
    }()

    static let count = all.count

    private static let indices: [String: Int] = Dictionary(uniqueKeysWithValues: all.enumerated().map { ($1, $0) })
    private static let denials: [Int] = DenialReason.allCases.map { indices[$0.rawValue] ?? 0 }

    static func index(_ code: String) -> Int { indices[code] ?? indices["other"] ?? 0 }

    static func index(_ reason: DenialReason) -> Int { denials[reason.position] }
}
