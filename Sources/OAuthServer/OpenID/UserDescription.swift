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

    let roles: [String]
    /// The claim with the roles; nil for none.
    let groupsClaim: String?

    /// The members of a JSON object. A claim that the user does not have is left out (section 5.3.2).
    func members(_ scope: String, _ terms: AccessTokenTerms) -> [JSONMember] {
        var members: [JSONMember] = []
        func add(_ name: String, _ value: JSONNode?) {
            guard let value, !value.isNull, !members.contains(where: { $0.name.isExactly(name) }) else { return }
            members.append(JSONMember(name: name, node: value))
        }
        if let groupsClaim { add(groupsClaim, .texts(roles)) }
        let granted = terms.scopeClaims.filter { OpenIDScope.isGranted($0.scope, in: scope) }
        let selection = ClaimSelection(granted.flatMap(\.value.claims), userinfo: false)
        let claims = selection.select(provided, user: user)
        for claim in granted {
            add(claim.name, value(of: claim.value) { selection.index(of: $0).flatMap(claims.value(at:)) })
        }
        if OpenIDScope.isGranted(.profile, in: scope) {
            for (name, value) in profile { add(name, value) }
        }
        guard OpenIDScope.isGranted(.email, in: scope) else { return members }
        let outside = provided?["email"]?.string ?? ""
        let email = user.map(\.email).flatMap { $0.isEmpty ? nil : $0 } ?? outside
        if !email.isEmpty { add("email", .text(email)) }
        // The provider knows nothing of another address.
        let written = members.first { $0.name.isExactly("email") }?.node.string
        if let written, written.isExactly(outside), provided?["email_verified"]?.bool != nil {
            add("email_verified", provided?["email_verified"])
        }
        return members
    }

    private var profile: [(String, JSONNode?)] {
        let (first, last) = (user?.firstName ?? "", user?.lastName ?? "")
        let names = [first, last].filter { !$0.isEmpty }
        let own = [("given_name", first), ("family_name", last), ("name", names.joined(separator: " "))]
        return [("preferred_username", .text(subject))] + own.filter { !$0.1.isEmpty }.map { ($0.0, .text($0.1)) }
            + ((names.isEmpty ? OpenIDClaims.ofNames : []) + OpenIDClaims.profile).map { ($0, provided?[$0]) }
    }

    /// Nil if the user lacks a claim of it.
    private func value(of template: FieldTemplate, claim: (ClaimPath) -> JSONNode?) -> JSONNode? {
        switch template.pieces {
        case [.roles]: return .texts(roles)
        case let pieces where pieces.count == 1:
            if case .claim(let path) = pieces[0] { return claim(path) }
        default: break
        }
        var text = ""
        for piece in template.pieces {
            switch piece {
            case .text(let constant): text += constant
            case .user: text += subject
            case .roles: text += roles.joined(separator: ",")
            case .claim(let path):
                guard let texts = claim(path)?.texts else { return nil }
                text += texts.joined(separator: ",")
            // The configuration allows none of these.
            case .issuer, .clientIP, .requestID, .userinfo: return nil
            }
        }
        return .text(text)
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
