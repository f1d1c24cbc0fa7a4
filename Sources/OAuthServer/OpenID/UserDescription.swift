import Bytes
import Identity
import Model
import TokenStorage

/// What ID tokens and user information say of the user of a login, by its scopes (OpenID Connect Core section 5.4).
struct UserDescription: Sendable {
    let subject: String
    /// Nil for a user without an account.
    let user: User?
    /// What the identity provider has said at the login. The account's attributes come before it.
    let provided: JSONNode?

    /// Writes the members of a JSON object. A claim that the user does not have is left out (section 5.3.2).
    func write(_ scope: String, to writer: inout JSONWriter) {
        if OpenIDScope.isGranted(.profile, in: scope) { addProfile(&writer) }
        guard OpenIDScope.isGranted(.email, in: scope) else { return }
        let outside = provided?["email"]?.string ?? ""
        let email = user.map(\.email).flatMap { $0.isEmpty ? nil : $0 } ?? outside
        guard !email.isEmpty else { return }
        writer.member("email", email)
        // The provider knows nothing of another address.
        if email.isExactly(outside), let isVerified = provided?["email_verified"]?.bool {
            writer.member("email_verified", isVerified)
        }
    }

    private func addProfile(_ writer: inout JSONWriter) {
        writer.member("preferred_username", subject)
        let (first, last) = (user?.firstName ?? "", user?.lastName ?? "")
        let names = [first, last].filter { !$0.isEmpty }
        for (name, text) in [("given_name", first), ("family_name", last), ("name", names.joined(separator: " "))]
        where !text.isEmpty {
            writer.member(name, text)
        }
        for name in (names.isEmpty ? OpenIDClaims.ofNames : []) + OpenIDClaims.profile {
            if let claim = provided?[name], !claim.isNull { writer.member(name, claim) }
        }
    }
}

extension TokenRecord {
    private static let claims = "claims"

    /// The claims of an identity provider that a code or a refresh token keeps, sealed; nil for none.
    func providedClaims(_ key: TokenDigestKey) -> JSONNode? {
        key.open(sealed, id: id).flatMap { try? JSONNode.parse($0.span) }?[TokenRecord.claims]
    }

    /// Keeps these claims alone among the sealed data.
    mutating func keep(_ claims: JSONNode?, _ key: TokenDigestKey) {
        sealed =
            claims.map { claims in
                key.seal(JSONWriter.object { TokenRecord.write(claims, to: &$0) }, id: id)
            } ?? []
    }

    static func write(_ claims: JSONNode, to writer: inout JSONWriter) { writer.member(TokenRecord.claims, claims) }
}
