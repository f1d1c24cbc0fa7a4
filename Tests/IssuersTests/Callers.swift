import Bytes
import Crypto
import Identity
import Issuers
import JOSE
import Model
import Outbound
import TestSupport

/// Callers, places and issuers for the tests.
enum Callers {
    static let catalogue = RoleCatalogue(["Manager", "Clerk", "a,b", "a", "b"])

    static func principal(
        _ subject: String = "joe", kind: Principal.Kind = .user, issuer: String = "local",
        client: String? = "mbe-inv-1", roles: [String] = [], level: Int = 2, virtual: Bool = false,
        catalogue: RoleCatalogue = catalogue, token: String = "",
        claims: SelectedClaims = .none
    ) -> Principal {
        Principal(
            kind: kind, method: .bearer, subject: subject, issuer: issuer, backendID: client,
            roles: catalogue.roles(named: roles), catalogue: catalogue, level: level, virtual: virtual,
            token: Array(token.utf8), claims: claims)
    }

    static let client = Client(
        name: "inventory", version: "1.0", id: "mbe-inv-1", anonymousKey: "YW5vbi1pbnY6azN5",
        clientID: "inv-client", clientSecret: Secret("inv-secret"))

    static func target(_ webgate: String = "InventoryWG", _ issuer: any TokenIssuer = DummyIssuer()) -> InjectionTarget
    {
        InjectionTarget(webgate: webgate, issuer: issuer)
    }

    static func key(_ subject: String = "joe", _ webgate: String = "InventoryWG") -> InjectionKey {
        InjectionKey(principal: principal(subject), target: target(webgate))
    }
}

/// A module that the product does not have (ISS-01).
struct DummyIssuer: TokenIssuer {
    let kind = "dummy"
    var configurationID = "dummy:1"
    var offloads = false
    var dependsOnCredential = false

    func issue(_ request: IssueRequest, now: Int64) -> Effect<Result<IssuedToken, IssueFailure>> {
        let value = "dummy-\(request.principal.subject)-\(request.webgate)-\(now)"
        let token = IssuedToken(value: Array(value.utf8), issuedAt: now, expiresAt: now + 100)
        return offloads ? .offload { .done(.success(token)) } : .done(.success(token))
    }
}

extension Effect where Value == Result<IssuedToken, IssueFailure> {
    /// The token, everything that it takes done at once.
    var token: IssuedToken? { try? settled().get() }
}

extension IssuedToken {
    convenience init(_ text: String = "token", issuedAt: Int64 = 0, expiresAt: Int64 = 3600) {
        self.init(value: Array(text.utf8), issuedAt: issuedAt, expiresAt: expiresAt)
    }

    var text: String { String(decoding: value, as: UTF8.self) }
}

extension EmbeddedIssuer {
    static func sample(
        _ key: SigningKey, issuer: String = "https://gw.example.com", audience: [String] = [], lifetime: Int64 = 3600,
        keyID: String? = nil
    ) -> EmbeddedIssuer? {
        var settings = Settings(issuer: issuer)
        settings.audience = audience
        settings.lifetimeSeconds = lifetime
        let signer = keyID.map { JWTSigner(key: key, keyID: $0) } ?? JWTSigner(key: key)
        return EmbeddedIssuer(settings: settings, signer: signer)
    }
}
