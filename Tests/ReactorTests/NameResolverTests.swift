import Testing

@testable import Reactor

@Suite struct NameResolverTests {
    private func answer(_ name: String, port: UInt16 = 80) async -> NameResolver.Answer {
        let resolver = NameResolver(pool: BlockingPool(width: 2, limit: 10))
        return await withCheckedContinuation { continuation in
            let taken = resolver.resolve(name, port: port) { continuation.resume(returning: $0) }
            precondition(taken)
        }
    }

    @Test func namesOfTheHostsFileAreFound() async throws {
        guard case .addresses(let addresses) = await answer("localhost", port: 8080) else {
            Issue.record("localhost is not known")
            return
        }
        #expect(addresses.contains(try #require(SocketAddress(literal: "127.0.0.1", port: 8080))))
        #expect(addresses.allSatisfy { $0.isLoopback && $0.port == 8080 })
        #expect(Set(addresses).count == addresses.count)
    }

    @Test(arguments: ["127.0.0.1", "::1", "2001:db8::7"])
    func literalsAreTheirOwnAnswer(_ literal: String) async throws {
        let address = try #require(SocketAddress(literal: literal, port: 443))
        #expect(await answer(literal, port: 443) == .addresses([address]))
    }

    @Test(arguments: ["", "localhost\u{0}.evil.example", "no such name", "-.invalid"])
    func whatIsNoNameIsNotFound(_ name: String) async {
        let answer = await answer(name)
        // A machine without any name server cannot say that there is none of this kind.
        if case .addresses = answer { Issue.record("\(name) has an address") }
        if name.isEmpty || name.contains("\u{0}") { #expect(answer == .unknownName) }
    }

    @Test func aFullPoolRefuses() {
        let resolver = NameResolver(pool: BlockingPool(width: 0, limit: 0))
        #expect(!resolver.resolve("localhost", port: 1) { _ in Issue.record("called") })
    }
}
