import HTTP
import Identity
import Model
import Outbound
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

    /// In constant use no request waits for a hash but the first.
    @Test func aRightPasswordIsCheckedAgainBeforeItsTimeEnds() {
        let settings = TestPolicy.settings()
        let checks = ManualEffects<Void>()
        settings.background.attach { checks.begin($0) }
        let snapshot = TestPolicy.snapshot(settings)
        #expect(name(outcome(snapshot, "Welcome1")) == "joe")
        for round in 1...3 {
            let start = TestPolicy.now + Int64(round) * 45
            #expect(name(outcome(snapshot, "Welcome1", at: start - 1)) == "known joe")
            for _ in 0..<8 { #expect(name(outcome(snapshot, "Welcome1", at: start)) == "known joe") }
            #expect(checks.hashes == 1)
            checks.runHash()
        }
        // One that is dropped starts again.
        let late = TestPolicy.now + 4 * 45
        for seconds in [0, 4, 5] as [Int64] {
            #expect(name(outcome(snapshot, "Welcome1", at: late + seconds)) == "known joe")
            #expect(checks.hashes == (seconds == 4 ? 0 : 1))
            checks.dropHash()
        }
        #expect(name(outcome(snapshot, "Welcome1", at: late + 15)) == "joe")
    }

    @Test func manyRequestsWithARightPasswordAreOneHash() {
        let snapshot = TestPolicy.snapshot(TestPolicy.settings())
        let requests = ManualEffects<Result<Principal, Reason>>()
        for _ in 0..<64 {
            guard case .resolve(let effect) = outcome(snapshot, "Welcome1") else { continue }
            requests.begin(effect)
        }
        #expect(requests.hashes == 1)
        requests.runHash()
        #expect(requests.values.count == 64 && requests.values.allSatisfy { (try? $0.get().subject) == "joe" })
        #expect(name(outcome(snapshot, "Welcome1")) == "known joe")
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
