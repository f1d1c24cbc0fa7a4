import JOSE
import Model
import Outbound

/// Why a login at an identity provider failed. Never answered with 401: the gateway received no credential.
package enum ProviderFailure: Error, Equatable {
    /// The user or the provider refused. Carries the code of RFC 6749 section 4.1.2.1 or OpenID Connect Core section
    /// 3.1.2.6.
    case denied(String)
    /// The callback has neither a code nor an error.
    case malformedCallback
    /// The answer came from another provider (RFC 9207, RFC 9700 section 4.4).
    case foreignAnswer
    /// The provider refused the code: used, expired, or obtained by another login.
    case codeRefused(String)
    /// The token was issued for another login (OpenID Connect Core section 3.1.3.7, point 11).
    case wrongNonce
    /// The provider's token failed verification. With what was compared.
    case token(TokenRejection, Evidence = .none)
    /// The posted answer failed verification, or belongs to another login. With a short description.
    case assertion(String)
    /// A claim of the token, or a document of the provider, is missing or invalid. With a short description.
    case answer(String, Evidence = .none)
    /// The provider refused the gateway's client authentication.
    case misconfigured(String)
    /// The provider does not answer, or is temporarily unable to.
    case unavailable(String)
    /// The login was begun by another browser or too long ago, or has come back before.
    case interrupted(isLate: Bool)

    /// Whether nothing of the answer was looked at.
    package var isInterruption: Bool { if case .interrupted = self { true } else { false } }

    /// Description for the log, without tokens or codes.
    package var detail: String {
        switch self {
        case .malformedCallback, .foreignAnswer, .wrongNonce, .interrupted: ""
        case .token(let rejection, let evidence):
            evidence.isEmpty ? rejection.rawValue : "\(rejection.rawValue); \(evidence.text)"
        case .answer(let text, let evidence): evidence.isEmpty ? text : "\(text) \(evidence.text)"
        case .denied(let text), .codeRefused(let text), .assertion(let text), .misconfigured(let text),
            .unavailable(let text):
            text
        }
    }

    /// Maps an error code of the token endpoint or the authorization response.
    /// - Parameter isOfCode: whether the error concerns the code.
    init(code: String, isOfCode: Bool) {
        switch code {
        case "invalid_grant" where isOfCode: self = .codeRefused(code)
        case "access_denied", "login_required", "interaction_required", "consent_required",
            "account_selection_required", "unmet_authentication_requirements":
            self = .denied(code)
        case "temporarily_unavailable", "server_error", "slow_down": self = .unavailable(code)
        default: self = .misconfigured(code)
        }
    }

    /// An unexpected response without a valid error.
    init(_ response: OutboundResponse, _ noun: String) {
        let text = "\(noun): status \(response.status)"
        self = response.status == 429 || response.status >= 500 ? .unavailable(text) : .answer(text)
    }

    init(_ failure: OutboundFailure, _ noun: String) {
        let text = "\(noun): \(failure.rawValue)"
        switch failure {
        case .resolve, .connect, .tls, .timeout, .unavailable: self = .unavailable(text)
        case .malformed, .tooLarge: self = .answer(text)
        }
    }

    init(_ failure: ServerMetadata.Failure) {
        switch failure {
        case .call(let failure): self.init(failure, "discovery")
        case .status(let response): self.init(response, "discovery")
        case .malformed: self = .answer("discovery: no JSON object")
        case .wrongIssuer: self = .answer("discovery: the document of another issuer")
        }
    }
}
