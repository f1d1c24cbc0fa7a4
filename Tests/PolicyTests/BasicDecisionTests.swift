import Identity
import Model
import Testing

@testable import Policy

@Suite("BASIC-01 to BASIC-03, MBE-03: Basic")
struct BasicDecisionTests {
    private let snapshot = TestPolicy.snapshot()

    private func decision(_ fields: [(String, String)], _ method: String = "GET", _ path: String = "/inventory/items")
        -> DecisionOutcome
    {
        decide(TestRequest(method, path, fields), snapshot)
    }

    @Test("a user's name and password, with the backend's id under any case of its name (BASIC-01)")
    func users() {
        #expect(decision([basic("joe:Welcome1"), inventoryID]) == .allowed("joe"))
        #expect(
            decision([basic("joe:Welcome1"), ("oracle-mobile-backend-id", "mbe-inv-1")], "POST") == .allowed("joe"))
        #expect(decision([basic("ann:Welcome2"), inventoryID], "POST") == .denied(.roleRequired))
        #expect(decision([basic("joe:wrong"), inventoryID]) == .denied(.wrongPassword))
        #expect(decision([basic("ghost:Welcome1"), inventoryID]) == .denied(.wrongPassword))
        #expect(decision([basic("sso1:"), inventoryID]) == .denied(.wrongPassword))
    }

    @Test("the first colon splits, and the scheme has any case (BASIC-06)")
    func colons() {
        #expect(decision([basic("bob:a:b"), inventoryID], "GET", "/inventory/me") == .allowed("bob"))
        let lower = ("Authorization", "bAsIc Ym9iOmE6Yg==")
        #expect(decision([lower, inventoryID], "GET", "/inventory/me") == .allowed("bob"))
    }

    @Test(
        "what is no Basic credential",
        arguments: [
            "Basic", "Basic ", "Basic @@@", "Basic am9l", "Basic am9lOldlbGNvbWUx=", "Basic am9lOldlbGNvbWUx x",
            "Basic Og==",
        ])
    func malformed(_ value: String) {
        #expect(decision([("Authorization", value), inventoryID]) == .denied(.malformedCredential))
    }

    @Test("a route that asks for Basic and names no backend takes the users of the login realm")
    func ownUsers() throws {
        let path = try PathPattern("/own" as String)
        func snapshot(
            clients: [Client] = [], _ change: (inout ResolvedRoute) -> Void = { _ in }
        ) -> PolicySnapshot {
            var settings = TestPolicy.settings(clients: clients)
            settings.loginRealm = "Default"
            settings.routes = [ResolvedRoute(RouteEntry(name: "own", path: path))]
            settings.routes[0].scheme = AuthenticationScheme(name: "Basic", level: 2, method: .basic, formTarget: "")
            change(&settings.routes[0])
            return TestPolicy.snapshot(settings)
        }
        func decision(_ credential: String, _ snapshot: PolicySnapshot) -> DecisionOutcome {
            decide(TestRequest("GET", "/own", [basic(credential)]), snapshot)
        }
        #expect(decision("joe:Welcome1", snapshot()) == .allowed("joe"))
        #expect(decision("joe:wrong", snapshot()) == .denied(.wrongPassword))
        #expect(decision("ghost:Welcome1", snapshot()) == .denied(.wrongPassword))
        let others = snapshot { $0.access.roles = RoleNames(any: ["Clerk"]) }
        #expect(decision("joe:Welcome1", others) == .denied(.roleRequired))
        let bearer = snapshot { $0.scheme = nil }
        #expect(decision("joe:Welcome1", bearer) == .denied(.missingBackend))
        // A mobile backend that takes no Basic, as the one of a request without an id might be.
        var closed = Client(name: "closed", version: "1.0", id: "mbe-closed", httpBasic: false)
        closed.realm = "Default"
        #expect(decision("joe:Welcome1", snapshot(clients: [closed])) == .denied(.missingBackend))
        let standard = Client(name: "web", version: "", id: "web", clientID: "web", httpBasic: false)
        #expect(decision("joe:Welcome1", snapshot(clients: [standard])) == .allowed("joe"))
    }

    @Test("without an id, with an unknown one or with two it is 401 (BASIC-03)")
    func backendID() {
        #expect(decision([basic("joe:Welcome1")]) == .denied(.missingBackend))
        #expect(decision([basic("joe:Welcome1"), ("Oracle-Mobile-Backend-ID", "nope")]) == .denied(.unknownClient))
        #expect(decision([basic("joe:Welcome1"), inventoryID, inventoryID]) == .denied(.missingBackend))
        #expect(Reason.missingBackend.body == Reason.unknownClient.body)
    }

    @Test("the anonymous key opens routes without login and no others (BASIC-02)")
    func anonymousKey() {
        let key = ("Authorization", "Basic YW5vbi1pbnY6azN5")
        #expect(decision([key, inventoryID], "GET", "/inventory/public") == .allowed("anonymous"))
        #expect(decision([key, inventoryID], "GET", "/inventory/me") == .denied(.loginRequired))
        #expect(decision([key], "GET", "/inventory/public") == .denied(.missingBackend))
        // The key of one client is nothing at another.
        #expect(
            decision([key, ("Oracle-Mobile-Backend-ID", "mbe-sch-1")], "GET", "/anyone") == .denied(.wrongPassword))
        // A client without a key takes no empty one.
        let empty = ("Authorization", "Basic ")
        #expect(
            decision([empty, ("Oracle-Mobile-Backend-ID", "mbe-sch-1")], "GET", "/anyone")
                == .denied(.malformedCredential))
    }

    @Test("Basic for another backend than the route's is 403 (ISS-07)")
    func otherBackend() {
        let scheduler = ("Oracle-Mobile-Backend-ID", "mbe-sch-1")
        #expect(decision([basic("joe:Welcome1"), scheduler]) == .denied(.clientNotAllowed))
    }

    @Test("MBE-03: with httpBasic off, users and the anonymous key get 401")
    func basicOff() {
        var client = TestPolicy.inventory
        client.httpBasic = false
        let off = TestPolicy.snapshot(TestPolicy.settings(clients: [client]))
        for credential in [basic("joe:Welcome1"), ("Authorization", "Basic YW5vbi1pbnY6azN5")] {
            let request = TestRequest("GET", "/inventory/public", [credential, inventoryID])
            #expect(decide(request, off) == .denied(.basicDisabled))
        }
        #expect(Reason.basicDisabled.status == 401)
    }
}
