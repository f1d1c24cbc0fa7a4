import Bytes
import HTTP
import Identity
import Model
import Policy
import Reactor
import TestSupport
import Testing

@testable import Gateway

/// Issue B: WebSockets and other upgrades, after the whole decision and no earlier.
@Suite struct WorkerTunnelTests {
    /// The handshake of RFC 6455 section 1.3, and its answer.
    static let asking =
        "Connection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: chat\r\n"
    static let agreeing =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-WebSocket-Protocol: chat\r\n\r\n"

    /// A tunnel between the two.
    static func open(
        _ bench: WorkerBench, _ path: String = "/open/ws", _ fields: String = "", as principal: Principal? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> (client: Peer, server: Peer) {
        let client = bench.client()
        let server = try bench.requested(client, .get(path, Self.asking + fields), sourceLocation: sourceLocation)
        if let principal {
            let exchange = bench.worker.exchanges.all.all.first { $0.stage == .forwarding }
            try #require(exchange, sourceLocation: sourceLocation).principal = principal
        }
        server.send(Self.agreeing)
        _ = bench.expect(client, ends: "\r\n\r\n", sourceLocation: sourceLocation)
        return (client, server)
    }

    /// Nothing is left once both sides have gone: the end of one alone ends no tunnel.
    static func expectNothingLeft(
        _ bench: WorkerBench, _ servers: Peer..., sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for server in servers { server.close() }
        bench.expectNothingLeft(sourceLocation: sourceLocation)
    }

    // MARK: The handshake

    /// Fields of a route are in the answer that opens the tunnel, and never those of the handshake.
    @Test(arguments: [true, false]) func theAnswerHasTheFieldsOfTheRoute(_ overHTTP2: Bool) throws {
        let rules = FieldRules(
            set: [FieldRules.Line(name: "X-Own", value: try FieldTemplate("${request_id}") { _ in nil })],
            add: [], remove: ["X-Gone"])
        let bench = try WorkerBench { setup in
            setup.listeners[0].rules.http2 = true
            setup.routes[0].options.responseFields = rules
        }
        let answer = Self.agreeing.replacing("\r\n\r\n", with: "\r\nX-Gone: 1\r\nX-Own: theirs\r\nX-Kept: 1\r\n\r\n")
        let head: String
        let server: Peer
        if overHTTP2 {
            let client = bench.h2Client()
            let id = try client.connect("websocket", "/open/ws", "x-request-id: me\r\nsec-websocket-version: 13\r\n")
            server = try bench.accepted()
            let key = bench.head(server).split(separator: "\r\n").first { $0.hasPrefix("Sec-WebSocket-Key: ") }
            let accept = Upgrade.accept(for: Array(try #require(key).dropFirst(19).utf8).span)
            server.send(answer.replacing("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", with: String(decoding: accept, as: UTF8.self)))
            bench.turn(until: {
                client.move()
                return client[id].status != 0
            })
            #expect(client[id].status == 200)
            head = client[id].fields.map { $0 + "\r\n" }.joined().lowercased()
        } else {
            let client = bench.client()
            server = try bench.requested(client, .get("/open/ws", Self.asking + "X-Request-Id: me\r\n"))
            server.send(answer)
            head = bench.expect(client, ends: "\r\n\r\n").lowercased()
            #expect(head.hasPrefix("http/1.1 101 "))
            #expect(head.contains("sec-websocket-accept: ") && head.contains("connection: upgrade\r\n"))
        }
        #expect(head.contains("x-own: me\r\n") && head.contains("x-kept: 1\r\n"), "\(head)")
        #expect(!head.contains("theirs") && !head.contains("x-gone"))
        Self.expectNothingLeft(bench, server)
    }

    @Test func theHandshakeIsForwardedAnew() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        client.send(.get("/open/ws?x=1", Self.asking + "X-A: 1\r\n"))
        let server = try bench.accepted()
        let head = bench.head(server)
        #expect(head.hasPrefix("GET /open/ws?x=1 HTTP/1.1\r\n"))
        #expect(head.count(of: "\r\nConnection: Upgrade\r\n") == 1)
        #expect(head.count(of: "\r\nUpgrade: websocket\r\n") == 1)
        #expect(head.lowercased().count(of: "upgrade:") == 1)
        #expect(!head.contains("keep-alive"))
        #expect(head.contains("\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"))
        server.send(Self.agreeing)
        let answer = bench.expect(client, ends: "\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
        #expect(answer.contains("\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
        #expect(answer.contains("\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"))
        #expect(answer.contains("\r\nSec-WebSocket-Protocol: chat\r\n"))
        #expect(bench.worker.report.current.tunnelsOpen == 1)
        Self.expectNothingLeft(bench, server)
        #expect(bench.worker.report.current.tunnelsOpen == 0)
        #expect(bench.worker.counters.metrics.tunnelsOpened == 1)
    }

    @Test func bytesGoBothWays() throws {
        let bench = try WorkerBench()
        let (client, server) = try Self.open(bench)
        client.send("up")
        bench.turn(until: { server.text == "up" })
        server.send("down")
        #expect(bench.expect(client, ends: "down") == "down")
        // Not a request any more.
        client.send(.get())
        bench.turn(until: { server.text.hasSuffix("\r\n\r\n") })
        #expect(server.text.hasPrefix("upGET /open/x HTTP/1.1\r\n"))
        Self.expectNothingLeft(bench, server)
    }

    /// Neither before the upstream has agreed, nor as requests of their own.
    @Test func whatComesBehindTheHandshakeWaits() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        client.send(.get("/open/ws", Self.asking) + .get("/open/second"))
        let server = try bench.accepted()
        let head = bench.head(server)
        #expect(head.hasSuffix("\r\n\r\n") && head.count(of: "GET ") == 1)
        bench.settle()
        #expect(server.text.isEmpty)
        server.send(Self.agreeing + "first")
        _ = bench.expect(client, ends: "\r\n\r\nfirst")
        bench.turn(until: { server.text.hasSuffix("\r\n\r\n") })
        #expect(server.text.hasPrefix("GET /open/second "))
        Self.expectNothingLeft(bench, server)
    }

    @Test func anUpstreamThatDoesNotAgreeAnswers() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        let server = try bench.requested(client, .get("/open/ws", Self.asking) + .get("/open/next"))
        server.send("HTTP/1.1 426 Upgrade Required\r\nUpgrade: websocket\r\nContent-Length: 2\r\n\r\nno")
        let answer = bench.expect(client, ends: "no")
        #expect(answer.hasPrefix("HTTP/1.1 426 "))
        #expect(bench.head(server).hasPrefix("GET /open/next "))
        server.send(.ok("fine"))
        _ = bench.expect(client, ends: "fine")
        #expect(bench.worker.counters.metrics.tunnelsOpened == 0)
        Self.expectNothingLeft(bench, server)
    }

    /// A 101 to another handshake, or to none, makes no tunnel.
    @Test(arguments: [
        ("websocket", "AAAAAAAAAAAAAAAAAAAAAAAAAAA="), ("h2c", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
        ("websocket, h2c", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
    ]) func a101HasToFit(_ name: String, _ accept: String) throws {
        let bench = try WorkerBench()
        let client = bench.client()
        let server = try bench.requested(client, .get("/open/ws", Self.asking))
        server.send(
            "HTTP/1.1 101 S\r\nUpgrade: \(name)\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: \(accept)\r\n\r\n")
        let answer = bench.expect(client, ends: "}")
        #expect(answer.hasPrefix("HTTP/1.1 502 "))
        #expect(answer.contains("upstream_invalid_response"))
        Self.expectNothingLeft(bench, server)
    }

    @Test func a101ThatNobodyAskedForIsAnError() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        let server = try bench.requested(client, .get())
        server.send(Self.agreeing)
        #expect(bench.expect(client, ends: "}").hasPrefix("HTTP/1.1 502 "))
        Self.expectNothingLeft(bench, server)
    }

    /// As before: the fields end here, and the request is one like any other.
    @Test(arguments: [
        "Connection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n",
        "Connection: Upgrade\r\nUpgrade: other\r\n",
        "Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
        "Connection: Upgrade\r\nUpgrade: websocket\r\n",
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: short\r\n",
        asking + "Content-Length: 3\r\n",
    ]) func whatCannotBeUpgradedIsForwardedPlain(_ fields: String) throws {
        let bench = try WorkerBench { $0.routes[0].options.upgrades = ["websocket", "h2c"] }
        let client = bench.client()
        client.send(.get("/open/x", fields))
        let head = bench.head(try bench.accepted())
        #expect(!head.lowercased().contains("upgrade"))
        bench.expectNothingLeft()
    }

    @Test func onlyWhatTheRouteHasIsAskedFor() throws {
        let bench = try WorkerBench {
            $0.routes[0].options.upgrades = ["Chat/2.0"]
            $0.routes[1].options.upgrades = []
        }
        let client = bench.client()
        client.send(
            "POST /open/x HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket, chat/2.0\r\n\r\n")
        let server = try bench.accepted()
        #expect(bench.head(server).contains("\r\nUpgrade: Chat/2.0\r\n"))
        server.send("HTTP/1.1 101 S\r\nUpgrade: chat/2.0\r\nConnection: upgrade\r\n\r\nhi")
        _ = bench.expect(client, ends: "\r\n\r\nhi")
        Self.expectNothingLeft(bench, server)
    }

    // MARK: The decision

    @Test func aHandshakeNeedsItsCredential() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        client.send(.get("/mine/ws", Self.asking))
        let answer = bench.expect(client, ends: "}")
        #expect(answer.hasPrefix("HTTP/1.1 401 "))
        #expect(answer.contains("\r\nWWW-Authenticate: Bearer"))
        #expect(bench.upstream.accept() == nil)
        let other = bench.client()
        other.send(.get("/mine/ws", Self.asking + WorkerBench.credentials))
        let head = bench.head(try bench.accepted())
        #expect(head.contains("\r\nX-Gateway-User: joe\r\n") && head.contains("\r\nUpgrade: websocket\r\n"))
        #expect(!head.contains("Authorization"))
        bench.expectNothingLeft()
    }

    /// Browsers send no preflight ahead of a WebSocket: the handshake itself is screened (CORS-01).
    @Test func aHandshakeOfAnotherSiteIsRefused() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        client.send(.get("/open/ws", Self.asking + "Origin: https://evil.net\r\n"))
        #expect(bench.expect(client, ends: "}").hasPrefix("HTTP/1.1 403 "))
        #expect(bench.upstream.accept() == nil)
        let (_, server) = try Self.open(bench, "/open/ws", "Origin: https://shop.example.com\r\n")
        Self.expectNothingLeft(bench, server)
    }

    // MARK: Ends

    @Test func theEndOfOneSideIsPassedOn() throws {
        let bench = try WorkerBench()
        let (client, server) = try Self.open(bench)
        client.send("last")
        client.shutdownSending()
        bench.turn(until: { server.isOver })
        #expect(server.ended && server.text == "last")
        #expect(!client.isOver)
        server.send("and back")
        #expect(bench.expect(client, ends: "and back") == "and back")
        server.close()
        bench.turn(until: { client.isOver })
        #expect(client.ended)
        bench.turn(until: { bench.worker.frontend.clients.used == 0 })
        Self.expectNothingLeft(bench, server)
    }

    @Test func theUpstreamMayEndFirst() throws {
        let bench = try WorkerBench()
        let (client, server) = try Self.open(bench)
        server.send("bye")
        server.shutdownSending()
        bench.turn(until: { client.isOver })
        #expect(client.ended && client.text == "bye")
        client.send("ok")
        client.close()
        bench.turn(until: { server.isOver })
        #expect(server.text == "ok")
        bench.turn(until: { bench.worker.frontend.clients.used == 0 })
        #expect(bench.errors.allSatisfy { $0 == 0 })
        Self.expectNothingLeft(bench, server)
    }

    @Test func aBrokenSideBreaksTheOther() throws {
        let bench = try WorkerBench()
        let (client, server) = try Self.open(bench)
        server.reset()
        bench.turn(until: { client.isOver })
        let (second, other) = try Self.open(bench)
        second.reset()
        bench.turn(until: { other.isOver })
        Self.expectNothingLeft(bench, other, server)
    }

    /// GW-07: a side that takes nothing slows the other one down, in both directions.
    @Test(arguments: [true, false]) func aSlowSideHoldsTheOther(_ goesUp: Bool) throws {
        let bench = try WorkerBench()
        let (client, server) = try Self.open(bench)
        let (source, sink) = goesUp ? (client, server) : (server, client)
        let piece = (0..<65536).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var sent = 0
        var quiet = 0
        while quiet < 20 {
            let n = source.send(Array(piece[(sent % 65536)...]))
            sent += n
            quiet = n == 0 ? quiet + 1 : 0
            bench.turn()
        }
        #expect(sent < 32 << 20)
        #expect(bench.worker.poller.chunks.inUse < 20)
        var taken = 0
        bench.turn(until: {
            sink.receive()
            for byte in sink.received {
                if byte != piece[taken % 65536] { Issue.record("wrong byte at \(taken)") }
                taken += 1
            }
            sink.forget()
            return taken == sent
        })
        Self.expectNothingLeft(bench, server)
    }

    @Test func aClientThatTakesNothingIsCut() throws {
        let bench = try WorkerBench { $0.limits.writeTimeout = 50 }
        let client = bench.client(receiveBuffer: 4096)
        let server = try bench.requested(client, .get("/open/ws", Self.asking))
        server.send(Self.agreeing)
        let piece = [UInt8](repeating: 1, count: 65536)
        bench.turn(until: {
            server.send(piece)
            return server.isOver
        })
        bench.turn(until: { bench.worker.frontend.clients.used == 0 })
        Self.expectNothingLeft(bench, server)
    }
}
