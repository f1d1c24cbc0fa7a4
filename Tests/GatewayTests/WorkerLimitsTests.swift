import Bytes
import HTTP
import Identity
import Model
import Policy
import Reactor
import TestSupport
import Testing

@testable import Gateway

/// Limits that a client runs into with its requests: rates, slowness, blocking work, memory.
@Suite struct WorkerLimitsTests {
    private func limit(_ key: RateLimitKey, burst: Int = 1) -> RateLimit {
        RateLimit(name: "test", requests: 1, perMilliseconds: 5000, burst: burst, key: key)
    }

    // MARK: Request rates

    @Test func aRequestOverTheRateIsToldWhenToComeAgain() throws {
        let bench = try WorkerBench { $0.rateLimits = ["open": [limit(.route)]] }
        let client = bench.client()
        let server = try bench.requested(client, .get())
        server.send(.ok("1"))
        _ = bench.expect(client, ends: "\r\n\r\n1")
        client.send(.get("/open/x", "Origin: https://shop.example.com\r\n"))
        let refusal = bench.expect(client, ends: "}")
        #expect(refusal.hasPrefix("HTTP/1.1 429 Too Many Requests\r\nRetry-After: 5\r\n"))
        #expect(refusal.contains("\r\nAccess-Control-Allow-Origin: https://shop.example.com\r\n"))
        #expect(refusal.contains(#""code":"rate_limited""#))
        #expect(!refusal.contains("Connection: close"))
        #expect(bench.refusals(.requestRate) == 1)
        #expect(bench.worker.counters.reasons[.rateLimited] == 1)
        #expect(Reason.rateLimited.code == "rate_limited")
        // Another route has no such limit.
        client.send(.get("/mine/x"))
        #expect(bench.expect(client, ends: "}").hasPrefix("HTTP/1.1 401 "))
        bench.expectNothingLeft()
    }

    @Test func aFloodOfBadCredentialsIsHeldBackByAddress() throws {
        let bench = try WorkerBench { $0.rateLimits = ["mine": [limit(.address, burst: 2)]] }
        let client = bench.client()
        let wrong = "Authorization: Bearer x.y.z\r\n"
        var statuses: [String] = []
        for _ in 0..<4 {
            client.send(.get("/mine/x", wrong))
            statuses.append(String(bench.expect(client, ends: "}").dropFirst(9).prefix(3)))
        }
        #expect(statuses == ["401", "401", "429", "429"])
        bench.expectNothingLeft()
    }

    @Test func aPrincipalIsCountedOnceItIsKnown() throws {
        let bench = try WorkerBench { $0.rateLimits = ["mine": [limit(.principal)]] }
        let client = bench.client()
        // Who is refused has used nothing of joe's.
        for _ in 0..<3 {
            client.send(.get("/mine/x", "Authorization: Basic am9lOndyb25n\r\nOracle-Mobile-Backend-ID: mbe-1\r\n"))
            #expect(bench.expect(client, ends: "}").hasPrefix("HTTP/1.1 401 "))
        }
        let server = try bench.requested(client, .get("/mine/x", WorkerBench.credentials))
        server.send(.ok("1"))
        _ = bench.expect(client, ends: "\r\n\r\n1")
        client.send(.get("/mine/x", WorkerBench.credentials))
        #expect(bench.expect(client, ends: "}").hasPrefix("HTTP/1.1 429 "))
        bench.expectNothingLeft()
    }

    // MARK: Slow bodies and readers

    @Test func aBodyThatTricklesIsCutOffAlthoughItNeverStops() throws {
        let bench = try WorkerBench {
            $0.limits.bodyTimeout = 150
            $0.limits.minimumBodyRate = 10_000
        }
        let client = bench.client()
        client.send("POST /open/x HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n")
        let server = try bench.accepted()
        let begun = Clock.monotonicMilliseconds
        while !client.text.hasPrefix("HTTP/1.1 408 "), Clock.monotonicMilliseconds < begun + 5000 {
            client.send("x")
            bench.pass(milliseconds: 5)
        }
        #expect(client.text.contains(#""code":"body_timeout""#))
        #expect(bench.refusals(.bodyRate) == 1)
        _ = server
        bench.expectNothingLeft()
    }

    @Test func aSteadyBodyMayTakeLongerThanTheTimeOut() throws {
        let bench = try WorkerBench {
            $0.limits.bodyTimeout = 1000
            $0.limits.minimumBodyRate = 1000
        }
        let client = bench.client()
        client.send("POST /open/x HTTP/1.1\r\nHost: h\r\nContent-Length: 10000\r\n\r\n")
        let server = try bench.accepted()
        // Each piece earns half a second and costs a tenth of that: a machine that stands still for most of a second in
        // between does no harm.
        for _ in 0..<20 {
            client.send(String(repeating: "x", count: 500))
            bench.pass(milliseconds: 60)
        }
        bench.turn(until: { server.text.hasSuffix("xxx") && server.text.count > 10_000 })
        server.send(.ok("1"))
        _ = bench.expect(client, ends: "\r\n\r\n1")
        bench.expectNothingLeft()
    }

    /// Sends of an endless response until nothing moves any more: all buffers on the way to the client are full.
    private func fill(_ server: Peer, _ bench: WorkerBench) {
        let piece = [UInt8](repeating: 65, count: 64 * 1024)
        var idle = 0
        while idle < 20 {
            idle = server.send(piece) > 0 ? 0 : idle + 1
            bench.turn()
        }
    }

    /// A client with a small receive buffer, and all on the way to it full.
    private func download(_ bench: WorkerBench) throws -> (client: Peer, server: Peer) {
        let client = bench.client(receiveBuffer: 4096)
        let server = try bench.requested(client, .get())
        server.send("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n")
        fill(server, bench)
        return (client, server)
    }

    @Test func aClientThatTakesNothingIsCutOff() throws {
        let bench = try WorkerBench { $0.limits.writeTimeout = 200 }
        let (_, server) = try download(bench)
        bench.turn(until: { bench.worker.frontend.clients.used == 0 })
        #expect(bench.refusals(.readRate) == 1)
        bench.turn(until: { server.isOver })
        bench.expectNothingLeft()
    }

    @Test func aClientThatTakesItsResponseSteadilyIsNot() throws {
        let bench = try WorkerBench {
            $0.limits.writeTimeout = 200
            $0.limits.minimumBodyRate = 1000
        }
        let (client, _) = try download(bench)
        // 80 KB a second: what waits for it takes it much longer than the time-out.
        let end = Clock.monotonicMilliseconds + 1500
        while Clock.monotonicMilliseconds < end {
            client.receive(atMost: 1600)
            bench.pass(milliseconds: 20)
        }
        #expect(bench.worker.frontend.clients.used == 1)
        #expect(bench.refusals(.readRate) == 0)
        bench.turn(until: { bench.worker.frontend.clients.used == 0 })
        #expect(bench.refusals(.readRate) == 1)
        bench.expectNothingLeft()
    }

    @Test func aClientThatTakesLessThanTheRateIsCutOff() throws {
        let bench = try WorkerBench {
            $0.limits.writeTimeout = 200
            $0.limits.minimumBodyRate = 10_000_000
        }
        let (client, _) = try download(bench)
        let begun = Clock.monotonicMilliseconds
        while bench.worker.frontend.clients.used > 0, Clock.monotonicMilliseconds < begun + 5000 {
            client.receive(atMost: 1600)
            bench.pass(milliseconds: 10)
        }
        #expect(bench.worker.frontend.clients.used == 0)
        bench.expectNothingLeft()
    }

    @Test func aTricklingEndpointBodyHasABound() throws {
        let bench = try WorkerBench {
            $0.limits.decisionTimeout = 150
            $0.limits.minimumBodyRate = 0
        }
        let client = bench.client()
        client.send("POST /oauth2/token HTTP/1.1\r\nHost: h\r\nContent-Length: 60000\r\n\r\n")
        let begun = Clock.monotonicMilliseconds
        while !client.text.hasPrefix("HTTP/1.1 408 "), Clock.monotonicMilliseconds < begun + 5000 {
            client.send("x")
            bench.pass(milliseconds: 5)
        }
        #expect(client.text.hasPrefix("HTTP/1.1 408 "))
        bench.expectNothingLeft()
    }

    // MARK: Blocking work

    @Test func aParkedRequestIsAnsweredInTime() throws {
        let bench = try WorkerBench { $0.limits.decisionTimeout = 60 }
        let gate = bench.occupyPool()
        let client = bench.client()
        client.send(.get("/mine/x", WorkerBench.credentials))
        let answer = bench.expect(client, ends: "}")
        #expect(answer.hasPrefix("HTTP/1.1 503 "))
        #expect(answer.contains(#""code":"decision_timeout""#))
        #expect(bench.refusals(.decisionTime) == 1)
        gate.open()
        // The check that no request waits for is skipped, and its place is free.
        bench.turn(until: { bench.shared.hashes.waiting == 0 && bench.shared.blockingJobs.parties == 0 })
        let server = try bench.requested(client, .get())
        server.send(.ok("1"))
        _ = bench.expect(client, ends: "\r\n\r\n1")
        bench.expectNothingLeft()
    }

    @Test func aFullQueueMakesRoomForOtherAddresses() throws {
        let bench = try WorkerBench {
            $0.limits.maximumPasswordChecksPerAddress = 0
            $0.proxies = TrustedProxies(WorkerBench.ranges("127.0.0.1"))
            $0.policy = { settings in
                var limits = LoginThrottle.Settings()
                (limits.failuresPerUser, limits.failuresPerNetwork) = (0, 0)
                settings.throttle = LoginThrottle(limits)
            }
        }
        let gate = bench.occupyPool()
        func request(_ address: String, _ pair: String) -> Peer {
            let client = bench.client()
            client.send(.get("/mine/x", "X-Forwarded-For: \(address)\r\n" + WorkerBench.credentials(pair)))
            return client
        }
        let guesses = (0..<256).map { request("192.0.2.1", "user \($0):x") }
        bench.turn(until: { bench.shared.hashes.waiting == 256 })
        let late = request("192.0.2.1", "other:x")
        #expect(bench.expect(late, ends: "}").contains(#""code":"overloaded""#))
        // Another address finds a place: the latest guess is forgotten.
        let joe = request("192.0.2.7", "joe:Welcome1")
        let answer = bench.expect(guesses[255], ends: "}")
        #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.contains("\r\nRetry-After: 1\r\n"))
        #expect(bench.refusals(.blockingWork) == 2)
        gate.open()
        let server = try bench.accepted()
        _ = bench.head(server)
        server.send(.ok("1"))
        _ = bench.expect(joe, ends: "\r\n\r\n1")
        for guess in guesses.dropLast() { _ = bench.expect(guess, ends: "}") }
        bench.turn(until: { bench.shared.blockingJobs.parties == 0 })
        bench.expectNothingLeft()
    }

    @Test func oneAddressDoesNotFillTheQueue() throws {
        let bench = try WorkerBench { $0.limits.maximumPasswordChecksPerAddress = 2 }
        let gate = bench.occupyPool()
        let clients = ["ann:x", "joe:Welcome1"].map { pair in
            let client = bench.client()
            client.send(.get("/mine/x", WorkerBench.credentials(pair)))
            return client
        }
        bench.turn(until: { bench.shared.hashes.waiting == 2 })
        // A client that leaves keeps its place in the queue until its turn: leaving does not make room for more.
        clients[0].reset()
        bench.turn(until: { bench.worker.frontend.clients.used == 1 })
        let third = bench.client()
        third.send(.get("/mine/x", WorkerBench.credentials("bob:x")))
        let answer = bench.expect(third, ends: "}")
        #expect(answer.hasPrefix("HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\n"))
        #expect(bench.refusals(.passwordChecks) == 1)
        gate.open()
        let server = try bench.accepted()
        _ = bench.head(server)
        server.send(.ok("1"))
        _ = bench.expect(clients[1], ends: "\r\n\r\n1")
        bench.turn(until: { bench.shared.blockingJobs.parties == 0 })
        bench.expectNothingLeft()
    }

    // MARK: Memory

    @Test func overTheCeilingTheLargestHoldersAreLetGoOf() throws {
        let ceiling = 1 << 20
        // A ring receives up to 32 buffers of one connection before it can be held back.
        let ahead = LoopEngine.underTest == .ioUring ? 32 * Worker.chunkSize : 0
        let bench = try WorkerBench { $0.limits.maximumBufferBytes = ceiling }
        let patient = bench.client()
        let patientServer = try bench.requested(patient, .get("/open/patient"))
        let readers = try (0..<24).map { _ in
            let client = bench.client(receiveBuffer: 4096)
            return (client: client, server: try bench.requested(client, .get()))
        }
        for reader in readers {
            reader.server.send("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n")
            fill(reader.server, bench)
            #expect(bench.worker.poller.chunks.bytesInUse < ceiling * 3 / 2 + ahead)
        }
        #expect(bench.refusals(.memory) > 0)
        bench.turn(until: { bench.worker.poller.chunks.bytesInUse < ceiling + BufferShare.grain })
        // Who holds nothing is left alone.
        patientServer.send(.ok("1"))
        _ = bench.expect(patient, ends: "\r\n\r\n1")
        #expect(bench.worker.frontend.clients.used > 1)
        bench.expectNothingLeft()
        #expect(bench.worker.poller.chunks.bytesInUse == 0)
        bench.turn(until: { bench.shared.buffers.bytes == 0 })
    }

    @Test func overTheCeilingNobodyNewIsLetIn() throws {
        let bench = try WorkerBench { $0.limits.maximumBufferBytes = 256 * 1024 }
        // Memory of another worker.
        var other = BufferShare()
        other.tell(300 * 1024, to: bench.shared.buffers)
        let client = bench.client()
        bench.turn(until: { client.isOver })
        #expect(bench.refusals(.memory) == 1)
        other.tell(0, to: bench.shared.buffers)
        let next = bench.client()
        let server = try bench.requested(next, .get())
        server.send(.ok("1"))
        _ = bench.expect(next, ends: "\r\n\r\n1")
        bench.expectNothingLeft()
    }

    // MARK: Counting

    @Test func refusalsOfTheTokenEndpointAreCounted() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        client.send(
            "POST /oauth2/token HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                + "Content-Length: 16\r\n\r\ngrant_type=magic")
        bench.turn(until: { client.text.contains("\r\n\r\n{") })
        let reasons = bench.worker.report.current.reasons
        #expect(reasons.count == 1)
        bench.expectNothingLeft()
    }

    @Test func theMetricsNameEveryLimit() throws {
        let bench = try WorkerBench()
        let admin = bench.adminClient()
        admin.send(.get("/metrics"))
        bench.turn(until: { admin.text.contains("portcullis_uptime_seconds ") })
        for limit in Limit.allCases {
            #expect(admin.text.contains("portcullis_limited_total{limit=\"\(limit.name)\"} 0\n"))
        }
        #expect(admin.text.contains("portcullis_buffer_bytes "))
        #expect(Set(Limit.allCases.map(\.name)).count == Limit.allCases.count)
        bench.expectNothingLeft()
    }

    @Test func handshakesHaveARate() {
        let gate = HandshakeGate()
        #expect((0..<6).map { _ in gate.admit(limit: 4, now: 1000) } == [true, true, true, true, false, false])
        #expect(gate.admit(limit: 4, now: 1250))
        #expect(!gate.admit(limit: 4, now: 1251))
        #expect((0..<100).allSatisfy { _ in gate.admit(limit: 0, now: 1251) })
    }
}
