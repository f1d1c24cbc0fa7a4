import Bytes
import Identity
import JOSE
import Model
import Outbound

/// The authenticator for tokens that only another server can tell anything of (RFC 7662): opaque ones, and JWTs whose
/// `iss` is such a server's.
struct IntrospectedTokens: Sendable {
    let issuers: [IntrospectedIssuerSettings]
    private let principals: TokenPrincipals

    init(_ settings: PolicySettings, _ principals: TokenPrincipals) {
        issuers = settings.introspectedIssuers
        self.principals = principals
    }

    /// Finds the caller of a token that was rejected as a JWT of a known issuer; nil where no server knows it.
    func resolve(
        _ token: Span<UInt8>, _ rejection: TokenRejection, now: Int64
    ) -> Effect<Result<Principal, Reason>>? {
        guard !issuers.isEmpty, token.count <= CompactJWS.maximumLength, let issuer = issuer(of: token, rejection)
        else {
            return nil
        }
        do throws(TokenRejection) {
            if rejection == .unknownIssuer { try ReceivedToken(token).check(issuer.purpose) }
        } catch {
            return .done(.failure(Reason(error)))
        }
        let bytes = [UInt8](copying: token)
        let principals = principals
        return issuer.introspector.verdict(on: bytes, now: now).map { answer in
            switch answer {
            case .failure: return .failure(.introspectionUnavailable)
            case .success(.inactive): return .failure(.invalidToken)
            case .success(.proofRequired): return .failure(.proofRequired)
            case .success(.active(let token)):
                do throws(Reason) {
                    return .success(try principals.principal(of: token, bytes, issuer))
                } catch {
                    return .failure(error)
                }
            }
        }
    }

    /// What the server of a refused token has said of it; nil if no server was asked.
    func evidence(on token: Span<UInt8>, _ checks: [TokenEvidence.Check], now: Int64) -> Evidence? {
        guard !issuers.isEmpty, token.count <= CompactJWS.maximumLength else { return nil }
        for rejection in [TokenRejection.unknownIssuer, .malformed] {
            guard let issuer = issuer(of: token, rejection),
                let verdict = issuer.introspector.lastVerdict(on: [UInt8](copying: token))
            else { continue }
            let server = issuer.introspector.server
            let name = "introspected by \(Evidence.quoted(server.name))"
            switch verdict {
            case .inactive(let misfit): return Evidence([name, misfit ?? "the server calls the token inactive"])
            case .proofRequired: return Evidence([name, "token_type DPoP without a known cnf"])
            case .active(let known):
                let rules = TokenRules(
                    audiences: server.audiences, algorithms: [], purpose: issuer.purpose,
                    skew: server.clockSkewSeconds, expirySkew: 0)
                let answer = TokenEvidence(claims: known.claims)
                return Evidence([name] + checks.flatMap { answer.lines($0, rules, now: now) })
            }
        }
        return nil
    }

    /// Exactly one server is asked: no other one is to learn the token.
    private func issuer(of token: Span<UInt8>, _ rejection: TokenRejection) -> IntrospectedIssuerSettings? {
        switch rejection {
        case .unknownIssuer:
            guard let jws = try? CompactJWS(token), let name = (try? JSONNode.parse(jws.payload.span))?["iss"]?.string
            else { return nil }
            return issuers.first { $0.introspector.server.issuer.isExactly(name) }
        case .malformed:
            guard IntrospectedTokens.isTokenText(token) else { return nil }
            let prefixed = issuers.first { issuer in
                let prefix = Array(issuer.introspector.server.tokenPrefix.utf8)
                return !prefix.isEmpty && prefix.count < token.count
                    && bytesEqual(prefix.span, token.extracting(0..<prefix.count))
            }
            return prefixed ?? issuers.first { $0.introspector.server.tokenPrefix.isEmpty }
        default: return nil
        }
    }

    /// `b64token` of RFC 6750 section 2.1: no other token is sent to a server.
    private static func isTokenText(_ token: Span<UInt8>) -> Bool {
        let marks = Array("-._~+/=".utf8)
        for i in token.indices {
            let byte = token[i]
            guard ASCII.isLetter(byte) || ASCII.isDigit(byte) || marks.contains(byte) else { return false }
        }
        return true
    }
}

/// An issuer whose tokens another server tells about, and what becomes of its answers.
package struct IntrospectedIssuerSettings: Sendable {
    package var introspector: Introspector
    package var rules: ExternalIdentityRules
    /// What its tokens are accepted for.
    package var purpose: TokenPurpose
    /// What a token of this issuer is worth (CHAL-06).
    package var level: Int
    /// The client that its tokens count as made for; nil for none.
    package var backendID: String?
    /// Where its tokens are; empty for `Authorization: Bearer` and what routes say.
    package var tokenSources: [TokenSource]
    /// The authentication context level that each value of `amr` in its answers stands for.
    package var levelsByMethod: [String: String] = [:]
    /// Whether tokens that are bound to no key or certificate are refused.
    package var requiresProof = false

    package init(
        introspector: Introspector, rules: ExternalIdentityRules, purpose: TokenPurpose = .accessToken(), level: Int,
        backendID: String?, tokenSources: [TokenSource] = []
    ) {
        self.introspector = introspector
        self.rules = rules
        self.purpose = purpose
        self.level = level
        self.backendID = backendID
        self.tokenSources = tokenSources
    }
}
