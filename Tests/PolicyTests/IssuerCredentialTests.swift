import Bytes
import Crypto
import HTTP
import Identity
import Model
import Outbound
import Synchronization
import TestSupport
import Testing

@testable import Policy

/// Names and passwords that another server verifies.
@Suite struct IssuerCredentialTests {
    /// A server that knows one password of each user.
    private final class Server: PasswordVerifier {
        let seen = Mutex<[String]>([])
        /// Answers that the test gives later; nil for at once.
        let held = Mutex<[@Sendable () -> Void]?>(nil)
        let verdict = Mutex<Result<PasswordVerdict, PasswordOutage>?>(nil)

        func verify(_ login: PresentedLogin, now: Int64) -> Effect<Result<PasswordVerdict, PasswordOutage>> {
            seen.withLock { $0.append(login.username) }
            let right = login.password.isExactly("pw-\(login.username)")
            let verdict = verdict.withLock { $0 } ?? .success(right ? .right : .wrong)
            guard held.withLock({ $0 != nil }) else { return .done(verdict) }
            return .await { resume in self.held.withLock { $0?.append { resume(.done(verdict)) } } }
        }

        var calls: Int { seen.withLock(\.count) }

        /// Gives the answers that were held back.
        func answer() { for answer in held.withLock({ $0.take() ?? [] }) { answer() } }
    }

    private func snapshot(
        _ server: Server, guests: [String]? = ["Guest"], users: UserStore = TestPolicy.users(),
        revocations: RevocationList = RevocationList(), _ change: (inout PolicySettings) -> Void = { _ in }
    ) -> PolicySnapshot {
        var settings = TestPolicy.settings(users: users, revocations: revocations)
        settings.passwordVerifiers = ["directory": server]
        var entry = Authenticator(.basic, issuer: "directory")
        entry.passwords = IssuerPasswordSettings()
        entry.passwords?.guestRoles = guests
        var route = ResolvedRoute(RouteEntry(name: "listed", path: "/listed"))
        route.options.authenticators = [entry]
        settings.routes.append(route)
        (route.name, route.path) = ("other", "/other")
        settings.routes.append(route)
        change(&settings)
        return TestPolicy.snapshot(settings)
    }

    private func decision(
        _ pair: String, _ snapshot: PolicySnapshot, at now: Int64 = TestPolicy.now, _ path: String = "/listed"
    ) -> DecisionOutcome {
        decide(TestRequest("GET", path, [basic(pair)]), snapshot, now: now)
    }

    @Test("a verdict counts for its term, on all routes with the same entry, and for this password alone")
    func cache() {
        let server = Server()
        let policy = snapshot(server)
        #expect(decision("eve:pw-eve", policy) == .allowed("eve"))
        #expect(decision("eve:pw-eve", policy, "/other") == .allowed("eve"))
        #expect(decision("eve:pw-eve", policy, at: TestPolicy.now + 44) == .allowed("eve"))
        #expect(server.calls == 1)
        #expect(decision("eve:pw-eve", policy, at: TestPolicy.now + 60) == .allowed("eve"))
        #expect(decision("eve:pw-ev", policy, at: TestPolicy.now + 60) == .denied(.wrongPassword))
        #expect(server.calls == 3)
        #expect(decision("eve", policy) == .denied(.malformedCredential))
        #expect(decision("a\u{1}b:x", policy) == .denied(.malformedCredential))
        #expect(server.calls == 3)
    }

    @Test("requests with one password at the same time are one question, and others wait for it")
    func together() {
        let server = Server()
        let policy = snapshot(server)
        let requests = ManualEffects<Result<Principal, Reason>>()
        server.held.withLock { $0 = [] }
        for pair in Array(repeating: "eve:pw-eve", count: 16) + (0..<12).map({ "eve:guess \($0)" }) {
            let request = TestRequest("GET", "/listed", [basic(pair)])
            guard case .resolve(let effect) = request.authenticate(policy, policy.route("listed")) else {
                Issue.record("not asked")
                return
            }
            requests.begin(effect)
        }
        // Ten at a time could use up all attempts.
        #expect(server.calls == 10 && requests.values.isEmpty)
        server.answer()
        #expect(requests.values.count { (try? $0.get().subject) == "eve" } == 16)
        let refused = requests.values.compactMap { result in
            if case .failure(let reason) = result { reason } else { nil }
        }
        #expect(server.calls == 13 && refused == Array(repeating: .wrongPassword, count: 12))
    }

    @Test("a remembered password is asked about again before its time ends, and forgotten if it is not right any more")
    func renewal() {
        let server = Server()
        let policy = snapshot(server) { settings in
            settings.background.attach { $0.settled() }
        }
        #expect(decision("eve:pw-eve", policy) == .allowed("eve"))
        for round in 1...3 {
            #expect(decision("eve:pw-eve", policy, at: TestPolicy.now + Int64(round) * 45) == .allowed("eve"))
            #expect(server.calls == 1 + round)
        }
        // An outage is no answer.
        server.verdict.withLock { $0 = .failure(PasswordOutage(.unavailable)) }
        for seconds in [180, 184] as [Int64] {
            #expect(decision("eve:pw-eve", policy, at: TestPolicy.now + seconds) == .allowed("eve"))
        }
        #expect(server.calls == 5)
        server.verdict.withLock { $0 = .success(.wrong) }
        #expect(decision("eve:pw-eve", policy, at: TestPolicy.now + 190) == .allowed("eve"))
        #expect(decision("eve:pw-eve", policy, at: TestPolicy.now + 190) == .denied(.wrongPassword))
        #expect(server.calls == 7)
    }

    @Test("users that may not log in here are refused even if the server accepts them")
    func accounts() {
        let server = Server()
        #expect(decision("eve:pw-eve", snapshot(server, guests: nil)) == .denied(.wrongPassword))
        #expect(decision("joe:pw-joe", snapshot(server, guests: nil)) == .allowed("joe"))
        let hasher = PasswordHasher()
        let users = UserStore(users: [User(username: "joe", roles: [], enabled: false)], hasher: hasher)
        #expect(decision("joe:pw-joe", snapshot(server, users: users)) == .denied(.wrongPassword))
        #expect(decision("JOE:pw-joe", snapshot(server, users: users)) == .denied(.wrongPassword))
    }

    @Test("what the server does not decide is no wrong password")
    func outages() {
        let server = Server()
        let policy = snapshot(server)
        let cases: [(Result<PasswordVerdict, PasswordOutage>, Reason)] = [
            (.success(.forbidden), .loginForbidden), (.success(.throttled(retryAfter: 3)), .loginThrottled),
            (.failure(PasswordOutage(.unavailable)), .loginServerUnavailable),
            (.failure(PasswordOutage(.invalidAnswer)), .loginServerInvalidAnswer),
            (.failure(PasswordOutage(.misconfigured)), .loginServerMisconfigured),
        ]
        for (verdict, reason) in cases {
            server.verdict.withLock { $0 = verdict }
            #expect(decision("eve:pw-eve", policy) == .denied(reason))
        }
    }

    @Test("a revocation ends what is remembered, and an open connection")
    func revocation() {
        let server = Server()
        let revocations = RevocationList()
        let policy = snapshot(server, revocations: revocations)
        #expect(decision("eve:pw-eve", policy) == .allowed("eve"))
        let request = TestRequest("GET", "/listed", [basic("eve:pw-eve")])
        guard case .principal(let eve) = request.authenticate(policy, policy.route("listed")) else {
            Issue.record("not remembered")
            return
        }
        #expect(server.calls == 1)
        revocations.revoke(subject: "eve", issuedBefore: TestPolicy.now, until: TestPolicy.now + 1000)
        #expect(decision("eve:pw-eve", policy, at: TestPolicy.now + 1) == .allowed("eve"))
        #expect(decision("eve:pw-eve", policy, at: TestPolicy.now + 2) == .allowed("eve"))
        #expect(server.calls == 2, "the server was asked again, and once")
        func again(_ policy: PolicySnapshot) -> Bool {
            let (path, host) = (Array("/listed".utf8), Array("gw.example.com".utf8))
            let remembered = BufferedRequest(.get, host: host.span)
            let outcome = policy.readmit(
                eve, remembered, path: path.span, now: TestPolicy.now, cache: VerifiedTokenCache(capacity: 1))
            if case .admitted = outcome { return true }
            return false
        }
        #expect(again(policy))
        #expect(!again(snapshot(server, guests: nil)), "guests are no longer taken")
        #expect(
            !again(snapshot(server) { $0.routes[$0.routes.count - 2].options.authenticators = [Authenticator(.basic)] })
        )
    }
}
