import ApiOmat
import Bytes
import Crypto
import Endpoints
import Facebook
import HTTP
import Identity
import Model
import Outbound
import Synchronization
import TestSupport
import Testing
import TokenStorage

/// The ApiOmat part of the fixture of section 1.5: application, users, a store and a clock.
final class Apps: Sendable {
    static let key = "1234567890123456789"
    static let other = "9876543210987654321"
    static let user = "testUser"
    static let start: Int64 = 1_700_000_000

    let tokens: ApplicationTokens
    let registry = Registry()
    let provider = Provider()
    let store: any TokenStore
    let revocations = RevocationList()

    init(store: any TokenStore = MemoryTokenStore(), _ change: (inout Application) -> Void = { _ in }) {
        self.store = store
        var first = Application(name: "testApp", apiKey: Apps.key, userClass: .basics)
        first.administrator = Application.Administrator(mail: "admin@example.com", passwordHash: Apps.hash("adminpw"))
        first.writers = ["writer"]
        change(&first)
        let second = Application(name: "otherApp", apiKey: Apps.other, userClass: .basics)
        var settings = ApplicationTokens.Settings(
            applications: ApplicationStore([first, second]), users: Apps.users, hasher: PasswordHasher(),
            catalogue: RoleCatalogue(["Manager", "Clerk"]), store: store, key: Apps.digestKey)
        settings.registry = registry
        settings.revocations = revocations
        settings.social = FacebookVerifier(caller: provider) { Apps.start }
        tokens = ApplicationTokens(settings: settings)
    }

    static let digestKey: TokenDigestKey = {
        guard let key = TokenDigestKey([UInt8](repeating: 7, count: 32)) else { fatalError("no key") }
        return key
    }()

    static let users = UserStore(
        users: [
            User(username: user, email: "test@example.com", passwordHash: hash("secret"), roles: ["Clerk"]),
            User(username: "writer", passwordHash: hash("writing")),
            User(username: "plain", passwordHash: hash("plainpw")),
            User(username: "off", passwordHash: hash("offpw"), enabled: false),
            User(username: "jo/é", passwordHash: hash("odd")),
            User(username: "stranger", realm: "Other", passwordHash: hash("elsewhere")),
        ], hasher: PasswordHasher())

    static func hash(_ password: String) -> String {
        (try? PasswordHasher().make(Array(password.utf8).span, scheme: .saltedSHA512)) ?? ""
    }

    // MARK: Requests

    /// The seed's request, with more parameters behind it.
    static func wish(_ more: String = "", user: String = user, password: String = "secret") -> String {
        "grant_type=aom_user&client_id=testApp&client_secret=\(key)&username=\(user)&app=testApp"
            + "&password=\(password)&system=LIVE" + (more.isEmpty ? "" : "&\(more)")
    }

    static func refreshing(_ token: String, app: String = "testApp", key: String = key) -> String {
        "grant_type=refresh_token&client_id=\(app)&client_secret=\(key)&refresh_token=\(token)"
    }

    func post(_ form: String, at seconds: Int64 = 0, authorization: [String] = []) -> EndpointResponse {
        let request = EndpointRequest(
            method: .post, path: "/yambas/oauth/token", contentType: "application/x-www-form-urlencoded",
            authorization: authorization, body: Array(form.utf8))
        return tokens.token(request, now: Apps.start + seconds).settled()
    }

    func revoke(
        _ token: String?, everything: Bool = false, method: HTTP.Method = .post, key: String? = key,
        at seconds: Int64 = 0
    ) -> EndpointResponse {
        let request = EndpointRequest(
            method: method, path: "/yambas/oauth/users/revoke", authorization: token.map { ["Bearer \($0)"] } ?? [],
            fields: key.map { [(name: "x-apiomat-apikey", value: $0)] } ?? [])
        return tokens.revoke(request, everything: everything, now: Apps.start + seconds).settled()
    }

    func object(
        _ method: HTTP.Method, _ id: String? = user, _ body: String = "", _ authorization: String?,
        at seconds: Int64 = 0,
        key: String? = key, path: String = "/yambas/rest/apps/testApp/models/Basics/User",
        contentType: String = "application/json"
    ) -> EndpointResponse {
        let request = EndpointRequest(
            method: method, path: path + (id.map { "/\($0)" } ?? ""), contentType: contentType,
            authorization: authorization.map { [$0] } ?? [], body: Array(body.utf8), requestID: "r-1",
            fields: key.map { [(name: "x-apiomat-apikey", value: $0)] } ?? [])
        return tokens.userObject(request, now: Apps.start + seconds).settled()
    }

    static let administrator = basic("admin@example.com", "adminpw")

    /// The principal of a bearer token on a route.
    func present(_ token: String, at seconds: Int64 = 0) -> Result<Principal, OpaqueTokenRefusal> {
        let bytes = Array(token.utf8)
        return tokens.resolve(bytes.span, now: Apps.start + seconds)?.settled() ?? .failure(.unknown)
    }

    func perform(_ operation: StoreOperation, at seconds: Int64 = 0) -> StoreAnswer? {
        let answer = Mutex<StoreAnswer?>(nil)
        store.perform(operation, now: Apps.start + seconds) { result in answer.withLock { $0 = try? result.get() } }
        return answer.withLock { $0 }
    }
}

extension EndpointResponse {
    var access: String { json?["access_token"]?.string ?? "" }
    var renewal: String { json?["refresh_token"]?.string ?? "" }
    var expiresIn: Int64? { json?["expires_in"]?.integer }
    var scope: String? { json?["scope"]?.string }
}

/// Remembers what it was asked to change.
final class Registry: UserRegistry {
    private let changes = Mutex<[UserChange]>([])
    private let origin = Mutex(ChangeOrigin())
    private let answer = Mutex<UserChangeOutcome>(.done)

    var asked: [UserChange] { changes.withLock { $0 } }
    /// Of the last change.
    var askedFrom: ChangeOrigin { origin.withLock { $0 } }

    func answers(_ outcome: UserChangeOutcome) { answer.withLock { $0 = outcome } }

    func perform(
        _ change: UserChange, from origin: ChangeOrigin, then: @escaping @Sendable (UserChangeOutcome) -> Void
    ) {
        changes.withLock { $0.append(change) }
        self.origin.withLock { $0 = origin }
        then(answer.withLock { $0 })
    }
}

/// Plays the part of Facebook.
final class Provider: OutboundCaller {
    private let targets = Mutex<[String]>([])
    private let answer = Mutex<OutboundResult>(.failed(.connect))

    var asked: [String] { targets.withLock { $0 } }

    func answers(_ json: String, status: Int = 200) {
        answer.withLock { $0 = .response(OutboundResponse(status: status, body: Array(json.utf8))) }
    }

    func perform(_ call: OutboundCall, then: @escaping @Sendable (OutboundResult) -> Void) {
        targets.withLock { $0.append(call.url.target) }
        then(answer.withLock { $0 })
    }
}
