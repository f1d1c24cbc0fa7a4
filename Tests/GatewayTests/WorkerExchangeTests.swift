import Bytes
import Reactor
import TestSupport
import Testing

@testable import Gateway

/// Whole exchanges, framing in both directions, and what stays of them.
@Suite struct WorkerExchangeTests {
    @Test func oneConnectionServesManyRequests() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        let server = try bench.requested(client, .get())
        server.send(.ok("one"))
        let first = bench.expect(client, ends: "one")
        #expect(first.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(!first.contains("Connection:"))
        client.send(.get("/open/y?q=1"))
        #expect(bench.head(server).hasPrefix("GET /open/y?q=1 HTTP/1.1\r\nHost: gw.example.com\r\n"))
        server.send(.ok("two"))
        _ = bench.expect(client, ends: "two")
        #expect(bench.upstream.accept() == nil, "the connection is used again")
        bench.turn()
        #expect(bench.worker.poller.chunks.inUse == 0, "idle connections hold no buffer")
        bench.expectNothingLeft()
    }

    /// The next request goes out when the one before is answered, and never sooner: an answer finds its request.
    @Test func pipelinedRequestsAreAnsweredInTheirOrder() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        client.send(.get("/open/1") + .get("/nowhere") + .post("/open/2", "body") + .get("/open/3"))
        let server = try bench.accepted()
        #expect(bench.head(server).hasPrefix("GET /open/1 "))
        bench.settle()
        #expect(server.text.isEmpty)
        server.send(.ok("one"))
        bench.turn(until: { server.text.hasSuffix("body") })
        #expect(server.text.hasPrefix("POST /open/2 "))
        server.forget()
        server.send(.ok("two"))
        #expect(bench.head(server).hasPrefix("GET /open/3 "))
        server.send(.ok("three"))
        let all = bench.expect(client, ends: "three")
        let statuses = all.split(separator: "HTTP/1.1 ").map { $0.prefix(3) }
        #expect(statuses == ["200", "404", "200", "200"])
        let places = ["one", "no_route", "two", "three"].compactMap { all.firstRange(of: $0)?.lowerBound }
        #expect(places.count == 4 && places == places.sorted())
        bench.expectNothingLeft()
    }

    /// Nothing depends on how the bytes are cut, on either side.
    @Test func requestsAndResponsesMayComeByteByByte() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        for byte in Array(String.post("/open/x", "abc").utf8) {
            client.send([byte])
            bench.turn()
        }
        let server = try bench.accepted()
        bench.turn(until: { server.text.hasSuffix("abc") })
        server.forget()
        let response =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nfoo\r\n3\r\nbar\r\n0\r\nETag: z\r\n\r\n"
        for byte in Array(response.utf8) {
            server.send([byte])
            bench.turn()
        }
        let all = bench.expect(client, ends: "ETag: z\r\n\r\n")
        #expect(all.contains("Transfer-Encoding: chunked\r\n"))
        #expect(!all.contains("x=y"))
        client.send(.get())
        #expect(bench.head(server).hasPrefix("GET /open/x "))
        server.send(.ok("again"))
        _ = bench.expect(client, ends: "again")
        bench.expectNothingLeft()
    }

    // MARK: Framing

    @Test func chunksAndTrailersGoThroughInBothDirections() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        client.send(
            "POST /open/x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"
                + "5\r\nhello\r\n0\r\nX-Sum: 1\r\nX-Gateway-User: root\r\nContent-Length: 9\r\n\r\n")
        let server = try bench.accepted()
        bench.turn(until: { server.text.hasSuffix("0\r\nX-Sum: 1\r\n\r\n") })
        #expect(server.text.contains("Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"))
        #expect(!server.text.contains("root"))
        server.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-End: 2\r\n\r\n")
        #expect(bench.expect(client, ends: "0\r\nX-End: 2\r\n\r\n").contains("2\r\nok\r\n"))
        bench.expectNothingLeft()
    }

    @Test func aBodyUntilTheCloseBecomesChunksAndTheClientStays() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        let server = try bench.requested(client, .get())
        server.send("HTTP/1.1 200 OK\r\n\r\nsome")
        _ = bench.expect(client, ends: "4\r\nsome\r\n")
        server.send("more")
        server.close()
        #expect(bench.expect(client, ends: "4\r\nmore\r\n0\r\n\r\n").isEmpty == false)
        let next = try bench.requested(client, .get())
        next.send(.ok("next"))
        _ = bench.expect(client, ends: "next")
        bench.expectNothingLeft()
    }

    @Test func anOldClientGetsNoChunksAndTheEndTellsTheLength() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        let server = try bench.requested(client, "GET /open/x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        server.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nfoo\r\n")
        bench.turn(until: { client.text.hasSuffix("foo") })
        server.send("3\r\nbar\r\n0\r\nX-Trailer: lost\r\n\r\n")
        bench.turn(until: { client.isOver })
        #expect(client.ended)
        #expect(client.text.hasSuffix("\r\n\r\nfoobar"))
        #expect(client.text.contains("Connection: close\r\n"))
        #expect(!client.text.contains("Transfer-Encoding"))
        bench.expectNothingLeft()
    }

    @Test func anOldClientMayKeepItsConnection() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        let server = try bench.requested(client, "GET /open/x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        server.send(.ok("one"))
        #expect(bench.expect(client, ends: "one").contains("Connection: keep-alive\r\n"))
        client.send("GET /open/y HTTP/1.0\r\n\r\n")
        _ = bench.head(server)
        server.send(.ok("two"))
        bench.turn(until: { client.isOver })
        #expect(client.ended)
        #expect(client.text.hasSuffix("two"))
        bench.expectNothingLeft()
    }

    /// What follows a response without a body is the next response, though its fields may give a length.
    @Test(arguments: [
        ("HEAD", "200 OK", "Content-Length: 5\r\n"), ("HEAD", "200 OK", "Transfer-Encoding: chunked\r\n"),
        ("HEAD", "200 OK", ""), ("GET", "204 No Content", ""), ("GET", "304 Not Modified", "Content-Length: 5\r\n"),
    ])
    func responsesWithoutABody(_ method: String, _ status: String, _ fields: String) throws {
        let bench = try WorkerBench()
        let client = bench.client()
        let server = try bench.requested(client, "\(method) /open/x HTTP/1.1\r\nHost: h\r\n\r\n")
        server.send("HTTP/1.1 \(status)\r\n\(fields)\r\n")
        let head = bench.expect(client, ends: "\r\n\r\n")
        #expect(head.contains("Content-Length: 5\r\n") == (fields == "Content-Length: 5\r\n"))
        #expect(!head.contains("Transfer-Encoding"))
        client.send(.get())
        _ = bench.head(server)
        server.send(.ok("next"))
        #expect(bench.expect(client, ends: "next").hasPrefix("HTTP/1.1 200"))
        bench.expectNothingLeft()
    }

    /// RFC 9110 section 8.6: a 204 has no length; the upstream's connection, whose next bytes may be a body, is not used
    /// again.
    @Test func aLengthOnA204IsNotForwarded() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        let server = try bench.requested(client, .get())
        server.send("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n")
        #expect(!bench.expect(client, ends: "\r\n\r\n").contains("Content-Length"))
        bench.turn(until: { server.isOver })
        bench.expectNothingLeft()
    }

    @Test func interimResponsesGoToThoseWhoKnowThem() throws {
        let bench = try WorkerBench()
        let interim = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nConnection: x\r\n\r\n"
        let client = bench.client()
        let server = try bench.requested(client, .get())
        server.send(interim)
        #expect(bench.expect(client, ends: "Link: </a>\r\n\r\n") == "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
        server.send(interim + .ok("final"))
        #expect(bench.expect(client, ends: "final").count(of: "HTTP/1.1 ") == 2)

        let old = bench.client()
        old.send("GET /open/x HTTP/1.0\r\n\r\n")
        _ = bench.head(server)
        server.send(interim + .ok("final"))
        bench.turn(until: { old.isOver })
        #expect(old.text.count(of: "HTTP/1.1 ") == 1)
        bench.expectNothingLeft()
    }

    @Test func anUnaskedUpgradeIsAnInvalidResponse() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        let server = try bench.requested(client, .get("/open/x", "Connection: upgrade\r\nUpgrade: websocket\r\n"))
        server.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n")
        #expect(bench.expect(client, ends: "}").hasPrefix("HTTP/1.1 502 "))
        bench.turn(until: { server.isOver })
        bench.expectNothingLeft()
    }

    /// The rest belongs to nothing that was asked: it is no answer to the next request.
    @Test func bytesBehindAResponseEndTheConnection() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        let server = try bench.requested(client, .get())
        server.send(.ok("one") + .ok("injected"))
        #expect(!bench.expect(client, ends: "one").contains("injected"))
        bench.turn(until: { server.isOver })
        let next = try bench.requested(client, .get())
        next.send(.ok("two"))
        #expect(!bench.expect(client, ends: "two").contains("injected"))

        next.send(.ok("late"))
        bench.turn(until: { next.isOver })
        bench.expectNothingLeft()
    }

    // MARK: Refusals

    /// The method of an earlier request has no say in the answer to bytes that are no request.
    @Test func anUnreadableRequestGetsAWholeAnswer() throws {
        let bench = try WorkerBench()
        let first = bench.client()
        first.send("HEAD /nowhere HTTP/1.1\r\nHost: h\r\n\r\n")
        _ = bench.expect(first, ends: "\r\n\r\n")
        let second = bench.client()
        second.send("GET / HTTP/1.1\r\nHost : h\r\n\r\n")
        bench.turn(until: { second.isOver })
        #expect(second.text.hasPrefix("HTTP/1.1 400 "))
        #expect(second.text.hasSuffix("}"))
        #expect(second.ended)
        bench.expectNothingLeft()
    }

    /// Names of any length within the limits are written where there is room for them.
    @Test func longNamesOfHostsAndOriginsFit() throws {
        let bench = try WorkerBench()
        for count in [1_000, 5_000, 15_000, 16_000, 16_200] {
            let client = bench.client()
            let server = try bench.requested(
                client, "GET /open/x HTTP/1.1\r\nHost: \(String(repeating: "h", count: count))\r\n\r\n")
            server.send(.ok("done", "Connection: close\r\n"))
            _ = bench.expect(client, ends: "done")
        }
        let rest = "GET /open/x HTTP/1.1\r\nHost: h\r\nOrigin: https://.example.com\r\n\r\n".utf8.count
        for count in (16_384 - rest - 400)..<(16_384 - rest) {
            let client = bench.client()
            let origin = "https://\(String(repeating: "o", count: count)).example.com"
            let server = try bench.requested(
                client, "GET /open/x HTTP/1.1\r\nHost: h\r\nOrigin: \(origin)\r\n\r\n")
            server.send(.ok("done", "Connection: close\r\n"))
            let answer = bench.expect(client, ends: "done")
            let isNamed = answer.contains("Access-Control-Allow-Origin: \(origin)\r\n")
            #expect(isNamed)
            client.close()
        }
        bench.expectNothingLeft()
    }

    @Test func aRefusedBodyIsSkippedAndTheNextRequestFound() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        let body = String(repeating: "GET /open/smuggled HTTP/1.1\r\nHost: h\r\n\r\n", count: 1_000)
        client.send(.post("/nowhere", body) + .get("/open/real"))
        let server = try bench.accepted()
        #expect(bench.head(server).hasPrefix("GET /open/real "))
        server.send(.ok("real"))
        #expect(bench.expect(client, ends: "real").hasPrefix("HTTP/1.1 404 "))
        bench.expectNothingLeft()
    }

    /// A client that expects 100 Continue may or may not send its body after a refusal: that cannot be known.
    @Test func aRefusedExpectationEndsTheConnection() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        client.send("POST /nowhere HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
        bench.turn(until: { client.isOver })
        #expect(client.text.contains("Connection: close\r\n"))
        bench.expectNothingLeft()
    }
}
