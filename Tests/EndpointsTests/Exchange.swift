import Bytes
import Crypto
import Endpoints
import Foundation
import HTTP
import Identity
import JOSE
import Model
import OAuthServer
import Outbound
import Synchronization
import TestSupport

/// A token service that exchanges tokens of `https://idp.example.com`, and its outside world.
final class Exchange: Sendable {
    static let name = "https://idp.example.com"
    static let idp = SigningKey.generate(.es256)
    static let path = "/mobile/platform/auth/token"

    /// The policy and the certificates as their files have them; nil for files that cannot be read.
    let policyText: Mutex<String?>
    let certificates = Mutex<CertificateStore?>(CertificateStore())
    /// What fetching keys comes to.
    let fetched: Mutex<Result<KeySet, AssertionSources.KeysFailure>>
    let failures = ReloadFailures()
    /// What the environment says of lifetimes, from the next reading of the policy on.
    let lifetime = Mutex(TokenLifetime())
    let revocations = RevocationList()
    let service: Families

    /// - Parameter issuer: members of the issuer beside name and keys, as JSON without braces.
    convenience init(_ issuer: String = "", _ change: (inout TokenServiceSettings) -> Void = { _ in }) {
        self.init(policy: Exchange.policy(issuer), change)
    }

    init(policy text: String, _ change: (inout TokenServiceSettings) -> Void = { _ in }) {
        policyText = Mutex(text)
        fetched = Mutex(.success(KeySet(keys: [JWTSigner(key: Exchange.idp, keyID: "k").publishedKey])))
        let world = World()
        let sources = AssertionSources(
            policy: ReloadingValue(
                Exchange.read(text, TokenLifetime()) ?? AssertionPolicy(), loadedAt: Service.now, counter: failures
            ) { done in
                let exchange = world.exchange
                let lifetime = exchange?.lifetime.withLock { $0 } ?? TokenLifetime()
                done(exchange?.policyText.withLock { $0 }.flatMap { Exchange.read($0, lifetime) })
            },
            certificates: ReloadingValue(CertificateStore(), loadedAt: Service.now, counter: failures) { done in
                done(world.exchange?.certificates.withLock { $0 })
            },
            remoteKeys: { _, _, _, _ in
                .done(world.exchange?.fetched.withLock { $0 } ?? .failure(.unavailable))
            })
        var settings = SignOn.Settings(tokens: Service.settings())
        settings.assertions = sources
        settings.revocations = revocations
        change(&settings.tokens)
        service = settings.families
        world.present.withLock { $0.exchange = self }
    }

    /// Who the sources ask; weak, since the exchange holds the sources.
    private final class World: Sendable {
        struct Present { weak var exchange: Exchange? }

        let present = Mutex(Present())
        var exchange: Exchange? { present.withLock { $0.exchange } }
    }

    static func policy(_ issuer: String) -> String {
        let keys =
            issuer.contains("certificateSubjectNames") ? "" : #","jwks":{"jwksUri":"https://idp.example.com/keys"}"#
        return #"{"issuers":[{"issuerName":"\#(name)"\#(keys)\#(issuer.isEmpty ? "" : ",")\#(issuer)}]}"#
    }

    private static func read(_ text: String, _ lifetime: TokenLifetime) -> AssertionPolicy? {
        guard let node = try? JSONNode.parse(Array(text.utf8).span) else { return nil }
        return AssertionPolicy(
            node, baseURL: Service.baseURL, lifetime: lifetime, catalogue: Service.catalogue)
    }

    // MARK: Requests

    /// A token of joe, valid for ten minutes; members replace and add claims.
    static func token(
        _ members: String = "", key: SigningKey = idp, at now: Int64 = Service.now, type: String = "JWT"
    ) -> String {
        var claims: [(String, String)] = [
            ("iss", "\"\(name)\""), ("sub", "\"joe\""), ("exp", "\(now + 600)"), ("aud", "\"\(Service.baseURL)\""),
        ]
        let node = (try? JSONNode.parse(Array("{\(members)}".utf8).span)) ?? JSONNode(.null)
        for member in node.members ?? [] {
            claims.removeAll { $0.0 == member.name }
            if !member.node.isNull {
                var writer = JSONWriter()
                writer.value(member.node)
                claims.append((member.name, String(decoding: writer.bytes, as: UTF8.self)))
            }
        }
        let text = "{" + claims.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
        let signer = JWTSigner(key: key, keyID: "k")
        return String(decoding: signer.sign(claims: Array(text.utf8), type: type), as: UTF8.self)
    }

    static func request(
        _ assertion: String = token(), _ authorization: String? = basic("inv-client", "inv-secret"),
        with fields: [(String, String)] = []
    ) -> EndpointRequest {
        let all = [("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", assertion)] + fields
        return EndpointRequest(
            method: .post, path: path, contentType: "application/x-www-form-urlencoded",
            authorization: authorization.map { [$0] } ?? [], body: Array(form(all).utf8))
    }

    static func form(_ fields: [(String, String)]) -> String {
        fields.map { "\($0.0)=\($0.1.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")" }
            .joined(separator: "&")
    }

    func answer(_ request: EndpointRequest, at now: Int64 = Service.now) -> EndpointResponse {
        service.answer(request, .exchange, at: now)
    }

    /// The answer to a token with these claims.
    func answer(_ claims: String, at now: Int64 = Service.now) -> EndpointResponse {
        answer(Exchange.request(Exchange.token(claims, at: now)), at: now)
    }
}
