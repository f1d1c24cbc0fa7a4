import Bytes
import JOSE
import Model
import Outbound

/// The evaluated answer of an introspection server.
package enum IntrospectionVerdict: Sendable {
    /// The token is valid.
    case active(IntrospectedToken)
    /// The token is not valid, or the answer names another issuer or audience: then with what it names, for operators.
    case inactive(misfit: String? = nil)
    /// The token is valid but bound to a key, and the answer does not say to which (RFC 9449 section 6.2).
    case proofRequired
}

/// A token that its server reports as active.
package struct IntrospectedToken: Sendable {
    /// The members of the answer (RFC 7662 section 2.2).
    package let claims: JSONNode
    /// `exp`, in seconds since 1970.
    package let expiresAt: Int64
    /// `iat`.
    package let issuedAt: Int64?
    /// `jti`.
    package let tokenID: String?
    /// The keys that the sender of the token must prove to have; nil for none. Their confirmation may also be one that is
    /// not known here: the purpose of the token refuses it.
    package var binding: TokenBinding? { claims[TokenBinding.claim].flatMap { TokenBinding($0) } }
    /// Until when the answer may be used without asking again, in seconds since 1970; at most `expiresAt`.
    package let knownUntil: Int64
}

/// No verdict available because of an outage or misconfiguration; not the caller's fault. Answered with 503.
package struct IntrospectionFailure: Error, Sendable, Equatable {
    package init() {}
}

extension IntrospectionVerdict {
    /// Reads an answer. An answer that violates RFC 7662 is a failure.
    init(
        _ response: OutboundResponse, of server: IntrospectionServer, now: Int64
    ) throws(IntrospectionFailure) {
        guard response.status == 200, let node = try? JSONNode.parse(response.body.span, maximumDepth: 32),
            let active = node["active"]?.bool
        else { throw IntrospectionFailure() }
        let isDPoP = node["token_type"]?.string?.lowercased() == "dpop"
        if active, isDPoP, node[TokenBinding.claim].flatMap({ TokenBinding($0) })?.key == nil {
            self = .proofRequired
            return
        }
        if active, let token = IntrospectedToken(node, of: server, now: now) {
            self = .active(token)
        } else {
            self = .inactive(misfit: active ? IntrospectedToken.misfit(of: node, server, now: now) : nil)
        }
    }
}

extension IntrospectedToken {
    /// Nil if a claim is malformed, or makes the token unusable here or now.
    init?(_ node: JSONNode, of server: IntrospectionServer, now: Int64) {
        guard IntrospectedToken.misfit(of: node, server, now: now) == nil, let expiresAt = node["exp"]?.integer else {
            return nil
        }
        claims = node
        self.expiresAt = expiresAt
        issuedAt = node["iat"]?.integer
        tokenID = node["jti"]?.string
        knownUntil = min(expiresAt, now + server.cacheSeconds)
    }

    /// The answer about a token that is described, with what an answer about a usable token has besides; nil where a claim
    /// makes the token unusable.
    /// - Parameter claims: an object.
    package init?(described claims: JSONNode, of server: IntrospectionServer, now: Int64) {
        let usual = [("exp", .number(now + 60)), ("aud", server.audiences.first.map(JSONNode.text))]
        self.init(claims.completed(with: usual), of: server, now: now)
    }

    /// Which claim is malformed or makes the token unusable, with what was expected; nil for a token that can be used.
    static func misfit(of node: JSONNode, _ server: IntrospectionServer, now: Int64) -> String? {
        func text(_ name: String) -> String {
            guard let claim = node[name] else { return "\(name) none" }
            let values = claim.array?.map { $0.string ?? "(no text)" }
            return
                "\(name) \(values.map { Evidence.list($0) } ?? Evidence.quoted(claim.string ?? "\(claim.integer ?? 0)"))"
        }
        // AMB-02: no token is valid forever.
        guard let expiresAt = node["exp"]?.integer, expiresAt > 0 else { return text("exp") }
        guard now < expiresAt else { return "expired \(now - expiresAt) s ago (exp \(expiresAt))" }
        let skew = server.clockSkewSeconds
        for name in ["nbf", "iat"] where node[name] != nil {
            guard let start = node[name]?.integer, start <= now + skew else { return "\(text(name)), now \(now)" }
        }
        if let claim = node["iss"] {
            guard let issuer = claim.string, issuer.isExactly(server.issuer) else {
                return "\(text("iss")), expected \(Evidence.quoted(server.issuer))"
            }
        }
        guard isForUs(node["aud"], server) else { return "\(text("aud")), accepted \(Evidence.list(server.audiences))" }
        // For another token type the sender need not be the token's holder. A refresh token is refused by its purpose.
        if let type = node["token_type"]?.string, !["bearer", "dpop", "refresh_token"].contains(type.lowercased()) {
            return text("token_type")
        }
        return nil
    }

    /// One string or an array of strings, as in a JWT.
    private static func isForUs(_ claim: JSONNode?, _ server: IntrospectionServer) -> Bool {
        guard let claim else { return !server.requireAudience }
        if !server.requireAudience, server.audiences.isEmpty { return true }
        let named = claim.string.map { [$0] } ?? (claim.array ?? []).compactMap(\.string)
        return named.contains { name in server.audiences.contains { $0.isExactly(name) } }
    }
}
