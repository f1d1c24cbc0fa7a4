import Identity
import JOSE
import Model
import Outbound
import Synchronization
import TestSupport
import Testing

@testable import Policy

/// Tokens that are bound to a Webgate and to a session (DEC-06, OMS-09, OMS-17).
@Suite struct SessionDecisionTests {
    /// A token of `/access`.
    private func token(
        webgate: String? = "InventoryWG", session: String? = "session-1", idle: Int64? = nil, lifetime: Int64 = 600
    ) -> String {
        var claims = AccessTokenClaims(
            TokenRights(subject: "joe", kind: .user, roles: ["Manager"], level: 2),
            of: TestPolicy.inventory, issuer: "https://gw.example.com", audience: ["https://gw.example.com"],
            issuedAt: TestPolicy.now,
            expiresAt: TestPolicy.now + lifetime, tokenID: "jti-1")
        claims.webgate = webgate
        claims.session = session
        claims.idleSeconds = idle
        return String(
            decoding: TestPolicy.ownKey.sign(claims: claims.json(), type: AccessTokenClaims.type), as: UTF8.self)
    }

    @Test("a token opens the routes of its Webgate, and no others")
    func webgate() {
        let snapshot = TestPolicy.snapshot()
        func decision(_ path: String, webgate: String?) -> DecisionOutcome {
            decide(TestRequest("GET", path, [bearer(token(webgate: webgate))]), snapshot)
        }
        #expect(decision("/inventory/items", webgate: "InventoryWG") == .allowed("joe"))
        #expect(decision("/inventory/items", webgate: nil) == .allowed("joe"))
        #expect(decision("/inventory/items", webgate: "MobileWG") == .denied(.wrongWebgate))
        #expect(decision("/inventory/items", webgate: "inventorywg") == .denied(.wrongWebgate))
        #expect(decision("/mobileapp", webgate: "InventoryWG") == .denied(.wrongWebgate))
        // CHAL-05: a route without a Webgate has none of its tokens.
        #expect(decision("/inventory/me", webgate: "InventoryWG") == .denied(.wrongWebgate))
        // CHAL-06: of the right Webgate, and too weak.
        #expect(decision("/payroll", webgate: "HighWG") == .denied(.stepUpRequired))
        #expect(Reason.wrongWebgate.status == 401 && Reason.sessionIdle.status == 401)
    }

    @Test("a token ends with its session, also where it was verified before")
    func session() {
        let list = RevocationList()
        let snapshot = TestPolicy.snapshot(TestPolicy.settings(revocations: list))
        let cache = VerifiedTokenCache(capacity: 8)
        func decision(_ session: String) -> DecisionOutcome {
            decide(TestRequest("GET", "/inventory/items", [bearer(token(session: session))]), snapshot, cache: cache)
        }
        #expect(decision("session-1") == .allowed("joe") && decision("session-2") == .allowed("joe"))
        list.revoke(tokenID: "session-1", until: TestPolicy.now + 600)
        #expect(decision("session-1") == .denied(.tokenRevoked))
        #expect(decision("session-2") == .allowed("joe"))
    }

    @Test("a session that seems idle is asked for elsewhere before it is refused")
    func idle() {
        let activities = StubActivities()
        var settings = TestPolicy.settings()
        settings.activities = activities
        let snapshot = TestPolicy.snapshot(settings)
        let cache = VerifiedTokenCache(capacity: 8)
        let token = token(idle: 60)
        func decision(at seconds: Int64) -> DecisionOutcome {
            decide(
                TestRequest("GET", "/inventory/items", [bearer(token)]), snapshot, now: TestPolicy.now + seconds,
                cache: cache)
        }
        #expect(decision(at: 59) == .allowed("joe"))
        #expect(activities.questions == 0, "obtaining the token was a use")
        #expect(decision(at: 60) == .denied(.sessionIdle))
        activities.answer(.inUse)
        #expect(decision(at: 60) == .allowed("joe"))
        activities.answer(.unknown)
        #expect(decision(at: 60) == .denied(.storeUnavailable), "nobody's credentials are bad for that")
        #expect(activities.questions == 3)
        activities.use(at: TestPolicy.now + 60)
        #expect(decision(at: 119) == .allowed("joe"))
        #expect(activities.questions == 3)
    }

    private final class StubActivities: SessionActivities {
        private struct State {
            var activity: SessionActivity?
            var standing = SessionStanding.ended
            var questions = 0
        }

        private let state = Mutex(State())

        var questions: Int { state.withLock { $0.questions } }

        func answer(_ standing: SessionStanding) { state.withLock { $0.standing = standing } }
        func use(at now: Int64) { state.withLock { $0.activity }?.use(at: now) }

        func activity(of session: String, idleSeconds: Int64, usedAt: Int64, endsAt: Int64) -> SessionActivity {
            let made = SessionActivity(session: session, idleSeconds: idleSeconds, usedAt: usedAt)
            return state.withLock { state in
                state.activity = state.activity ?? made
                return state.activity ?? made
            }
        }

        func confirm(_ activity: SessionActivity, now: Int64) -> Effect<SessionStanding> {
            .done(
                state.withLock { state in
                    state.questions += 1
                    return state.standing
                })
        }

        func tick(now: Int64) {}
    }
}
