import Crypto
import Declaration
import Identity
import Issuers
import MobileSocial
import Model
import TestSupport
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

    private static func oauth2(_ more: [String: IssuerValue] = [:]) -> (any TokenIssuer)? {
        try? BuiltModule.make(.oauth2, BuiltModule.oauth2(more))
    }

    private static func login(_ more: [String: IssuerValue] = [:]) -> (any TokenIssuer)? {
        try? BuiltModule.make(.login, ["url": .text("https://api.example/login")].merging(more) { $1 })
    }

    private static func mobileSocial(_ more: [String: IssuerValue?] = [:]) -> (any TokenIssuer)? {
        try? BuiltModule.make(.mobileSocial, BuiltModule.mobileSocial(more), MobileSocialServer().caller)
    }

    private static let assertion = IssuerValue.object(["keyFile": .key(rs256)])
    private static let es256 = SigningKey.generate(.es256)
    private static let edDSA = SigningKey.generate(.edDSA)
    private static let rs256 = SigningKey.generate(.rs256)

    /// Every module of the composition root, and one from outside (ISS-01).
    static let all = [
        Module("embedded, ES256") { EmbeddedIssuer.sample(es256) },
        Module("embedded, EdDSA") { EmbeddedIssuer.sample(edDSA, audience: ["https://api.example.com"]) },
        Module("embedded, RS256") { EmbeddedIssuer.sample(rs256, audience: ["a", "b"]) },
        Module("static") { StaticIssuer(token: "0123-abc.DEF_~") },
        Module("oauth2, client credentials") { oauth2() },
        Module("oauth2, password") {
            oauth2(["grant": .text("password"), "username": .text("u"), "password": .text("p")])
        },
        Module("oauth2, JWT bearer, RS256") { oauth2(["grant": .text("jwt-bearer"), "assertion": assertion]) },
        Module("oauth2, token exchange") { oauth2(["grant": .text("token-exchange")]) },
        Module("http") { login() },
        Module("http, form") { login(["form": .map([(name: "user", value: "{subject}")])]) },
        Module("http, shared") { login(["method": .text("GET"), "perCaller": .flag(false)]) },
        Module("oam") { mobileSocial() },
        Module("oam, the caller's own") { mobileSocial(["login": .text("caller"), "username": nil, "password": nil]) },
        Module("sample") { try? BuiltModule.make(.sample, ["greeting": .text("hello")]) },
        Module("dummy") { DummyIssuer() },
        Module("dummy, off the loop") { DummyIssuer(offloads: true) },
    ]
}

/// What the framework relies on, asked of every module.
@Suite struct IssuerConformanceTests {
    private let now: Int64 = 1_700_000_000

    private func request(_ subject: String = "joe", client: Client? = Callers.client, webgate: String = "WG")
        -> IssueRequest
    {
        IssueRequest(
            principal: Callers.principal(subject, token: "a.b.c"), client: client, webgate: webgate,
            challenge: BuiltModule.challenge)
    }

    @Test("an issued token is unexpired and fits into a header field", arguments: Module.all)
    func tokenIsFitAndAlive(_ module: Module) throws {
        let token = try #require(module.issuer.issue(request(), now: now).token)
        #expect(token.isFitForHeaders)
        #expect(token.issuedAt == now)
        #expect(token.expiresAt > now)
    }

    @Test("routes without a webgate and callers without a backend are served", arguments: Module.all)
    func absentFactsAreNoObstacle(_ module: Module) {
        let principal = Callers.principal(client: nil, token: "a.b.c")
        let request = IssueRequest(
            principal: principal, client: nil, webgate: "", challenge: BuiltModule.challenge)
        #expect(module.issuer.issue(request, now: now).token != nil)
    }

    @Test("equal settings have the same, non-empty configuration id", arguments: Module.all)
    func configurationIDFollowsFromSettings(_ module: Module) {
        #expect(!module.issuer.configurationID.isEmpty)
        #expect(module.issuer.configurationID == module.twin.configurationID)
        #expect(!module.issuer.kind.isEmpty)
    }

    @Test("different modules have different configuration ids")
    func configurationIDsOfDifferentModulesDiffer() {
        let ids = Module.all.filter { $0.issuer.kind != "dummy" }.map(\.issuer.configurationID)
        #expect(Set(ids).count == ids.count)
    }

    @Test("an issued token can be cached and returned", arguments: Module.all)
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

    @Test("a previous token is replaced by another one", arguments: Module.all)
    func previousTokenIsNoObstacle(_ module: Module) throws {
        let old = IssuedToken(
            value: Array("old".utf8), issuedAt: now - 100, expiresAt: now, refresh: Array("refresh".utf8),
            refreshExpiresAt: now + 100)
        let request = IssueRequest(
            principal: Callers.principal(token: "a.b.c"), client: nil, webgate: "WG", previous: old,
            challenge: BuiltModule.challenge)
        #expect(try #require(module.issuer.issue(request, now: now).token).expiresAt > now)
    }

    @Test("configuration ids contain no secrets")
    func identitiesHoldNoSecret() throws {
        for module in Module.all {
            for secret in ["s:e%c", "0123-abc", "hello"] {
                #expect(!module.issuer.configurationID.contains(secret), "\(module.name)")
            }
        }
    }

    @Test(
        "keys are declared once, and do not clash with those of the framework",
        arguments: [IssuerModule.embedded, .fixed, .oauth2, .login, .mobileSocial, .sample])
    func declarationIsSound(_ module: IssuerModule) {
        let names = module.form.names
        #expect(Set(names).count == names.count)
        let reserved: Set = [
            "module", "allowedHosts", "tls", "connectTimeout", "readTimeout", "allowHttp", "maximumLifetime",
            "circuitBreaker",
        ]
        #expect(reserved.isDisjoint(with: names))
    }

    @Test("concurrent calls are independent", arguments: Module.all)
    func concurrentCallsAreIndependent(_ module: Module) async {
        let tokens = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<16 {
                group.addTask { [now] in
                    let request = IssueRequest(
                        principal: Callers.principal("user\(index)", token: "a.b.c"), client: nil, webgate: "WG",
                        challenge: BuiltModule.challenge)
                    return module.issuer.issue(request, now: now).token?.isFitForHeaders ?? false
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(tokens == Array(repeating: true, count: 16))
    }
}
