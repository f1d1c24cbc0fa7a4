import Identity
import Issuers
import Model
import Outbound
import Synchronization
import TestSupport
import Testing

/// What the framework does around every module.
@Suite struct GuardedIssuerTests {
    private let now: Int64 = 1_700_000_000

    /// The microseconds of a clock that a test moves.
    private final class Time: Sendable {
        private let value = Atomic<Int64>(0)
        var now: Int64 { value.load(ordering: .relaxed) }
        func pass(milliseconds: Int64) { value.add(milliseconds * 1000, ordering: .relaxed) }
    }

    private struct Setup {
        let caller: ScriptedCaller
        let time = Time()
        let gate: IssuerGate
        let issuer: GuardedIssuer

        init(
            _ values: [String: IssuerValue] = [:], _ change: (inout GuardedIssuer.Settings) -> Void = { _ in },
            _ log: Log = Log(), _ script: @escaping ScriptedCaller.Script
        ) throws {
            caller = ScriptedCaller(script)
            var settings = GuardedIssuer.Settings()
            change(&settings)
            gate = IssuerGate(name: "as") { log.note($0) }
            issuer = GuardedIssuer(
                try BuiltModule.make(.oauth2, BuiltModule.oauth2(values), caller), settings: settings, gate: gate,
                clock: { [time] in time.now })
        }

        func issue(token: String = "") -> Result<IssuedToken, IssueFailure> {
            issuer.issue(BuiltModule.request(token: token), now: 1_700_000_000).settled()
        }
    }

    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func note(_ event: IssuerGate.Event) {
            lines.withLock {
                switch event {
                case .failed(let failure): $0.append("failed \(failure.reason)")
                case .opened(let failure): $0.append("opened \(failure.reason)")
                case .recovered: $0.append("recovered")
                }
            }
        }
    }

    @Test("during an outage most callers fail without a call")
    func outageIsNotPaidForByEveryCaller() throws {
        let log = Log()
        let up = Up()
        let setup = try Setup([:], { _ in }, log) { _, _ in up.isUp ? .token("t") : .failed(.timeout) }
        for _ in 0..<20 {
            let result = setup.issue()
            #expect(throws: IssueFailure.self) { try result.get() }
            if case .failure(let failure) = result { #expect(failure.status == 503 && failure.retryAfterSeconds == 1) }
        }
        #expect(setup.caller.calls.count == 5)
        #expect(setup.gate.report.state == .open)
        #expect(setup.gate.report.count(.unavailable) == 5 && setup.gate.report.count(.spared) == 15)
        up.set()
        setup.time.pass(milliseconds: 1000)
        #expect(throws: Never.self) { try setup.issue().get() }
        #expect(setup.caller.calls.count == 6)
        #expect(setup.gate.report.state == .closed && setup.gate.report.failure == nil)
        #expect(log.all == ["failed issuer_unavailable", "opened issuer_unavailable", "recovered"])
    }

    private final class Up: Sendable {
        private let value = Atomic<Bool>(false)
        var isUp: Bool { value.load(ordering: .relaxed) }
        func set() { value.store(true, ordering: .relaxed) }
    }

    @Test("refusals do not open the breaker")
    func refusalsDoNotOpen() throws {
        let setup = try Setup(["grant": .text("token-exchange")]) { _, _ in .refusal("invalid_grant") }
        for _ in 0..<20 {
            let result = setup.issue(token: "t")
            #expect(throws: IssueFailure.refused) { try result.get() }
        }
        #expect(setup.caller.calls.count == 20 && setup.gate.report.count(.refused) == 20)
        #expect(setup.gate.report.failure == nil)
    }

    @Test("a missing credential is not a result of the issuer")
    func missingCredentialIsNoProbe() throws {
        let setup = try Setup(["grant": .text("token-exchange")]) { _, _ in .failed(.connect) }
        for _ in 0..<5 { _ = setup.issue(token: "t") }
        setup.time.pass(milliseconds: 1000)
        #expect(throws: IssueFailure.credentialMissing) { try setup.issue().get() }
        #expect(setup.gate.report.state == .open)
        _ = setup.issue(token: "t")
        #expect(setup.caller.calls.count == 6)
    }

    @Test("a token without an expiry gets one")
    func nothingLastsForEver() throws {
        let setup = try Setup([:], { $0.maximumLifetimeSeconds = 600 }) { _, _ in
            .token("t", seconds: 100_000, #", "refresh_token": "r""#)
        }
        let token = try setup.issue().get()
        #expect(token.expiresAt == now + 600 && token.refresh == Array("r".utf8))
        var minute = GuardedIssuer.Settings()
        minute.maximumLifetimeSeconds = 60
        let endless = GuardedIssuer(
            StaticIssuer(token: "x"), settings: minute, gate: IssuerGate(name: "s"), clock: { 0 })
        #expect(try endless.issue(BuiltModule.request(), now: now).settled().get().expiresAt == now + 60)
        #expect(endless.configurationID != StaticIssuer(token: "x").configurationID)
    }

    @Test("calls are timed and counted")
    func callsAreTimedAndCounted() throws {
        let time = Time()
        let gate = IssuerGate(name: "slow")
        struct Slow: TokenIssuer {
            let kind = "slow"
            let configurationID = "slow"
            let time: Time
            func issue(_ request: IssueRequest, now: Int64) -> Effect<Result<IssuedToken, IssueFailure>> {
                .offload {
                    time.pass(milliseconds: 250)
                    return .done(.success(IssuedToken("t", issuedAt: now, expiresAt: now + 100)))
                }
            }
        }
        let issuer = GuardedIssuer(Slow(time: time), settings: .init(), gate: gate, clock: { time.now })
        let effect = issuer.issue(BuiltModule.request(), now: now)
        #expect(gate.report.underWay == 1)
        _ = effect.settled()
        #expect(gate.report.microseconds == 250_000 && gate.report.underWay == 0 && gate.report.count(.issued) == 1)
    }
}
