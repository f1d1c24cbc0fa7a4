import Model
import Reactor
import Testing

@testable import Gateway

/// What a group decides beside the choice of a server: admission, outcomes, reload, resolved names.
@Suite struct UpstreamGroupTests {
    private static func address(_ last: Int) throws -> SocketAddress {
        try #require(SocketAddress(literal: "10.0.0.\(last)", port: 80))
    }

    private static func group(
        _ count: Int, _ change: (inout Upstream) -> Void = { _ in }
    ) throws -> UpstreamGroup {
        try UpstreamBalancerTests.group(Array(repeating: 1, count: count), change)
    }

    // MARK: Admission

    @Test func onlySoManyAreUnderWay() throws {
        let group = try Self.group(1) { $0.settings.maximumInFlight = 2 }
        #expect([group.admit(0), group.admit(0), group.admit(0)] == [.pass, .pass, .full])
        group.ended(succeeded: nil, probe: false, 0)
        #expect(group.admit(0) == .pass)
    }

    @Test func anOpenBreakerRefuses() throws {
        var rules = CircuitBreaker.Settings()
        rules.failures = 1
        (rules.pauseMilliseconds, rules.longestPauseMilliseconds) = (500, 500)
        let group = try Self.group(1) { $0.settings.breaker = rules }
        #expect(group.admit(0) == .pass)
        group.ended(succeeded: false, probe: false, 0)
        #expect(group.admit(100) == .refused(400))
        #expect(group.inFlight == 0)
        #expect(group.admit(500) == .probe)
        group.ended(succeeded: nil, probe: true, 600)
        #expect(group.admit(600) == .probe)
        group.ended(succeeded: true, probe: true, 700)
        #expect(group.admit(700) == .pass)
    }

    // MARK: Ejection

    private static let rules: EjectionSettings = {
        var rules = EjectionSettings()
        rules.failures = 2
        rules.time = 1000
        return rules
    }()

    @Test func aFailingServerIsEjectedForAWhile() throws {
        let group = try Self.group(3) { $0.settings.ejection = Self.rules }
        let server = group.servers[1]
        group.failed(server, .connectFailed, 0)
        group.failed(server, nil, 0)
        #expect(!server.isUsable(0) && !server.isUsable(999) && server.isUsable(1000))
        #expect((0..<20).allSatisfy { _ in UpstreamBalancerTests.pick(group) != 1 })
        #expect(group.ejections == 1 && server.badAnswers == 1)
    }

    @Test func notTooManyAreEjected() throws {
        let group = try Self.group(4) { $0.settings.ejection = Self.rules }
        for server in group.servers { for _ in 0..<5 { group.failed(server, .connectionLost, 0) } }
        #expect(group.servers.count { !$0.isUsable(0) } == 2)
    }

    @Test func theOnlyServerIsNeverEjected() throws {
        let group = try Self.group(1) { $0.settings.ejection = Self.rules }
        for _ in 0..<50 { group.failed(group.servers[0], .connectFailed, 0) }
        #expect(group.servers[0].isUsable(0))
    }

    @Test func aSuccessBetweenFailuresSaves() throws {
        let group = try Self.group(2) { $0.settings.ejection = Self.rules }
        for _ in 0..<50 {
            group.failed(group.servers[0], .connectFailed, 0)
            group.succeeded(group.servers[0])
        }
        #expect(group.servers[0].isUsable(0))
    }

    @Test func aGoodCheckPardons() throws {
        let group = try Self.group(2) { $0.settings.ejection = Self.rules }
        let server = group.servers[0]
        for _ in 0..<2 { group.failed(server, .connectFailed, 0) }
        group.setHealth(of: server.address, isUp: false, 0)
        group.setHealth(of: server.address, isUp: true, 10)
        #expect(server.isUsable(10))
    }

    // MARK: Reload

    @Test func serversThatStayKeepTheirState() throws {
        let group = try Self.group(3) {
            $0.settings.ejection = Self.rules
            $0.settings.healthCheck = HealthCheckSettings(path: "/")
            $0.settings.slowStart = 1000
        }
        let old = group.servers
        for _ in 0..<2 { group.failed(old[0], .connectFailed, 0) }
        old[2].health.update(isUp: false)
        var fresh = group.upstream
        fresh.servers = [fresh.servers[2], fresh.servers[0], ServerSettings(.address(try Self.address(9)))]
        fresh.servers[1].weight = 7
        let gone = group.update(fresh, 10)
        #expect(gone.count == 1 && gone[0] === old[1] && old[1].isRetired)
        #expect(group.servers[0] === old[2] && group.servers[1] === old[0])
        #expect(!old[2].health.isUp && !old[0].isUsable(10) && old[0].weight == 7)
        // One that joins a running upstream warms up first.
        #expect(group.servers[2].slowStart.percent(10, of: 1000) == 10)
    }

    @Test func rulesThatAreGoneLetEverybodyBackIn() throws {
        let group = try Self.group(3) {
            $0.settings.ejection = Self.rules
            $0.settings.healthCheck = HealthCheckSettings(path: "/")
        }
        for _ in 0..<2 { group.failed(group.servers[0], .connectFailed, 0) }
        group.servers[1].health.update(isUp: false)
        var fresh = group.upstream
        fresh.settings.ejection = nil
        fresh.settings.healthCheck = nil
        #expect(group.update(fresh, 1).isEmpty)
        #expect(group.servers.allSatisfy { $0.isUsable(1) })
    }

    // MARK: Names

    private static let name = ServerSettings.Target.name(host: "api.test", port: 80)

    @Test func everyAddressOfANameIsAServer() throws {
        let group = UpstreamGroup(
            Upstream(UpstreamSettings(name: "api"), servers: [ServerSettings(Self.name)]), seed: 1)
        #expect(group.servers.isEmpty)
        let (one, two, three) = (try Self.address(1), try Self.address(2), try Self.address(3))
        #expect(group.resolved(Self.name, [one, two], 0).isEmpty)
        let before = group.servers
        #expect(before.map(\.address) == [one, two])
        let gone = group.resolved(Self.name, [two, three], 0)
        #expect(gone.map(\.address) == [one] && gone[0].isRetired)
        #expect(group.servers[0] === before[1] && group.servers[1].address == three)
    }

    @Test func aFailedResolutionKeepsTheLastAnswer() throws {
        let group = UpstreamGroup(
            Upstream(UpstreamSettings(name: "api"), servers: [ServerSettings(Self.name)]), seed: 1)
        _ = group.resolved(Self.name, [try Self.address(1)], 0)
        #expect(group.resolved(Self.name, [], 1).isEmpty)
        #expect(group.servers.count == 1)
        _ = group.update(group.upstream, 2)
        #expect(group.servers.count == 1)
    }

    @Test func anAddressThatComesTwiceIsOneServer() throws {
        let one = try Self.address(1)
        let group = UpstreamGroup(
            Upstream(
                UpstreamSettings(name: "api"), servers: [ServerSettings(.address(one)), ServerSettings(Self.name)]),
            seed: 1)
        _ = group.resolved(Self.name, [one, try Self.address(2)], 0)
        #expect(group.servers.count == 2)
    }

    // MARK: Budget

    @Test func retriesComeOutOfTheBudget() throws {
        let group = try Self.group(2) {
            $0.settings.retries.budgetPercent = 10
            $0.settings.retries.minimumPerSecond = 0
        }
        for _ in 0..<100 { group.note(0) }
        #expect((0..<50).count { _ in group.takeRetry(10) } == 10)
        #expect(group.retries == 10 && group.retriesRefused == 40)
    }
}
