import JOSE
import Model
import Outbound

/// Why a login at an identity provider came to nothing. Never a 401: nobody has shown the gateway a credential.
package enum ProviderFailure: ReasonedFailure, Equatable {
    /// The user or the provider has said no. The code of RFC 6749 section 4.1.2.1 or of OpenID Connect Core section
    /// 3.1.2.6.
    case denied(String)
    /// What the browser has brought is no answer of a provider: neither a code nor an error.
    case malformedCallback
    /// It is the answer of another provider (RFC 9207, RFC 9700 section 4.4).
    case foreignAnswer
    /// The provider does not take the code: it was used before, has ended, or was obtained by another login.
    case codeRefused(String)
    /// The token was made for another login (OpenID Connect Core section 3.1.3.7, point 11).
    case wrongNonce
    /// What the provider gave as a token is not to be believed.
    case token(TokenRejection)
    /// What the browser has posted is not to be believed, or is for another login. In a few words.
    case assertion(String)
    /// A claim of the token, or a document of the provider, is missing or not as it must be. In a few words.
    case answer(String)
    /// The provider does not take the gateway for its client.
    case misconfigured(String)
    /// The provider does not answer, or cannot just now.
    case unavailable(String)

    /// Stable code for the log and for metrics.
    package var reason: Reason {
        switch self {
        case .denied: .providerDenied
        case .malformedCallback: .providerCallbackMalformed
        case .foreignAnswer: .providerAnswerForeign
        case .codeRefused: .providerCodeRefused
        case .wrongNonce: .providerNonceWrong
        case .token: .providerTokenInvalid
        case .assertion: .providerAssertionInvalid
        case .answer: .providerInvalidAnswer
        case .misconfigured: .providerMisconfigured
        case .unavailable: .providerUnavailable
        }
    }

    /// What happened, in words, for the log. No token and no code is in it.
    package var detail: String {
        switch self {
        case .malformedCallback, .foreignAnswer, .wrongNonce: ""
        case .token(let rejection): rejection.rawValue
        case .denied(let text), .codeRefused(let text), .assertion(let text), .answer(let text),
            .misconfigured(let text), .unavailable(let text):
            text
        }
    }

    /// What the token endpoint, or the provider by the browser, refuses with.
    /// - Parameter isOfCode: whether the code is what is judged.
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

    /// A response that is neither what was asked for nor a refusal that makes sense.
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
