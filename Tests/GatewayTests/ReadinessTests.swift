import Testing
import TokenStorage

@testable import Gateway

/// When a gateway asks for requests, and when it asks for none.
@Suite struct ReadinessTests {
    private struct Case: CustomTestStringConvertible {
        var refuses = false
        var isUp = true
        var isDraining = false
        var wasReady = true
        var servesWithoutTokens = true
        let ready: (own: Bool, withStore: Bool)

        var testDescription: String { "\(self)" }

        var readiness: Readiness {
            var store = RevocationFollower.Report(
                kind: "redis", isCurrent: !refuses, refuses: refuses, age: 0, succeeded: 0, failed: 0)
            if !isUp { store.writeFailure = .full }
            return Readiness(
                [], store: store, isDraining: isDraining, wasReady: wasReady, servesWithoutTokens: servesWithoutTokens)
        }
    }

    private static let cases = [
        Case(ready: (true, true)),
        Case(wasReady: false, ready: (true, true)),
        // The store has not answered yet.
        Case(refuses: true, wasReady: false, ready: (false, false)),
        Case(refuses: true, wasReady: false, servesWithoutTokens: false, ready: (false, false)),
        // It is lost, or takes nothing.
        Case(refuses: true, ready: (true, false)),
        Case(isUp: false, ready: (true, false)),
        Case(isUp: false, wasReady: false, ready: (true, false)),
        Case(isUp: false, servesWithoutTokens: false, ready: (true, false)),
        Case(refuses: true, isUp: false, ready: (true, false)),
        // No route can be served.
        Case(refuses: true, servesWithoutTokens: false, ready: (false, false)),
        Case(servesWithoutTokens: false, ready: (true, true)),
        Case(isDraining: true, ready: (false, false)),
        Case(refuses: true, isDraining: true, ready: (false, false)),
    ]

    @Test(arguments: cases)
    private func readiness(_ one: Case) {
        let readiness = one.readiness
        #expect(readiness.isReady == one.ready.own)
        for (isStore, expected) in [(false, one.ready.own), (true, one.ready.withStore)] {
            let (status, text) = readiness.response(includingStore: isStore)
            #expect(status == (expected ? 200 : 503))
            let first = one.isDraining ? "draining\n" : expected ? "ready\n" : "not ready\n"
            #expect(text.hasPrefix(first), "\(text)")
            #expect(text.contains("store unavailable") == one.refuses && text.contains("store_full") != one.isUp)
        }
    }
}
