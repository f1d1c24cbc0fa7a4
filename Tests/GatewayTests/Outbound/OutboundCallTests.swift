import Identity
import Model
import Outbound
import Reactor
import TestSupport
import Testing

@testable import Gateway

/// Calls to servers that answer as they should, and to those that do anything else: each has one result, in its time.
@Suite struct OutboundCallTests {
    // MARK: Servers that answer

    @Test func aCallIsPlainHTTP() throws {
        let bench = try CallBench()
        let peer = try bench.arrived {
            $0.headers = [("Accept", "application/json"), ("Authorization", "Basic dGVzdDp0ZXN0")]
        }
        #expect(
            peer.text == "GET /keys HTTP/1.1\r\nHost: 127.0.0.1:\(bench.server.port)\r\nUser-Agent: portcullis\r\n"
                + "Accept-Encoding: identity\r\nAccept: application/json\r\nAuthorization: Basic dGVzdDp0ZXN0\r\n\r\n")
        peer.send(.ok("{}"))
        #expect(bench.result() == "200 {}")
        bench.expectNothingLeft(idle: 1)
    }

    @Test func aCallMayHaveABody() throws {
        let bench = try CallBench()
        let peer = try bench.arrived {
            $0.method = "POST"
            $0.body = Array("token=abc".utf8)
            $0.mayRepeat = false
        }
        bench.bench.turn { peer.text.hasSuffix("token=abc") }
        #expect(peer.text.hasPrefix("POST /keys HTTP/1.1\r\n"))
        #expect(peer.text.contains("Content-Length: 9\r\nConnection: close\r\n\r\n"))
        peer.send(.ok("yes"))
        #expect(bench.result() == "200 yes")
        bench.bench.turn(until: { peer.isOver })
        bench.expectNothingLeft()
    }

    /// Who tries again does so after a while.
    @Test func aCallMayWait() throws {
        let bench = try CallBench()
        let began = Clock.monotonicMilliseconds
        let peer = try bench.arrived { $0.delayMilliseconds = 60 }
        #expect(Clock.monotonicMilliseconds - began >= 60)
        peer.send(.ok("late"))
        #expect(bench.result() == "200 late")
        bench.expectNothingLeft(idle: 1)
    }

    /// All framings, the bytes one by one.
    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", false, "200 hello"),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nX: y\r\n\r\n", false,
            "200 hello"
        ),
        ("HTTP/1.1 200 OK\r\n\r\nhello", true, "200 hello"), ("HTTP/1.0 200 OK\r\n\r\nhello", true, "200 hello"),
        ("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", false, "200 hello"),
        ("HTTP/1.1 204 No Content\r\n\r\n", false, "204 "),
        ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", false, "404 "),
    ])
    func responsesComeInAnyForm(text: String, ends: Bool, expected: String) throws {
        for isSlow in [false, true] {
            let bench = try CallBench()
            let peer = try bench.arrived()
            for piece in isSlow ? text.utf8.map({ [$0] }) : [Array(text.utf8)] {
                peer.send(piece)
                bench.bench.turn()
            }
            if ends { peer.close() }
            #expect(bench.result() == expected)
        }
    }

    /// JWT-30: a redirect is an answer, and is not followed.
    @Test(arguments: [301, 302, 303, 307, 308])
    func redirectsAreNotFollowed(status: Int) throws {
        let bench = try CallBench()
        let peer = try bench.arrived()
        let elsewhere = PeerListener()
        peer.send(
            "HTTP/1.1 \(status) Found\r\nLocation: http://127.0.0.1:\(elsewhere.port)/\r\nContent-Length: 0\r\n\r\n")
        #expect(bench.result() == "\(status) ")
        bench.bench.settle()
        #expect(elsewhere.accept() == nil)
    }

    // MARK: Connections

    @Test func connectionsServeAgain() throws {
        let bench = try CallBench()
        let peer = try bench.arrived()
        for i in 0..<5 {
            if i > 0 {
                try bench.call { $0.url = try bench.url("/\(i)") }
                bench.bench.turn { peer.text.contains("GET /\(i) ") }
            }
            peer.forget()
            peer.send(.ok("\(i)"))
            #expect(bench.result() == "200 \(i)")
        }
        #expect(bench.server.accept() == nil)
        // A connection that the server ends is let go of.
        peer.close()
        bench.bench.turn { bench.busy == 0 }
        bench.expectNothingLeft()
    }

    /// RFC 9112 section 9.2: an unrequested response answers nothing.
    @Test(arguments: ["HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", "x"])
    func unaskedBytesEndTheConnection(text: String) throws {
        let bench = try CallBench()
        let peer = try bench.arrived()
        peer.send(.ok("good"))
        #expect(bench.result() == "200 good")
        peer.send(text)
        bench.bench.turn { bench.busy == 0 }
        let next = try bench.arrived()
        next.send(.ok("fresh"))
        #expect(bench.result() == "200 fresh")
    }

    /// The server ends an idle connection in the moment in which it is used again.
    @Test func aCallIsRepeatedOverAFreshConnection() throws {
        let bench = try CallBench()
        let peer = try bench.arrived()
        peer.send(.ok("1"))
        #expect(bench.result() == "200 1")
        peer.forget()
        try bench.call()
        bench.bench.turn { peer.text.contains("\r\n\r\n") }
        peer.close()
        let next = try bench.accepted()
        next.send(.ok("2"))
        #expect(bench.result() == "200 2")
        // Once is enough.
        next.close()
        bench.bench.turn { bench.busy == 0 }
    }

    @Test func whatMayNotBeRepeatedIsNot() throws {
        let bench = try CallBench()
        let first = try bench.arrived()
        first.send(.ok("1"))
        #expect(bench.result() == "200 1")
        let second = try bench.arrived {
            $0.method = "POST"
            $0.mayRepeat = false
        }
        second.close()
        #expect(bench.result() == "malformed")
        bench.bench.settle()
        #expect(bench.server.accept() == nil)
    }

    // MARK: Hostile servers

    /// One that never answers; JWT-35.
    @Test func silenceHasAnEnd() throws {
        let bench = try CallBench()
        let peer = try bench.arrived { $0.readTimeoutMilliseconds = 100 }
        #expect(bench.result() == "timeout")
        bench.bench.turn(until: { peer.isOver })
        bench.expectNothingLeft()
    }

    /// A byte now and then wins no time.
    @Test func drippingHasAnEnd() throws {
        let bench = try CallBench()
        let peer = try bench.arrived { $0.readTimeoutMilliseconds = 200 }
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n")
        let start = Clock.monotonicMilliseconds
        while bench.resultCount == 0, Clock.monotonicMilliseconds < start + 5000 {
            peer.send("x")
            bench.bench.pass(milliseconds: 10)
        }
        #expect(bench.result() == "timeout")
        bench.expectNothingLeft()
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.2\r\n", "<html>\r\n\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello", "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
    ])
    func garbageIsNoAnswer(text: String) throws {
        let bench = try CallBench()
        let peer = try bench.arrived()
        peer.send(text)
        #expect(bench.result() == "malformed")
        bench.bench.turn(until: { peer.isOver })
        bench.expectNothingLeft()
    }

    @Test func interimResponsesHaveAnEnd() throws {
        let bench = try CallBench()
        let peer = try bench.arrived()
        peer.send(String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 100))
        #expect(bench.result() == "malformed")
    }

    @Test func endlessHeadsHaveAnEnd() throws {
        let bench = try CallBench()
        let peer = try bench.arrived()
        peer.send("HTTP/1.1 200 OK\r\n")
        for _ in 0..<200 where bench.resultCount == 0 {
            peer.send("X: \(String(repeating: "y", count: 1000))\r\n")
            bench.bench.turn()
        }
        #expect(bench.result() == "malformed")
    }

    /// By a length that says so, by chunks, and by going on for ever.
    @Test(arguments: ["Content-Length: 1001", "Transfer-Encoding: chunked", "X: y"])
    func endlessBodiesHaveAnEnd(field: String) throws {
        let bench = try CallBench()
        let peer = try bench.arrived()
        peer.send("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n")
        for _ in 0..<100 where bench.resultCount == 0 {
            peer.send(field.hasPrefix("T") ? "64\r\n\(String(repeating: "x", count: 100))\r\n" : "xxxxxxxxxxxxxxxxxxxx")
            bench.bench.turn()
        }
        #expect(bench.result() == "too_large")
        bench.expectNothingLeft()
    }

    @Test func theLimitItselfFits() throws {
        let bench = try CallBench()
        let body = String(repeating: "x", count: 1000)
        let peer = try bench.arrived()
        peer.send(.ok(body))
        #expect(bench.result() == "200 \(body)")
    }

    /// What was cut off could be half of a key set.
    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
    ])
    func cutAnswersAreNone(text: String) throws {
        for isReset in [false, true] {
            let bench = try CallBench()
            let peer = try bench.arrived()
            peer.send(text)
            bench.bench.turn()
            if isReset { peer.reset() } else { peer.close() }
            #expect(bench.result() == "malformed")
            bench.expectNothingLeft()
        }
    }

    // MARK: No server

    @Test func refusedConnectionsAreSaid() throws {
        let bench = try CallBench()
        let port = RefusingPort()
        defer { withExtendedLifetime(port) {} }
        try bench.call { $0.url = try bench.url(port: port.number) }
        #expect(bench.result() == "connect")
        bench.expectNothingLeft()
    }

    @Test func unknownNamesAreSaid() throws {
        let bench = try CallBench()
        try bench.call { $0.url = try bench.url(host: "no-such-host.invalid") }
        #expect(bench.result() == "resolve")
        bench.expectNothingLeft()
    }

    /// A server whose queue is full answers no connect.
    @Test func connectsHaveAnEnd() throws {
        let full = PeerListener(backlog: 0)
        let bench = try CallBench()
        let first = Peer(port: full.port)
        defer { first.close() }
        // The kernel keeps one or two connections beyond the backlog.
        for _ in 0..<3 {
            try bench.call {
                $0.url = try bench.url(port: full.port)
                $0.connectTimeoutMilliseconds = 100
                $0.readTimeoutMilliseconds = 100
            }
        }
        for _ in 0..<3 { #expect(bench.result() == "timeout") }
        bench.expectNothingLeft()
    }

    /// TLS with a server that speaks none.
    @Test func plainServersAreNoTLSServers() throws {
        let bench = try CallBench()
        try bench.call { $0.url = try WebURL("https://127.0.0.1:\(bench.server.port)/") }
        var peer: Peer?
        bench.bench.turn {
            peer = bench.server.accept()
            return peer != nil
        }
        peer?.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        #expect(bench.result() == "tls")
        bench.expectNothingLeft()
    }

    // MARK: Calls that cannot be made

    @Test(arguments: [
        ("X-A", "b\r\nHost: evil.example"), ("X-A", "b\nc"), ("X A", "b"), ("", "b"), ("X-A\r\nX-B", "c"),
        ("Host", "evil.example"), ("content-length", "5"), ("Transfer-Encoding", "chunked"), ("Connection", "close"),
    ])
    func fieldsCannotBreakOut(name: String, value: String) throws {
        let bench = try CallBench()
        try bench.call { $0.headers = [(name, value)] }
        #expect(bench.result() == "malformed")
        #expect(bench.server.accept() == nil)
        bench.expectNothingLeft()
    }

    @Test func tooManyCallsAreRefused() throws {
        let bench = try CallBench()
        for _ in 0...OutboundCalls.maximumUnderWay { try bench.call() }
        #expect(bench.result() == "unavailable")
        #expect(bench.bench.shared.outbound.counters.underWay == OutboundCalls.maximumUnderWay)
    }

    @Test func callsEndWithTheirWorker() throws {
        let bench = try CallBench()
        _ = try bench.arrived()
        bench.bench.worker.outboundClient.cancelAll()
        #expect(bench.result() == "unavailable")
        try bench.call()
        #expect(bench.result() == "unavailable")
        bench.expectNothingLeft()
    }

    @Test func callsWithoutWorkersAreRefused() throws {
        let calls = OutboundCalls()
        let url = try WebURL("http://127.0.0.1:1/")
        calls.perform(OutboundCall(url: url)) { result in
            guard case .failed(.unavailable, _) = result else {
                Issue.record("it was made")
                return
            }
        }
        #expect(calls.counters.failed.reduce(0, +) == 1)
    }
}
