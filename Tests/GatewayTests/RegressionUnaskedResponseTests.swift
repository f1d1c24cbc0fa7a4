import TestSupport
import Testing

@testable import Gateway

/// Bytes that an upstream sends before it is asked: taken for the answer, they give each further client the answer
/// of the one before (RFC 9112 section 9.2).
@Suite struct RegressionUnaskedResponseTests {
    private static let poison = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nPOISON"

    /// A worker whose upstream connection has served once and idles, its client, and the other side of that connection.
    private func warm() throws -> (WorkerBench, Peer, Peer) {
        let bench = try WorkerBench()
        let client = bench.client()
        let server = try bench.requested(client, .get())
        server.send(.ok("warm"))
        _ = bench.expect(client, ends: "warm")
        return (bench, client, server)
    }

    @Test(
        "a stray response that comes in the same turn as the next request does not answer it", arguments: [true, false])
    func strayBesideARequest(_ requestFirst: Bool) throws {
        let (bench, client, server) = try warm()
        if requestFirst { client.send(.get("/open/next")) }
        server.send(Self.poison)
        if !requestFirst { client.send(.get("/open/next")) }
        let fresh = try bench.accepted()
        #expect(bench.head(fresh).hasPrefix("GET /open/next "))
        fresh.send(.ok("asked"))
        #expect(!bench.expect(client, ends: "asked").contains("POISON"))
        bench.expectNothingLeft()
    }

    @Test("what may not be repeated is 502 then")
    func strayBesideAPost() throws {
        let (bench, client, server) = try warm()
        client.send("POST /open/next HTTP/1.1\r\nHost: h\r\n\r\n")
        server.send(Self.poison)
        let answer = bench.expect(client, ends: "}")
        #expect(answer.hasPrefix("HTTP/1.1 502 "))
        #expect(answer.contains("upstream_invalid_response"))
        bench.expectNothingLeft()
    }

    @Test("an upstream that speaks as soon as it is connected has answered nothing")
    func speaksFirst() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        client.send(.get())
        // The kernel has connected them; the worker has not seen it yet.
        let server = try bench.accepted()
        server.send(Self.poison)
        #expect(bench.expect(client, ends: "}").contains("upstream_invalid_response"))
        bench.expectNothingLeft()
    }
}
