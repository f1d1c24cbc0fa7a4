import Model
import Reactor
import TestSupport
import Testing

@testable import Gateway

/// How requests are spread over the servers of an upstream (issue B, "Upstream groups").
@Suite struct UpstreamBalancerTests {
    /// A group of servers on ports 1, 2, ... with these weights.
    static func group(
        _ weights: [Int], backups: Set<Int> = [], _ change: (inout Upstream) -> Void = { _ in }
    ) throws -> UpstreamGroup {
        let servers = try weights.enumerated().map { index, weight in
            let address = try #require(SocketAddress(literal: "10.0.0.1", port: UInt16(index + 1)))
            return ServerSettings(.address(address), weight: weight, isBackup: backups.contains(index))
        }
        var settings = Upstream(UpstreamSettings(name: "api"), servers: servers)
        change(&settings)
        return UpstreamGroup(settings, seed: 1)
    }

    /// The place of the picked server; nil for none or full.
    static func pick(
        _ group: UpstreamGroup, place: UInt64 = 0, tried: [UpstreamServer] = [], now: Int64 = 0
    ) -> Int? {
        guard case .server(let server) = group.pick(place: place, tried: tried, now) else { return nil }
        return group.servers.firstIndex { $0 === server }
    }

    static func places(_ count: Int, seed: UInt64 = 7) -> [UInt64] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { _ in random.next() }
    }

    static func down(_ server: UpstreamServer) { server.health.update(isUp: false) }

    // MARK: Round robin

    @Test func roundRobinIsSmooth() throws {
        let group = try Self.group([5, 1, 1]) { $0.settings.balance = .roundRobin }
        #expect((0..<14).map { _ in Self.pick(group) } == [0, 0, 1, 0, 2, 0, 0, 0, 0, 1, 0, 2, 0, 0])
    }

    @Test(arguments: [[1, 1, 1], [3, 1], [7, 5, 2, 1], [100, 1]])
    func roundRobinGivesExactShares(_ weights: [Int]) throws {
        let group = try Self.group(weights) { $0.settings.balance = .roundRobin }
        var counts = weights.map { _ in 0 }
        for _ in 0..<weights.reduce(0, +) * 3 { counts[try #require(Self.pick(group))] += 1 }
        #expect(counts == weights.map { $0 * 3 })
    }

    // MARK: Least requests

    @Test func theServerWithTheFewestRequestsIsPicked() throws {
        let group = try Self.group([1, 1, 1])
        group.servers[0].inFlight = 2
        group.servers[1].inFlight = 1
        group.servers[2].inFlight = 3
        #expect(Self.pick(group) == 1)
    }

    @Test func withoutLoadItGoesInTurnByWeight() throws {
        let group = try Self.group([2, 1, 1])
        var counts = [0, 0, 0]
        for _ in 0..<400 { counts[try #require(Self.pick(group))] += 1 }
        #expect(counts == [200, 100, 100])
    }

    /// Requests that last equally long: the numbers under way settle in proportion to the weights, in both ways of
    /// choosing.
    @Test(arguments: [[1, 1, 1], [4, 2, 1], Array(repeating: 1, count: 20), Array(repeating: 3, count: 10) + [30]])
    func theLoadSettlesByWeight(_ weights: [Int]) throws {
        let group = try Self.group(weights)
        let total = weights.reduce(0, +)
        for _ in 0..<total * 50 { group.servers[try #require(Self.pick(group))].inFlight += 1 }
        for (server, weight) in zip(group.servers, weights) {
            #expect(abs(server.inFlight - weight * 50) <= weight * 50 / 5, "\(server.inFlight) of weight \(weight)")
        }
    }

    /// Of many servers two are looked at, and that is enough to leave a stuck one alone.
    @Test func ofManyServersABusyOneIsLeftAlone() throws {
        let group = try Self.group(Array(repeating: 1, count: 30))
        group.servers[3].inFlight = 1000
        for _ in 0..<1000 {
            let place = try #require(Self.pick(group))
            // Only where chance draws the same server twice.
            if place != 3 { group.servers[place].inFlight += 1 }
        }
        #expect(group.servers.map(\.inFlight).filter { $0 > 60 } == [1000])
    }

    // MARK: Consistent hashing

    private static func hashed(_ weights: [Int]) throws -> UpstreamGroup {
        try group(weights) { $0.settings.balance = .consistentHash(.path) }
    }

    @Test(arguments: [[1, 1, 1], [3, 1], [2, 2, 1, 1, 4], Array(repeating: 1, count: 12)])
    func keysAreSharedByWeight(_ weights: [Int]) throws {
        let group = try Self.hashed(weights)
        var counts = weights.map { _ in 0 }
        for place in Self.places(20_000) { counts[try #require(Self.pick(group, place: place))] += 1 }
        let total = weights.reduce(0, +)
        for (count, weight) in zip(counts, weights) {
            let expected = 20_000 * weight / total
            #expect(abs(count - expected) < expected / 4, "\(count) of \(expected)")
        }
    }

    @Test func equalKeysStayWithTheirServer() throws {
        let (one, other) = (try Self.hashed([1, 2, 3]), try Self.hashed([1, 2, 3]))
        for place in Self.places(500) {
            let first = Self.pick(one, place: place)
            #expect(first == Self.pick(one, place: place))
            // Another worker decides alike.
            #expect(first == Self.pick(other, place: place))
        }
    }

    @Test func aServerThatLeavesHandsOverItsOwnKeysOnly() throws {
        let group = try Self.hashed([1, 1, 1, 1])
        let places = Self.places(4000)
        let before = places.map { Self.pick(group, place: $0) }
        var fresh = group.upstream
        fresh.servers.remove(at: 1)
        _ = group.update(fresh, 0)
        for (place, owner) in zip(places, before) where owner != 1 {
            let now = Self.pick(group, place: place)
            #expect(now == owner.map { $0 > 1 ? $0 - 1 : $0 })
        }
    }

    @Test func aServerThatIsDownGetsItsKeysBack() throws {
        let group = try Self.hashed([1, 1, 1])
        let places = Self.places(2000)
        let before = places.map { Self.pick(group, place: $0) }
        Self.down(group.servers[2])
        let between = places.map { Self.pick(group, place: $0) }
        #expect(!between.contains(2))
        for (owner, other) in zip(before, between) where owner != 2 { #expect(owner == other) }
        group.servers[2].health.update(isUp: true)
        #expect(places.map { Self.pick(group, place: $0) } == before)
    }

    // MARK: Candidates

    @Test(arguments: [Balance.leastRequests, .roundRobin, .consistentHash(.path)])
    func backupsAreUsedOnlyWithoutOthers(_ balance: Balance) throws {
        let group = try Self.group([1, 1, 1], backups: [2]) { $0.settings.balance = balance }
        for place in Self.places(200) { #expect(Self.pick(group, place: place) != 2) }
        Self.down(group.servers[0])
        for place in Self.places(50) { #expect(Self.pick(group, place: place) == 1) }
        Self.down(group.servers[1])
        for place in Self.places(50) { #expect(Self.pick(group, place: place) == 2) }
        #expect(Self.pick(group, tried: [group.servers[2]]) == nil)
    }

    @Test(arguments: [Balance.leastRequests, .roundRobin, .consistentHash(.path)])
    func whereNoServerIsUsableAllAreUsed(_ balance: Balance) throws {
        let group = try Self.group([1, 1, 1]) { $0.settings.balance = balance }
        for server in group.servers { Self.down(server) }
        #expect(Set(Self.places(200).map { Self.pick(group, place: $0) }) == [0, 1, 2])
        group.servers[1].health.update(isUp: true)
        #expect(Set(Self.places(200).map { Self.pick(group, place: $0) }) == [1])
    }

    @Test(arguments: [Balance.leastRequests, .roundRobin, .consistentHash(.path)])
    func whatWasTriedIsNotTriedAgain(_ balance: Balance) throws {
        let group = try Self.group([1, 1, 1]) { $0.settings.balance = balance }
        for place in Self.places(50) {
            var tried: [UpstreamServer] = []
            for _ in 0..<3 { tried.append(group.servers[try #require(Self.pick(group, place: place, tried: tried))]) }
            #expect(Set(tried.map(\.address)).count == 3)
            #expect(Self.pick(group, place: place, tried: tried) == nil)
        }
    }

    @Test func aServerWithoutRoomIsPassedOver() throws {
        let group = try Self.group([1, 1]) { $0.settings.maximumConnections = 1 }
        group.servers[0].pool.opened()
        #expect((0..<10).allSatisfy { _ in Self.pick(group) == 1 })
        group.servers[1].pool.opened()
        guard case .full = group.pick(place: 0, tried: [], 0) else {
            Issue.record("not full")
            return
        }
    }

    @Test func aSingleServerIsUsedWhateverIsSaidOfIt() throws {
        let group = try Self.group([1])
        Self.down(group.servers[0])
        #expect(Self.pick(group) == 0)
        #expect(Self.pick(group, tried: [group.servers[0]]) == nil)
    }

    @Test func withoutServersThereIsNone() throws {
        let group = UpstreamGroup(
            Upstream(UpstreamSettings(name: "api"), servers: [ServerSettings(.name(host: "api.test", port: 80))]),
            seed: 1)
        #expect(Self.pick(group) == nil)
    }

    // MARK: Slow start

    @Test(arguments: [Balance.leastRequests, .roundRobin, .consistentHash(.path)])
    func aServerThatComesBackStartsSlowly(_ balance: Balance) throws {
        let group = try Self.group([1, 1]) {
            $0.settings.balance = balance
            $0.settings.slowStart = 10_000
        }
        Self.down(group.servers[1])
        group.setHealth(of: group.servers[1].address, isUp: true, 0)
        func share(_ now: Int64) -> Int {
            Self.places(4000).count { Self.pick(group, place: $0, now: now) == 1 } * 100 / 4000
        }
        let shares = [share(0), share(5000), share(10_000)]
        #expect(shares[0] > 3 && shares[0] < 12, "\(shares)")
        #expect(shares[1] > shares[0] + 10 && shares[1] < 45, "\(shares)")
        #expect(shares[2] > 38 && shares[2] < 62, "\(shares)")
    }
}
