import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import Issuers
import JOSE
import Model
import OAuthServer
import Policy
import Reactor
import TestSupport
import Testing
import TokenStorage

@testable import Gateway

/// A worker that is moved turn by turn in the thread of the test, with a scripted upstream and scripted clients: what
/// happens between two turns happens at once for the worker.
final class WorkerBench {
    /// What a test may change of the configuration.
    struct Setup {
        var limits = GatewayLimits()
        var routes = Setup.usualRoutes
        var issuer: any TokenIssuer = StaticIssuer(token: "issued")
        var upstream: (inout Upstream) -> Void = { _ in }
        /// Those that stand before the usual one.
        var otherUpstreams: [Upstream] = []
        var policy: (inout PolicySettings) -> Void = { _ in }
        var accessLog: LogWriter?
        var listeners = [Setup.loopback]
        var proxies = TrustedProxies()
        /// By the route's name.
        var rateLimits: [String: [RateLimit]] = [:]
        var redis: RedisServer?
        var storeLine: StoreLine?
        var store: any TokenStore = MemoryTokenStore()
        var following = RevocationFollower.Settings()

        private static let loopback: ListenerSettings = {
            var listener = ListenerSettings(ListenerRules(name: "public"))
            listener.takesClearCredentials = true
            return listener
        }()

        /// `open` needs nothing, `mine` a login, `token` a login and gets a token for the upstream.
        static let usualRoutes: [ResolvedRoute] = {
            var open = ResolvedRoute(RouteEntry(name: "open", path: "/open/**"))
            open.access.isPublic = true
            let mine = ResolvedRoute(RouteEntry(name: "mine", path: "/mine/**"))
            var token = ResolvedRoute(RouteEntry(name: "token", path: "/token/**"))
            token.injections = [InjectionRule(issuer: "test", configurationID: "test")!]
            return [open, mine, token]
        }()
    }

    private static let signer = JWTSigner(key: SigningKey.generate(.es256))
    private static let client = Client(
        name: "inventory", version: "1.0", id: "mbe-1", anonymousKey: "YW5vbjprZXk", clientID: "client",
        clientSecret: Secret("secret"))
    /// Credentials of joe, whose password is right.
    static let credentials = credentials("joe:Welcome1")

    /// Name and password; requests with the same at the same time are one password check.
    static func credentials(_ pair: String) -> String {
        let text = String(decoding: Base64.encode(Array(pair.utf8).span), as: UTF8.self)
        return "Authorization: Basic \(text)\r\nOracle-Mobile-Backend-ID: mbe-1\r\n"
    }

    let worker: Worker
    let shared: SharedState
    let redis: RedisLine?
    let upstream: PeerListener
    let setup: Setup
    private let port: UInt16
    private let adminPort: UInt16
    private var clients: [Peer] = []

    init(_ change: (inout Setup) -> Void = { _ in }, upstream: PeerListener = PeerListener()) throws {
        var setup = Setup()
        change(&setup)
        self.setup = setup
        self.upstream = upstream
        var settings = SharedState.Settings()
        settings.engine = .underTest
        settings.accessLog = setup.accessLog
        redis = setup.redis.map { RedisLine($0) }
        settings.storeLine = redis?.workers ?? setup.storeLine
        shared = try WorkerBench.shared(setup, settings)
        let snapshot = try WorkerBench.snapshot(setup, upstreamPort: upstream.port, shared)
        worker = try Worker(number: 0, shared: shared, snapshot: snapshot)
        let address = try #require(SocketAddress(literal: "127.0.0.1", port: 0))
        let listeners = [
            BoundListenerBox(try BoundListener(address), id: 0), BoundListenerBox(try BoundListener(address), id: 1),
        ]
        port = listeners[0].address.port
        adminPort = listeners[1].address.port
        try worker.begin(listeners)
    }

    /// What the workers of a process share. Nothing is shared with this bench.
    func anotherShared() throws -> SharedState {
        var settings = SharedState.Settings()
        settings.engine = .underTest
        return try WorkerBench.shared(setup, settings)
    }

    private static func shared(_ setup: Setup, _ settings: SharedState.Settings) throws -> SharedState {
        let log = EventLog(try LogWriter(appendingTo: "/dev/null"))
        let tokens = RevocationFollower(
            setup.store, list: RevocationList(), isShared: !(setup.store is MemoryTokenStore),
            settings: setup.following,
            log: log, now: Clock.monotonicMilliseconds)
        return try SharedState(
            settings: settings, workers: 1, adminListeners: [1], issuedTokens: IssuedTokenStore(), tokens: tokens,
            outbound: OutboundCalls(resultThreads: 0), log: log)
    }

    /// The configuration of this bench after a change.
    func snapshot(generation: UInt64 = 2, _ change: (inout Setup) -> Void) throws -> GatewaySnapshot {
        var setup = setup
        change(&setup)
        return try WorkerBench.snapshot(setup, generation: generation, upstreamPort: upstream.port, shared)
    }

    private static func snapshot(
        _ setup: Setup, generation: UInt64 = 1, upstreamPort: UInt16, _ shared: SharedState
    ) throws -> GatewaySnapshot {
        let hasher = PasswordHasher()
        let password = Array("Welcome1".utf8)
        let hash = try hasher.make(password.span, scheme: .saltedSHA512)
        let users = UserStore(users: [User(username: "joe", passwordHash: hash, roles: ["Clerk"])], hasher: hasher)
        let clients = Clients([client])
        let key = [UInt8](repeating: 7, count: 32)
        let ring = try #require(AEADKey(key.span).flatMap { AEADKeyRing([$0]) })
        var settings = PolicySettings(
            clients: clients, users: users, revocations: shared.revocations,
            challenges: ChallengeIssuer(keys: ring))
        settings.generation = generation
        settings.ownOrigins = ["https://gw.example.com"]
        settings.allowOrigin = "https://*.example.com"
        settings.roles = RoleCatalogue(["Clerk"])
        settings.routes = setup.routes
        settings.endpoints = [("/oauth2/token", .token), ("/whoami", .whoAmI)]
        setup.policy(&settings)
        let policy = PolicySnapshot(settings)
        let target = InjectionTarget(webgate: "", issuer: setup.issuer)
        let tokens = TokenService(
            settings: TokenServiceSettings(
                issuer: "https://gw.example.com", audience: ["gw"], baseURL: "https://gw.example.com",
                keys: ServiceKeys([SigningKeyRing(active: signer.key)], published: KeySet(keys: [])), users: users,
                clients: clients, catalogue: settings.roles,
                revocations: shared.revocations, store: MemoryTokenStore(),
                storeKey: try #require(TokenDigestKey(SecureRandom.bytes(TokenDigestKey.length)))))
        var endpoints = EndpointHandlers()
        endpoints.add(tokens.handlers)
        let address = try #require(SocketAddress(literal: "127.0.0.1", port: upstreamPort))
        var upstream = Upstream(name: "api", address: address)
        setup.upstream(&upstream)
        return GatewaySnapshot(
            generation: generation, policy: policy,
            injections: policy.routes.routes.map { $0.injections.map { _ in target } }, tokens: tokens,
            endpoints: endpoints,
            clients: clients, upstreams: setup.otherUpstreams + [upstream], limits: setup.limits,
            listeners: setup.listeners,
            adminToken: Array("admin".utf8), adminHosts: ["h", "gw.example.com"], proxies: setup.proxies,
            rateLimits: RequestLimiters(
                routes: policy.routes.routes.map { (setup.rateLimits[$0.name] ?? []).map { RateLimiter($0) } }))
    }

    // MARK: Turns

    /// One turn that does not wait.
    func turn() {
        worker.context.mailbox.waker.wake()
        worker.turn()
    }

    /// Turns until the condition holds, for half a minute at the most: while others block the threads of Dispatch, it makes
    /// a further one for the work of the pool once a second, and later on a busy machine.
    func turn(until condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation) {
        let deadline = Clock.monotonicMilliseconds + 30_000
        while !condition() {
            guard Clock.monotonicMilliseconds < deadline else {
                Issue.record("it did not come to that", sourceLocation: sourceLocation)
                return
            }
            turn()
        }
    }

    /// A few turns, for what must not happen.
    func settle() { for _ in 0..<10 { turn() } }

    /// Lets so much time pass, turning.
    func pass(milliseconds: Int64) {
        let end = Clock.monotonicMilliseconds + milliseconds
        while Clock.monotonicMilliseconds < end { turn() }
    }

    // MARK: Clients and upstreams

    func client(receiveBuffer: Int32? = nil) -> Peer { remember(Peer(port: port, receiveBuffer: receiveBuffer)) }

    func adminClient() -> Peer { remember(Peer(port: adminPort)) }

    private func remember(_ client: Peer) -> Peer {
        clients.append(client)
        return client
    }

    /// The next connection of the worker to the upstream.
    func accepted(sourceLocation: SourceLocation = #_sourceLocation) throws -> Peer {
        var peer: Peer?
        turn(
            until: {
                peer = upstream.accept()
                return peer != nil
            }, sourceLocation: sourceLocation)
        return try #require(peer, sourceLocation: sourceLocation)
    }

    /// Lets the upstream receive a head, and answers it.
    func head(_ server: Peer, sourceLocation: SourceLocation = #_sourceLocation) -> String {
        turn(until: { server.text.contains("\r\n\r\n") }, sourceLocation: sourceLocation)
        let head = server.text
        server.forget()
        return head
    }

    /// Sends a request and lets it arrive on a new upstream connection.
    func requested(_ client: Peer, _ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Peer {
        client.send(text)
        let server = try accepted(sourceLocation: sourceLocation)
        _ = head(server, sourceLocation: sourceLocation)
        return server
    }

    /// Waits for exactly this to have come to the client, `Date` lines aside, and forgets it.
    func expect(_ client: Peer, ends text: String, sourceLocation: SourceLocation = #_sourceLocation) -> String {
        turn(until: { client.text.hasSuffix(text) }, sourceLocation: sourceLocation)
        let all = client.text
        client.forget()
        return all
    }

    /// When all clients have gone nothing is left of them: no exchange, no buffer, and no upstream connection in use.
    func expectNothingLeft(sourceLocation: SourceLocation = #_sourceLocation) {
        for client in clients { client.close() }
        turn(until: { worker.frontend.clients.used == 0 }, sourceLocation: sourceLocation)
        turn(until: { worker.poller.chunks.inUse == 0 }, sourceLocation: sourceLocation)
        #expect(worker.report.current.requestsInFlight == 0, sourceLocation: sourceLocation)
        for server in worker.groups.all.flatMap(\.servers) {
            let idle = server.pool.idleCount + server.sessions.count { $0.users.isEmpty && $0.waiting.isEmpty }
            #expect(server.pool.open == idle, sourceLocation: sourceLocation)
        }
    }

    var errors: [UInt64] { worker.report.current.upstreamErrors }
}

extension String {
    static func get(_ path: String = "/open/x", _ fields: String = "") -> String {
        "GET \(path) HTTP/1.1\r\nHost: gw.example.com\r\n\(fields)\r\n"
    }

    static func post(_ path: String = "/open/x", _ body: String) -> String {
        "POST \(path) HTTP/1.1\r\nHost: gw.example.com\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    static func ok(_ body: String, _ fields: String = "") -> String {
        "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)"
    }

    /// How often a text stands in this one.
    func count(of text: String) -> Int { split(separator: text, omittingEmptySubsequences: false).count - 1 }
}
