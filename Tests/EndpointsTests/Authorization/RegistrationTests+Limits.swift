import Authorization
import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import JOSE
import LoginPages
import Model
import OAuthServer
import Synchronization
import TestSupport
import Testing
import TokenStorage

/// Who registers clients, how many, and when they end.
extension RegistrationTests {
    @Test("an initial access token is required, compared as a whole, and guesses of it are held back")
    func initialToken() {
        let app = Self.closed()
        #expect(Self.register(app, token: Self.token).status == 201)
        for wrong in [nil, "x", String(Self.token.dropLast()), Self.token + "t", ""] {
            let reply = Self.register(app, token: wrong)
            #expect(reply.status == 401 && reply.reason == .registrationTokenInvalid, "\(wrong ?? "none")")
            #expect(reply.field("WWW-Authenticate")?.hasPrefix("Bearer") == true)
        }
        var last = EndpointResponse.problem(.notFound, "")
        for guess in 0..<200 where last.status != 429 { last = Self.register(app, token: "guess-\(guess)") }
        #expect(last.status == 429 && last.reason == .clientThrottled)
        // Neither the operator nor others are kept out by it.
        #expect(Self.register(app, token: Self.token).status == 201)
        #expect(Self.register(app, token: "x", from: "192.0.2.2").status == 401)
        // In an open registration a wrong token is wrong too.
        #expect(Self.register(Self.authorizing(), token: "x").status == 401)
    }

    @Test("a network registers few clients, and all together so many as are allowed")
    func limits() {
        let app = Self.authorizing {
            $0.rules.maximumClients = 50
            $0.tokenDigests = [DigestAlgorithm.sha256.digest(Array(Self.token.utf8).span)]
        }
        for _ in 0..<20 { #expect(Self.register(app).status == 201) }
        #expect(Self.register(app).reason == .loginThrottled)
        for _ in 0..<5 { #expect(Self.register(app, from: "192.0.2.2").status == 201) }
        let full = Self.register(app, from: "192.0.2.3")
        #expect(full.status == 503 && full.reason == .registrationsFull)
        // The other half is for callers with a token.
        #expect(Self.register(app, token: Self.token, from: "192.0.2.3").status == 201)
        // Clients that were registered for nothing make room after a day.
        #expect(Self.register(app, at: 86_400).status == 201)
    }

    @Test("an unused client ends, and use puts off its end")
    func lifetime() throws {
        let app = Self.authorizing { $0.rules.lifetimeSeconds = 1_000_000 }
        let (used, unused) = (try Client(app), try Client(app))
        #expect(used.redeem(try used.code()).status == 200)
        #expect(app.ask(unused.fields(), at: 86_399).reason == .ssoLoginAsked)
        #expect(app.ask(unused.fields(), at: 86_400).reason == .authorizationClientUnknown)
        #expect(used.redeem(try used.code(at: 900_000), at: 900_000).status == 200)
        #expect(app.ask(used.fields(), at: 1_899_000).reason != .authorizationClientUnknown)
        #expect(app.ask(used.fields(), at: 1_900_000).reason == .authorizationClientUnknown)
    }

    @Test("a client that ends while it is renewed stays ended")
    func renewalOfEnded() throws {
        let store = InterruptedStore()
        let app = Self.authorizing(store: store) { $0.rules.lifetimeSeconds = 1_000_000 }
        let client = try Client(app)
        let code = try client.code()
        store.interrupt { [id = client.id, access = client.access] operation in
            guard case .touch = operation else { return false }
            return Self.send(Self.authorizing(store: store), .delete, "/\(id)", "", access).status == 204
        }
        _ = client.redeem(code)
        #expect(store.wasInterrupted)
        #expect(app.ask(client.fields()).reason == .authorizationClientUnknown)
    }

    @Test("clients that register at the same time stay within the limit")
    func simultaneous() {
        var races = 0
        for _ in 0..<20 {
            let store = InterruptedStore()
            let gateway = { @Sendable in Self.authorizing(store: store) { $0.rules.maximumClients = 12 } }
            let app = gateway()
            let isListed = Mutex(false)
            // Another gateway registers a client between the list of what is free and the choice of a place.
            store.interrupt { operation in
                if case .list = operation { isListed.withLock { $0 = true } }
                guard case .claim = operation, isListed.withLock({ $0 }) else { return false }
                return Self.register(gateway()).status == 201
            }
            var granted = 0
            for _ in 0..<10 where Self.register(app).status == 201 { granted += 1 }
            #expect(granted + (store.wasInterrupted ? 1 : 0) == 6)
            races += store.wasInterrupted ? 1 : 0
        }
        #expect(races > 0)
    }

    @Test("clients above a lowered limit count")
    func loweredLimit() {
        let store = MemoryTokenStore()
        func register(_ limit: Int) -> Int {
            Self.register(Self.authorizing(store: store) { $0.rules.maximumClients = limit }).status
        }
        for _ in 0..<10 { #expect(register(20) == 201) }
        for limit in [20, 10, 1] { #expect(register(limit) == 503) }
        #expect(register(22) == 201)
    }

    @Test("a client gets no token without the certificate that its backend asks for")
    func certificate() throws {
        let app = Self.authorizing(clients: Authorizing.clients { $0[0].grants.bindsToCertificate = true })
        let client = try Client(app)
        let reply = client.redeem(try client.code())
        #expect(reply.status == 400 && reply.json?["access_token"] == nil, "\(reply.text)")
    }

    @Test("a client reads and ends its registration while the key of the store changes")
    func keyChange() throws {
        let key = try #require(TokenDigestKey(Array(repeating: 1, count: 32)))
        let app = Self.authorizing(storeKey: key)
        let (read, ended) = (try Client(app), try Client(app))
        key.adopt(try #require(TokenDigestKey(keys: [2, 1].map { Array(repeating: $0, count: 32) })))
        #expect(Self.send(app, .get, "/\(read.id)", "", read.access).status == 200)
        #expect(Self.send(app, .get, "/\(read.id)", "", ended.access).status == 401)
        #expect(Self.send(app, .delete, "/\(ended.id)", "", ended.access).status == 204)
        #expect(Self.send(app, .get, "/\(ended.id)", "", ended.access).status == 401)
    }

    @Test("a client reads and ends its registration with its token only; its tokens end too")
    func management() throws {
        let app = Self.authorizing()
        let client = try Client(
            app, #""token_endpoint_auth_method": "none", "grant_types": ["authorization_code", "refresh_token"]"#)
        let other = try Client(app)
        for (id, token) in [(client.id, other.access), (client.id, ""), (client.id, nil), ("dcr-x", client.access)] {
            for method in [HTTP.Method.get, .delete] {
                #expect(Self.send(app, method, "/\(id)", "", token).status == 401)
            }
        }
        let read = Self.send(app, .get, "/\(client.id)", "", client.access)
        #expect(read.status == 200 && read.json?["client_id"]?.string == client.id && read.reason == .registrationRead)
        #expect(read.json?["client_secret"] == nil)
        #expect(Self.send(app, .put, "/\(client.id)", "", client.access).status == 405)
        let reply = client.redeem(try client.code())
        let waiting = try client.code()
        let ended = Self.send(app, .delete, "/\(client.id)", "", client.access)
        #expect(ended.status == 204 && ended.body.isEmpty && ended.audit?.action == "unregister")
        #expect(try app.signOn.isGood(reply.claims(at: Mobile.start)) == false)
        #expect(client.redeem(waiting).error == "invalid_client")
        #expect(
            client.grant([("grant_type", "refresh_token"), ("refresh_token", reply.refreshToken ?? "")]).error
                == "invalid_client")
        #expect(Self.send(app, .get, "/\(client.id)", "", client.access).status == 401)
        #expect(app.ask(other.fields()).reason == .consentAsked)
    }

    @Test("a reload counts: what the rules do not allow any more is gone")
    func reload() throws {
        let store = MemoryTokenStore()
        let client = try Client(Self.authorizing(store: store))
        for change in [
            { $0.rules.redirects = [.scheme("com.example.app")] }, { $0.sponsorID = "mbe-off-1" },
            { $0.sponsorID = "unknown" },
        ] as [(inout RegistrationSettings) -> Void] {
            #expect(Self.authorizing(store: store, change).ask(client.fields()).reason == .authorizationClientUnknown)
        }
        #expect(Authorizing(store: store).ask(client.fields()).reason == .authorizationClientUnknown)
        let narrow = Self.authorizing(store: store) { $0.rules.scopes = ["openid"] }
        #expect(narrow.ask(client.fields("read")).sent["error"] == "invalid_scope")
        #expect(Self.authorizing(store: store).ask(client.fields()).reason == .ssoLoginAsked)
    }

    @Test("without the store nothing is granted")
    func outage() throws {
        let store = UnsteadyStore(MemoryTokenStore())
        let app = Self.authorizing(store: store)
        let client = try Client(app)
        let code = try client.code()
        store.fails = true
        #expect(Self.register(app).status == 503 && client.redeem(code).status == 503)
        #expect(app.ask(client.fields()).status == 503)
        #expect(Self.send(app, .get, "/\(client.id)", "", client.access).status == 503)
    }

    @Test("metadata name the endpoint only where it is")
    func discovery() throws {
        func document(_ app: Authorizing) throws -> JSONNode {
            let request = EndpointRequest(method: .get, path: "/.well-known/openid-configuration")
            return try #require(app.signOn.settings.families.answer(request, .metadata, at: Mobile.start).json)
        }
        let with = try document(Self.authorizing())
        #expect(with["registration_endpoint"]?.string == "\(Service.baseURL)/oauth2/register")
        #expect(
            with["token_endpoint_auth_methods_supported"]?.array?.compactMap(\JSONNode.string).contains("none") == true)
        #expect(try document(Authorizing())["registration_endpoint"] == nil)
        #expect(Self.register(Authorizing()).status == 404)
    }
}

/// A store that another gateway uses between two operations of this one.
private final class InterruptedStore: TokenStore {
    typealias Interruption = @Sendable (StoreOperation) -> Bool

    private let store = MemoryTokenStore()
    private let interruption = Mutex<Interruption?>(nil)
    private let done = Mutex(false)

    var kind: StaticString { store.kind }
    var state: StoreState { store.state }
    var wasInterrupted: Bool { done.withLock { $0 } }

    /// Calls this before each operation, not before its own ones, until it returns true.
    func interrupt(_ interruption: @escaping Interruption) { self.interruption.withLock { $0 = interruption } }

    func perform(
        _ operation: StoreOperation, now: Int64, then: @escaping @Sendable (Result<StoreAnswer, StoreFailure>) -> Void
    ) {
        if let interruption = interruption.withLock({ $0.take() }) {
            if interruption(operation) { done.withLock { $0 = true } } else { interrupt(interruption) }
        }
        store.perform(operation, now: now, then: then)
    }
}
