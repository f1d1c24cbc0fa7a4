import Bytes
import Identity
import Issuers
import Outbound
import Policy
import Reactor
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// An upstream that refuses the injected token: it is forgotten, and the request goes once more with another.
@Suite struct TokenReplacementTests {
    /// Tokens with numbers.
    private final class CountingIssuer: TokenIssuer {
        let kind = "counting"
        let configurationID = "counting:1"
        private let count = Atomic<Int>(0)
        private let failsFrom: Int
        private let offloads: Bool

        init(failsFrom: Int = .max, offloads: Bool = false) {
            self.failsFrom = failsFrom
            self.offloads = offloads
        }

        var calls: Int { count.load(ordering: .relaxed) }

        func issue(_ request: IssueRequest, now: Int64) -> Effect<Result<IssuedToken, IssueFailure>> {
            let number = count.add(1, ordering: .relaxed).newValue
            guard number < failsFrom else { return .done(.failure(.unavailable(retryAfter: 9))) }
            let text = String(repeating: "x", count: number) + "-\(number)"
            let token = IssuedToken(value: Array(text.utf8), issuedAt: now, expiresAt: now + 3600)
            return offloads ? .offload { .done(.success(token)) } : .done(.success(token))
        }
    }

    private static let refusal = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno"

    private func bench(
        _ issuer: CountingIssuer, retries: Bool = true, more: [InjectionRule] = []
    ) throws -> WorkerBench {
        try WorkerBench {
            $0.issuer = issuer
            let rule = InjectionRule(
                issuer: "test", configurationID: "test", header: "X-Token", format: "a {token} z",
                retriesOnUnauthorized: retries)
            $0.routes[2].injections = [rule].compactMap(\.self) + more
        }
    }

    private func get(_ more: String = "") -> String {
        "GET /token/x?y=1 HTTP/1.1\r\nHost: gw.example.com\r\n\(WorkerBench.credentials)X-Last: l\r\n\(more)\r\n"
    }

    @Test(arguments: [false, true])
    func anotherTokenIsTakenAndTheRequestRepeated(_ offloads: Bool) throws {
        let issuer = CountingIssuer(offloads: offloads)
        let bench = try bench(issuer)
        let client = bench.client()
        client.send(get())
        let first = try bench.accepted()
        let before = bench.head(first)
        #expect(before.contains("\r\nX-Token: a x-1 z\r\n"))
        first.send(Self.refusal)
        // The answer was read to its end: its connection serves the next try.
        let second = first
        let after = bench.head(second)
        // But for the token it is the same request, to the byte.
        #expect(after == before.replacing("a x-1 z", with: "a xx-2 z"))
        #expect(client.text.isEmpty)
        second.send(.ok("done"))
        #expect(bench.expect(client, ends: "done").hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(issuer.calls == 2)
        // The next request has the new token at once.
        client.send(get())
        #expect(bench.head(second).contains("\r\nX-Token: a xx-2 z\r\n"))
        second.send(.ok("again"))
        _ = bench.expect(client, ends: "again")
        #expect(issuer.calls == 2)
        bench.expectNothingLeft()
    }

    /// The upstream does not say which token it refuses: those of all rules are replaced that want it.
    @Test func aRefusalReplacesTheTokensOfAllRules() throws {
        let issuer = CountingIssuer(offloads: true)
        let other = try #require(
            InjectionRule(issuer: "test", configurationID: "test", header: "X-Other", format: "{token}"))
        let bench = try bench(issuer, more: [other])
        let client = bench.client()
        client.send(get("X_Other: forged\r\nx.token: forged\r\n"))
        let server = try bench.accepted()
        let before = bench.head(server)
        #expect(before.contains("\r\nX-Token: a x-1 z\r\nX-Other: x-1\r\n"))
        #expect(!before.contains("forged"))
        server.send(Self.refusal)
        #expect(bench.head(server) == before.replacing("x-1", with: "xx-2"))
        server.send(.ok("done"))
        #expect(bench.expect(client, ends: "done").hasPrefix("HTTP/1.1 200 OK\r\n"))
        // One token for both fields.
        #expect(issuer.calls == 2)
        bench.expectNothingLeft()
    }

    /// RFC 9112 section 7.1: a body of chunks that holds nothing has an end, in each try. Without it the server would take the
    /// next request on the connection for the rest of this one.
    @Test func theEndOfAnEmptyBodyIsRepeated() throws {
        let bench = try bench(CountingIssuer())
        let client = bench.client()
        let fields = "Host: gw.example.com\r\n\(WorkerBench.credentials)Transfer-Encoding: chunked\r\n"
        client.send("POST /token/x HTTP/1.1\r\n\(fields)\r\n0\r\n\r\n")
        let server = try bench.accepted()
        for token in ["x-1", "xx-2"] {
            bench.turn(until: { server.text.hasSuffix("\r\n\r\n0\r\n\r\n") })
            #expect(server.text.contains("\r\nX-Token: a \(token) z\r\n"))
            server.forget()
            server.send(token == "x-1" ? Self.refusal : .ok("done"))
        }
        #expect(bench.expect(client, ends: "done").hasPrefix("HTTP/1.1 200 OK\r\n"))
        bench.expectNothingLeft()
    }

    @Test func secondRefusalIsTheClients() throws {
        let issuer = CountingIssuer()
        let bench = try bench(issuer)
        let client = bench.client()
        client.send(get())
        let server = try bench.accepted()
        for _ in 0..<2 {
            _ = bench.head(server)
            server.send(Self.refusal)
        }
        #expect(bench.expect(client, ends: "no").hasPrefix("HTTP/1.1 401 Unauthorized\r\n"))
        #expect(issuer.calls == 2)
        bench.expectNothingLeft()
    }

    /// An upstream that refuses all of them keeps neither itself nor the issuer busy.
    @Test func upstreamThatRefusesEverythingCostsOneCallASecond() throws {
        let issuer = CountingIssuer()
        let bench = try bench(issuer)
        let began = Clock.wallSeconds
        let client = bench.client()
        var servers: [Peer] = []
        for _ in 0..<30 {
            client.send(get())
            bench.turn(until: {
                if let server = bench.upstream.accept() { servers.append(server) }
                for server in servers where server.text.contains("\r\n\r\n") {
                    server.forget()
                    server.send(Self.refusal)
                }
                return client.text.hasSuffix("no")
            })
            client.forget()
        }
        #expect(issuer.calls <= 2 + Int(Clock.wallSeconds - began))
    }

    /// What has been relayed of a body is nowhere any more: the client hears of it and sends it again if it likes.
    @Test func requestsWithABodyAreNotRepeated() throws {
        let issuer = CountingIssuer()
        let bench = try bench(issuer)
        let client = bench.client()
        client.send(
            "POST /token/x HTTP/1.1\r\nHost: gw.example.com\r\n\(WorkerBench.credentials)Content-Length: 4\r\n\r\nbody")
        let server = try bench.accepted()
        bench.turn(until: { server.text.hasSuffix("body") })
        server.forget()
        server.send(Self.refusal)
        #expect(bench.expect(client, ends: "no").hasPrefix("HTTP/1.1 401 Unauthorized\r\n"))
        // The token is forgotten all the same.
        client.send("POST /token/x HTTP/1.1\r\nHost: gw.example.com\r\n\(WorkerBench.credentials)\r\n")
        #expect(bench.head(server).contains("a xx-2 z"))
        server.send(.ok("done"))
        _ = bench.expect(client, ends: "done")
        bench.expectNothingLeft()
    }

    @Test func mayBeSwitchedOff() throws {
        let issuer = CountingIssuer()
        let bench = try bench(issuer, retries: false)
        let client = bench.client()
        client.send(get())
        let server = try bench.accepted()
        _ = bench.head(server)
        server.send(Self.refusal)
        #expect(bench.expect(client, ends: "no").hasPrefix("HTTP/1.1 401 Unauthorized\r\n"))
        #expect(issuer.calls == 1)
        bench.expectNothingLeft()
    }

    /// The issuer is down in the very moment: the client learns that, and when to come again.
    @Test func noOtherTokenToBeHad() throws {
        let issuer = CountingIssuer(failsFrom: 2)
        let bench = try bench(issuer)
        let client = bench.client()
        client.send(get())
        let server = try bench.accepted()
        _ = bench.head(server)
        server.send(Self.refusal)
        let answer = bench.expect(client, ends: "}")
        #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.contains("\r\nRetry-After: 9\r\n"))
        #expect(answer.contains(#""code":"issuer_unavailable""#))
        bench.expectNothingLeft()
    }

    /// Routes without a token of the gateway's know nothing of all this.
    @Test func refusalsOfOthersAreTheClients() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        let server = try bench.requested(client, .get("/mine/x", WorkerBench.credentials))
        server.send(Self.refusal)
        #expect(bench.expect(client, ends: "no").hasPrefix("HTTP/1.1 401 Unauthorized\r\n"))
        bench.expectNothingLeft()
    }

    @Test func clientThatLeavesMeanwhileLeavesNothing() throws {
        let bench = try bench(CountingIssuer(offloads: true))
        let client = bench.client()
        client.send(get())
        let server = try bench.accepted()
        _ = bench.head(server)
        server.send(Self.refusal)
        client.reset()
        bench.turn(until: { bench.worker.frontend.clients.used == 0 })
        bench.settle()
        bench.expectNothingLeft()
    }
}
