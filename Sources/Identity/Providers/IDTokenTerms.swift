import Bytes
import Crypto
import JOSE
import Model

/// Checks specific to ID tokens (OpenID Connect Core section 3.1.3.7). Issuer, audience, dates and signature have been
/// checked.
struct IDTokenTerms: Sendable {
    let clientID: String
    let nonce: String
    /// The access token issued with the ID token.
    let accessToken: String

    /// - Parameter algorithm: that of the token's signature.
    /// - Returns: the user's `sub`.
    func subject(of token: VerifiedToken, _ algorithm: SignatureAlgorithm) throws(ProviderFailure) -> String {
        // A token of another type has the same issuer and possibly the same audience (RFC 8725 section 3.11).
        guard IDTokenTerms.isPlain(token.type) else {
            throw .answer("id_token: typ", Evidence([Evidence.quoted(token.type ?? "")]))
        }
        guard let subject = token.subject, IDTokenTerms.isSubject(subject) else { throw .answer("id_token: sub") }
        guard token.issuedAt != nil else { throw .answer("id_token: iat") }
        try checkParty(token.claims)
        guard let nonce = token.claims["nonce"]?.string,
            constantTimeEqual(Array(nonce.utf8).span, Array(self.nonce.utf8).span)
        else { throw .wrongNonce }
        try checkHash(token.claims, algorithm)
        return subject
    }

    /// Checks the authorized party of a token with several audiences (points 4 and 5).
    private func checkParty(_ claims: JSONNode) throws(ProviderFailure) {
        if let party = claims["azp"] {
            guard party.string?.isExactly(clientID) == true else {
                throw .answer(
                    "id_token: azp", Evidence(["\(Evidence.quoted(party.string ?? "")), expected \(clientID)"]))
            }
        } else if (claims["aud"]?.array?.count ?? 1) > 1 {
            throw .answer("id_token: several aud and no azp")
        }
    }

    /// Checks that the ID token was issued with this access token (section 3.1.3.8).
    private func checkHash(_ claims: JSONNode, _ algorithm: SignatureAlgorithm) throws(ProviderFailure) {
        guard let claim = claims["at_hash"] else { return }
        let digest = (algorithm.digest ?? .sha512).digest(Array(accessToken.utf8).span)
        let half = Base64.encode(Array(digest.prefix(digest.count / 2)).span, .url)
        guard let text = claim.string, constantTimeEqual(Array(text.utf8).span, half.span) else {
            throw .answer("id_token: at_hash")
        }
    }

    static func isPlain(_ type: String?) -> Bool {
        guard let type else { return true }
        return type.lowercased().isExactly("jwt")
    }

    /// At most 255 ASCII characters (section 2), and no character that is unfit for a name.
    static func isSubject(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 255 && ExternalIdentityRules.isFitForHeaders(text)
    }
}

extension LogoutNotice {
    private static let event = "http://schemas.openid.net/event/backchannel-logout"

    /// Reads a logout token whose issuer, audience, dates and signature have been checked (OpenID Connect Back-Channel
    /// Logout section 2.6).
    init(_ token: VerifiedToken) throws(ProviderFailure) {
        guard IDTokenTerms.isPlain(token.type) || token.type?.lowercased().isExactly("logout+jwt") == true else {
            throw .answer("logout_token: typ")
        }
        guard let issuedAt = token.issuedAt else { throw .answer("logout_token: iat") }
        guard let tokenID = token.tokenID, !tokenID.isEmpty, tokenID.utf8.count <= 256 else {
            throw .answer("logout_token: jti")
        }
        guard token.claims["events"]?[LogoutNotice.event]?.members != nil else {
            throw .answer("logout_token: events")
        }
        // Refuses ID tokens.
        guard token.claims["nonce"] == nil else { throw .answer("logout_token: nonce") }
        let subject = token.subject
        guard subject?.isEmpty != true else { throw .answer("logout_token: sub") }
        let scope: Scope
        if let session = token.claims["sid"] {
            guard let text = session.string, !text.isEmpty else { throw .answer("logout_token: sid") }
            scope = .session(text, of: subject)
        } else {
            guard let subject else { throw .answer("logout_token: sub") }
            scope = .subject(subject)
        }
        self.init(scope: scope, tokenID: tokenID, issuedAt: issuedAt)
    }
}
