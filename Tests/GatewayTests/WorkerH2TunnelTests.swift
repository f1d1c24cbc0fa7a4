import Bytes
import HTTP
import Model
import Policy
import Reactor
import TestSupport
import Testing

@testable import Gateway

/// RFC 8441: WebSockets in streams of HTTP/2.
@Suite struct WorkerH2TunnelTests {
    private func bench(_ change: (inout WorkerBench.Setup) -> Void = { _ in }) throws -> WorkerBench {
        try WorkerBench { setup in
            setup.listeners[0].rules.http2 = true
            change(&setup)
        }
    }

    /// The `Sec-WebSocket-Key` of a head.
    private func key(_ head: String) -> String {
        let line = head.split(separator: "\r\n").first { $0.hasPrefix("Sec-WebSocket-Key: ") }
        return String(line?.dropFirst(19) ?? "")
    }

    private func agreement(to head: String) -> String {
        let accept = String(decoding: Upgrade.accept(for: Array(key(head).utf8).span), as: UTF8.self)
        return "HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: \(accept)\r\n"
            + "Sec-WebSocket-Protocol: chat\r\n\r\n"
    }

    private func connect(
        _ bench: WorkerBench, _ client: H2Client, _ path: String = "/open/ws", _ fields: String = ""
    ) throws -> (id: Int32, server: Peer) {
        let id = try client.connect("websocket", path, "sec-websocket-version: 13\r\n\(fields)")
        let server = try bench.accepted()
        server.send(agreement(to: bench.head(server)))
        bench.turn(until: {
            client.move()
            return client[id].status != 0
        })
        return (id, server)
    }

    @Test func aStreamBecomesATunnel() throws {
        let bench = try bench()
        let client = bench.h2Client()
        client.move()
        let id = try client.connect(
            "websocket", "/open/ws?x=1", "sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n")
        let server = try bench.accepted()
        let head = bench.head(server)
        #expect(head.hasPrefix("GET /open/ws?x=1 HTTP/1.1\r\n"))
        #expect(head.contains("\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: "))
        #expect(head.lowercased().count(of: "sec-websocket-key:") == 1)
        #expect(key(head) != "AAAAAAAAAAAAAAAAAAAAAA==" && key(head).count == 24)
        #expect(!head.contains("Transfer-Encoding") && !head.contains("CONNECT"))
        // What the client sends ahead of the answer waits for it.
        client.send(id, Array("early".utf8))
        client.move()
        bench.settle()
        #expect(server.text.isEmpty)
        server.send(agreement(to: head) + "first")
        bench.turn(until: {
            client.move()
            return client[id].text == "first"
        })
        #expect(client[id].status == 200)
        #expect(client[id].field("sec-websocket-protocol") == "chat")
        #expect(client[id].field("sec-websocket-accept") == nil)
        bench.turn(until: { server.text == "early" })
        client.send(id, Array(", late".utf8))
        client.finish(id)
        client.move()
        bench.turn(until: { server.isOver })
        #expect(server.text == "early, late")
        server.send("end")
        server.close()
        let answer = bench.answer(client, id)
        #expect(answer.isWhole && answer.text == "firstend")
        bench.expectNothingLeft()
    }

    @Test func otherProtocolsAreRefused() throws {
        let bench = try bench { $0.routes[1].options.upgrades = [] }
        let client = bench.h2Client()
        let id = try client.connect("connect-udp", "/open/ws", "")
        #expect(bench.answer(client, id).status == 501)
        let none = try client.connect("websocket", "/mine/ws", WorkerBench.credentials)
        #expect(bench.answer(client, none).status == 501)
        let endpoint = try client.connect("websocket", "/whoami", WorkerBench.credentials)
        #expect(bench.answer(client, endpoint).status == 501, "an endpoint is no tunnel")
        let foreign = try client.connect(
            "websocket", "/whoami", WorkerBench.credentials + "origin: https://evil.example\r\n")
        #expect(bench.answer(client, foreign).status == 403, "the origin is screened first")
        let body = try client.connect("websocket", "/open/ws", "content-length: 3\r\n")
        #expect(bench.answer(client, body).status == 400 || client[body].resetCode != nil)
        #expect(bench.upstream.accept() == nil)
        bench.expectNothingLeft()
    }

    @Test func aRouteWithoutUpstreamIsNoTunnel() throws {
        let bench = try bench { $0.routes[0].answer = .response(RouteResponse()) }
        let client = bench.h2Client()
        let tunnel = try client.connect("websocket", "/open/ws", "sec-websocket-version: 13\r\n")
        #expect(bench.answer(client, tunnel).status == 501)
        #expect(bench.upstream.accept() == nil)
        bench.expectNothingLeft()
    }

    @Test func theDecisionIsThatOfAGet() throws {
        let bench = try bench { $0.routes[0].methods = [MethodEntry(method: "GET", access: AccessRule())] }
        let client = bench.h2Client()
        let id = try client.connect("websocket", "/mine/ws", "")
        let answer = bench.answer(client, id)
        #expect(answer.status == 401 && answer.field("www-authenticate") != nil)
        let evil = try client.connect("websocket", "/open/ws", "origin: https://evil.net\r\n")
        #expect(bench.answer(client, evil).status == 403)
        _ = try connect(bench, client)
        bench.expectNothingLeft()
    }

    /// Only a 101 makes a tunnel, though any 2xx would make one for the client.
    @Test(arguments: [200, 204, 403]) func anUpstreamThatDoesNotAgree(_ status: Int) throws {
        let bench = try bench()
        let client = bench.h2Client()
        let id = try client.connect("websocket", "/open/ws", "")
        let server = try bench.accepted()
        _ = bench.head(server)
        server.send("HTTP/1.1 \(status) X\r\n\(status == 204 ? "" : "Content-Length: 0\r\n")\r\n")
        #expect(bench.answer(client, id).status == (status == 403 ? 403 : 502))
        bench.expectNothingLeft()
    }

    @Test func aWrongAcceptIsNoAgreement() throws {
        let bench = try bench()
        let client = bench.h2Client()
        let id = try client.connect("websocket", "/open/ws", "")
        let server = try bench.accepted()
        _ = bench.head(server)
        server.send(WorkerTunnelTests.agreeing)
        #expect(bench.answer(client, id).status == 502)
        bench.expectNothingLeft()
    }

    @Test func resetsGoBothWays() throws {
        let bench = try bench()
        let client = bench.h2Client()
        let (id, server) = try connect(bench, client)
        client.reset(id)
        bench.turn(until: { server.isOver })
        let (second, other) = try connect(bench, client)
        other.reset()
        #expect(bench.answer(client, second).resetCode == H2Code.cancel)
        bench.expectNothingLeft()
    }

    @Test func aLostCredentialEndsOneStream() throws {
        let bench = try bench()
        let client = bench.h2Client()
        let (id, server) = try connect(bench, client)
        let (kept, other) = try connect(bench, client)
        bench.worker.tunnels.cut(bench.worker.exchanges.longLived[0], .revoked)
        let answer = bench.answer(client, id)
        #expect(answer.isWhole)
        #expect(answer.body == [0x88, 16, 0x03, 0xF0] + Array("tunnel_revoked".utf8))
        bench.turn(until: { server.isOver })
        client.send(kept, Array("on".utf8))
        client.move()
        bench.turn(until: { other.text == "on" })
        bench.expectNothingLeft()
    }

    /// GW-07: a megabyte each way, by the credit of one stream.
    @Test func muchGoesBothWays() throws {
        let bench = try bench()
        let client = bench.h2Client()
        let (id, server) = try connect(bench, client)
        let body = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        client.send(id, body)
        var up: [UInt8] = []
        bench.turn(until: {
            client.move()
            server.receive()
            up += server.received
            server.forget()
            return up.count == body.count
        })
        #expect(up == body)
        var sent = 0
        bench.turn(until: {
            sent += server.send(Array(body[sent...]))
            client.move()
            return client[id].body.count == body.count
        })
        #expect(client[id].body == body)
        bench.expectNothingLeft()
    }

    /// A server that answers as if nothing had been asked for is not taken out for it: any client could cause that.
    @Test func aTwoHundredIsNoFailureOfTheServer() throws {
        let bench = try bench {
            $0.upstream = { upstream in
                upstream.settings.breaker = CircuitBreaker.Settings()
                upstream.settings.breaker?.failures = 1
            }
        }
        let client = bench.h2Client()
        for _ in 0..<3 {
            let id = try client.connect("websocket", "/open/ws", "")
            let server = try bench.accepted()
            _ = bench.head(server)
            server.send(.ok("no tunnel"))
            #expect(bench.answer(client, id).status == 502)
        }
        let id = try client.request("GET", "/open/x")
        let server = try bench.accepted()
        _ = bench.head(server)
        server.send(.ok("fine"))
        #expect(bench.answer(client, id).text == "fine")
        bench.expectNothingLeft()
    }
}
