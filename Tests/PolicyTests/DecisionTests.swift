import Bytes
import HTTP
import Identity
import JOSE
import Testing

@testable import Policy

/// What becomes of a request that asks all questions in the order of AMB-32, as the gateway does.
private enum Decision: Equatable, CustomStringConvertible {
    case allowed(String)
    case preflight
    case endpoint(Endpoint)
    case denied(DenialReason)

    var description: String {
        switch self {
        case .allowed(let subject): "allowed \(subject)"
        case .preflight: "preflight"
        case .endpoint(let endpoint): "endpoint \(endpoint)"
        case .denied(let reason): "\(reason.status) \(reason.rawValue)"
        }
    }
}

private func decide(
    _ request: TestRequest, _ snapshot: PolicySnapshot, now: Int64 = TestPolicy.now,
    cache: VerifiedTokenCache = VerifiedTokenCache(capacity: 8)
) -> Decision {
    let route: Route
    switch request.match(snapshot) {
    case nil: return .denied(.ambiguousPath)
    case .notFound?: return .denied(.noRoute)
    case .methodNotAllowed?: return .denied(.methodNotAllowed)
    case .endpoint(let endpoint)?: return .endpoint(endpoint)
    case .route(let found)?: route = found
    }
    let verdict = request.screen(snapshot, route)
    if let denial = verdict.denial { return .denied(denial) }
    if verdict == .preflight { return .preflight }
    var principal: Principal?
    switch request.authenticate(snapshot, route, now: now, cache: cache) {
    case .none: break
    case .principal(let known): principal = known
    case .rejected(let reason), .malformed(let reason): return .denied(reason)
    case .checkPassword(let check):
        principal = check.run()
        if principal == nil { return .denied(.wrongPassword) }
    }
    let denial = snapshot.authorize(
        route, principal: principal, bytes: request.bytes.span, head: request.head, headers: request.headers)
    return denial.map(Decision.denied) ?? .allowed(principal?.subject ?? "nobody")
}

private func bearer(_ token: String) -> (String, String) { ("Authorization", "Bearer \(token)") }
private func basic(_ text: String) -> (String, String) {
    let bytes = Array(text.utf8)
    return ("Authorization", "Basic " + String(decoding: Base64.encode(bytes.span), as: UTF8.self))
}
private let inventoryID = ("Oracle-Mobile-Backend-ID", "mbe-inv-1")

@Suite("AMB-32: the order of questions")
struct DecisionOrderTests {
    private let snapshot = TestPolicy.snapshot()
    private let evil = ("Origin", "https://evil.net")

    @Test("each question is asked only when the ones before it were answered well")
    func order() {
        let weak = TestPolicy.token(kind: .client, backend: TestPolicy.scheduler, roles: [], level: 0)
        #expect(decide(TestRequest("GET", "/x%2fy", [evil, bearer("x")]), snapshot) == .denied(.ambiguousPath))
        #expect(decide(TestRequest("GET", "/nowhere", [evil, bearer("x")]), snapshot) == .denied(.noRoute))
        #expect(decide(TestRequest("GET", "/inventory/items", [evil, bearer("x")]), snapshot) == .denied(.corsDenied))
        #expect(decide(TestRequest("GET", "/inventory/items", [bearer("x")]), snapshot) == .denied(.malformedToken))
        let other = ("Oracle-Mobile-Backend-ID", "mbe-inv-1")
        #expect(
            decide(TestRequest("GET", "/inventory/items", [bearer(weak), other]), snapshot) == .denied(.backendMismatch)
        )
        #expect(decide(TestRequest("GET", "/inventory/items", [bearer(weak)]), snapshot) == .denied(.backendNotAllowed))
        let client = TestPolicy.token(kind: .client, roles: [], level: 0)
        #expect(decide(TestRequest("GET", "/inventory/items", [bearer(client)]), snapshot) == .denied(.loginRequired))
        let low = TestPolicy.token("bob", roles: [], level: 1)
        #expect(decide(TestRequest("GET", "/inventory/items", [bearer(low)]), snapshot) == .denied(.stepUpRequired))
        let bob = TestPolicy.token("bob", roles: [])
        #expect(decide(TestRequest("GET", "/inventory/items", [bearer(bob)]), snapshot) == .denied(.roleRequired))
        #expect(
            decide(TestRequest("GET", "/inventory/items", [bearer(TestPolicy.token())]), snapshot) == .allowed("joe"))
    }

    @Test("a preflight is answered before anybody is asked who they are (CORS-06, CHAL-09)")
    func preflight() {
        let request = TestRequest(
            "OPTIONS", "/inventory/items",
            [("Origin", "https://www.example.com"), ("Access-Control-Request-Method", "POST"), bearer("garbage")])
        #expect(decide(request, snapshot) == .preflight)
    }

    @Test("no access rule means login, no route means 404 (GW-01)")
    func defaultDeny() {
        #expect(decide(TestRequest("GET", "/anyone"), snapshot) == .denied(.missingCredential))
        #expect(decide(TestRequest("GET", "/nowhere"), snapshot) == .denied(.noRoute))
        #expect(decide(TestRequest("OPTIONS", "*"), snapshot) == .denied(.ambiguousPath))
    }

    @Test("a public route looks at no credential and takes its word for nothing (ROLE-02)")
    func publicRoute() {
        #expect(decide(TestRequest("GET", "/open/ping"), snapshot) == .allowed("nobody"))
        #expect(decide(TestRequest("GET", "/open/ping", [bearer("garbage")]), snapshot) == .allowed("nobody"))
        #expect(decide(TestRequest("GET", "/open/ping", [bearer(TestPolicy.token())]), snapshot) == .allowed("nobody"))
        #expect(
            decide(TestRequest("GET", "/open/ping", [bearer("a"), bearer("b")]), snapshot)
                == .denied(.duplicateCredential))
        #expect(decide(TestRequest("GET", "/open/ping", [evil]), snapshot) == .denied(.corsDenied))
    }

    @Test(
        "no spelling of a path gets around its rule (ROLE-05, peers: path confusion)",
        arguments: [
            "/inventory/public/../items", "/inventory/./items", "/inventory//items", "//inventory/items",
            "/inventory/%69tems", "/inventory/public/%2e%2e/items", "/inventory/public/..%2fitems",
            "/inventory%2fitems",
            "/open/ping/../../inventory/items", "/open/ping/..;/../inventory/items",
            "/open/ping%2f..%2f..%2finventory/items",
            "/open/ping%00/../../inventory/items", "/open/ping%5c..%5c..%5cinventory%5citems",
            "/open/ping/%252e%252e/x",
            "/inventory/items?x=/open/ping", "/inventory/items/", "/inventory/items/extra", "/INVENTORY/items",
            "/inventory/items;x=1",
        ])
    func bypass(_ path: String) {
        let client = TestPolicy.token(kind: .client, roles: [], level: 0)
        for fields in [[], [bearer(client)]] {
            guard case .denied = decide(TestRequest("GET", path, fields), snapshot) else {
                Issue.record("\(path) is let in")
                return
            }
        }
    }

    @Test(
        "no field of the client's changes the decision (peers: magic bypasses)",
        arguments: [
            ("X-HTTP-Method-Override", "OPTIONS"), ("X-HTTP-Method", "GET"), ("X-Original-URL", "/open/ping"),
            ("X-Rewrite-URL", "/open/ping"), ("X-Original-Method", "OPTIONS"), ("X-Forwarded-Host", "gw.example.com"),
            ("X-Forwarded-For", "127.0.0.1"), ("X-Gateway-User", "root"), ("X-Gateway-Roles", "Manager"),
            ("User-Agent", "kube-probe/1.0"), ("Cookie", "token=x"), ("Proxy-Authorization", "Basic am9lOldlbGNvbWUx"),
            ("X_Authorization", "Bearer x"), ("Oracle-Mobile-Backend-ID", "mbe-inv-1"),
        ])
    func spoofing(_ name: String, _ value: String) {
        #expect(
            decide(TestRequest("POST", "/inventory/items", [(name, value)]), snapshot) == .denied(.missingCredential))
        let ann = TestPolicy.token("ann", roles: ["Clerk"])
        #expect(
            decide(TestRequest("POST", "/inventory/items", [bearer(ann), (name, value)]), snapshot)
                == .denied(.roleRequired))
    }

    @Test("a token in the query is none")
    func queryToken() {
        let request = TestRequest("GET", "/inventory/me?access_token=\(TestPolicy.token())")
        #expect(decide(request, snapshot) == .denied(.missingCredential))
    }
}

@Suite("Tokens, roles, levels and backends")
struct TokenDecisionTests {
    private let snapshot = TestPolicy.snapshot()

    private func decision(
        _ token: String, _ method: String = "GET", _ path: String = "/inventory/items", scheme: String = "Bearer",
        _ more: [(String, String)] = [], now: Int64 = TestPolicy.now
    ) -> Decision {
        decide(TestRequest(method, path, [("Authorization", "\(scheme) \(token)")] + more), snapshot, now: now)
    }

    @Test("ROLE-01: ann reads, joe writes, bob does neither")
    func roles() {
        let (joe, ann, bob) = (
            TestPolicy.token(), TestPolicy.token("ann", roles: ["Clerk"]), TestPolicy.token("bob", roles: ["Nobody"])
        )
        #expect(decision(ann) == .allowed("ann"))
        #expect(decision(ann, "HEAD") == .allowed("ann"))
        #expect(decision(ann, "POST") == .denied(.roleRequired))
        #expect(decision(joe, "POST") == .allowed("joe"))
        #expect(decision(bob) == .denied(.roleRequired))
        #expect(decision(bob, "HEAD") == .denied(.roleRequired))
        #expect(decision(joe, "DELETE") == .denied(.methodNotAllowed))
    }

    @Test("the scheme is compared without case, and OAM-Auth carries the same tokens (ISS-08, DEC-06)")
    func schemes() {
        let joe = TestPolicy.token()
        for scheme in ["bearer", "BEARER", "OAM-Auth", "oam-auth", "Bearer "] {
            #expect(decision(joe, scheme: scheme) == .allowed("joe"), "\(scheme)")
        }
        #expect(decision(joe, scheme: "Token") == .denied(.unsupportedScheme))
        #expect(decision(joe + " x") == .denied(.malformedToken))
        #expect(decision("\(joe), Bearer \(joe)").description.hasPrefix("401"))
        #expect(
            decide(TestRequest("GET", "/inventory/me", [("Authorization", "Bearer")]), snapshot)
                == .denied(.malformedToken))
        #expect(
            decide(TestRequest("GET", "/inventory/me", [("Authorization", "")]), snapshot).description.hasPrefix("401"))
        // CON-02: client credentials behind `Bearer` are for the exchange endpoint alone.
        #expect(decision("aW52LWNsaWVudDppbnYtc2VjcmV0") == .denied(.malformedToken))
    }

    @Test("a second Authorization field is 400 (ISS-08)")
    func duplicate() {
        let joe = TestPolicy.token()
        #expect(
            decision(joe, "GET", "/inventory/me", [("authorization", "Bearer \(joe)")]) == .denied(.duplicateCredential)
        )
        #expect(DenialReason.duplicateCredential.status == 400)
    }

    @Test("what does not verify is 401 with its reason in the log (CHAL-07)")
    func rejections() {
        #expect(decision(TestPolicy.token(), now: TestPolicy.now + 700) == .denied(.tokenExpired))
        #expect(decision(TestPolicy.token(issuedAt: TestPolicy.now + 500)) == .denied(.tokenNotYetValid))
        #expect(decision(TestPolicy.token(audience: "another")) == .denied(.wrongAudience))
        #expect(decision(TestPolicy.token(signer: TestPolicy.strangerKey)) == .denied(.badSignature))
        #expect(decision("garbage") == .denied(.malformedToken))
        #expect(decision("a.b.c") == .denied(.malformedToken))
    }

    @Test("a token of another purpose is no access token (RFC 8725 section 3.11)")
    func purpose() {
        #expect(decision(TestPolicy.token(type: "JWT")) == .denied(.invalidToken))
        #expect(decision(TestPolicy.token(type: "injected+jwt")) == .denied(.invalidToken))
    }

    @Test("ISS-06: a different Oracle-Mobile-Backend-ID is 403")
    func backendHeader() {
        let joe = TestPolicy.token()
        #expect(decision(joe, "GET", "/inventory/me", [inventoryID]) == .allowed("joe"))
        for ids in [["mbe-sch-1"], [""], ["MBE-INV-1"], ["mbe-inv-1", "mbe-inv-1"], ["mbe-inv-1", "mbe-sch-1"]] {
            let fields = ids.map { ("Oracle-Mobile-Backend-ID", $0) }
            #expect(decision(joe, "GET", "/inventory/me", fields) == .denied(.backendMismatch), "\(ids)")
        }
        #expect(DenialReason.backendMismatch.status == 403)
    }

    @Test("ISS-07: a token of one backend opens only its routes")
    func otherBackend() {
        let joe = TestPolicy.token(backend: TestPolicy.scheduler)
        #expect(decision(joe, "GET", "/inventory/me") == .denied(.backendNotAllowed))
        #expect(decision(joe, "GET", "/anyone") == .allowed("joe"))
        #expect(DenialReason.backendNotAllowed.status == 403)
    }

    @Test("MBE-02: switching OAuth off ends the tokens of a backend")
    func oauthOff() {
        var backend = TestPolicy.inventory
        backend.oauthConsumer = false
        let off = TestPolicy.snapshot(TestPolicy.settings(backends: [backend, TestPolicy.scheduler]))
        let request = TestRequest("GET", "/inventory/me", [bearer(TestPolicy.token())])
        #expect(decide(request, off) == .denied(.oauthDisabled))
        #expect(DenialReason.oauthDisabled.status == 401)
        let gone = TestPolicy.snapshot(TestPolicy.settings(backends: [TestPolicy.scheduler]))
        #expect(decide(request, gone) == .denied(.unknownBackend))
    }

    @Test("ROLE-02: client tokens where no login is required, and there alone")
    func clients() {
        let client = TestPolicy.token("inv-client", kind: .client, roles: [], level: 0)
        #expect(decision(client, "GET", "/inventory/public") == .allowed("inv-client"))
        #expect(decision(client, "GET", "/inventory/me") == .denied(.loginRequired))
        #expect(decide(TestRequest("GET", "/inventory/public"), snapshot) == .denied(.missingCredential))
        #expect(decision(TestPolicy.token(), "GET", "/inventory/public") == .allowed("joe"))
    }

    @Test("AMB-30: a social route refuses other logins with 401")
    func social() {
        #expect(decision(TestPolicy.token(), "GET", "/social/feed") == .denied(.socialLoginRequired))
        #expect(DenialReason.socialLoginRequired.status == 401)
    }

    @Test("CHAL-06: too low a level is 401, the level itself is enough")
    func levels() {
        #expect(decision(TestPolicy.token(level: 2), "GET", "/payroll/run") == .denied(.stepUpRequired))
        #expect(decision(TestPolicy.token(level: 3), "GET", "/payroll/run") == .allowed("joe"))
        #expect(decision(TestPolicy.token(level: 10), "GET", "/payroll") == .allowed("joe"))
        #expect(DenialReason.stepUpRequired.status == 401)
    }

    @Test("tokens of outside issuers by the rules of their issuer")
    func outside() {
        #expect(decision(TestPolicy.outsideToken()) == .allowed("eve"))
        #expect(decision(TestPolicy.outsideToken(), "POST") == .denied(.roleRequired))
        #expect(decision(TestPolicy.outsideToken(roles: #"["Root","clerk"]"#)) == .denied(.roleRequired))
        // Claims that mean something in own tokens mean nothing in others'.
        let claims =
            #"{"iss":"https://idp.example.com","aud":"portcullis","sub":"eve","exp":\#(TestPolicy.now + 60),"#
            + #""level":10,"kind":"user","backend_id":"mbe-sch-1"}"#
        let forged = String(
            decoding: TestPolicy.outsideKey.sign(claims: Array(claims.utf8), type: "at+jwt"), as: UTF8.self)
        #expect(decision(forged, "GET", "/payroll") == .denied(.stepUpRequired))
    }

    @Test("revoked tokens are refused, also those in the cache (ISS-08, CACHE-07)")
    func revocation() {
        let cache = VerifiedTokenCache(capacity: 8)
        let request = TestRequest("GET", "/inventory/me", [bearer(TestPolicy.token(id: "gone"))])
        #expect(decide(request, snapshot, cache: cache) == .allowed("joe"))
        snapshot.revocations.revoke(tokenID: "gone", until: TestPolicy.now + 600)
        #expect(decide(request, snapshot, cache: cache).description.hasPrefix("401"))
        #expect(decide(request, snapshot) == .denied(.tokenRevoked))
    }

    @Test("authorization runs on cache hits, too (peers: cache scope)")
    func cacheHits() {
        let cache = VerifiedTokenCache(capacity: 8)
        let ann = TestPolicy.token("ann", roles: ["Clerk"])
        #expect(
            decide(TestRequest("GET", "/inventory/items", [bearer(ann)]), snapshot, cache: cache) == .allowed("ann"))
        #expect(
            decide(TestRequest("POST", "/inventory/items", [bearer(ann)]), snapshot, cache: cache)
                == .denied(.roleRequired))
        #expect(
            decide(TestRequest("GET", "/payroll", [bearer(ann)]), snapshot, cache: cache) == .denied(.stepUpRequired))
        #expect((cache.hits, cache.misses) == (2, 1))
        #expect(
            decide(
                TestRequest("GET", "/inventory/items", [bearer(ann)]), snapshot, now: TestPolicy.now + 700, cache: cache
            )
                == .denied(.tokenExpired))
    }

    @Test("another snapshot does not believe the cache of the one before")
    func reload() {
        let cache = VerifiedTokenCache(capacity: 8)
        let request = TestRequest("GET", "/inventory/me", [bearer(TestPolicy.token())])
        #expect(decide(request, snapshot, cache: cache) == .allowed("joe"))
        var settings = TestPolicy.settings()
        settings.generation = 2
        settings.issuers = []
        #expect(decide(request, TestPolicy.snapshot(settings), cache: cache) == .denied(.unknownIssuer))
    }

    @Test("ROLE-03: tokens keep their roles, unless roles are live")
    func liveRoles() {
        var settings = TestPolicy.settings(users: TestPolicy.users(joesRoles: []))
        let request = TestRequest("POST", "/inventory/items", [bearer(TestPolicy.token())])
        #expect(decide(request, TestPolicy.snapshot(settings)) == .allowed("joe"))
        settings.liveRoles = true
        let live = TestPolicy.snapshot(settings)
        #expect(decide(request, live) == .denied(.roleRequired))
        let ghost = TestRequest("GET", "/inventory/me", [bearer(TestPolicy.token("ghost"))])
        #expect(decide(ghost, live) == .denied(.unknownSubject))
    }
}

@Suite("BASIC-01 to BASIC-03, MBE-03: Basic")
struct BasicDecisionTests {
    private let snapshot = TestPolicy.snapshot()

    private func decision(_ fields: [(String, String)], _ method: String = "GET", _ path: String = "/inventory/items")
        -> Decision
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

    @Test("without an id, with an unknown one or with two it is 401 (BASIC-03)")
    func backendID() {
        #expect(decision([basic("joe:Welcome1")]) == .denied(.missingBackend))
        #expect(decision([basic("joe:Welcome1"), ("Oracle-Mobile-Backend-ID", "nope")]) == .denied(.unknownBackend))
        #expect(decision([basic("joe:Welcome1"), inventoryID, inventoryID]) == .denied(.missingBackend))
        #expect(DenialReason.missingBackend.body == DenialReason.unknownBackend.body)
    }

    @Test("the anonymous key opens routes without login and no others (BASIC-02)")
    func anonymousKey() {
        let key = ("Authorization", "Basic YW5vbi1pbnY6azN5")
        #expect(decision([key, inventoryID], "GET", "/inventory/public") == .allowed("anonymous"))
        #expect(decision([key, inventoryID], "GET", "/inventory/me") == .denied(.loginRequired))
        #expect(decision([key], "GET", "/inventory/public") == .denied(.missingBackend))
        // The key of one backend is nothing at another.
        #expect(
            decision([key, ("Oracle-Mobile-Backend-ID", "mbe-sch-1")], "GET", "/anyone") == .denied(.wrongPassword))
        // A backend without a key takes no empty one.
        let empty = ("Authorization", "Basic ")
        #expect(
            decision([empty, ("Oracle-Mobile-Backend-ID", "mbe-sch-1")], "GET", "/anyone")
                == .denied(.malformedCredential))
    }

    @Test("Basic for another backend than the route's is 403 (ISS-07)")
    func otherBackend() {
        let scheduler = ("Oracle-Mobile-Backend-ID", "mbe-sch-1")
        #expect(decision([basic("joe:Welcome1"), scheduler]) == .denied(.backendNotAllowed))
    }

    @Test("MBE-03: with httpBasic off, users and the anonymous key get 401")
    func basicOff() {
        var backend = TestPolicy.inventory
        backend.httpBasic = false
        let off = TestPolicy.snapshot(TestPolicy.settings(backends: [backend]))
        for credential in [basic("joe:Welcome1"), ("Authorization", "Basic YW5vbi1pbnY6azN5")] {
            let request = TestRequest("GET", "/inventory/public", [credential, inventoryID])
            #expect(decide(request, off) == .denied(.basicDisabled))
        }
        #expect(DenialReason.basicDisabled.status == 401)
    }
}
