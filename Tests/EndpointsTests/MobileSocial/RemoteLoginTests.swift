import Bytes
import Crypto
import Endpoints
import Identity
import JOSE
import MobileSocial
import Model
import TestSupport
import Testing
import TokenStorage

/// Logins of users who are known elsewhere (OMS-10 to OMS-13).
@Suite struct RemoteLoginTests {
    /// A service domain of that kind, with a device in it.
    private final class Setup {
        let server: StubPasswords
        let mobile: Mobile
        let handle: String

        init(
            _ connectivity: Connectivity = .auto, store: any TokenStore = MemoryTokenStore(), isAllowed: Bool? = true,
            maximum: Int64 = 3, handle known: String? = nil,
            _ change: @escaping (inout RemoteAuthentication) -> Void = { _ in }
        ) throws {
            let server = StubPasswords()
            let mobile = Mobile(store: store) { domain in
                var remote = RemoteAuthentication(passwords: server)
                remote.connectivity = connectivity
                change(&remote)
                domain.remote = remote
                for i in domain.applications.indices {
                    domain.applications[i].maximumLoginAttempts = maximum
                    domain.applications[i].lockoutSeconds = 100
                    domain.applications[i].customAttributes = [
                        JSONMember(name: "CryptoScheme", node: .text("SaltedSHA-512"))
                    ]
                }
                domain.applications[0].offlineAuthentication = isAllowed
            }
            let handle = try known ?? Setup.register(mobile)
            self.server = server
            self.mobile = mobile
            self.handle = handle
        }

        private static func register(_ mobile: Mobile) throws -> String {
            let login = Mobile.login("CLIENTREGHANDLE", user: "ann", password: "Remote2")
            return try mobile.value(mobile.post(Mobile.path + "/register", login))
        }

        func logIn(_ user: String = "joe", _ password: String = "Remote1", at seconds: Int64 = 0) -> EndpointResponse {
            mobile.authenticate(handle, user: user, password: password, at: seconds)
        }

        /// `200`, `200 offline`, or status and reason.
        func outcome(_ user: String = "joe", _ password: String = "Remote1", at seconds: Int64 = 0) -> String {
            let response = logIn(user, password, at: seconds)
            return response.status == 200
                ? response.json?["offline"]?.bool == true ? "200 offline" : "200"
                : "\(response.status) \(response.reason)"
        }
    }

    private static let down = "503 login_server_unavailable"
    private static let wrong = "401 oic_wrong_password"

    @Test("the client gets the server's verdict, and never a 401 for the server's own failures")
    func answers() throws {
        let setup = try Setup(.online)
        #expect(setup.outcome() == "200")
        let wrong = setup.logIn("joe", "Welcome1")
        #expect(wrong.status == 401 && wrong.json?["remainingAttempts"]?.integer == 2)
        // The same answer for users that it does not know, and that the gateway does not.
        #expect(setup.outcome("nobody", "x") == Self.wrong)
        #expect(setup.outcome("zoe", "Remote3") == Self.wrong)
        #expect(setup.outcome("off", "Remote4") == Self.wrong)
        setup.server.forbid("ann")
        #expect(setup.outcome("ann", "Remote2") == "403 login_forbidden")
        let throttled = setup.logIn("busy", "x")
        #expect(throttled.status == 429 && throttled.header("Retry-After") == "17")
        for (reason, outcome) in [
            (PasswordOutage.Reason.unavailable, Self.down), (.invalidAnswer, "502 login_server_invalid_answer"),
            (.misconfigured, "502 login_server_misconfigured"),
        ] {
            setup.server.fail(PasswordOutage(reason, retryAfterSeconds: 5))
            #expect(setup.outcome() == outcome)
            #expect(setup.logIn().header("Retry-After") == "5")
        }
    }

    @Test("OMS-10: only wrong passwords are counted")
    func counts() throws {
        let setup = try Setup(.online)
        setup.server.down()
        for _ in 0..<20 { #expect(setup.outcome() == Self.down) }
        setup.server.fail(nil)
        #expect(setup.outcome("joe", "no") == Self.wrong)
        setup.server.down()
        for _ in 0..<20 { #expect(setup.outcome("joe", "no") == Self.down) }
        setup.server.fail(nil)
        #expect(setup.outcome("joe", "no") == Self.wrong)
        #expect(setup.outcome("joe", "no") == Self.wrong)
        let calls = setup.server.calls
        #expect(setup.outcome() == "403 login_attempts_exceeded")
        #expect(setup.server.calls == calls, "who is locked out is not asked about")
        #expect(setup.outcome(at: 100) == "200")
    }

    @Test("OMS-12: while the server is down only a known user is admitted, and marked as offline")
    func offline() throws {
        let setup = try Setup()
        #expect(setup.outcome() == "200")
        setup.server.down()
        let response = setup.logIn(at: 10)
        #expect(response.reason.code == "user_token_issued_offline")
        let audit = try #require(response.audit)
        #expect(audit.action == "oic.authenticate-offline")
        #expect(audit.outcome == .granted)
        #expect(response.json?["expires_in"]?.integer == 3600)
        let token = try setup.mobile.value(response)
        let access = setup.mobile.access(token, setup.handle, at: 20)
        let claims = try CompactClaims.of(setup.mobile.value(access))
        #expect(claims["offline"]?.bool == true && claims["sub"]?.string == "joe")
        #expect(claims["virtual"] == nil)
        let unknown = setup.logIn("ann", "Remote2")
        #expect(unknown.status == 200, "she registered the device by her password")
        #expect(setup.outcome("zoe", "Remote3") == Self.down)
        #expect(setup.outcome("nobody", "x") == Self.down)
        #expect(setup.logIn("nobody", "x").header("Retry-After") == "7")
        #expect(setup.outcome("joe", "no") == Self.wrong)
        // A device is let in by the server alone.
        let registration = setup.mobile.post(
            Mobile.path + "/register", Mobile.login("CLIENTREGHANDLE", password: "Remote1"))
        #expect(registration.status == 503)
        setup.server.fail(nil)
        let online = setup.logIn(at: 30)
        #expect(online.status == 200 && online.json?["offline"] == nil, "it is not the session from offline")
    }

    @Test("a server that refuses the gateway does not trigger offline logins")
    func misconfigured() throws {
        let setup = try Setup()
        #expect(setup.outcome() == "200")
        setup.server.fail(PasswordOutage(.misconfigured))
        #expect(setup.outcome() == "502 login_server_misconfigured")
        setup.server.fail(PasswordOutage(.invalidAnswer))
        #expect(setup.outcome() == "200 offline")
    }

    @Test("guests have the domain's roles and no account")
    func guests() throws {
        let setup = try Setup { $0.guestRoles = ["Clerk"] }
        let token = try setup.mobile.value(setup.logIn("zoe", "Remote3"))
        let claims = try CompactClaims.of(setup.mobile.value(setup.mobile.access(token, setup.handle)))
        #expect(claims["virtual"]?.bool == true && claims["roles"]?.array?.map(\.string) == ["Clerk"])
        #expect(setup.outcome("off", "Remote4") == Self.wrong, "a disabled account is no guest")
        #expect(setup.outcome("zoe\\u001fx", "Remote3") == Self.wrong)
        setup.server.down()
        #expect(setup.outcome("zoe", "Remote3") == "200 offline")
    }

    @Test("another spelling of a local user's name cannot log in as a guest")
    func namesakes() throws {
        let setup = try Setup { $0.guestRoles = ["Clerk"] }
        setup.server.foldNames()
        for name in ["OFF", "Off", "o\u{FB00}"] { #expect(setup.outcome(name, "Remote4") == Self.wrong, "\(name)") }
        let response = setup.logIn("JOE", "Remote1")
        #expect(response.json?["user"]?.string == "joe", "the session is that of the local user")
        let claims = try CompactClaims.of(
            setup.mobile.value(setup.mobile.access(setup.mobile.value(response), setup.handle)))
        #expect(claims["virtual"] == nil && claims["sub"]?.string == "joe")
        #expect(try setup.mobile.value(setup.logIn()) == setup.mobile.value(response))
        #expect(setup.outcome("ZOE", "Remote3") == "200", "no local user has such a name")
    }

    @Test("a refusal by the server prevents offline logins too")
    func refusalsWipe() throws {
        let setup = try Setup(maximum: 10)
        #expect(setup.outcome() == "200")
        setup.server.set("joe", "Changed1")
        #expect(setup.outcome() == Self.wrong)
        setup.server.down()
        #expect(setup.outcome() == Self.down)
        setup.server.fail(nil)
        #expect(setup.outcome("joe", "Changed1") == "200")
        setup.server.down()
        #expect(setup.outcome("joe", "Changed1") == "200 offline")
        #expect(setup.outcome() == Self.wrong)
        setup.server.fail(nil)
        setup.server.forbid("joe")
        #expect(setup.outcome("joe", "Changed1") == "403 login_forbidden")
        setup.server.down()
        #expect(setup.outcome("joe", "Changed1") == Self.down)
    }

    @Test("a revocation by store or deny list removes the verifier")
    func revocation() throws {
        let setup = try Setup()
        #expect(setup.outcome() == "200")
        let revoke = StoreOperation.revoke(.subject(application: nil, subject: "joe"))
        setup.mobile.store.perform(revoke, now: Mobile.start) { _ in }
        setup.server.down()
        #expect(setup.outcome() == Self.down)
        setup.server.fail(nil)
        #expect(setup.outcome(at: 5) == "200")
        setup.mobile.revocations.revoke(
            subject: "joe", issuedBefore: Mobile.start + 6, until: Mobile.start + 10_000_000)
        setup.server.down()
        #expect(setup.outcome(at: 7) == Self.down)
    }

    @Test("wiping a device removes its user's offline verifier")
    func deviceWipe() throws {
        let setup = try Setup()
        #expect(setup.outcome("ann", "Remote2") == "200" && setup.outcome() == "200")
        let register = DeviceRegister(store: setup.mobile.store)
        let list = try register.list(subject: "ann", limit: 10, now: Mobile.start).settled().get()
        let devices = try JSONNode.parse(list.span).array
        let id = try #require(devices?.first?["id"]?.string)
        #expect(try register.wipe(id, domains: ["MobileServiceDomain"], now: Mobile.start).settled().get() > 0)
        let handle = try setup.mobile.value(
            setup.mobile.post(Mobile.path + "/register", Mobile.login("CLIENTREGHANDLE", password: "Remote1")))
        setup.server.down()
        func outcome(_ user: String, _ password: String) -> Int {
            setup.mobile.authenticate(handle, user: user, password: password).status
        }
        #expect(outcome("ann", "Remote2") == 503)
        #expect(outcome("joe", "Remote1") == 200)
    }

    @Test("S40, CON-21: the last allowed failure wipes the verifier, also across restarts")
    func wipes() throws {
        let store = MemoryTokenStore()
        let first = try Setup(store: store)
        #expect(first.outcome() == "200")
        for round in 0..<2 {
            // Each process counts lock-outs for itself; the verifier counts for all of them.
            let process = try Setup(store: store, handle: first.handle)
            process.server.down()
            for _ in 0..<2 { #expect(process.outcome("joe", "no \(round)") == Self.wrong) }
        }
        let last = try Setup(store: store, handle: first.handle)
        last.server.down()
        #expect(last.outcome() == Self.down, "the fourth wrong one was one too many")
        last.server.fail(nil)
        #expect(last.outcome() == "200")
        last.server.down()
        #expect(last.outcome() == "200 offline")
    }

    @Test("OMS-13: in offline mode the server is asked only after the verifier is wiped")
    func neverCalls() throws {
        let store = MemoryTokenStore()
        let before = try Setup(store: store)
        #expect(before.outcome() == "200")
        let setup = try Setup(.offline, store: store, handle: before.handle)
        #expect(setup.outcome() == "200 offline")
        #expect(setup.outcome("zoe", "Remote3") == "503 login_server_not_asked")
        for _ in 0..<3 { #expect(setup.outcome("joe", "no") == Self.wrong) }
        #expect(setup.outcome() == "403 login_attempts_exceeded")
        #expect(setup.server.calls == 0)
        #expect(setup.outcome("joe", "no", at: 100) == Self.wrong)
        #expect(setup.server.calls == 1, "wiped, then online")
        #expect(setup.outcome(at: 200) == "200")
        #expect(setup.outcome(at: 201) == "200 offline")
        #expect(setup.server.calls == 2)
    }

    @Test("OMS-11: in online mode, or without the application's consent, no verifier is made or used")
    func online() throws {
        let store = MemoryTokenStore()
        let before = try Setup(store: store)
        #expect(before.outcome() == "200")
        for connectivity in [Connectivity.online, .auto, .offline] {
            let settings: [Bool?] = connectivity == .online ? [true, false, nil] : [false, nil]
            for isAllowed in settings {
                let setup = try Setup(connectivity, store: store, isAllowed: isAllowed, handle: before.handle)
                setup.server.down()
                #expect(
                    setup.outcome() == (connectivity == .offline ? "503 login_server_not_asked" : Self.down))
            }
        }
        // A login online makes what was kept of no use: it may have been of another password.
        let online = try Setup(.online, store: store, handle: before.handle)
        #expect(online.outcome() == "200")
        before.server.down()
        #expect(before.outcome() == Self.down)
    }

    @Test("a verifier expires however often it was used")
    func lifetime() throws {
        let setup = try Setup { $0.verifierSeconds = 100 }
        #expect(setup.outcome() == "200")
        setup.server.down()
        #expect(setup.outcome(at: 60) == "200 offline")
        #expect(setup.outcome(at: 99) == "200 offline")
        #expect(setup.outcome(at: 100) == Self.down)
    }
}

/// The claims of a JWT, unverified.
private enum CompactClaims {
    static func of(_ token: String) throws -> JSONNode {
        let parts = token.split(separator: ".")
        try #require(parts.count == 3)
        let part = Array(parts[1].utf8)
        let claims = Base64.decode(part.span, .url) ?? []
        return try JSONNode.parse(claims.span)
    }
}

extension EndpointResponse {
    fileprivate func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}
