import Bytes
import Identity
import Outbound

/// What a token service of Mobile & Social has said, read strictly (oam-wire 8.2).
struct MobileSocialAnswer: Sendable {
    /// The kinds of tokens, as they are asked for and named in answers.
    enum Wanted: String, Sendable {
        case registration = "CLIENTREGHANDLE"
        case user = "USERTOKEN"
        case access = "ACCESSTOKEN"
    }

    /// Visible ASCII.
    let value: String
    /// Which Oracle's servers don't say, and gateways of this kind do.
    let lifetimeSeconds: Int64?

    /// - Parameter isCallers: the session is the caller's, so that a refusal is about the caller and not about the
    ///   gateway's own account.
    static func read(
        _ result: OutboundResult, _ wanted: Wanted, isCallers: Bool
    ) -> Result<MobileSocialAnswer, IssueFailure> {
        let response: OutboundResponse
        switch result {
        case .failed(let failure): return .failure(IssueFailure(failure))
        case .response(let came): response = came
        }
        if let failure = IssueFailure(overloaded: response) { return .failure(failure) }
        switch response.status {
        case 200, 201:
            return MobileSocialAnswer(response, wanted).map { .success($0) } ?? .failure(.invalidToken)
        case 401, 403:
            return .failure((isCallers ? IssueFailure.refused : .misconfigured).because("status \(response.status)"))
        // The request that was challenged has its part in the context: what is wrong with one says nothing of others.
        case 400 where wanted == .access: return .failure(.misconfigured.because("the context was not taken"))
        default: return .failure(.misconfigured.because("status \(response.status)"))
        }
    }

    /// What an answer says of a user's password (oam-wire 3.9).
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

    /// Nil where a member is missing, or the token is of another kind than was asked for.
    private init?(_ response: OutboundResponse, _ wanted: Wanted) {
        guard let node = try? JSONNode.parse(response.body.span, maximumDepth: 16),
            let type = node["X-Idaas-Rest-Token-Type"]?.string,
            // A type may name the provider behind it: USERTOKEN::OAMUT.
            type.utf8.elementsEqual(wanted.rawValue.utf8) || type.hasPrefix(wanted.rawValue + "::"),
            let value = node["X-Idaas-Rest-Token-Value"]?.string, !value.isEmpty,
            value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        self.value = value
        lifetimeSeconds = node["expires_in"].flatMap(Lifetime.seconds)
    }
}
