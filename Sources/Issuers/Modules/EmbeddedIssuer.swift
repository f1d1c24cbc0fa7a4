import Bytes
import Crypto
import Declaration
import Identity
import JOSE
import Model
import OAuthServer
import Outbound

/// The built-in issuer: a signed JWT that identifies the caller to the upstream (ISS-02, ISS-06). Module `embedded`.
package final class EmbeddedIssuer: TokenIssuer {
    package struct Settings: Sendable {
        /// `iss`.
        package var issuer: String
        /// `aud`; omitted if empty.
        package var audience: [String] = []
        /// `exp - iat` (AMB-28).
        package var lifetimeSeconds: Int64 = 3600

        package init(issuer: String) { self.issuer = issuer }
    }

    package let kind = "embedded"
    package let configurationID: String
    private let settings: Settings
    private let signer: JWTSigner

    /// - Parameter signer: ES256 unless configured otherwise (DEC-11). Nil for an HMAC key, since every verifier could
    ///   forge tokens.
    package init?(settings: Settings, signer: JWTSigner) {
        guard !signer.key.algorithm.isSymmetric else { return nil }
        self.settings = settings
        self.signer = signer
        configurationID = EmbeddedIssuer.configurationID(settings, signer)
    }

    package var publishedKeys: [SigningKey] { [signer.key] }

    package func issue(_ request: IssueRequest, now: Int64) -> Effect<Result<IssuedToken, IssueFailure>> {
        guard signer.key.isSlow else { return .done(.success(mint(request, now: now))) }
        return .offload { .done(.success(self.mint(request, now: now))) }
    }

    private func mint(_ request: IssueRequest, now: Int64) -> IssuedToken {
        let expiresAt = now + (request.lifetimeSeconds ?? settings.lifetimeSeconds)
        // Type JWT rather than at+jwt: the gateway refuses the token if an upstream sends it back.
        let value = signer.sign(claims: claims(request, now: now, expiresAt: expiresAt), type: "JWT")
        return IssuedToken(value: value, issuedAt: now, expiresAt: expiresAt)
    }

    private func claims(_ request: IssueRequest, now: Int64, expiresAt: Int64) -> [UInt8] {
        let principal = request.principal
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("iss", settings.issuer)
        writer.member("sub", principal.subject)
        switch settings.audience.count {
        case 0: break
        case 1: writer.member("aud", settings.audience[0])
        default: writer.member("aud", settings.audience)
        }
        writer.member("iat", now)
        writer.member("exp", expiresAt)
        writer.member("jti", AccessTokenMinter.randomID())
        writer.member("kind", principal.kind.rawValue)
        if let client = principal.clientID { writer.member("client_id", client) }
        if let id = principal.backendID, request.client?.isStandard != true { writer.member("backend_id", id) }
        if let client = request.client, !client.isStandard {
            writer.member("backend_name", client.name)
            writer.member("backend_version", client.version)
        }
        if !request.webgate.isEmpty { writer.member("webgate", request.webgate) }
        writer.member("roles", principal.roleNames)
        writer.member("level", principal.level)
        writer.member("virtual", principal.virtual)
        writer.endObject()
        return writer.bytes
    }

    /// A digest of everything that a token depends on apart from the request.
    private static func configurationID(_ settings: Settings, _ signer: JWTSigner) -> String {
        var writer = JSONWriter()
        writer.beginArray()
        writer.value(settings.issuer)
        writer.value(settings.audience)
        writer.value(settings.lifetimeSeconds)
        writer.value(signer.keyID)
        // A configured key id may stay the same when the key changes.
        writer.value(signer.publishedKey.thumbprint ?? "")
        writer.endArray()
        let digest = DigestAlgorithm.sha256.digest(writer.bytes.span)
        return "embedded:" + String(decoding: Base64.encode(digest.span, .url), as: UTF8.self)
    }
}

extension IssuerModule {
    /// ISS-02.
    package static let embedded = IssuerModule(kind: "embedded") { object, dependencies in
        let algorithm = object.value("algorithm", .publicAlgorithm, default: .es256, "Signature algorithm.")
        let ownKey = object.signingKey(
            "keyFile", algorithm, dependencies,
            "PEM file with the signing key, made where it is missing; that of the token service by default.")
        var settings = EmbeddedIssuer.Settings(issuer: dependencies.serviceIssuer)
        object.read("lifetimeSeconds", .seconds, into: &settings.lifetimeSeconds, "Lifetime of its tokens.")
        settings.issuer =
            object.optional("issuer", .name, "`iss`; that of the token service by default.") ?? settings.issuer
        settings.audience = object.optional("audience", .name, "`aud`; none by default.").map { [$0] } ?? []
        if object.hasErrors { return nil }
        // Without its own key file the issuer signs with the token service's key, so that one key set serves both.
        let shared = dependencies.serviceKey.flatMap { $0.algorithm == algorithm ? $0 : nil }
        guard let key = ownKey ?? shared else {
            object.error("a keyFile is needed where the algorithm is not that of the token service")
            return nil
        }
        return EmbeddedIssuer(settings: settings, signer: JWTSigner(key: key))
    }
}
