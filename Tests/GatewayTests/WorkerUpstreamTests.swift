import Model
import Reactor
import TestSupport
import Testing

@testable import Gateway

/// Upstreams that fail, or close, at every stage of an exchange.
@Suite struct WorkerUpstreamTests {
    /// A worker whose upstream connection has served once and idles, its client, and the other side of that connection.
    private func warm(_ change: (inout WorkerBench.Setup) -> Void = { _ in }) throws -> (WorkerBench, Peer, Peer) {
        let bench = try WorkerBench(change)
        let client = bench.client()
        let server = try bench.requested(client, .get())
        server.send(.ok("warm"))
        _ = bench.expect(client, ends: "warm")
        return (bench, client, server)
    }

    @Test func aRefusedConnectionIs502() throws {
        let port = RefusingPort()
        let bench = try WorkerBench { $0.upstream = { $0.address.port = port.number } }
        let client = bench.client()
        client.send(.get())
        let answer = bench.expect(client, ends: "}")
        #expect(answer.hasPrefix("HTTP/1.1 502 "))
        #expect(answer.contains("upstream_connect_failed"))
        #expect(!answer.contains("Connection: close"))
        #expect(bench.errors[UpstreamFailure.connectFailed.rawValue] == 1)
        bench.expectNothingLeft()
    }

    // MARK: Replay

    /// The upstream's close crosses the next request. The request was not received, so it is sent once more.
    @Test func aRequestThatCrossedTheCloseIsReplayed() throws {
        let (bench, client, server) = try warm()
        client.send(.get("/open/again", "X-Mark: 1\r\n"))
        bench.turn(until: { server.text.contains("X-Mark: 1") })
        let first = server.text
        server.close()
        let fresh = try bench.accepted()
        #expect(bench.head(fresh) == first)
        fresh.send(.ok("replayed"))
        #expect(bench.expect(client, ends: "replayed").hasPrefix("HTTP/1.1 200"))
        #expect(bench.worker.counters.metrics.upstreamRetries == 1)
        bench.expectNothingLeft()
    }

    @Test func aReplayedRequestIsNotReplayedAgain() throws {
        let (bench, client, server) = try warm()
        client.send(.get())
        _ = bench.head(server)
        server.close()
        let fresh = try bench.accepted()
        _ = bench.head(fresh)
        fresh.close()
        #expect(bench.expect(client, ends: "}").hasPrefix("HTTP/1.1 502 "))
        bench.settle()
        #expect(bench.upstream.accept() == nil)
        bench.expectNothingLeft()
    }

    /// Only what changes nothing by being repeated is sent again (RFC 9110 section 9.2.2), and only without a body.
    @Test(arguments: [
        "POST /open/x HTTP/1.1\r\nHost: h\r\n\r\n", "PATCH /open/x HTTP/1.1\r\nHost: h\r\n\r\n",
        "PURGE /open/x HTTP/1.1\r\nHost: h\r\n\r\n",
        "PUT /open/x HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx",
        "GET /open/x HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx",
        "GET /open/x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ])
    func whatMayNotBeRepeatedIsNot(_ request: String) throws {
        let (bench, client, server) = try warm()
        client.send(request)
        _ = bench.head(server)
        server.close()
        #expect(bench.expect(client, ends: "}").hasPrefix("HTTP/1.1 502 "))
        bench.settle()
        #expect(bench.upstream.accept() == nil)
        #expect(bench.worker.counters.metrics.upstreamRetries == 0)
        bench.expectNothingLeft()
    }

    @Test func aFreshConnectionThatClosesIsNotReplayed() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        let server = try bench.requested(client, .get())
        server.close()
        let answer = bench.expect(client, ends: "}")
        #expect(answer.hasPrefix("HTTP/1.1 502 "))
        #expect(answer.contains("upstream_connection_lost"))
        bench.expectNothingLeft()
    }

    /// One byte of an answer means that the request was heard.
    @Test(arguments: ["H", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n", "HTTP/1.1 103 Early Hints\r\n\r\n"])
    func aRequestThatWasHeardIsNotReplayed(_ part: String) throws {
        let (bench, client, server) = try warm()
        client.send(.get())
        _ = bench.head(server)
        server.send(part)
        bench.turn()
        server.close()
        bench.turn(until: { client.text.contains("HTTP/1.1 502 ") })
        bench.settle()
        #expect(bench.upstream.accept() == nil)
        bench.expectNothingLeft()
    }

    /// The close lies before the loop when the request comes: the connection is not even tried.
    @Test func aConnectionThatEndedIsNotUsed() throws {
        let (bench, client, server) = try warm()
        server.close()
        client.send(.post("/open/x", "body"))
        var fresh: Peer?
        bench.turn(until: {
            fresh = bench.upstream.accept()
            return fresh != nil || client.text.contains("502")
        })
        // Which of the two events comes first is the kernel's choice; a request lost to it is at least answered.
        if let fresh {
            bench.turn(until: { fresh.text.hasSuffix("body") })
            fresh.send(.ok("new"))
            _ = bench.expect(client, ends: "new")
        } else {
            _ = bench.expect(client, ends: "}")
        }
        bench.expectNothingLeft()
    }

    @Test func anIdleConnectionThatEndsIsForgotten() throws {
        let (bench, _, server) = try warm()
        #expect(bench.worker.pools[0].idleCount == 1)
        server.close()
        bench.turn(until: { bench.worker.pools[0].open == 0 })
        #expect(bench.worker.pools[0].idleCount == 0)
        bench.expectNothingLeft()
    }

    @Test func anIdleConnectionEndsByItsTime() throws {
        let (bench, _, server) = try warm { $0.upstream = { $0.settings.idleTimeout = 40 } }
        bench.turn(until: { server.isOver })
        #expect(bench.worker.pools[0].open == 0)
        bench.expectNothingLeft()
    }

    // MARK: In the response

    /// A response that was cut off must not look whole (RFC 9112 section 8).
    @Test(arguments: [
        "Content-Length: 10\r\n\r\nhalf", "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
        "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n0\r\nX-Trailer: y",
    ])
    func aResponseThatIsCutOffIsCutOff(_ rest: String) throws {
        let bench = try WorkerBench()
        let client = bench.client()
        let server = try bench.requested(client, .get())
        server.send("HTTP/1.1 200 OK\r\n" + rest)
        bench.turn(until: { client.text.contains("half") })
        server.close()
        bench.turn(until: { client.isOver })
        #expect(client.wasReset || !client.text.hasSuffix("0\r\n\r\n"))
        bench.expectNothingLeft()
    }

    /// The upstream ends in the middle of its answer while the client is far behind: what it sent arrives in full, and then
    /// the end.
    @Test(arguments: ["Content-Length: 1000100\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\nf4240\r\n"])
    func aSlowClientGetsWhatCameBeforeTheCut(_ rest: String) throws {
        let bench = try WorkerBench()
        let client = bench.client(receiveBuffer: 4_096)
        let server = try bench.requested(client, .get())
        server.send("HTTP/1.1 200 OK\r\nX-Y: z\r\n" + rest)
        let sent = server.send([UInt8](repeating: UInt8(ascii: "~"), count: 200_000))
        server.close()
        bench.turn(until: { bench.errors[UpstreamFailure.connectionLost.rawValue] == 1 })
        bench.turn(until: { client.isOver })
        #expect(client.ended && !client.wasReset)
        #expect(client.received.count(where: { $0 == UInt8(ascii: "~") }) == sent)
        #expect(!client.text.hasSuffix("0\r\n\r\n"))
        bench.expectNothingLeft()
    }

    /// A client of HTTP/1.0 knows no chunks: only a reset tells it that its answer is incomplete.
    @Test func anAnswerWithoutDelimiterIsReset() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        let server = try bench.requested(client, "GET /open/x HTTP/1.0\r\nHost: h\r\n\r\n")
        server.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n")
        bench.turn(until: { client.text.hasSuffix("half") })
        server.close()
        bench.turn(until: { client.isOver })
        #expect(client.wasReset)
        bench.expectNothingLeft()
    }

    /// A reset is no end, even of a body that is delimited by the end.
    @Test func aResetDoesNotCompleteABody() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        let server = try bench.requested(client, .get())
        server.send("HTTP/1.1 200 OK\r\n\r\nhalf")
        bench.turn(until: { client.text.contains("half") })
        server.reset()
        bench.turn(until: { client.isOver })
        #expect(!client.text.contains("0\r\n\r\n"))
        bench.expectNothingLeft()
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n", "HTTP/2 200\r\n\r\n", "hello\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
    ])
    func whatIsNoResponseIs502(_ response: String) throws {
        let bench = try WorkerBench()
        let client = bench.client()
        let server = try bench.requested(client, .get())
        server.send(response)
        #expect(bench.expect(client, ends: "}").hasPrefix("HTTP/1.1 502 "))
        bench.turn(until: { server.isOver })
        #expect(bench.errors[UpstreamFailure.invalidResponse.rawValue] == 1)
        bench.expectNothingLeft()
    }

    @Test func aSilentUpstreamIs504() throws {
        let bench = try WorkerBench { $0.upstream = { $0.settings.responseTimeout = 40 } }
        let client = bench.client()
        let server = try bench.requested(client, .get())
        let answer = bench.expect(client, ends: "}")
        #expect(answer.hasPrefix("HTTP/1.1 504 "))
        bench.turn(until: { server.isOver })
        bench.expectNothingLeft()
    }

    @Test func aResponseThatStopsIsCut() throws {
        let bench = try WorkerBench { $0.upstream = { $0.settings.responseTimeout = 40 } }
        let client = bench.client()
        let server = try bench.requested(client, .get())
        server.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
        bench.turn(until: { client.isOver })
        #expect(client.text.hasSuffix("half"))
        bench.expectNothingLeft()
    }

    @Test func moreThanTheLimitOfConnectionsIs503() throws {
        let bench = try WorkerBench { $0.upstream = { $0.settings.maximumConnections = 1 } }
        let first = bench.client()
        let server = try bench.requested(first, .get())
        let second = bench.client()
        second.send(.get())
        #expect(bench.expect(second, ends: "}").hasPrefix("HTTP/1.1 503 "))
        server.send(.ok("one"))
        _ = bench.expect(first, ends: "one")
        second.send(.get())
        _ = bench.head(server)
        server.send(.ok("two"))
        _ = bench.expect(second, ends: "two")
        bench.expectNothingLeft()
    }
}
