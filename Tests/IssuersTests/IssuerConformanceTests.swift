import Crypto
import Identity
import Issuers
import Testing

/// A module, two ways: as built twice from the same settings.
struct Module: Sendable, CustomTestStringConvertible {
    let name: String
    let issuer: any TokenIssuer
    let twin: any TokenIssuer

    var testDescription: String { name }

    init(_ name: String, _ make: () -> (any TokenIssuer)?) {
        guard let issuer = make(), let twin = make() else { fatalError("\(name) can't be made") }
        self.name = name
        self.issuer = issuer
        self.twin = twin
    }

    private static let es256 = SigningKey.generate(.es256)
    private static let edDSA = SigningKey.generate(.edDSA)
    private static let rs256 = SigningKey.generate(.rs256)

    /// Every module of the composition root, and one from outside (ISS-01).
    static let all = [
        Module("embedded, ES256") { EmbeddedIssuer.sample(es256) },
        Module("embedded, EdDSA") { EmbeddedIssuer.sample(edDSA, audience: ["https://api.example.com"]) },
        Module("embedded, RS256") { EmbeddedIssuer.sample(rs256, audience: ["a", "b"]) },
        Module("static") { StaticIssuer(token: "0123-abc.DEF_~") },
        Module("dummy") { DummyIssuer() },
        Module("dummy, off the loop") { DummyIssuer(offloads: true) },
    ]
}

/// What the framework relies on, asked of every module.
@Suite struct IssuerConformanceTests {
    private let now: Int64 = 1_700_000_000

    private func request(_ subject: String = "joe", backend: Backend? = Callers.backend, webgate: String = "WG")
        -> IssueRequest
    {
        IssueRequest(principal: Callers.principal(subject), backend: backend, webgate: webgate)
    }

    @Test(arguments: Module.all)
    func tokenIsFitAndAlive(_ module: Module) throws {
        let token = try #require(module.issuer.issue(request(), now: now).token)
        #expect(token.isFitForHeaders)
        #expect(token.issuedAt == now)
        #expect(token.expiresAt > now)
    }

    /// Routes without webgate and callers without backend are served too.
    @Test(arguments: Module.all)
    func absentFactsAreNoObstacle(_ module: Module) {
        let principal = Callers.principal(backend: nil)
        let request = IssueRequest(principal: principal, backend: nil, webgate: "")
        #expect(module.issuer.issue(request, now: now).token != nil)
    }

    /// The store's keys rest on it: same settings same id, and never empty.
    @Test(arguments: Module.all)
    func configurationIDFollowsFromSettings(_ module: Module) {
        #expect(!module.issuer.configurationID.isEmpty)
        #expect(module.issuer.configurationID == module.twin.configurationID)
        #expect(!module.issuer.kind.isEmpty)
    }

    @Test func configurationIDsOfDifferentModulesDiffer() {
        let ids = Module.all.filter { $0.issuer.kind != "dummy" }.map(\.issuer.configurationID)
        #expect(Set(ids).count == ids.count)
    }

    /// A token goes through the store as the framework makes it go.
    @Test(arguments: Module.all)
    func tokenPassesThroughTheStore(_ module: Module) throws {
        let store = IssuedTokenStore()
        let key = InjectionKey(
            principal: Callers.principal(), target: InjectionTarget(webgate: "WG", issuer: module.issuer))
        let waiter = IssuedTokenStore.Waiter(worker: 0, exchange: 1)
        guard case .lead(let flight) = store.lookup(key, waiter: waiter, now: now) else {
            Issue.record("the first caller does not lead")
            return
        }
        let token = try #require(module.issuer.issue(request(), now: now).token)
        let completion = store.complete(flight, .success(token), now: now)
        #expect(try completion.result.get() === token)
        guard case .hit(let cached, nil) = store.lookup(key, waiter: waiter, now: now) else {
            Issue.record("the token is not kept")
            return
        }
        #expect(cached === token)
    }

    /// Modules are shared by all workers.
    @Test(arguments: Module.all)
    func concurrentCallsAreIndependent(_ module: Module) async {
        let tokens = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<16 {
                group.addTask { [now] in
                    let request = IssueRequest(
                        principal: Callers.principal("user\(index)"), backend: nil, webgate: "WG")
                    return module.issuer.issue(request, now: now).token?.isFitForHeaders ?? false
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(tokens == Array(repeating: true, count: 16))
    }
}
