import Bytes
import HTTP
import Model
import Policy
import Reactor
import TestSupport
import Testing

@testable import Gateway

/// Issue B, HTTP/2 to upstreams: streams of one connection in place of connections.
@Suite struct WorkerH2UpstreamTests {
    private func bench(_ change: (inout WorkerBench.Setup) -> Void = { _ in }) throws -> WorkerBench {
        try WorkerBench { setup in
            setup.listeners[0].rules.http2 = true
            setup.upstream = { $0.settings.http2 = true }
            change(&setup)
        }
    }

    /// The next connection to the upstream, with so many requests on it.
    private func server(_ bench: WorkerBench, requests: Int = 1, _ limits: H2Limits = H2Limits()) throws -> H2Server {
        let server = H2Server(try bench.accepted(), limits)
        bench.turn {
            server.move()
            return server.order.count >= requests
        }
        return server
    }

    private func turn(_ bench: WorkerBench, _ server: H2Server, until condition: () -> Bool) {
        bench.turn {
            server.move()
            return condition()
        }
    }

    @Test func requestsShareAConnection() throws {
        let bench = try bench()
        let clients = (0..<5).map { _ in bench.client() }
        for (i, client) in clients.enumerated() { client.send(.get("/open/\(i)?q=1", "X-A: b\r\nConnection: X-A\r\n")) }
        let server = try server(bench, requests: 5)
        #expect(bench.upstream.accept() == nil)
        for id in server.order {
            let asked = try #require(server.asked[id])
            #expect(asked.method == "GET" && asked.authority == "gw.example.com" && asked.isWhole)
            #expect(!asked.fields.contains { $0.hasPrefix("host:") || $0.hasPrefix("x-a:") })
            #expect(asked.fields.contains("via: 1.1 portcullis"))
            server.answer(id, 200, "x-y: z\r\n", body: Array(asked.path.utf8))
        }
        for (i, client) in clients.enumerated() {
            let all = bench.expect(client, ends: "0\r\n\r\n")
            #expect(all.hasPrefix("HTTP/1.1 200 "))
            #expect(all.contains("x-y: z\r\n") && all.contains("\r\n/open/\(i)?q=1\r\n"))
        }
        clients[0].send(.get("/open/again"))
        turn(bench, server) { server.order.count == 6 }
        server.answer(server.order[5], 204)
        #expect(bench.expect(clients[0], ends: "\r\n\r\n").hasPrefix("HTTP/1.1 204 "))
        bench.expectNothingLeft()
    }

    /// gRPC needs trailers both ways and `te: trailers`.
    @Test func streamsGoFromEndToEnd() throws {
        let bench = try bench()
        let client = bench.h2Client()
        let id = try client.request(
            "POST", "/open/grpc", "content-type: application/grpc\r\nte: trailers\r\n", body: Array("ping".utf8),
            trailers: "x-end: 1\r\n")
        let server = try server(bench)
        let stream = server.order[0]
        turn(bench, server) { server.asked[stream]?.isWhole == true }
        let asked = try #require(server.asked[stream])
        #expect(asked.body == Array("ping".utf8))
        #expect(asked.trailers == ["x-end: 1"])
        #expect(asked.fields.contains("te: trailers"))
        server.answer(
            stream, 200, "content-type: application/grpc\r\n", body: Array("pong".utf8),
            trailers: "grpc-status: 0\r\ngrpc-message: fine\r\n")
        let answer = bench.answer(client, id)
        #expect(answer.text == "pong")
        #expect(answer.trailers == ["grpc-status: 0", "grpc-message: fine"])
        let second = try client.request("POST", "/open/grpc", "te: trailers\r\n", body: Array("x".utf8))
        turn(bench, server) { server.order.count == 2 }
        // Trailers-only: the whole answer in one head.
        server.answer(server.order[1], 200, "grpc-status: 12\r\n")
        #expect(bench.answer(client, second).field("grpc-status") == "12")
        bench.expectNothingLeft()
    }

    @Test(arguments: [false, true]) func bodiesGoUpAndDown(_ http2: Bool) throws {
        let bench = try bench()
        let body = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        if http2 {
            let client = bench.h2Client()
            let id = try client.request("POST", "/open/x", "", body: body)
            let server = try server(bench)
            turn(bench, server) {
                client.move()
                return server.asked[server.order[0]]?.isWhole == true
            }
            #expect(server.asked[server.order[0]]?.body == body)
            server.answer(server.order[0], body: body)
            turn(bench, server) {
                client.move()
                return client[id].isWhole
            }
            #expect(client[id].body == body)
        } else {
            let client = bench.client()
            client.send("POST /open/x HTTP/1.1\r\nHost: gw.example.com\r\nContent-Length: \(body.count)\r\n\r\n")
            var sent = client.send(body)
            let server = try server(bench)
            turn(bench, server) {
                sent += client.send(Array(body.dropFirst(sent)))
                return server.asked[server.order[0]]?.isWhole == true
            }
            #expect(server.asked[server.order[0]]?.body == body)
            #expect(server.asked[server.order[0]]?.fields.contains("content-length: \(body.count)") == true)
            server.answer(server.order[0], 200, "content-length: \(body.count)\r\n", body: body)
            turn(bench, server) {
                client.receive()
                return client.received.count > body.count
            }
            turn(bench, server) {
                client.receive()
                return client.received.suffix(body.count) == body[...]
            }
        }
        bench.expectNothingLeft()
    }

    /// A client that takes nothing of a long answer, which the server has begun to send.
    private func slowClient(_ bench: WorkerBench) throws -> (client: Peer, server: H2Server, stream: Int32) {
        let slow = bench.client(receiveBuffer: 4096)
        slow.send(.get("/open/slow"))
        let server = try server(bench)
        let stream = server.order[0]
        server.begin(stream, "content-length: 50000000\r\n")
        for _ in 0..<800 { server.send(stream, [UInt8](repeating: 7, count: 16 * 1024)) }
        for _ in 0..<200 {
            server.move()
            bench.turn()
        }
        return (slow, server, stream)
    }

    /// GW-07: a client that takes nothing of its answer slows its own stream down, and no other.
    @Test func backPressureIsOfOneStream() throws {
        let bench = try bench()
        let (_, server, _) = try slowClient(bench)
        #expect(bench.worker.poller.chunks.bytesInUse < 2 << 20)
        let quick = bench.client()
        quick.send(.get("/open/quick"))
        turn(bench, server) { server.order.count == 2 }
        server.answer(server.order[1], body: Array("quick".utf8))
        turn(bench, server) { quick.text.hasSuffix("quick\r\n0\r\n\r\n") }
        bench.expectNothingLeft()
    }

    /// GW-07: an upstream that takes nothing of a body for a while gets the rest of it when it does, even where the client
    /// has used up all its credit by then and nothing more comes of it that could have it moved on. The same where little
    /// may wait, since memory is short.
    @Test(arguments: [false, true]) func anUpstreamThatPausedGetsTheRest(_ memoryIsShort: Bool) throws {
        let bench = try bench { $0.limits.maximumBufferBytes = 100 << 20 }
        if memoryIsShort {
            var another = BufferShare()
            another.tell(90 << 20, to: bench.worker.shared.buffers)
        }
        let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        let client = bench.h2Client()
        let id = try client.request("POST", "/open/x", ends: false)
        for start in stride(from: 0, to: body.count, by: 10_000) {
            client.send(id, Array(body[start..<start + 10_000]))
        }
        client.finish(id)
        let server = H2Server(try bench.accepted())
        server.stalls = true
        for _ in 0..<200 {
            client.move()
            server.move()
            bench.turn()
        }
        #expect(server.asked[server.order[0]]?.isWhole == false)
        server.takeStalled()
        turn(bench, server) {
            client.move()
            return server.asked[server.order[0]]?.isWhole == true
        }
        #expect(server.asked[server.order[0]]?.body == body)
        server.answer(server.order[0], body: [1])
        turn(bench, server) {
            client.move()
            return client[id].isWhole
        }
        bench.expectNothingLeft()
    }

    @Test func aClientThatLeavesResetsItsStreamAlone() throws {
        let bench = try bench()
        let gone = bench.client()
        let stays = bench.client()
        gone.send(.get("/open/gone"))
        stays.send(.get("/open/stays"))
        let server = try server(bench, requests: 2)
        let first = try #require(server.order.first { server.asked[$0]?.path == "/open/gone" })
        let second = try #require(server.order.first { server.asked[$0]?.path == "/open/stays" })
        gone.reset()
        turn(bench, server) { server.asked[first]?.wasReset == true }
        server.answer(second, body: Array("here".utf8))
        _ = bench.expect(stays, ends: "here\r\n0\r\n\r\n")
        bench.expectNothingLeft()
    }

    /// RFC 9113 section 8.7: what the server has refused unseen is sent again, with any method.
    @Test func aRefusedStreamIsSentAgain() throws {
        let bench = try bench()
        let client = bench.client()
        client.send("POST /open/x HTTP/1.1\r\nHost: gw.example.com\r\nContent-Length: 0\r\n\r\n")
        let first = try server(bench)
        first.reset(first.order[0], H2Code.refusedStream)
        let second = try server(bench)
        #expect(second.asked[second.order[0]]?.method == "POST")
        second.answer(second.order[0], body: Array("done".utf8))
        _ = bench.expect(client, ends: "done\r\n0\r\n\r\n")
        bench.expectNothingLeft()
    }

    @Test func aStreamThatIsCutIsAnErrorOfItsOwn() throws {
        let bench = try bench()
        let client = bench.client()
        client.send(.post("/open/x", "body"))
        let server = try server(bench)
        server.reset(server.order[0], H2Code.internalError)
        #expect(bench.expect(client, ends: "}").hasPrefix("HTTP/1.1 502 "))
        client.send(.get("/open/y"))
        turn(bench, server) { server.order.count == 2 }
        server.begin(server.order[1], "content-length: 10\r\n")
        server.send(server.order[1], Array("half".utf8))
        turn(bench, server) { client.text.hasSuffix("half") }
        server.reset(server.order[1], H2Code.internalError)
        turn(bench, server) { client.isOver }
        bench.expectNothingLeft()
    }

    /// An answer that is cut while its client is far behind arrives as far as it was sent.
    @Test func aSlowClientGetsWhatCameBeforeTheCut() throws {
        let bench = try bench()
        let (slow, server, stream) = try slowClient(bench)
        let sent = Int(server.session.framedBytes)
        #expect(sent > 0 && sent < 800 * 16 * 1024)
        server.reset(stream, H2Code.internalError)
        turn(bench, server) { bench.errors[UpstreamFailure.connectionLost.rawValue] == 1 }
        turn(bench, server) { slow.isOver }
        #expect(slow.ended && !slow.wasReset)
        #expect(slow.received.count(where: { $0 == 7 }) == sent)
        bench.expectNothingLeft()
    }

    /// More requests than the server takes at once go over further connections, which are taken to be like the first as
    /// long as they have not said otherwise.
    @Test func theServersLimitIsKept() throws {
        let bench = try bench()
        let clients = (0..<5).map { _ in bench.client() }
        clients[0].send(.get("/open/0"))
        var limits = H2Limits()
        limits.maximumStreams = 2
        let first = try server(bench, limits)
        turn(bench, first) { first.session.settingsAcknowledged }
        for client in clients.dropFirst() { client.send(.get("/open/x")) }
        turn(bench, first) { first.order.count == 2 }
        // Neither has been moved yet, so that neither has said anything.
        let others = [H2Server(try bench.accepted()), H2Server(try bench.accepted())]
        bench.turn {
            for other in others { other.move() }
            return others[0].order.count == 2 && others[1].order.count == 1
        }
        for server in [first] + others {
            for id in server.order { server.answer(id, body: Array("a".utf8)) }
        }
        for client in clients { _ = bench.expect(client, ends: "a\r\n0\r\n\r\n") }
        bench.expectNothingLeft()
    }

    @Test func aConnectionThatBreaksEndsItsExchanges() throws {
        let bench = try bench()
        let clients = (0..<3).map { _ in bench.client() }
        for client in clients { client.send(.post("/open/x", "body")) }
        let server = try server(bench, requests: 3)
        server.peer.reset()
        for client in clients { #expect(bench.expect(client, ends: "}").hasPrefix("HTTP/1.1 502 ")) }
        bench.expectNothingLeft()
    }

    /// A request that the server closes the connection upon is sent once more, over a connection that stays.
    @Test func aReplayHasAConnectionOfItsOwn() throws {
        let bench = try bench()
        let client = bench.client()
        client.send(.get("/open/x"))
        let first = try server(bench)
        first.peer.close()
        let second = try server(bench)
        second.answer(second.order[0], body: Array("done".utf8))
        _ = bench.expect(client, ends: "done\r\n0\r\n\r\n")
        bench.expectNothingLeft()
    }

    /// A server that says nothing at all is not asked again over the same connection.
    @Test func aSilentConnectionGetsNoFurtherRequests() throws {
        let bench = try bench { setup in
            var hasty = ResolvedRoute(RouteEntry(name: "hasty", path: "/hasty"))
            hasty.access.isPublic = true
            hasty.options.responseTimeout = 50
            setup.routes.append(hasty)
        }
        let client = bench.client()
        client.send(.get("/hasty"))
        let silent = try bench.accepted()
        #expect(bench.expect(client, ends: "}").hasPrefix("HTTP/1.1 504 "))
        client.send(.get("/open/y"))
        let other = try server(bench)
        other.answer(other.order[0], body: Array("done".utf8))
        _ = bench.expect(client, ends: "done\r\n0\r\n\r\n")
        #expect(!silent.text.isEmpty)
        bench.expectNothingLeft()
    }

    /// GW-08: of a body that is too large, the server does not see the end.
    @Test func aBodyThatIsTooLargeDoesNotArriveWhole() throws {
        let bench = try WorkerBench { $0.limits.maximumBodyBytes = 1000 }
        let client = bench.client()
        client.send("POST /open/x HTTP/1.1\r\nHost: gw.example.com\r\nTransfer-Encoding: chunked\r\n\r\n")
        let server = try bench.accepted()
        _ = bench.head(server)
        let piece = String(repeating: "x", count: 0x800)
        client.send("800\r\n\(piece)\r\n0\r\n\r\n")
        #expect(bench.expect(client, ends: "}").hasPrefix("HTTP/1.1 413 "))
        bench.turn(until: { server.isOver })
        #expect(!server.text.contains("0\r\n\r\n"))
        bench.expectNothingLeft()
    }

    /// Interim heads are no pool's chunks: counting them as such would make room under the ceiling of memory.
    @Test func interimAnswersKeepTheBooks() throws {
        let bench = try bench()
        let client = bench.client()
        for _ in 0..<3 {
            client.send(.get("/open/x"))
            let server = H2Server(try bench.accepted())
            turn(bench, server) { server.order.count == 1 }
            server.interim(server.order[0], 103)
            turn(bench, server) { client.text.contains("103") }
            server.answer(server.order[0], body: Array("done".utf8))
            turn(bench, server) { client.text.hasSuffix("done\r\n0\r\n\r\n") }
            client.forget()
            server.peer.close()
            bench.turn(until: { bench.worker.groups.all[0].servers[0].sessions.isEmpty })
        }
        #expect(bench.worker.poller.chunks.inUse == 0 && bench.worker.poller.chunks.bytesInUse == 0)
        bench.expectNothingLeft()
    }
}
