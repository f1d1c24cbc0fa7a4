import Bytes
import Crypto
import HTTP
import Identity
import JOSE
import Model
import TestSupport
import Testing

@testable import Policy

/// GW-11: what goes on for long is decided anew under another configuration, as strictly as at its start.
@Suite("Readmission") struct ReadmissionTests {
    /// Lets a request in, then decides about it again under other settings. Answers the name of the route, or the reason.
    private func readmit(
        _ fields: [(String, String)], _ path: String = "/inventory/items", _ method: String = "GET",
        origin: String = "", at now: Int64 = TestPolicy.now, revocations: RevocationList = RevocationList(),
        before: (inout PolicySettings) -> Void = { _ in }, change: (inout PolicySettings) -> Void
    ) -> String {
        var settings = TestPolicy.settings(revocations: revocations)
        before(&settings)
        let request = TestRequest(method, path, fields)
        let first = TestPolicy.snapshot(settings)
        guard case .route(let route)? = request.match(first) else { return "no route at first" }
        var principal: Principal?
        switch request.authenticate(first, route) {
        case .principal(let known): principal = known
        case .resolve(let effect): principal = try? effect.settled().get()
        default: break
        }
        settings.generation = 2
        change(&settings)
        let (host, path, from) = (Array("gw.example.com".utf8), Array(path.utf8), Array(origin.utf8))
        let outcome = TestPolicy.snapshot(settings).readmit(
            principal, BufferedRequest(request.head.method, host: host.span, origin: from.span), path: path.span,
            now: now, cache: VerifiedTokenCache(capacity: 8))
        switch outcome {
        case .admitted(let route, let principal): return "\(route.name) \(principal?.subject ?? "nobody")"
        case .refused(let reason): return reason.code
        }
    }

    private let joe = [bearer(TestPolicy.token())]

    @Test func aCertificateIsAskedForAnew() {
        #expect(readmit(joe) { $0.routes[0].access.clientCertificate = [] } == "client_certificate_required")
        #expect(
            readmit([], "/open/ping") { $0.routes[1].access.clientCertificate = [] }
                == "client_certificate_required")
    }

    @Test func aRouteWithoutUpstreamHasNothingThatGoesOn() {
        #expect(readmit(joe) { $0.routes[0].answer = .response(RouteResponse()) } == "no_route")
    }

    @Test func whoWouldBeLetInGoesOn() {
        #expect(readmit(joe) { _ in } == "items joe")
        #expect(readmit([], "/open/ping") { _ in } == "ping nobody")
        #expect(readmit([basic("joe:Welcome1"), inventoryID]) { _ in } == "items joe")
        #expect(
            readmit([("Authorization", "Basic YW5vbi1pbnY6azN5"), inventoryID], "/inventory/public") { _ in }
                == "public anonymous")
        #expect(readmit(joe, origin: "https://shop.example.com") { _ in } == "items joe")
    }

    @Test("a user of the gateway's own goes on while the route takes passwords of such users")
    func ownUsers() throws {
        let path = try PathPattern("/own" as String)
        func readmit(_ change: (inout PolicySettings) -> Void) -> String {
            self.readmit(
                [basic("joe:Welcome1")], "/own",
                before: { settings in
                    (settings.clients, settings.loginRealm) = (Clients([]), "Default")
                    settings.routes = [ResolvedRoute(RouteEntry(name: "own", path: path))]
                    settings.routes[0].scheme = Self.scheme
                }, change: change)
        }
        #expect(readmit { _ in } == "own joe")
        #expect(readmit { $0.routes[0].scheme = nil } == "unknown_subject")
        #expect(readmit { $0.routes[0].clients = ["inventory/1.0"] } == "unknown_subject")
        #expect(readmit { $0.loginRealm = "Elsewhere" } == "unknown_subject")
        #expect(readmit { $0.clients = Clients([TestPolicy.scheduler]) } == "unknown_subject")
    }

    private static let scheme = AuthenticationScheme(name: "Basic", level: 2, method: .basic, formTarget: "")

    @Test func theRouteIsLookedForAgain() {
        #expect(readmit(joe) { $0.routes.removeFirst() } == "inventory joe")
        #expect(readmit(joe) { $0.routes = [] } == "no_route")
        #expect(readmit(joe) { $0.routes[0].methods = [MethodEntry("POST")] } == "method_not_allowed")
        #expect(readmit(joe) { $0.routes[0].hosts = ["other.example.com"] } == "inventory joe")
        #expect(readmit([], "/open/ping") { $0.routes[1].access.isPublic = false } == "missing_credential")
        #expect(readmit(joe, origin: "https://shop.example.com") { $0.allowOrigin = "disallow" } == "cors_denied")
    }

    @Test func theTokenIsVerifiedAgain() {
        #expect(readmit(joe, at: TestPolicy.now + 700) { _ in } == "token_expired")
        #expect(readmit(joe) { $0.issuers.removeFirst() } == "unknown_issuer")
        #expect(readmit(joe) { $0.issuers[0].trust = ReadmissionTests.otherKey } == "bad_signature")
        #expect(readmit(joe) { $0.clients = Clients([TestPolicy.scheduler]) } == "unknown_client")
        let outside = [bearer(TestPolicy.outsideToken())]
        #expect(readmit(outside) { _ in } == "items eve")
        #expect(readmit(outside) { $0.issuers.removeLast() } == "unknown_issuer")
        let list = RevocationList()
        #expect(readmit(joe, revocations: list) { _ in list.revoke(tokenID: "jti-1", until: .max) } == "token_revoked")
    }

    /// An issuer that has taken a key back is not asked whether it is new; one that says nothing ends no exchange.
    @Test func theKeysAreThoseAtHand() {
        let eve = [bearer(TestPolicy.outsideToken())]
        func readmit(_ keys: KeyAvailability) -> String {
            self.readmit(eve) { $0.issuers[1].trust.keys = .published(KeysAtHand(keys)) }
        }
        #expect(readmit(.ready(KeySet(keys: [TestPolicy.outsideKey.publishedKey]))) == "items eve")
        #expect(readmit(.ready(KeySet(keys: [TestPolicy.ownKey.publishedKey]))) == "unknown_key")
        #expect(readmit(.unavailable) == "items eve")
    }

    /// Wants to fetch for every question.
    private final class KeysAtHand: KeySource {
        private let keys: KeyAvailability

        init(_ keys: KeyAvailability) { self.keys = keys }

        func keys(for need: KeyNeed, now: Int64) -> KeyAvailability { .fetch }
        func keysAtHand(for need: KeyNeed, now: Int64) -> KeyAvailability { keys }
        func fetch(for need: KeyNeed, then: @escaping @Sendable (KeyAvailability) -> Void) { then(.unavailable) }
    }

    private static let otherKey = TrustedIssuer(
        name: "own", issuer: "https://gw.example.com", audiences: ["https://gw.example.com"],
        keys: KeySet(keys: [TestPolicy.strangerKey.publishedKey]), own: true)

    @Test func rightsAreThoseOfNow() {
        #expect(readmit(joe) { $0.routes[0].methods[0].access.roles = RoleNames(any: ["Auditor"]) } == "role_required")
        #expect(readmit(joe) { $0.routes[0].access.level = 5 } == "step_up_required")
        #expect(readmit(joe) { $0.routes[0].clients = ["mbe-sch-1"] } == "client_not_allowed")
        // The numbers of roles are others when the catalogue is.
        #expect(readmit(joe) { $0.roles = RoleCatalogue(["Clerk", "Auditor", "Manager"]) } == "items joe")
        let demoted = TestPolicy.users(joesRoles: [])
        #expect(readmit([basic("joe:Welcome1"), inventoryID]) { $0.users = demoted } == "role_required")
        let live: (inout PolicySettings) -> Void = {
            $0.users = demoted
            $0.liveRoles = true
        }
        #expect(readmit(joe, change: live) == "role_required")
    }

    @Test func theHolderOfAPasswordIsLookedUp() {
        let password = [basic("joe:Welcome1"), inventoryID]
        #expect(readmit(password) { $0.users = UserStore(users: [], hasher: .init()) } == "unknown_subject")
        #expect(readmit(password) { $0.clients = Clients([TestPolicy.scheduler]) } == "unknown_subject")
        let key = [("Authorization", "Basic YW5vbi1pbnY6azN5"), inventoryID]
        #expect(readmit(key, "/inventory/public") { $0.clients = Clients([]) } == "unknown_subject")
    }
}
