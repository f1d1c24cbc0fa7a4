import JOSE

extension DenialReason {
    /// What the log says of a token that did not verify. To the client they are all the same (CHAL-07).
    init(_ rejection: TokenRejection) {
        switch rejection {
        case .expired: self = .tokenExpired
        case .notYetValid: self = .tokenNotYetValid
        case .unknownIssuer: self = .unknownIssuer
        case .wrongAudience: self = .wrongAudience
        case .malformed: self = .malformedCredential
        default: self = .invalidToken
        }
    }
}
