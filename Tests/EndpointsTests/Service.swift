import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import JOSE
import Model
import OAuthServer
import Outbound
import TestSupport
import Testing
import TokenStorage

/// The fixture of section 1.5 as far as the token service goes.
enum Service {
    static let now: Int64 = 1_700_000_000
    static let baseURL = "https://gw.example.com"
    static let catalogue = RoleCatalogue(["Manager", "Clerk", "Auditor", "Guest", "Employee"])

    static let clients = Clients([
        client("inventory", "mbe-inv-1", "inv-client", "inv-secret"),
        client("scheduler", "mbe-sch-1", "sch-client", "sch-secret"),
        client("other", "mbe-oth-1", "oth-client", "oth-secret", realm: "Other"),
        client("off", "mbe-off-1", "off-client", "off-secret", oauthConsumer: false),
        client("odd", "mbe-odd-1", "odd client", "a+b&c=%:x"),
        client("bare", "mbe-bare-1", "bare-client", ""),
    ])

    static let users: UserStore = {
        let hasher = PasswordHasher()
        func user(_ name: String, _ password: String, _ roles: [String], enabled: Bool = true) -> User {
            let hash = try? hasher.make(Array(password.utf8).span, scheme: .saltedSHA512)
            return User(
                username: name, email: "\(name)@example.com", firstName: name.uppercased(), lastName: "Doe",
                passwordHash: hash, roles: roles, enabled: enabled)
        }
        return UserStore(
            users: [
                user("joe", "Welcome1", ["Manager", "Unknown"]), user("ann", "Welcome2", ["Clerk"]),
                user("bob", "Welcome3", []), user("odd", "a+b&c=%", []), user("off", "Welcome4", [], enabled: false),
                User(username: "sso1"), user("jürgen", "Grüße", []),
            ], hasher: hasher)
    }()

    static let key = SigningKey.generate(.es256)

    static func settings(
        _ key: SigningKey = key, clients: Clients = clients, users: UserStore = users,
        store: any TokenStore = MemoryTokenStore()
    ) -> TokenServiceSettings {
        let ring = SigningKeyRing(active: key)
        return TokenServiceSettings(
            issuer: baseURL, audience: [baseURL], baseURL: baseURL, keys: ServiceKeys([ring], published: ring.accepted),
            users: users, clients: clients, catalogue: catalogue,
            revocations: RevocationList(), store: store, storeKey: storeKey)
    }

    static let storeKey: TokenDigestKey = {
        guard let key = TokenDigestKey(SecureRandom.bytes(TokenDigestKey.length)) else { fatalError("32 bytes") }
        return key
    }()

    static func service(_ change: (inout TokenServiceSettings) -> Void = { _ in }) -> TokenService {
        var settings = settings()
        change(&settings)
        return TokenService(settings: settings)
    }

    static func client(
        _ name: String, _ id: String, _ client: String, _ secret: String, realm: String = "Default",
        oauthConsumer: Bool = true
    ) -> Client {
        Client(
            name: name, version: "1.0", id: id, anonymousKey: "anon-\(id)", clientID: client,
            clientSecret: secret.isEmpty ? nil : Secret(secret), realm: realm, oauthConsumer: oauthConsumer)
    }
}

func basic(_ id: String, _ secret: String) -> String {
    "Basic " + String(decoding: Base64.encode(Array("\(id):\(secret)".utf8).span), as: UTF8.self)
}

func tokenRequest(_ body: String, _ authorization: String? = basic("inv-client", "inv-secret")) -> EndpointRequest {
    // The other endpoints for clients don't look at the path either.
    EndpointRequest(
        method: .post, path: "/oauth2/token", contentType: "application/x-www-form-urlencoded; charset=utf-8",
        authorization: authorization.map { [$0] } ?? [], body: Array(body.utf8))
}

extension TokenService {
    /// Answers by the handler that the data plane would resolve.
    func handle(_ request: EndpointRequest, endpoint: EndpointDescriptor, now: Int64) -> Effect<EndpointResponse> {
        Families(self).handle(request, endpoint: endpoint, now: now)
    }

    /// The answer, blocking work done at once.
    func answer(
        _ request: EndpointRequest, _ endpoint: EndpointDescriptor = .token, at now: Int64 = Service.now
    ) -> EndpointResponse {
        handle(request, endpoint: endpoint, now: now).settled()
    }
}

extension EndpointResponse {
    var json: JSONNode? { try? JSONNode.parse(body.span) }
    var names: [String] { (json?.members ?? []).map(\.name).sorted() }
    var error: String? { json?["error"]?.string }
    var reasonText: String { "\(reason)" }

    func values(_ name: String) -> [String] { headers.filter { $0.name == name }.map(\.value) }

    /// The claims of the access token, after verification as the gateway does it.
    func claims(
        _ key: SigningKey = Service.key, audience: String = Service.baseURL, at now: Int64 = Service.now,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> AccessTokenClaims {
        let token = try #require(json?["access_token"]?.string, sourceLocation: sourceLocation)
        let issuer = TrustedIssuer(
            name: "own", issuer: Service.baseURL, audiences: [audience],
            keys: KeySet(keys: [JWTSigner(key: key).publishedKey]), algorithms: [key.algorithm], own: true)
        switch JWTVerifier(issuers: [issuer]).verify(Array(token.utf8).span, now: now) {
        case .rejected(let rejection):
            Issue.record("the token is rejected: \(rejection)", sourceLocation: sourceLocation)
            throw rejection
        case .needsKeys, .keysUnavailable: throw TokenRejection.unknownKey
        case .verified(let token):
            #expect(token.type == AccessTokenClaims.type, sourceLocation: sourceLocation)
            return try #require(AccessTokenClaims(verified: token.claims), sourceLocation: sourceLocation)
        }
    }
}
