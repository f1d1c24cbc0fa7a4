import Model
import Reactor
import TestSupport
import Testing

@testable import Gateway

@Suite struct UpstreamPoolTests {
    static func pool(idle: Int = 3, connections: Int = 0) throws -> UpstreamPool {
        let address = try #require(SocketAddress(literal: "127.0.0.1", port: 1))
        var upstream = Upstream(name: "api", address: address)
        upstream.settings.maximumIdle = idle
        upstream.settings.maximumConnections = connections
        return UpstreamPool(upstream)
    }

    @Test func theNewestUnusedConnectionIsTakenFirst() throws {
        let pool = try Self.pool()
        let connections = (0..<3).map { UpstreamConnection(index: $0) }
        for connection in connections { #expect(pool.keep(connection) != nil) }
        #expect(pool.idleCount == 3)
        #expect(pool.take() === connections[2])
        #expect(pool.keep(connections[2]) != nil)
        for index in [2, 1, 0] { #expect(pool.take()?.index == index) }
        #expect(pool.take() == nil)
        #expect(pool.idleCount == 0)
    }

    /// A worker with more requests at a time than kept connections does not open one for each of the rest.
    @Test func moreThanWantedAreKeptForAMoment() throws {
        let pool = try Self.pool(idle: 2)
        let connections = (0..<4).map { UpstreamConnection(index: $0) }
        #expect(connections.map { pool.keep($0) } == [60_000, 60_000, 1_000, 1_000])
        #expect(pool.idleCount == 4)
        for _ in 0..<3 { _ = pool.take() }
        #expect(pool.keep(connections[2]) == 60_000)
        #expect(try Self.pool(idle: 0).keep(connections[2]) == nil)
        var impatient = Upstream(pool.settings, servers: [])
        impatient.settings.idleTimeout = 10
        pool.update(impatient)
        #expect(pool.keep(connections[3]) == 10)
        // They are linked both ways: a worker takes its pools apart at its end.
        while pool.take() != nil {}
    }

    @Test(arguments: 0..<4)
    func aForgottenConnectionIsNotTaken(_ place: Int) throws {
        let pool = try Self.pool(idle: 4)
        let connections = (0..<4).map { UpstreamConnection(index: $0) }
        for connection in connections { #expect(pool.keep(connection) != nil) }
        pool.forget(connections[place])
        pool.forget(connections[place])
        pool.forget(UpstreamConnection(index: 9))
        #expect(pool.idleCount == 3)
        var taken: [Int] = []
        while let connection = pool.take() { taken.append(connection.index) }
        #expect(taken == [3, 2, 1, 0].filter { $0 != place })
    }

    @Test func openConnectionsAreCountedAgainstTheLimit() throws {
        let pool = try Self.pool(connections: 2)
        #expect(pool.mayOpen)
        pool.opened()
        pool.opened()
        #expect(!pool.mayOpen)
        pool.closed()
        #expect(pool.mayOpen && pool.open == 1)
        let unlimited = try Self.pool()
        for _ in 0..<10_000 { unlimited.opened() }
        #expect(unlimited.mayOpen)
    }

    /// Against a list: any order of keeping, taking and forgetting.
    @Test(arguments: 0..<10 as Range<UInt64>)
    func behavesLikeAList(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let pool = try Self.pool(idle: 5)
        let connections = (0..<8).map { UpstreamConnection(index: $0) }
        var model: [Int] = []
        for _ in 0..<2_000 {
            let connection = connections.randomElement(using: &random) ?? connections[0]
            switch Int.random(in: 0..<3, using: &random) {
            case 0 where !model.contains(connection.index):
                #expect(pool.keep(connection) == (model.count < 5 ? 60_000 : 1_000))
                model.append(connection.index)
            case 1: #expect(pool.take()?.index == model.popLast())
            default:
                pool.forget(connection)
                model.removeAll { $0 == connection.index }
            }
            #expect(pool.idleCount == model.count)
        }
        while pool.take() != nil {}
    }
}
