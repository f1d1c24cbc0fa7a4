import Bytes
import Facebook
import HTTP
import Identity
import Model
import Outbound
import Synchronization
import TestSupport
import Testing

@testable import Policy

/// A case of `facebook.json`.
private struct FacebookCase: Sendable, CustomTestStringConvertible {
    let id: String
    let node: JSONNode

    var testDescription: String { id }

    static let all: [FacebookCase] = (Fixtures.json("apiomat/facebook.json")["cases"]?.array ?? []).map {
        FacebookCase(id: $0.text("id"), node: $0)
    }
}

@Suite("FB-01 to FB-07: social login")
struct SocialDecisionTests {
    private static let consumer = Client(
        name: "consumer", version: "1.0", id: "mbe-fb-1", anonymousKey: "YW5vbi1mYjprM3k=",
        clientID: "fb-client", clientSecret: Secret("fb-secret"), enableSSO: true,
        socialLogin: (try? WebURL("https://graph.example.com/debug_token")).map {
            SocialLogin(provider: "facebook", appID: "42", appSecret: "s", verifyURL: $0)
        })

    private static let anonymous = ("Authorization", "Basic YW5vbi1mYjprM3k=")
    private static let consumerID = ("Oracle-Mobile-Backend-ID", "mbe-fb-1")
    private static let provider = ("Oracle-Mobile-Social-Identity-Provider", "facebook")
    private static let token = ("Oracle-Mobile-Social-Access-Token", "EAAB")

    private let facebook = Verdicts()

    private func snapshot(_ change: (inout ResolvedRoute) -> Void = { _ in }) -> PolicySnapshot {
        var settings = TestPolicy.settings(clients: [TestPolicy.inventory, Self.consumer])
        settings.socialVerifier = FacebookVerifier(caller: facebook) { TestPolicy.now }
        var route = ResolvedRoute(RouteEntry(name: "vector", path: "/vector"))
        change(&route)
        settings.routes.append(route)
        return TestPolicy.snapshot(settings)
    }

    /// Z01 to Z10. Z11 is refused before the decision; the running binary shows it.
    @Test("vectors", arguments: FacebookCase.all.filter { $0.id != "Z11" })
    fileprivate func vector(_ vector: FacebookCase) {
        let node = vector.node
        let snapshot = snapshot {
            $0.access.loginRequired = node["route"]?["loginRequired"]?.bool ?? true
            $0.access.socialLogin = node["route"]?["socialLogin"]?.bool ?? false
            if let roles = node["route"]?["roles"]?.array {
                $0.access.roles = RoleNames(any: roles.compactMap(\.string))
            }
        }
        var fields = [Self.anonymous, Self.consumerID, Self.provider, Self.token]
        if let name = node["provider"]?.string { fields[2].1 = name }
        if node["authorization"] != nil { fields[0].1 = "Basic d3Jvbmc6a2V5" }
        for missing in node["headersMissing"]?.array ?? [] { fields.removeAll { $0.0 == missing.string } }
        if node["tokenRejectedByVerifier"]?.bool == true { facebook.answers(#"{"data":{"is_valid":false}}"#) }
        if let instead = node["instead"]?.string {
            let isConsumer = instead.hasSuffix("consumer")
            fields = [basic("joe:Welcome1"), isConsumer ? Self.consumerID : inventoryID]
        }
        let decision = decide(TestRequest("GET", "/vector", fields), snapshot)
        let status: Int64 = if case .denied(let reason) = decision { Int64(reason.status) } else { 200 }
        #expect(status == node["status"]?.integer, "\(decision)")
    }

    @Test("all vectors are there")
    func count() { #expect(FacebookCase.all.count == 11) }

    @Test("who it is: a user without account and roles, below a password's level")
    func principal() throws {
        let request = TestRequest("GET", "/social/feed", [Self.anonymous, Self.consumerID, Self.provider, Self.token])
        guard case .resolve(let effect) = request.authenticate(snapshot()) else {
            Issue.record("nobody was asked")
            return
        }
        let principal = try effect.settled().get()
        #expect(principal.subject == "facebook:1001" && principal.method == .social && principal.kind == .user)
        #expect(principal.virtual && principal.roleNames.isEmpty && principal.level == 1)
        #expect(principal.backendID == "mbe-fb-1" && principal.token.isEmpty)
    }

    @Test("header names and the provider have any case (FB-01)")
    func anyCase() {
        let fields = [
            Self.anonymous, ("oracle-mobile-backend-id", "mbe-fb-1"),
            ("oracle-mobile-social-identity-provider", "Facebook"), ("ORACLE-MOBILE-SOCIAL-ACCESS-TOKEN", "EAAB"),
        ]
        #expect(decide(TestRequest("GET", "/social/feed", fields), snapshot()) == .allowed("facebook:1001"))
    }

    @Test(
        "half a social login is none, not even an anonymous call",
        arguments: [[provider], [token], [provider, token, token]])
    private func halves(_ more: [(String, String)]) {
        let snapshot = snapshot { $0.access.loginRequired = false }
        let fields = [Self.anonymous, Self.consumerID] + more
        #expect(decide(TestRequest("GET", "/vector", fields), snapshot) == .denied(.malformedCredential))
        #expect(
            decide(TestRequest("GET", "/vector", [Self.anonymous, Self.consumerID]), snapshot) == .allowed("anonymous"))
    }

    @Test("the provider is down: 503, which counts as no bad credential (FB-03)")
    func providerIsDown() {
        facebook.fails()
        let fields = [Self.anonymous, Self.consumerID, Self.provider, Self.token]
        #expect(decide(TestRequest("GET", "/social/feed", fields), snapshot()) == .denied(.identityProviderUnavailable))
        #expect(Reason.identityProviderUnavailable.status == 503)
    }

    @Test("a Facebook backend takes no other method (FB-04)")
    func nothingElse() {
        let snapshot = snapshot()
        #expect(!Self.consumer.oauthConsumer && !Self.consumer.enableSSO)
        #expect(
            decide(TestRequest("GET", "/anyone", [basic("joe:Welcome1"), Self.consumerID]), snapshot)
                == .denied(.socialLoginOnly))
        let token = TestPolicy.token(client: Self.consumer)
        #expect(
            decide(TestRequest("GET", "/anyone", [("Authorization", "Bearer \(token)")]), snapshot)
                == .denied(.oauthDisabled))
        #expect(
            decide(TestRequest("GET", "/anyone", [Self.anonymous, Self.consumerID]), snapshot)
                == .denied(.loginRequired))
    }

    @Test("where the backend has no Facebook login, its fields mean nothing")
    func elsewhere() {
        let key = ("Authorization", "Basic YW5vbi1pbnY6azN5")
        let fields = [key, inventoryID, Self.provider, Self.token]
        #expect(decide(TestRequest("GET", "/inventory/public", fields), snapshot()) == .allowed("anonymous"))
        #expect(decide(TestRequest("GET", "/inventory/me", fields), snapshot()) == .denied(.loginRequired))
        #expect(facebook.calls == 0)
    }

    @Test("a login that lasts goes on as long as the backend has it (GW-11)")
    func readmission() throws {
        let request = TestRequest("GET", "/social/feed", [Self.anonymous, Self.consumerID, Self.provider, Self.token])
        guard case .resolve(let effect) = request.authenticate(snapshot()) else {
            Issue.record("nobody was asked")
            return
        }
        let principal = try effect.settled().get()
        #expect(readmit(principal, "/social/feed", snapshot()) == nil)
        var settings = TestPolicy.settings()
        settings.clients = Clients([TestPolicy.inventory])
        #expect(readmit(principal, "/social/feed", TestPolicy.snapshot(settings)) == .unknownSubject)
    }
}

/// Why a lasting exchange would be refused; nil where it goes on.
func readmit(_ principal: Principal, _ path: String, _ snapshot: PolicySnapshot) -> Reason? {
    let (host, path) = (Array("gw.example.com".utf8), Array(path.utf8))
    let outcome = snapshot.readmit(
        principal, BufferedRequest(.get, host: host.span), path: path.span, now: TestPolicy.now,
        cache: VerifiedTokenCache(capacity: 4))
    if case .refused(let reason) = outcome { return reason }
    return nil
}

/// Plays the part of Facebook.
private final class Verdicts: OutboundCaller {
    private let answer = Mutex<OutboundResult>(
        Verdicts.result(#"{"data":{"app_id":"42","is_valid":true,"user_id":"1001"}}"#))
    private let count = Mutex(0)

    var calls: Int { count.withLock { $0 } }

    private static func result(_ json: String) -> OutboundResult {
        .response(OutboundResponse(status: 200, body: Array(json.utf8)))
    }

    func answers(_ json: String) { answer.withLock { $0 = Verdicts.result(json) } }
    func fails() { answer.withLock { $0 = .failed(.timeout) } }

    func perform(_ call: OutboundCall, then: @escaping @Sendable (OutboundResult) -> Void) {
        count.withLock { $0 += 1 }
        then(answer.withLock { $0 })
    }
}
