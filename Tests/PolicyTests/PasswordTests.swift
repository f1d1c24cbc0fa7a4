import HTTP
import Identity
import Model
import TestSupport
import Testing

@testable import Policy

/// BASIC-05: what Basic costs, and how it is held back.
@Suite("Passwords") struct PasswordTests {
    private func outcome(
        _ snapshot: PolicySnapshot, _ password: String, at now: Int64 = TestPolicy.now
    ) -> AuthenticationOutcome {
        TestRequest("GET", "/inventory/items", [basic("joe:\(password)"), inventoryID]).authenticate(snapshot, now: now)
    }

    private func name(_ outcome: AuthenticationOutcome) -> String {
        switch outcome {
        case .principal(let principal): return "known \(principal.subject)"
        case .resolve(let effect):
            switch effect.settled() {
            case .success(let principal): return principal.subject
            case .failure(let reason): return reason.code
            }
        case .none: return "nobody"
        case .rejected(let reason), .malformed(let reason): return reason.code
        }
    }

    @Test func aRightPasswordIsHashedOnceInAWhile() {
        let snapshot = TestPolicy.snapshot(TestPolicy.settings())
        #expect(name(outcome(snapshot, "Welcome1")) == "joe")
        #expect(name(outcome(snapshot, "Welcome1", at: TestPolicy.now + 59)) == "known joe")
        #expect(name(outcome(snapshot, "Welcome1", at: TestPolicy.now + 60)) == "joe")
        #expect(name(outcome(snapshot, "Welcome2", at: TestPolicy.now + 60)) == "wrong_password")
    }

    /// A changed password comes with another configuration, which remembers nothing of the one before.
    @Test func anotherConfigurationHashesAnew() {
        #expect(name(outcome(TestPolicy.snapshot(TestPolicy.settings()), "Welcome1")) == "joe")
        #expect(name(outcome(TestPolicy.snapshot(TestPolicy.settings()), "Welcome1")) == "joe")
    }

    @Test func guessersAreHeldBackAcrossConfigurations() {
        var settings = TestPolicy.settings()
        for _ in 0..<10 { #expect(name(outcome(TestPolicy.snapshot(settings), "guess")) == "wrong_password") }
        settings.generation += 1
        #expect(name(outcome(TestPolicy.snapshot(settings), "Welcome1")) == "login_throttled")
        #expect(Reason.loginThrottled.status == 429)
        #expect(Reason.loginThrottled.retryAfterSeconds != nil)
    }

    /// Otherwise guesses that are not checked would still find it, by its answer.
    @Test func aRememberedPasswordIsHeldBackWithGuesses() {
        let snapshot = TestPolicy.snapshot(TestPolicy.settings())
        #expect(name(outcome(snapshot, "Welcome1")) == "joe")
        for _ in 0..<100 { #expect(name(outcome(snapshot, "Welcome1")) == "known joe") }
        for _ in 0..<100 where name(outcome(snapshot, "guess")) != "wrong_password" { break }
        #expect(name(outcome(snapshot, "guess")) == "login_throttled")
        #expect(name(outcome(snapshot, "Welcome1")) == "login_throttled")
    }
}
