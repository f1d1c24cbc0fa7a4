import Identity
import Outbound

/// An issuer as password verifier of a service domain whose users log in elsewhere.
package struct IssuerPasswords: PasswordVerifier {
    private let issuer: GuardedIssuer

    /// Nil for an issuer that cannot verify passwords.
    package init?(_ issuer: GuardedIssuer) {
        guard issuer.verifiesPasswords else { return nil }
        self.issuer = issuer
    }

    package func verify(_ login: PresentedLogin, now: Int64) -> Effect<Result<PasswordVerdict, PasswordOutage>> {
        // Many directories take a login without a password for an anonymous one, and accept it (RFC 4513 section 5.1.2).
        if login.password.isEmpty { return .done(.success(.wrong)) }
        return issuer.verify(login, now: now).map { result in
            switch result {
            case .success(let verdict): .success(verdict)
            case .failure(let failure): IssuerPasswords.verdict(failure)
            }
        }
    }

    private static func verdict(_ failure: IssueFailure) -> Result<PasswordVerdict, PasswordOutage> {
        switch failure.kind {
        case .refused: .success(.forbidden)
        case .unavailable: .failure(PasswordOutage(.unavailable, retryAfterSeconds: failure.retryAfterSeconds))
        case .invalidToken: .failure(PasswordOutage(.invalidAnswer, retryAfterSeconds: 1))
        case .misconfigured, .credentialMissing, .loginEnded: .failure(PasswordOutage(.misconfigured))
        }
    }
}

extension PasswordVerdict {
    /// The server limits attempts for this account. It is healthy, and other accounts are not affected.
    /// - Parameter pause: seconds, if stated.
    package static func throttled(pause: Int64?) -> PasswordVerdict {
        .throttled(retryAfter: Int(min(pause ?? 30, 3600)))
    }
}
