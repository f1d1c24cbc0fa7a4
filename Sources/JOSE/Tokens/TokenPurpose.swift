import Bytes

/// The purpose that tokens must have, by `typ` of the header and by claims (RFC 8725 section 3.11), since tokens of
/// other purposes may have the same issuer, key and audience.
package struct TokenPurpose: Sendable, Equatable {
    /// Accepted explicit types, in lower case and without `application/` (RFC 7515 section 4.1.9).
    private let types: [String]
    /// Whether tokens without an explicit type, or with the type `JWT`, are accepted.
    private let acceptsUntyped: Bool
    /// Whether an untyped token may be an ID token (OpenID Connect Core section 2).
    private let acceptsIDTokens: Bool
    private let parties: Parties
    /// What becomes of tokens that are bound to a key.
    private let bound: BoundTokens

    /// Clients of access tokens.
    package enum Parties: Sendable, Equatable {
        case any
        /// Tokens of each type must name one of these clients, in `azp` (OpenID Connect Core section 2), `client_id` (RFC
        /// 9068 section 2.2), `cid` (Okta) or `appid` (Entra ID).
        case listed([String])
        /// An untyped token with another `azp` is an ID token.
        case only([String])
        /// These clients, and others that are not in `aud`: an ID token has its client in `aud` (OpenID Connect Core
        /// section 2). Google's ID tokens for another client of a project do not keep to it.
        case outsideAudience(known: [String])
    }

    /// What becomes of tokens that are bound to a key by `cnf`.
    private enum BoundTokens {
        /// They are refused, since no proof of possession comes with them.
        case refused
        /// They are accepted where the caller can check the proof of every method that they name.
        case provable
        /// `cnf` means nothing.
        case ignored
    }

    private init(
        types: [String], acceptsUntyped: Bool = true, acceptsIDTokens: Bool = true, parties: Parties = .any,
        bound: BoundTokens = .refused
    ) {
        self.types = types
        self.acceptsUntyped = acceptsUntyped
        self.acceptsIDTokens = acceptsIDTokens
        self.parties = parties
        self.bound = bound
    }

    /// An access token.
    /// - Parameters:
    ///   - isTyped: whether `at+jwt` is required (RFC 9068 section 2.1).
    ///   - checksProofs: whether the caller checks the proof of a bound token (`VerifiedToken.binding`), which is refused
    ///     otherwise.
    package static func accessToken(
        isTyped: Bool = false, acceptsIDTokens: Bool = false, parties: Parties = .any, checksProofs: Bool = false
    ) -> TokenPurpose {
        TokenPurpose(
            types: ["at+jwt"], acceptsUntyped: !isTyped, acceptsIDTokens: acceptsIDTokens, parties: parties,
            bound: checksProofs ? .provable : .refused)
    }

    /// An assertion about a user that is exchanged for a token (RFC 7523 section 2.1): an access token or an ID token.
    package static let assertion = TokenPurpose(types: ["at+jwt"])

    /// `typ` of an identity assertion.
    package static let identityAssertionType = "oauth-id-jag+jwt"

    /// An identity assertion for a client of another authorization server (ID-JAG), which opens nothing by itself. The caller
    /// checks the proof of a bound one.
    package static let identityAssertion = TokenPurpose(
        types: [identityAssertionType], acceptsUntyped: false, bound: .provable)

    /// An assertion by which a client authenticates (RFC 7523 section 2.2).
    package static let clientAuthentication = TokenPurpose(types: ["client-authentication+jwt"], bound: .ignored)

    /// An ID token by which a client names a login (OpenID Connect RP-Initiated Logout section 2).
    package static let loginHint = TokenPurpose(types: [], bound: .ignored)

    /// The types that it accepts, for operators.
    var acceptedTypes: [String] { types + (acceptsUntyped ? ["JWT", "none"] : []) }

    /// `typ` of a token that is described and does not say it; nil for none.
    var describedType: String? { acceptsUntyped ? nil : types.first }

    /// The clients of which tokens must be; nil for any.
    package var listedClients: [String]? { if case .listed(let names) = parties { names } else { nil } }

    /// Checks a token in compact serialisation.
    /// - Parameter type: `typ` of the header.
    package func check(type: String?, _ claims: JSONNode) throws(TokenRejection) {
        guard let name = type.map(TokenPurpose.name), !name.isExactly("jwt") else {
            guard acceptsUntyped else { throw .wrongType }
            return try check(untyped: claims)
        }
        guard types.contains(where: { $0.isExactly(name) }) else { throw .wrongType }
        let marks = Marks(claims)
        // Some issuers give all their tokens one type.
        if marks.use == .other { throw .wrongType }
        try checkClient(marks)
        try checkBinding(marks)
    }

    /// Checks a token without a header by its claims alone.
    package func check(untyped claims: JSONNode) throws(TokenRejection) {
        let marks = Marks(claims)
        if marks.isEvent || marks.use == .other || !acceptsIDTokens && isIDToken(marks) { throw .wrongType }
        try checkClient(marks)
        try checkBinding(marks)
    }

    private func checkClient(_ marks: Marks) throws(TokenRejection) {
        guard case .listed(let clients) = parties else { return }
        guard let client = marks.party ?? marks.client else {
            // An ID token may have its client in `aud` alone.
            if acceptsIDTokens { return }
            throw .wrongClient
        }
        guard let name = client.string, clients.contains(where: { $0.isExactly(name) }) else { throw .wrongClient }
    }

    private func checkBinding(_ marks: Marks) throws(TokenRejection) {
        guard let confirmation = marks.confirmation else { return }
        switch bound {
        case .ignored: return
        case .refused: throw .proofRequired
        case .provable: if TokenBinding(confirmation) == nil { throw .proofRequired }
        }
    }

    private func isIDToken(_ marks: Marks) -> Bool {
        if marks.isIDToken || marks.use == .login { return true }
        guard parties != .any, let party = marks.party else { return false }
        guard let name = party.string else { return true }
        return switch parties {
        case .any, .listed: false
        case .only(let clients): !clients.contains { $0.isExactly(name) }
        case .outsideAudience(let known): !known.contains { $0.isExactly(name) } && marks.isAudience(name)
        }
    }

    /// The purpose by claims.
    private struct Marks {
        /// `cnf`: the token is bound to a key by any confirmation method, known or not (RFC 7800 section 3.1).
        var confirmation: JSONNode?
        var isIDToken = false
        /// Security events and logout tokens (RFC 8417 section 2.2).
        var isEvent = false
        /// What a claim says that the token is for, where it is no access token.
        var use: Use?
        /// `azp`.
        var party: JSONNode?
        /// Another claim that names the client.
        var client: JSONNode?
        private var audience: JSONNode?

        init(_ claims: JSONNode) {
            guard case .object(let members) = claims.value else { return }
            for i in members.indices where Marks.mayMark(members[i].name.utf8.span) {
                let member = members[i]
                switch member.name {
                case TokenBinding.claim: confirmation = member.node
                case "events": isEvent = true
                case "nonce", "at_hash", "c_hash", "s_hash": isIDToken = true
                case "azp": party = member.node
                case "client_id", "cid", "appid": client = client ?? member.node
                case "aud": audience = member.node
                case "token_use", "token_type", "type", "typ": use = use ?? member.node.string.flatMap(Use.init)
                default: break
                }
            }
        }

        /// Whether `aud` has this value, or cannot be read.
        func isAudience(_ name: String) -> Bool {
            guard let audience else { return false }
            if let single = audience.string { return single.isExactly(name) }
            return audience.array?.contains { $0.string?.isExactly(name) ?? true } ?? true
        }

        /// Whether a claim may be one of those: length and first letter tell most of the others apart.
        private static func mayMark(_ name: Span<UInt8>) -> Bool {
            guard !name.isEmpty else { return false }
            return switch (name.count, Unicode.Scalar(name[0])) {
            case (3, "a"), (3, "c"), (3...4, "t"): true
            case (5...7, "a"), (5...7, "c"), (5...7, "e"), (5...7, "n"), (5...7, "s"): true
            case (9, "c"), (9...10, "t"): true
            default: false
            }
        }
    }

    /// What a token is for, by a claim of no standard: `typ` of Keycloak, `token_use` of Cognito, `token_type` and `type` of
    /// common libraries. None of them is a name of an access token or its scheme.
    private enum Use {
        /// An ID token.
        case login
        /// A token for endpoints of its issuer alone.
        case other

        init?(_ text: String) {
            switch text.lowercased().replacing("-", with: "_") {
            case "id", "id_token": self = .login
            case "refresh", "refresh_token", "offline", "offline_token", "offline_access", "logout", "logout_token":
                self = .other
            default: return nil
            }
        }
    }

    private static func name(_ type: String) -> String {
        let name = type.lowercased()
        return name.hasPrefix("application/") ? String(name.dropFirst("application/".count)) : name
    }
}
