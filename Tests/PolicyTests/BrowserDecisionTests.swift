import Bytes
import Crypto
import HTTP
import Identity
import Model
import TestSupport
import Testing

@testable import Policy

/// Browsers at routes of a form scheme: the cookie of a login, and where those without one are sent (SCH-02, AGT-06).
@Suite struct BrowserDecisionTests {
    static let seals: BrowserSeals = {
        let bytes = [UInt8](repeating: 9, count: 32)
        guard let key = AEADKey(bytes.span), let ring = AEADKeyRing([key]) else { fatalError("no key") }
        return BrowserSeals(keys: ring)
    }()

    private static func scheme(_ level: Int = 2, method: ChallengeMethod = .form) -> AuthenticationScheme {
        var scheme = AuthenticationScheme(
            name: "S", level: level, method: method, formTarget: "/login/form?serviceDomain=D")
        scheme.clients = ["mbe-inv-1"]
        scheme.logins = [.password(), .provider("idp")]
        return scheme
    }

    /// That of a route with this scheme.
    static let rule = LoginRule(nil, scheme: scheme(), of: nil)!

    static func snapshot(
        revocations: RevocationList = RevocationList(), users: UserStore = TestPolicy.users(),
        clients: [Client] = [TestPolicy.inventory, TestPolicy.scheduler],
        _ change: (inout PolicySettings) -> Void = { _ in }
    ) -> PolicySnapshot {
        var settings = TestPolicy.settings(clients: clients, users: users, revocations: revocations)
        settings.seals = seals
        settings.browserDomains = ["MobileServiceDomain": BrowserDomain()]
        for name in ["MobileWG", "HighWG"] { settings.change(name) { $0.scheme = scheme() } }
        change(&settings)
        return TestPolicy.snapshot(settings)
    }

    static func domain(_ change: (inout BrowserDomain) -> Void) -> BrowserDomain {
        var domain = BrowserDomain()
        change(&domain)
        return domain
    }

    static func cookie(
        _ subject: String = "joe", client: String = "mbe-inv-1", level: Int = 2,
        domain: String = "MobileServiceDomain", isGuest: Bool = false
    ) -> String {
        seals.seal(session(subject, client: client, level: level, domain: domain, isGuest: isGuest))
    }

    private static func session(
        _ subject: String = "joe", client: String = "mbe-inv-1", level: Int = 2, domain: String = "D",
        isGuest: Bool = false
    ) -> Session {
        var session = Session(
            id: "session-1", subject: subject, realm: "Default",
            login: LoginFacts(authenticatedAt: TestPolicy.now, level: level), expiresAt: TestPolicy.now + 600)
        session.place = Session.Place(domain: domain, backendID: client)
        session.place?.isGuest = isGuest
        return session
    }

    /// The same of a user that a provider knows.
    static func provided(_ subject: String, by provider: String, virtual: Bool = true, _ roles: [String] = [])
        -> Session
    {
        var session = session(subject)
        (session.provider, session.foundations) = (provider, ["login-1"])
        (session.login.isVirtual, session.login.roles) = (virtual, roles)
        return session
    }

    static func field(_ value: String, name: String = "__Host-portcullis-form") -> (String, String) {
        ("Cookie", "a=b; \(name)=\(value)")
    }

    func decision(
        _ path: String, _ fields: [(String, String)], method: String = "GET", _ snapshot: PolicySnapshot = snapshot(),
        now: Int64 = TestPolicy.now, cache: VerifiedTokenCache = VerifiedTokenCache(capacity: 8)
    ) -> DecisionOutcome {
        decide(TestRequest(method, path, fields), snapshot, now: now, cache: cache)
    }

    @Test("AGT-06: the cookie of a login opens the routes of a form scheme, and no others")
    func routes() {
        let cookie = Self.field(Self.cookie())
        #expect(decision("/mobileapp", [cookie]) == .allowed("joe"))
        #expect(decision("/inventory/items", [cookie]) == .denied(.missingCredential))
        #expect(decision("/inventory/me", [cookie]) == .denied(.missingCredential))
        #expect(decision("/open/ping", [cookie]) == .allowed("no caller"))
        let other = Self.snapshot { $0.change("MobileWG") { $0.scheme = Self.scheme(method: .webgate) } }
        #expect(decision("/mobileapp", [cookie], other) == .denied(.missingCredential))
        let route = Self.snapshot { $0.routes[3].scheme = Self.scheme() }
        #expect(decision("/inventory/me", [cookie], route) == .allowed("joe"), "SCH-03")
    }

    @Test("OMS-12: a user of another server has the current roles of guests; a local user those of users.json")
    func guests() throws {
        let cache = VerifiedTokenCache(capacity: 8)
        func principal(
            _ subject: String, _ guestRoles: [String: [String]?], generation: UInt64
        ) -> (roles: [String], virtual: Bool)? {
            let snapshot = Self.snapshot {
                $0.browserDomains = guestRoles.mapValues { roles in Self.domain { $0.guestRoles = roles } }
                $0.generation = generation
            }
            let cookie = Array(Self.cookie(subject, domain: "D", isGuest: true).utf8)
            let outcome = snapshot.authenticate(
                cookie: cookie.span, of: Self.rule, now: TestPolicy.now, cache: cache)
            guard case .principal(let principal) = outcome else { return nil }
            return (principal.roleNames, principal.virtual)
        }
        let guest = try #require(principal("sso9", ["D": ["Clerk"], "E": ["Admin"]], generation: 2))
        #expect(guest.roles == ["Clerk"] && guest.virtual)
        // With the next configuration the cookie counts for what that says, regardless of what was remembered of it.
        #expect(principal("sso9", ["D": []], generation: 3)?.roles == [])
        #expect(principal("sso9", ["E": ["Admin"]], generation: 4) == nil, "the domain is gone")
        #expect(principal("sso9", ["D": nil, "E": ["Admin"]], generation: 7) == nil, "it has no guests any more")
        #expect(principal("JOE", ["D": ["Clerk"]], generation: 5) == nil, "a local user by another writing of the name")
        let joe = try #require(principal("joe", ["D": ["Admin"]], generation: 6))
        #expect(joe.roles == ["Manager"] && !joe.virtual)
    }

    @Test(
        "JWT-13: a user of a provider is not the account of the same name; an account has its roles and the claims'"
    )
    func provided() throws {
        let revocations = RevocationList()
        let snapshot = Self.snapshot(revocations: revocations) {
            $0.browserDomains = ["D": Self.domain { $0.providers = ["idp"] }]
        }
        let cache = VerifiedTokenCache(capacity: 8)
        func principal(_ subject: String, virtual: Bool, _ granted: [String]) -> Principal? {
            let session = Self.provided(subject, by: "idp", virtual: virtual, granted)
            let cookie = Array(Self.seals.seal(session).utf8)
            let outcome = snapshot.authenticate(
                cookie: cookie.span, of: Self.rule, now: TestPolicy.now, cache: cache)
            guard case .principal(let principal) = outcome else { return nil }
            return principal
        }
        let namesake = try #require(principal("joe", virtual: true, ["Clerk"]))
        #expect(namesake.virtual && namesake.roleNames == ["Clerk"])
        let account = try #require(principal("joe", virtual: false, ["Clerk"]))
        #expect(!account.virtual && Set(account.roleNames).isSuperset(of: ["Clerk", "Manager"]))
        #expect(principal("nobody", virtual: false, ["Clerk"]) == nil, "an account that is gone")
        // Back-channel logout: the login that the session rests on is gone.
        #expect(!revocations.isRevoked(namesake))
        revocations.revoke(tokenID: "login-1", until: TestPolicy.now + 600)
        #expect(revocations.isRevoked(namesake))
    }

    @Test("a login counts while its domain would have it: the domain, the provider and the form are still there")
    func takenAway() throws {
        let everything = Self.domain { ($0.providers, $0.guestRoles) = (["idp"], ["Clerk"]) }
        func counts(_ session: Session, _ domains: [String: BrowserDomain]) -> Bool {
            let snapshot = Self.snapshot { $0.browserDomains = domains }
            let cookie = Array(Self.seals.seal(session).utf8)
            switch snapshot.authenticate(
                cookie: cookie.span, of: Self.rule, now: TestPolicy.now, cache: VerifiedTokenCache(capacity: 8))
            {
            case .principal: return true
            case .rejected(.sessionInvalid): return false
            case let other:
                Issue.record("\(other)")
                return false
            }
        }
        let (password, guest) = (Self.session(), Self.session("sso9", isGuest: true))
        let provided = Self.provided("joe", by: "idp")
        let others = Self.domain { $0.providers = ["other"] }
        let noForm = Self.domain { ($0.providers, $0.takesPasswords, $0.guestRoles) = (["idp"], false, ["Clerk"]) }
        for session in [password, guest, provided] {
            #expect(counts(session, ["D": everything]))
            // What another domain has is nothing to it.
            #expect(!counts(session, ["E": everything]))
        }
        #expect(!counts(provided, ["D": others, "E": everything]) && counts(password, ["D": others]))
        #expect(!counts(password, ["D": noForm, "E": everything]) && !counts(guest, ["D": noForm]))
        #expect(counts(provided, ["D": noForm]))
        // An account of the realm that the client had at the login.
        var moved = password
        moved.realm = "Other"
        #expect(!counts(moved, ["D": everything]))
    }

    @Test("CHAL-06: a login of a lower level is no reason for 403")
    func level() {
        #expect(decision("/payroll/a", [Self.field(Self.cookie(level: 2))]) == .denied(.stepUpRequired))
        #expect(decision("/payroll/a", [Self.field(Self.cookie(level: 3))]) == .allowed("joe"))
    }

    @Test("a foreign cookie of the right name, or one beside another credential, admits no user")
    func refusals() {
        let good = Self.cookie()
        #expect(decision("/mobileapp", [Self.field(good, name: "portcullis")]) == .denied(.missingCredential))
        let spoilt = (good.hasPrefix("A") ? "B" : "A") + good.dropFirst()
        #expect(decision("/mobileapp", [Self.field(spoilt)]) == .denied(.sessionInvalid))
        #expect(decision("/mobileapp", [Self.field("")]) == .denied(.sessionInvalid))
        // What another host has set of the same name is passed over; of two sessions none counts.
        #expect(decision("/mobileapp", [Self.field(good), Self.field(good)]) == .allowed("joe"))
        #expect(decision("/mobileapp", [Self.field(spoilt), Self.field(good)]) == .allowed("joe"))
        let two = [Self.field(good), Self.field(Self.cookie(level: 3))]
        #expect(decision("/mobileapp", two) == .denied(.duplicateCredential))
        #expect(decision("/mobileapp", [Self.field(good), bearer("x")]) == .denied(.malformedToken))
        #expect(decision("/mobileapp", [bearer(good)]) == .denied(.malformedToken))
        let bought = TestPolicy.token()
        #expect(decision("/mobileapp", [Self.field(bought)]) == .denied(.sessionInvalid), "a token is no cookie")
        let cache = VerifiedTokenCache(capacity: 8)
        #expect(decision("/mobileapp", [bearer(bought)], cache: cache) == .allowed("joe"))
        #expect(decision("/mobileapp", [Self.field(bought)], cache: cache) == .denied(.sessionInvalid))
        #expect(decision("/mobileapp", [Self.field(good)], cache: cache) == .allowed("joe"))
        #expect(decision("/mobileapp", [bearer(good)], cache: cache) == .denied(.malformedToken))
        #expect(decision("/mobileapp", [Self.field(Self.cookie("sso9"))]) == .denied(.unknownSubject))
        #expect(
            decision("/mobileapp", [Self.field(Self.cookie(client: "mbe-sch-1"))]) == .denied(.sessionInvalid),
            "MBE-09: of another realm")
        #expect(decision("/mobileapp", [Self.field(Self.cookie(client: "gone"))]) == .denied(.unknownClient))
    }

    @Test("a login ends with its time, its session, its password and its backend's tokens")
    func ends() {
        let cache = VerifiedTokenCache(capacity: 8)
        let list = RevocationList()
        let snapshot = Self.snapshot(revocations: list)
        let cookie = Self.field(Self.cookie())
        #expect(decision("/mobileapp", [cookie], snapshot, cache: cache) == .allowed("joe"))
        #expect(
            decision("/mobileapp", [cookie], snapshot, now: TestPolicy.now + 600, cache: cache)
                == .denied(.sessionExpired))
        list.revoke(tokenID: "session-1", until: TestPolicy.now + 600)
        #expect(decision("/mobileapp", [cookie], snapshot, cache: cache) == .denied(.tokenRevoked))
        var late = TestPolicy.inventory
        late.tokensNotBefore = TestPolicy.now + 1
        #expect(decision("/mobileapp", [cookie], Self.snapshot(clients: [late])) == .denied(.tokenRevoked))
        late.tokensNotBefore = 0
        late.oauthConsumer = false
        #expect(decision("/mobileapp", [cookie], Self.snapshot(clients: [late])) == .denied(.oauthDisabled))
        let hasher = PasswordHasher()
        let fresh = User(username: "joe", roles: [], tokensNotBefore: TestPolicy.now + 1)
        let users = UserStore(users: [fresh], hasher: hasher)
        #expect(decision("/mobileapp", [cookie], Self.snapshot(users: users)) == .denied(.tokenRevoked))
    }

    @Test("what lasts, such as a WebSocket, goes on while its login and its route do")
    func readmission() throws {
        let cache = VerifiedTokenCache(capacity: 8)
        let request = TestRequest("GET", "/mobileapp", [Self.field(Self.cookie())])
        let snapshot = Self.snapshot()
        guard case .principal(let principal) = request.authenticate(snapshot, snapshot.route("mobile"), cache: cache)
        else {
            Issue.record("nobody")
            return
        }
        func goesOn(_ snapshot: PolicySnapshot, at now: Int64 = TestPolicy.now) -> Bool {
            let (host, path) = (Array("gw.example.com".utf8), Array("/mobileapp".utf8))
            let readmission = snapshot.readmit(
                principal, BufferedRequest(.get, host: host.span), path: path.span, now: now, cache: cache)
            if case .admitted = readmission { return true } else { return false }
        }
        #expect(goesOn(snapshot) && !goesOn(snapshot, at: TestPolicy.now + 600))
        #expect(!goesOn(Self.snapshot { $0.change("MobileWG") { $0.scheme = Self.scheme(method: .webgate) } }))
        #expect(!goesOn(Self.snapshot { $0.seals = nil }))
    }

    @Test("roles are the current ones, not those of the login")
    func roles() {
        let snapshot = Self.snapshot { settings in
            settings.routes[5].access.roles = RoleNames(any: ["Clerk"])
            for (name, roles) in [("D", ["Clerk"]), ("E", [])] {
                settings.browserDomains[name] = Self.domain { $0.guestRoles = roles }
            }
        }
        #expect(decision("/mobileapp", [Self.field(Self.cookie())], snapshot) == .denied(.roleRequired))
        #expect(decision("/mobileapp", [Self.field(Self.cookie("ann"))], snapshot) == .allowed("ann"))
        // OMS-12: users of another server have those of guests.
        for (domain, expected) in [("D", DecisionOutcome.allowed("zoe")), ("E", .denied(.roleRequired))] {
            let guest = Self.field(Self.cookie("zoe", domain: domain, isGuest: true))
            #expect(decision("/mobileapp", [guest], snapshot) == expected)
        }
    }

    @Test("a change by cookie must come from a page of our own; so must a connection that lasts")
    func crossSite() {
        let cookie = Self.field(Self.cookie())
        let own = ("Origin", "https://gw.example.com")
        let allowed = ("Origin", "https://myexample.com")
        func site(_ text: String) -> (String, String) { ("Sec-Fetch-Site", text) }
        for method in ["POST", "PUT", "DELETE", "PATCH", "REPORT"] {
            #expect(decision("/mobileapp", [cookie], method: method) == .denied(.crossSiteRequest))
            #expect(decision("/mobileapp", [cookie, own], method: method) == .allowed("joe"))
            #expect(decision("/mobileapp", [cookie, site("same-origin")], method: method) == .allowed("joe"))
        }
        for text in ["same-site", "cross-site", "none", "Same-Origin", ""] {
            #expect(
                decision("/mobileapp", [cookie, site(text)], method: "POST") == .denied(.crossSiteRequest), "\(text)")
        }
        #expect(
            decision("/mobileapp", [cookie, site("same-origin"), site("same-origin")], method: "POST")
                == .denied(.crossSiteRequest))
        // CORS lets this origin in, and yet the cookie is not for it.
        #expect(decision("/mobileapp", [cookie, allowed], method: "POST") == .denied(.crossSiteRequest))
        #expect(
            decision("/mobileapp", [cookie, allowed, site("same-origin")], method: "POST") == .denied(.crossSiteRequest)
        )
        // Nor does a script of it read what only the user is to see; links send no `Origin`.
        #expect(decision("/mobileapp", [cookie, allowed]) == .denied(.crossSiteRequest))
        #expect(decision("/mobileapp", [cookie, own]) == .allowed("joe"))
        let upgrade = [cookie, ("Connection", "upgrade"), ("Upgrade", "websocket")]
        #expect(decision("/mobileapp", upgrade) == .denied(.crossSiteRequest))
        #expect(decision("/mobileapp", upgrade + [allowed]) == .denied(.crossSiteRequest))
        #expect(decision("/mobileapp", upgrade + [own]) == .allowed("joe"))
        #expect(
            decision("/mobileapp", [bearer(TestPolicy.token())], method: "POST") == .allowed("joe"),
            "no browser adds a token by itself")
    }

    // MARK: The way to the form

    func location(
        _ target: String, _ fields: [(String, String)], method: String = "GET", _ snapshot: PolicySnapshot = snapshot(),
        for reason: Reason = .missingCredential, of principal: Principal? = nil
    ) -> String? {
        let request = TestRequest(method, target, fields)
        guard case .route(let route)? = request.match(snapshot) else { return "no route" }
        return snapshot.loginLocation(
            route, for: reason, of: principal, bytes: request.bytes.span, head: request.head,
            headers: request.headers, now: TestPolicy.now
        ).map { String(decoding: $0, as: UTF8.self) }
    }

    static let html = ("Accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8")

    @Test("SCH-02: a browser is sent to the form, and the place that it wanted goes with it, sealed, with its level")
    func redirect() throws {
        let snapshot = Self.snapshot()
        for (target, kept) in [
            ("/mobileapp?a=b&c=%20d", "/mobileapp?a=b&c=%20d"), ("/mobileapp", "/mobileapp"),
            ("/mobileapp?", "/mobileapp?"),
            ("/mobileapp?u=https://evil.example/", "/mobileapp?u=https://evil.example/"),
            ("/mobileapp?\(String(repeating: "a", count: 4085))", "/mobileapp?\(String(repeating: "a", count: 4085))"),
            ("/mobileapp?\(String(repeating: "a", count: 4086))", "/mobileapp"),
        ] {
            let sent = try #require(location(target, [Self.html], snapshot), "\(target)")
            let start = "/login/form?serviceDomain=D&target="
            #expect(sent.hasPrefix(start))
            let opened = Self.seals.page(String(sent.dropFirst(start.count)), now: TestPolicy.now)
            #expect(opened?.target.text == kept && opened?.level == 2)
        }
        #expect(location("/mobileapp", [Self.html], method: "HEAD", snapshot) != nil)
        #expect(location("/payroll/x", [Self.html, ("User-Agent", "OAMMS-Agent")], snapshot) == nil, "AMB-22")
    }

    @Test(
        "SCH-02: a client that is no browser with a page to show is challenged",
        arguments: [
            [], [("Accept", "*/*")], [("Accept", "application/json")], [("Accept", "text/htmlx")],
            [html, ("Sec-Fetch-Mode", "cors")], [html, ("Authorization", "Bearer x")],
            [html, ("User-Agent", "OAMMS-Agent")], [html, ("Connection", "upgrade"), ("Upgrade", "websocket")],
        ] as [[(String, String)]])
    func challenged(_ fields: [(String, String)]) {
        #expect(location("/mobileapp", fields) == nil)
        #expect(location("/mobileapp", [Self.html], method: "POST") == nil)
        #expect(location("/inventory/me", [Self.html]) == nil)
    }

    @Test("CHAL-04: userAgentMismatch decides; where nothing is said, a form is for all but the agents that are named")
    func mismatch() {
        func isSent(_ mismatch: UserAgentMismatch?, agents: [String]) -> Bool {
            location(
                "/mobileapp", [Self.html, ("User-Agent", "Mozilla/5.0")],
                Self.snapshot {
                    $0.change("MobileWG") { ($0.mismatch, $0.userAgents) = (mismatch, agents) }
                }) != nil
        }
        #expect(isSent(.redirect, agents: ["OAMMS-Agent"]) && isSent(nil, agents: ["OAMMS-Agent"]))
        #expect(!isSent(.bearer, agents: ["OAMMS-Agent"]) && !isSent(.oamAuth, agents: ["OAMMS-Agent"]))
        #expect(isSent(.redirect, agents: []) && !isSent(nil, agents: []), "AMB-22")
        #expect(!isSent(.redirect, agents: ["Mozilla/*"]))
    }
}
