import Bytes
import JOSE
import Model

/// A login that a client names by an ID token of it, also by an expired one (OpenID Connect RP-Initiated Logout section 2).
package struct IDTokenHint: Sendable {
    package let subject: String
    /// The session's token family.
    package let family: String
    package let clientID: String

    /// Nil for anything but an ID token that this gateway has signed with one of its current keys.
    /// - Parameter now: seconds since 1970.
    package init?(_ token: String, _ settings: TokenServiceSettings, now: Int64) {
        let trust = TrustedIssuer(
            name: OwnAccessTokens.issuerName, issuer: settings.issuer, audiences: [], requireAudience: false,
            keys: settings.keys.accepted, algorithms: Set(settings.keys.idTokenAlgorithms), purpose: .loginHint,
            // The end of a token does not matter, and its beginning is past.
            clockSkewSeconds: now)
        guard case .verified(let verified) = JWTVerifier(issuers: [trust]).verify(Array(token.utf8).span, now: now),
            let subject = verified.subject, let family = verified.claims["sid"]?.string,
            let clientID = verified.claims["aud"]?.string, verified.claims["at_hash"]?.string != nil
        else { return nil }
        self.subject = subject
        self.family = family
        self.clientID = clientID
    }
}
