import Bytes
import HTTP
import Model
import TestSupport
import Testing

@testable import Gateway

extension WorkerBench {
    /// How often a limit was run into.
    func refusals(_ limit: Limit) -> UInt64 { worker.report.current.limited[limit.rawValue] }

    static func ranges(_ literals: String...) -> [IPAddressRange] {
        literals.compactMap { literal in
            let bytes = Array(literal.utf8)
            return IPAddressRange(text: bytes.span)
        }
    }
}

/// Which clients may connect, and from which address: the PROXY protocol, and connections of one address.
@Suite struct WorkerAdmissionTests {
    private func balanced(_ change: (inout WorkerBench.Setup) -> Void = { _ in }) throws -> WorkerBench {
        try WorkerBench {
            $0.listeners[0].rules.proxyPeers = WorkerBench.ranges("127.0.0.0/8")
            change(&$0)
        }
    }

    private static let line = "PROXY TCP4 192.0.2.7 198.51.100.2 56324 443\r\n"

    private func binary(_ command: UInt8, _ family: UInt8, _ block: [UInt8]) -> [UInt8] {
        [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10, command, family, 0, UInt8(block.count)] + block
    }

    // MARK: PROXY protocol

    @Test func theAddressOfAProxyHeaderIsTheClients() throws {
        let bench = try balanced()
        let client = bench.client()
        client.send(Self.line + .get())
        let server = try bench.accepted()
        let head = bench.head(server)
        #expect(head.contains("\r\nX-Forwarded-For: 192.0.2.7\r\nX-Forwarded-Proto: http\r\n"))
        server.send(.ok("1"))
        _ = bench.expect(client, ends: "\r\n\r\n1")
        // The next request of the connection has it too, and needs no header.
        client.send(.get("/open/y"))
        #expect(bench.head(server).contains("\r\nX-Forwarded-For: 192.0.2.7\r\n"))
        server.send(.ok("2"))
        _ = bench.expect(client, ends: "\r\n\r\n2")
        bench.expectNothingLeft()
    }

    @Test func aProxyHeaderMayComeByteByByte() throws {
        let bench = try balanced()
        for bytes in [Array(Self.line.utf8), binary(0x21, 0x11, [192, 0, 2, 7, 198, 51, 100, 2, 1, 1, 1, 187])] {
            let client = bench.client()
            for byte in bytes + Array(String.get().utf8) {
                client.send([byte])
                bench.turn()
            }
            let server = try bench.accepted()
            #expect(bench.head(server).contains("\r\nX-Forwarded-For: 192.0.2.7\r\n"))
            client.close()
            bench.turn(until: { bench.worker.frontend.clients.used == 0 })
        }
        bench.expectNothingLeft()
    }

    @Test func aBalancerMaySpeakForItself() throws {
        let bench = try balanced()
        for header in [binary(0x20, 0, []), Array("PROXY UNKNOWN\r\n".utf8)] {
            let client = bench.client()
            client.send(header + Array(String.get().utf8))
            let server = try bench.accepted()
            #expect(bench.head(server).contains("\r\nX-Forwarded-For: 127.0.0.1\r\n"))
            client.close()
            bench.turn(until: { bench.worker.frontend.clients.used == 0 })
        }
        #expect(bench.refusals(.proxyHeader) == 0)
        bench.expectNothingLeft()
    }

    @Test(
        "a configured peer must send it, and a good one",
        arguments: [
            String.get(), "PROXY TCP4 192.0.2.7 198.51.100.2 56324\r\n" + .get(), "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "\u{16}\u{3}\u{1}", String(repeating: "P", count: 2000),
            "PROXY UNKNOWN " + String(repeating: "x", count: 500),
        ])
    func required(_ text: String) throws {
        let bench = try balanced()
        let client = bench.client()
        client.send(text)
        bench.turn(until: { client.isOver })
        #expect(client.text.isEmpty)
        #expect(bench.refusals(.proxyHeader) == 1)
        #expect(bench.upstream.accept() == nil)
        bench.expectNothingLeft()
    }

    @Test func onlyOneHeaderIsTaken() throws {
        let bench = try balanced()
        let client = bench.client()
        client.send(Self.line + "PROXY TCP4 10.0.0.1 198.51.100.2 56324 443\r\n" + .get())
        bench.turn(until: { client.isOver })
        #expect(client.text.hasPrefix("HTTP/1.1 400 "))
        bench.expectNothingLeft()
    }

    @Test func aPeerThatIsNotConfiguredMayNotSendIt() throws {
        let bench = try WorkerBench { $0.listeners[0].rules.proxyPeers = WorkerBench.ranges("10.0.0.0/8", "::1") }
        for header in [Array(Self.line.utf8), binary(0x21, 0x11, [192, 0, 2, 7, 198, 51, 100, 2, 1, 1, 1, 187])] {
            let client = bench.client()
            client.send(header + Array(String.get().utf8))
            bench.turn(until: { client.isOver })
            #expect(client.text.hasPrefix("HTTP/1.1 400 "))
        }
        #expect(bench.upstream.accept() == nil)
        let honest = bench.client()
        let server = try bench.requested(honest, .get())
        server.send(.ok("1"))
        _ = bench.expect(honest, ends: "\r\n\r\n1")
        bench.expectNothingLeft()
    }

    @Test func aProxyHeaderHasTheTimeOfAHead() throws {
        let bench = try balanced { $0.limits.headerTimeout = 60 }
        let (silent, slow) = (bench.client(), bench.client())
        slow.send("PROXY TCP4 192.0.2.7")
        bench.turn(until: { silent.isOver && slow.isOver })
        #expect(silent.text.isEmpty && slow.text.isEmpty)
        #expect(bench.refusals(.proxyHeader) == 2)
        bench.expectNothingLeft()
    }

    // MARK: Connections of one address

    @Test func anAddressHasItsNumberOfConnections() throws {
        let bench = try WorkerBench { $0.limits.maximumConnectionsPerAddress = 2 }
        let (first, second) = (bench.client(), bench.client())
        bench.turn(until: { bench.worker.frontend.clients.used == 2 })
        let third = bench.client()
        bench.turn(until: { third.isOver })
        #expect(bench.refusals(.connectionsPerAddress) == 1)
        first.close()
        bench.turn(until: { bench.worker.frontend.clients.used == 1 })
        let fourth = bench.client()
        let server = try bench.requested(fourth, .get())
        server.send(.ok("1"))
        _ = bench.expect(fourth, ends: "\r\n\r\n1")
        second.close()
        bench.expectNothingLeft()
        #expect(bench.shared.connections.parties == 0)
    }

    @Test func behindABalancerTheClientsAreCounted() throws {
        let bench = try balanced { $0.limits.maximumConnectionsPerAddress = 1 }
        let clients = (1...3).map { number in
            let client = bench.client()
            client.send("PROXY TCP4 192.0.2.\(number) 198.51.100.2 1 2\r\n")
            return client
        }
        let again = bench.client()
        bench.turn(until: { bench.shared.connections.parties == 3 })
        again.send("PROXY TCP4 192.0.2.2 198.51.100.2 1 2\r\n")
        bench.turn(until: { again.isOver })
        #expect(bench.refusals(.connectionsPerAddress) == 1)
        #expect(clients.allSatisfy { !$0.isOver })
        bench.expectNothingLeft()
        #expect(bench.shared.connections.parties == 0)
    }

    @Test func aTrustedProxyHasNoSuchLimit() throws {
        let bench = try WorkerBench {
            $0.limits.maximumConnectionsPerAddress = 1
            $0.proxies = TrustedProxies(WorkerBench.ranges("127.0.0.1"))
        }
        let clients = (0..<5).map { _ in bench.client() }
        bench.turn(until: { bench.worker.frontend.clients.used == 5 })
        #expect(clients.allSatisfy { !$0.isOver })
        bench.expectNothingLeft()
    }

    // MARK: Floods

    private func flooded(_ change: @escaping (inout WorkerBench.Setup) -> Void) throws -> WorkerBench {
        try WorkerBench {
            $0.listeners[0].rules.http2 = true
            change(&$0)
        }
    }

    /// A connection that is ended for a flood of SETTINGS.
    private func flood(_ bench: WorkerBench, _ client: Peer) {
        let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
        client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8 + (0..<102).flatMap { _ in settings })
        bench.turn(until: { client.isOver })
    }

    /// Issue B: who comes again with every flood is let in no more; who is there, and others, go on.
    @Test func anAddressThatFloodsIsBarred() throws {
        let bench = try flooded { $0.limits.maximumFloodsPerAddress = 3 }
        let before = bench.client()
        bench.turn(until: { bench.worker.frontend.clients.used == 1 })
        for _ in 0..<3 {
            let client = bench.client()
            flood(bench, client)
            #expect(!client.received.isEmpty, "heard, and told off")
        }
        let barred = bench.client()
        bench.turn(until: { barred.isOver })
        #expect(barred.received.isEmpty)
        #expect(bench.refusals(.floodsPerAddress) == 1)
        let server = try bench.requested(before, .get())
        server.send(.ok("1"))
        _ = bench.expect(before, ends: "\r\n\r\n1")
        bench.expectNothingLeft()
    }

    @Test func behindABalancerTheFloodingClientIsBarred() throws {
        let bench = try flooded {
            $0.listeners[0].rules.proxyPeers = WorkerBench.ranges("127.0.0.0/8")
            $0.limits.maximumFloodsPerAddress = 1
        }
        let line = { (host: Int) in "PROXY TCP4 192.0.2.\(host) 198.51.100.2 1 2\r\n" }
        let bad = bench.client()
        bad.send(line(1))
        flood(bench, bad)
        let again = bench.client()
        again.send(line(1))
        bench.turn(until: { again.isOver })
        #expect(bench.refusals(.floodsPerAddress) == 1)
        let good = bench.client()
        good.send(line(2) + .get())
        let server = try bench.accepted()
        _ = bench.head(server)
        #expect(bench.refusals(.floodsPerAddress) == 1)
        bench.expectNothingLeft()
    }

    @Test func trustedProxiesAndThoseWithoutALimitAreNotBarred() throws {
        for isTrusted in [true, false] {
            let bench = try flooded {
                $0.limits.maximumFloodsPerAddress = isTrusted ? 1 : 0
                if isTrusted { $0.proxies = TrustedProxies(WorkerBench.ranges("127.0.0.1")) }
            }
            for _ in 0..<3 {
                let client = bench.client()
                flood(bench, client)
                #expect(!client.received.isEmpty)
            }
            #expect(bench.refusals(.floodsPerAddress) == 0)
            bench.expectNothingLeft()
        }
    }
}
