import Bytes
import Crypto
import Identity
import JOSE
import Model
import OAuthServer
import Outbound

/// Signs who is calling, for upstreams that expect the assertions of Pomerium.
package final class IdentityAssertionIssuer: TokenIssuer {
    /// The claims that assertions repeat.
    package static let claims = [ClaimPath(literal: "email"), ClaimPath(literal: "name")]
    /// `exp - iat`, as Pomerium has it.
    private static let lifetimeSeconds: Int64 = 300

    package let kind = "pomerium-jwt"
    package let configurationID: String
    private let audience: String
    private let signer: JWTSigner

    /// - Parameters:
    ///   - audience: host of the route: `iss` and `aud`.
    ///   - signer: nil for an HMAC key, since every verifier could forge assertions.
    package init?(audience: String, signer: JWTSigner) {
        guard !signer.key.algorithm.isSymmetric else { return nil }
        self.audience = audience
        self.signer = signer
        configurationID = "pomerium-jwt:\(audience) \(signer.keyID) \(signer.publishedKey.thumbprint ?? "")"
    }

    package var publishedKeys: [SigningKey] { [signer.key] }

    /// E-mail address and name may differ between credentials of one subject.
    package var dependsOnCredential: Bool { true }

    package func issue(_ request: IssueRequest, now: Int64) -> Effect<Result<IssuedToken, IssueFailure>> {
        guard signer.key.isSlow else { return .done(.success(sign(request, now: now))) }
        return .offload { .done(.success(self.sign(request, now: now))) }
    }

    private func sign(_ request: IssueRequest, now: Int64) -> IssuedToken {
        let principal = request.principal
        let expiresAt = now + IdentityAssertionIssuer.lifetimeSeconds
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("iss", audience)
        writer.member("aud", audience)
        writer.member("iat", now)
        writer.member("exp", expiresAt)
        writer.member("jti", AccessTokenMinter.randomID())
        writer.member("sub", principal.subject)
        writer.member("user", principal.subject)
        for path in IdentityAssertionIssuer.claims {
            guard let index = request.selection.index(of: path), let text = principal.claims.value(at: index)?.string
            else { continue }
            writer.member(path.text, text)
        }
        writer.member("groups", principal.roleNames)
        writer.endObject()
        // Type JWT rather than at+jwt: the gateway refuses the assertion if an upstream sends it back.
        let value = signer.sign(claims: writer.bytes, type: "JWT")
        return IssuedToken(value: value, issuedAt: now, expiresAt: expiresAt)
    }
}
