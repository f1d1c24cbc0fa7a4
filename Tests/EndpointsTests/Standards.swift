import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import JOSE
import Model
import OAuthServer
import Synchronization
import TestSupport
import Testing
import TokenStorage

/// A token service whose clients may have all that standards offer: `inv-client` with refresh tokens, introspection and
/// exchange, `key-client` with keys and no secret, `sch-client` with nothing.
struct Standards {
    static let clientKey = SigningKey.generate(.es256)

    let service: TokenService
    let revocations: RevocationList
    let store: any TokenStore

    init(
        users: UserStore = Service.users, store: any TokenStore = MemoryTokenStore(),
        _ change: (inout TokenServiceSettings) -> Void = { _ in }
    ) {
        var settings = Service.settings(clients: Self.clients(), users: users, store: store)
        change(&settings)
        service = TokenService(settings: settings)
        revocations = settings.revocations
        self.store = store
    }

    static var clientKeys: [String: KeySet] {
        ["mbe-key-1": KeySet(keys: [JWTSigner(key: clientKey).publishedKey])]
    }

    static func clients(_ change: (inout Client) -> Void = { _ in }) -> Clients {
        var inventory = Service.client("inventory", "mbe-inv-1", "inv-client", "inv-secret")
        inventory.grants.refresh = RefreshLifetimes(tokenSeconds: 1000, familySeconds: 5000)
        inventory.grants.introspection = true
        inventory.grants.exchange = ExchangeRules(
            subjects: ["scheduler/1.0"], clients: ["scheduler/1.0", "other/1.0"],
            audiences: ["https://billing.example.com"], scopes: ["read", "list"], actors: true, lifetimeSeconds: 300)
        change(&inventory)
        var keyed = Service.client("keyed", "mbe-key-1", "key-client", "")
        keyed.grants.introspection = true
        let others = [
            Service.client("scheduler", "mbe-sch-1", "sch-client", "sch-secret"),
            Service.client("other", "mbe-oth-1", "oth-client", "oth-secret", realm: "Other"),
        ]
        return Clients([inventory, keyed] + others, clientKeys: clientKeys)
    }

    // MARK: Requests

    func grant(_ body: String, _ client: String = "inv", at now: Int64 = Service.now) -> EndpointResponse {
        service.answer(tokenRequest(body, basic("\(client)-client", "\(client)-secret")), at: now)
    }

    func login(_ more: String = "", _ client: String = "inv", at now: Int64 = Service.now) -> EndpointResponse {
        grant("grant_type=password&username=joe&password=Welcome1\(more)", client, at: now)
    }

    func refresh(
        _ token: String?, _ more: String = "", _ client: String = "inv", at now: Int64 = Service.now
    ) -> EndpointResponse {
        grant("grant_type=refresh_token&refresh_token=\(token ?? "")\(more)", client, at: now)
    }

    func revoke(_ token: String?, _ client: String = "inv", at now: Int64 = Service.now) -> EndpointResponse {
        service.answer(
            tokenRequest("token=\(token ?? "")", basic("\(client)-client", "\(client)-secret")), .revocation, at: now)
    }

    func introspect(_ token: String?, _ client: String = "inv", at now: Int64 = Service.now) -> EndpointResponse {
        service.answer(
            tokenRequest("token=\(token ?? "")", basic("\(client)-client", "\(client)-secret")), .introspection,
            at: now)
    }
}

extension EndpointResponse {
    var accessToken: String? { json?["access_token"]?.string }
    var refreshToken: String? { json?["refresh_token"]?.string }
    var isActive: Bool? { json?["active"]?.bool }
}

/// A store that does not answer.
final class BrokenStore: TokenStore {
    var kind: StaticString { "memory" }
    var state: StoreState { .unavailable(since: 0) }

    func perform(
        _ operation: StoreOperation, now: Int64, then: @escaping @Sendable (Result<StoreAnswer, StoreFailure>) -> Void
    ) {
        then(.failure(.unavailable))
    }
}
