import Crypto
import HTTP
import Identity
import JOSE
import Model
import Testing

@testable import Policy

@Suite("Tokens, roles, levels and backends")
struct TokenDecisionTests {
    private let snapshot = TestPolicy.snapshot()

    private func decision(
        _ token: String, _ method: String = "GET", _ path: String = "/inventory/items", scheme: String = "Bearer",
        _ more: [(String, String)] = [], now: Int64 = TestPolicy.now
    ) -> DecisionOutcome {
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

    @Test("while revocations are unknown, good tokens are 503 and bad ones 401 (GW-10)")
    func blindList() {
        let list = RevocationList()
        let snapshot = TestPolicy.snapshot(TestPolicy.settings(revocations: list))
        let cache = VerifiedTokenCache(capacity: 8)
        func decision(_ token: String) -> DecisionOutcome {
            decide(TestRequest("GET", "/inventory/items", [bearer(token)]), snapshot, cache: cache)
        }
        let (known, fresh) = (TestPolicy.token(), TestPolicy.token("ann", roles: ["Clerk"]))
        #expect(decision(known) == .allowed("joe"))
        list.setBlind(true)
        #expect(decision(known) == .denied(.storeUnavailable))
        #expect(decision(fresh) == .denied(.storeUnavailable))
        #expect(decision(known + "x").description.hasPrefix("401"))
        #expect(Reason.storeUnavailable.status == 503)
        #expect(Reason.storeUnavailable.retryAfterSeconds == 1)
        #expect(decide(TestRequest("GET", "/open/ping"), snapshot, cache: cache) == .allowed("no caller"))
        list.setBlind(false)
        let misses = cache.misses
        #expect(decision(known) == .allowed("joe"))
        #expect(decision(fresh) == .allowed("ann"))
        #expect(cache.misses == misses, "both were verified already")
    }

    @Test("an exchanged token ends with what it was exchanged for, known ones included (RFC 8693)")
    func origins() {
        let list = RevocationList()
        let settings = TestPolicy.settings(revocations: list)
        let cache = VerifiedTokenCache(capacity: 8)
        func decision(_ token: String, _ settings: PolicySettings) -> DecisionOutcome {
            decide(TestRequest("GET", "/inventory/items", [bearer(token)]), TestPolicy.snapshot(settings), cache: cache)
        }
        let token = TestPolicy.token(
            id: "child", origins: [TokenOrigin(tokenID: "parent", backendID: TestPolicy.scheduler.id)])
        let other = TestPolicy.token()
        for token in [token, other] { #expect(decision(token, settings) == .allowed("joe")) }
        #expect(cache.count == 2)
        list.revoke(tokenID: "parent", until: .max)
        #expect(decision(token, settings) == .denied(.tokenRevoked))
        #expect(decision(other, settings) == .allowed("joe"))
        // So it does with the client of that.
        for change: (inout Client) -> Void in [
            { $0.oauthConsumer = false }, { $0.tokensNotBefore = TestPolicy.now + 1 },
        ] {
            var scheduler = TestPolicy.scheduler
            change(&scheduler)
            var changed = TestPolicy.settings(clients: [TestPolicy.inventory, scheduler])
            changed.generation = 2
            #expect(
                decide(TestRequest("GET", "/inventory/items", [bearer(token)]), TestPolicy.snapshot(changed))
                    == .denied(.tokenRevoked))
        }
    }

    @Test("a second Authorization field is 400 (ISS-08)")
    func duplicate() {
        let joe = TestPolicy.token()
        #expect(
            decision(joe, "GET", "/inventory/me", [("authorization", "Bearer \(joe)")]) == .denied(.duplicateCredential)
        )
        #expect(Reason.duplicateCredential.status == 400)
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

    @Test("MAP-04, MBE-06: tokens end with their user, and with what users and backends say of earlier tokens")
    func cutoffs() {
        func decision(
            _ name: String = "joe", inventory: Int64 = 0, joe: Int64 = 0, enabled: Bool = true, issuedAt: Int64
        ) -> DecisionOutcome {
            var client = TestPolicy.inventory
            client.tokensNotBefore = inventory
            let user = User(username: "joe", roles: ["Manager"], enabled: enabled, tokensNotBefore: joe)
            let users = UserStore(users: [user], hasher: PasswordHasher())
            let snapshot = TestPolicy.snapshot(TestPolicy.settings(clients: [client], users: users))
            let token = TestPolicy.token(name, issuedAt: issuedAt)
            return decide(TestRequest("GET", "/inventory/me", [("Authorization", "Bearer \(token)")]), snapshot)
        }
        let now = TestPolicy.now
        #expect(decision(issuedAt: now) == .allowed("joe"))
        #expect(decision(inventory: now, issuedAt: now) == .allowed("joe"))
        #expect(decision(inventory: now, issuedAt: now - 1) == .denied(.tokenRevoked))
        #expect(decision(inventory: .max, issuedAt: now) == .denied(.tokenRevoked))
        #expect(decision(joe: now, issuedAt: now) == .allowed("joe"))
        #expect(decision(joe: now, issuedAt: now - 1) == .denied(.tokenRevoked))
        #expect(decision(enabled: false, issuedAt: now) == .denied(.unknownSubject))
        #expect(decision("ann", issuedAt: now) == .denied(.unknownSubject))
    }

    @Test("a token of another purpose is no access token (RFC 8725 section 3.11)")
    func purpose() {
        #expect(decision(TestPolicy.token(type: "JWT")) == .denied(.wrongTokenType))
        #expect(decision(TestPolicy.token(type: "injected+jwt")) == .denied(.wrongTokenType))
    }

    @Test("ISS-06: a different Oracle-Mobile-Backend-ID is 403")
    func backendHeader() {
        let joe = TestPolicy.token()
        #expect(decision(joe, "GET", "/inventory/me", [inventoryID]) == .allowed("joe"))
        for ids in [["mbe-sch-1"], [""], ["MBE-INV-1"], ["mbe-inv-1", "mbe-inv-1"], ["mbe-inv-1", "mbe-sch-1"]] {
            let fields = ids.map { ("Oracle-Mobile-Backend-ID", $0) }
            #expect(decision(joe, "GET", "/inventory/me", fields) == .denied(.backendMismatch), "\(ids)")
        }
        #expect(Reason.backendMismatch.status == 403)
    }

    @Test("ISS-07: a token of one backend opens only its routes")
    func otherBackend() {
        let joe = TestPolicy.token(client: TestPolicy.scheduler)
        #expect(decision(joe, "GET", "/inventory/me") == .denied(.clientNotAllowed))
        #expect(decision(joe, "GET", "/anyone") == .allowed("joe"))
        #expect(Reason.clientNotAllowed.status == 403)
    }

    @Test("MBE-02: switching OAuth off ends the tokens of a backend")
    func oauthOff() {
        var client = TestPolicy.inventory
        client.oauthConsumer = false
        let off = TestPolicy.snapshot(TestPolicy.settings(clients: [client, TestPolicy.scheduler]))
        let request = TestRequest("GET", "/inventory/me", [bearer(TestPolicy.token())])
        #expect(decide(request, off) == .denied(.oauthDisabled))
        #expect(Reason.oauthDisabled.status == 401)
        let gone = TestPolicy.snapshot(TestPolicy.settings(clients: [TestPolicy.scheduler]))
        #expect(decide(request, gone) == .denied(.unknownClient))
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
        #expect(Reason.socialLoginRequired.status == 401)
    }

    @Test("CHAL-06: too low a level is 401, the level itself is enough")
    func levels() {
        #expect(decision(TestPolicy.token(level: 2), "GET", "/payroll/run") == .denied(.stepUpRequired))
        #expect(decision(TestPolicy.token(level: 3), "GET", "/payroll/run") == .allowed("joe"))
        #expect(decision(TestPolicy.token(level: 10), "GET", "/payroll") == .allowed("joe"))
        #expect(Reason.stepUpRequired.status == 401)
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
