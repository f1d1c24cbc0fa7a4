import Bytes
import HTTP
import Identity
import Model
import Policy
import Reactor
import TestSupport
import Testing

@testable import Gateway

/// Issue B: streams of events and long polls pass unbuffered, interim and early responses too.
@Suite struct WorkerStreamingTests {
    private func bench(_ change: (inout WorkerBench.Setup) -> Void = { _ in }) throws -> WorkerBench {
        try WorkerBench { setup in
            setup.listeners[0].rules.http2 = true
            change(&setup)
        }
    }

    /// How an upstream frames a body: the head, and each piece.
    enum Framing: CaseIterable {
        case length, chunked, untilClose

        func head(_ total: Int) -> String {
            switch self {
            case .length: "Content-Length: \(total)\r\n"
            case .chunked: "Transfer-Encoding: chunked\r\n"
            case .untilClose: ""
            }
        }

        func piece(_ text: String) -> String {
            self == .chunked ? "\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n" : text
        }
    }

    private static let pieces = (0..<5).map { "data: \($0)\n\n" }

    /// Each piece arrives before the next is sent, the head before the first.
    @Test(arguments: Framing.allCases, ["text/event-stream", "application/json"])
    func nothingWaitsForMore(_ framing: Framing, _ type: String) throws {
        let bench = try bench()
        let client = bench.client()
        let server = try bench.requested(client, .get())
        let total = Self.pieces.joined().utf8.count
        server.send("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\n\(framing.head(total))\r\n")
        _ = bench.expect(client, ends: "\r\n\r\n")
        for piece in Self.pieces {
            server.send(framing.piece(piece))
            let seen = framing == .length ? piece : "\r\n\(piece)\r\n"
            #expect(bench.expect(client, ends: seen).hasSuffix(seen))
        }
        bench.expectNothingLeft()
    }

    @Test(arguments: Framing.allCases) func nothingWaitsForMoreOverHTTP2(_ framing: Framing) throws {
        let bench = try bench()
        let client = bench.h2Client()
        let id = try client.request()
        let server = try bench.accepted()
        _ = bench.head(server)
        server.send("HTTP/1.1 200 OK\r\n\(framing.head(Self.pieces.joined().utf8.count))\r\n")
        bench.turn(until: {
            client.move()
            return client[id].status == 200
        })
        var expected = ""
        for piece in Self.pieces {
            server.send(framing.piece(piece))
            expected += piece
            bench.turn(until: {
                client.move()
                return client[id].text == expected
            })
        }
        bench.expectNothingLeft()
    }

    /// A quiet stream of events is not a slow upstream; any other response is.
    @Test(arguments: [
        ("text/event-stream", true), ("Text/Event-Stream; charset=utf-8", true), ("text/event-streams", false),
        ("text/plain", false),
    ]) func onlyEventsMayBeFarBetween(_ type: String, _ lives: Bool) throws {
        let bench = try bench { $0.upstream = { $0.settings.responseTimeout = 500 } }
        let client = bench.client()
        let server = try bench.requested(client, .get())
        server.send("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n:\n\n\r\n")
        _ = bench.expect(client, ends: ":\n\n\r\n")
        bench.pass(milliseconds: 1200)
        #expect(lives ? !client.isOver : client.waitForEnd())
        #expect(bench.worker.report.current.eventStreamsOpen == (lives ? 1 : 0))
        if lives {
            server.send("3\r\n:\n\n\r\n0\r\n\r\n")
            _ = bench.expect(client, ends: "0\r\n\r\n")
            #expect(bench.worker.report.current.eventStreamsOpen == 0)
        }
        bench.expectNothingLeft()
    }

    @Test func aSilentStreamOfEventsEnds() throws {
        let bench = try bench { $0.limits.tunnelIdleTimeout = 200 }
        let client = bench.client()
        let server = try bench.requested(client, .get())
        server.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        bench.turn(until: { client.isOver })
        #expect(server.waitForEnd())
        #expect(!client.text.hasSuffix("0\r\n\r\n"))
        #expect(bench.worker.counters.reasons[.eventStreamIdle] == 1)
        bench.expectNothingLeft()
    }

    /// A download has an end, and goes on to it; a stream of events ends with the token.
    @Test(arguments: [true, false]) func aTokensEndEndsStreamsOfEventsAlone(_ overHTTP2: Bool) throws {
        let bench = try bench()
        let principal = Principal(
            kind: .user, method: .bearer, subject: "joe", issuer: "own", backendID: nil, roles: RoleSet(),
            catalogue: RoleCatalogue([]), level: 1, expiresAt: Clock.wallSeconds + 1, issuedAt: 10, tokenID: "t")
        var clients: [Peer] = []
        let multiplexed = overHTTP2 ? bench.h2Client() : nil
        var ids: [Int32] = []
        var servers: [Peer] = []
        for type in ["text/event-stream", "application/octet-stream"] {
            if let multiplexed {
                ids.append(try multiplexed.request())
            } else {
                clients.append(bench.client())
                clients.last?.send(.get())
            }
            let server = try bench.accepted()
            _ = bench.head(server)
            try #require(bench.worker.exchanges.all.all.last { $0.stage == .forwarding }).principal = principal
            server.send("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: 100\r\n\r\nx")
            servers.append(server)
        }
        bench.turn(until: {
            multiplexed?.move()
            return servers[0].isOver
        })
        bench.pass(milliseconds: 1200)
        #expect(!servers[1].isOver)
        servers[1].send(String(repeating: "y", count: 99))
        if let multiplexed {
            #expect(bench.answer(multiplexed, ids[0]).resetCode == H2Code.internalError)
            #expect(bench.answer(multiplexed, ids[1]).body.count == 100)
        } else {
            #expect(clients[0].waitForEnd())
            _ = bench.expect(clients[1], ends: "yyy")
        }
        #expect(bench.worker.counters.reasons[.eventStreamExpired] == 1)
        bench.expectNothingLeft()
    }

    /// A route with `endWithToken` ends any response, such as a gRPC stream, with the token.
    @Test(arguments: [true, false], ["application/grpc", "application/octet-stream"])
    func aTokensEndEndsAnyResponseOfARoute(_ overHTTP2: Bool, _ type: String) throws {
        let bench = try bench { $0.routes[0].options.endsWithToken = true }
        let principal = Principal(
            kind: .user, method: .bearer, subject: "joe", issuer: "own", backendID: nil, roles: RoleSet(),
            catalogue: RoleCatalogue([]), level: 1, expiresAt: Clock.wallSeconds + 1, issuedAt: 10, tokenID: "t")
        let client = overHTTP2 ? nil : bench.client()
        let multiplexed = overHTTP2 ? bench.h2Client() : nil
        client?.send(.get())
        let id = try multiplexed?.request()
        let server = try bench.accepted()
        _ = bench.head(server)
        try #require(bench.worker.exchanges.all.all.last { $0.stage == .forwarding }).principal = principal
        server.send("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: 100\r\n\r\nx")
        bench.turn(until: {
            multiplexed?.move()
            return server.isOver
        })
        if let multiplexed, let id {
            #expect(bench.answer(multiplexed, id).resetCode == H2Code.internalError)
        } else if let client {
            #expect(client.waitForEnd() && client.text.hasSuffix("x"))
        }
        #expect(bench.worker.counters.reasons[.eventStreamExpired] == 1)
        bench.expectNothingLeft()
    }

    /// What is over before the token leaves nothing to end.
    @Test func aShortResponseOfSuchARouteIsServed() throws {
        let bench = try bench { $0.routes[0].options.endsWithToken = true }
        let client = bench.client()
        let server = try bench.requested(client, .get())
        server.send(.ok("done"))
        _ = bench.expect(client, ends: "done")
        client.send(.get())
        bench.turn(until: { server.text.hasSuffix("\r\n\r\n") })
        server.send(.ok("again"))
        _ = bench.expect(client, ends: "again")
        #expect(bench.worker.report.current.eventStreamsOpen == 0)
        bench.expectNothingLeft()
    }

    // MARK: Interim and early responses

    @Test func aSlowUpstreamMayAskForTheBody() throws {
        let bench = try bench()
        let client = bench.client()
        client.send("POST /open/x HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
        let server = try bench.accepted()
        #expect(bench.head(server).lowercased().contains("expect: 100-continue"))
        bench.settle()
        #expect(client.text.isEmpty)
        server.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
        #expect(bench.expect(client, ends: "\r\n\r\n").contains("Link: </a>"))
        server.send("HTTP/1.1 100 Continue\r\n\r\n")
        _ = bench.expect(client, ends: "100 Continue\r\n\r\n")
        client.send("abc")
        bench.turn(until: { server.text == "abc" })
        server.send(.ok("done"))
        _ = bench.expect(client, ends: "done")
        bench.expectNothingLeft()
    }

    @Test func aSlowUpstreamMayAskForTheBodyOverHTTP2() throws {
        let bench = try bench()
        let client = bench.h2Client()
        let id = try client.request("POST", "/open/x", "expect: 100-continue\r\ncontent-length: 3\r\n", ends: false)
        let server = try bench.accepted()
        #expect(bench.head(server).lowercased().contains("expect: 100-continue"))
        for status in [103, 100] {
            server.send("HTTP/1.1 \(status) X\r\n\r\n")
            bench.turn(until: {
                client.move()
                return client[id].interim.last == status
            })
        }
        client.send(id, Array("abc".utf8))
        client.finish(id)
        client.move()
        bench.turn(until: { server.text == "abc" })
        server.send(.ok("done"))
        #expect(bench.answer(client, id).text == "done")
        bench.expectNothingLeft()
    }

    /// The answer comes while the body is still on its way.
    @Test(arguments: [true, false]) func anEarlyAnswerIsForwarded(_ overHTTP2: Bool) throws {
        let bench = try bench()
        if overHTTP2 {
            let client = bench.h2Client()
            let id = try client.request("POST", "/open/x", "", body: Array("some".utf8), ends: false)
            let server = try bench.accepted()
            _ = bench.head(server)
            server.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno")
            #expect(bench.answer(client, id).status == 403)
            #expect(client[id].text == "no")
        } else {
            let client = bench.client()
            client.send("POST /open/x HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nsome")
            let server = try bench.accepted()
            _ = bench.head(server)
            server.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno")
            #expect(bench.expect(client, ends: "no").hasPrefix("HTTP/1.1 403 "))
        }
        bench.expectNothingLeft()
    }
}
