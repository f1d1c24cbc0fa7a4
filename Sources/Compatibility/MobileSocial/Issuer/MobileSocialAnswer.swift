import Bytes
import Identity
import Issuers
import Outbound

/// A strictly parsed answer of a Mobile & Social token service (oam-wire 8.2).
struct MobileSocialAnswer: Sendable {
    /// Kinds of tokens, as named in requests and answers.
    enum Wanted: String, Sendable {
        case registration = "CLIENTREGHANDLE"
        case user = "USERTOKEN"
        case access = "ACCESSTOKEN"
    }

    /// Visible ASCII.
    let value: String
    /// Stated by gateways of this kind, but not by Oracle's servers.
    let lifetimeSeconds: Int64?

    /// - Parameter isCallers: whether the session is the caller's, so that a refusal concerns the caller and not the
    ///   gateway's account.
    static func read(
        _ result: OutboundResult, _ wanted: Wanted, isCallers: Bool
    ) -> Result<MobileSocialAnswer, IssueFailure> {
        let response: OutboundResponse
        switch result {
        case .failed(let failure, _): return .failure(IssueFailure(failure))
        case .response(let came): response = came
        }
        if let failure = IssueFailure(overloaded: response) { return .failure(failure) }
        switch response.status {
        case 200, 201:
            return MobileSocialAnswer(response, wanted).map { .success($0) } ?? .failure(.invalidToken)
        case 401, 403:
            return .failure((isCallers ? IssueFailure.refused : .misconfigured).because("status \(response.status)"))
        // The context includes the challenged request, so this failure says nothing about other requests.
        case 400 where wanted == .access: return .failure(.misconfigured.because("the context was not taken"))
        default: return .failure(.misconfigured.because("status \(response.status)"))
        }
    }

    /// The password verdict of an answer (oam-wire 3.9).
    static func verdict(_ result: OutboundResult, _ wanted: Wanted) -> Result<PasswordVerdict, IssueFailure> {
        if case .response(let response) = result, [401, 403, 429].contains(response.status) {
            return switch response.status {
            case 401: .success(.wrong)
            case 403: .success(.forbidden)
            default: .success(.throttled(pause: response.value(of: "Retry-After").flatMap(Lifetime.seconds(text:))))
            }
        }
        return read(result, wanted, isCallers: true).map { _ in .right }
    }

    /// Nil if a member is missing, or the token is of another kind than requested.
    private init?(_ response: OutboundResponse, _ wanted: Wanted) {
        guard let node = try? JSONNode.parse(response.body.span, maximumDepth: 16),
            let type = node["X-Idaas-Rest-Token-Type"]?.string,
            // A type may include the provider: USERTOKEN::OAMUT.
            type.isExactly(wanted.rawValue) || type.hasPrefix(wanted.rawValue + "::"),
            let value = node["X-Idaas-Rest-Token-Value"]?.string, !value.isEmpty,
            value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        self.value = value
        lifetimeSeconds = node["expires_in"].flatMap(Lifetime.seconds)
    }
}
