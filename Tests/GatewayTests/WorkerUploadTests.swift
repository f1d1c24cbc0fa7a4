import HTTP
import Model
import Reactor
import TestSupport
import Testing

@testable import Gateway

/// Uploads and other requests at an upstream that is full.
@Suite struct WorkerUploadTests {
    private static func bench(
        room: Int = 1, queue: Int = 5, _ change: @escaping (inout WorkerBench.Setup) -> Void = { _ in }
    ) throws -> WorkerBench {
        try WorkerBench {
            $0.listeners[0].rules.http2 = true
            $0.proxies = TrustedProxies(WorkerBench.ranges("127.0.0.0/8"))
            $0.upstream = {
                $0.settings.maximumInFlight = room
                $0.settings.queueLength = queue
                $0.settings.queueTimeout = 60_000
            }
            change(&$0)
        }
    }

    private static func from(_ number: Int) -> String { "X-Forwarded-For: 192.0.2.\(number)\r\n" }

    private static func head(_ length: String, _ fields: String = "") -> String {
        "POST /open/up HTTP/1.1\r\nHost: gw.example.com\r\n\(length)\r\n\(fields)\r\n"
    }

    private static func text(_ count: Int) -> String {
        String((0..<count).map { Character(UnicodeScalar(UInt8(97 + $0 % 23))) })
    }

    private func group(_ bench: WorkerBench) -> UpstreamGroup { bench.worker.groups.all[0] }

    // MARK: Bodies

    @Test(
        "an upload gets a place when its body is there, others before it",
        arguments: [
            ("Content-Length: 9", ["abcd", "efghi"], "abcdefghi"),
            ("Transfer-Encoding: chunked", ["4\r\nab", "cd\r\n5;x=y\r", "\nefghi\r\n0\r\n", "\r\n"], "abcdefghi"),
        ])
    func waitsForItsBody(_ length: String, _ pieces: [String], _ body: String) throws {
        let bench = try Self.bench()
        let (first, upload, other) = (bench.client(), bench.client(), bench.client())
        let server = try bench.requested(first, .get("/open/0"))
        upload.send(Self.head(length))
        let group = group(bench)
        bench.turn(until: { !group.queue.isIdle })
        other.send(.get("/open/1"))
        bench.turn(until: { group.queue.count == 1 })
        for piece in pieces.dropLast() {
            upload.send(piece)
            bench.settle()
            #expect(group.queue.count == 1)
        }
        server.send(.ok("0"))
        _ = bench.expect(first, ends: "0")
        #expect(bench.head(server).hasPrefix("GET /open/1 "))
        upload.send(pieces.last ?? "")
        bench.turn(until: { group.queue.count == 1 })
        server.send(.ok("1"))
        _ = bench.expect(other, ends: "1")
        let isChunked = pieces.count > 2
        bench.turn(until: { server.text.hasSuffix(isChunked ? "0\r\n\r\n" : body) })
        #expect(server.text.hasPrefix("POST /open/up "))
        #expect(!isChunked || server.text.contains("abcd") || server.text.contains("cd\r\n"))
        server.send(.ok("2"))
        _ = bench.expect(upload, ends: "2")
        #expect(group.queue.isIdle && group.inFlight == 0)
        bench.expectNothingLeft()
    }

    @Test("a long body is forwarded from the limit on, in order", arguments: [false, true])
    func longBody(_ http2: Bool) throws {
        let bench = try Self.bench {
            // The window is smaller than the bytes that must be there.
            $0.limits.http2.initialWindow = 16 << 10
            $0.limits.bufferedBodyBytes = 64 << 10
        }
        let body = Self.text(200_000)
        let (first, peer) = (bench.client(), bench.client())
        let server = try bench.requested(first, .get("/open/0"))
        let client = http2 ? H2Client(peer) : nil
        if let client {
            _ = try client.request("POST", "/open/up", "content-length: 200000\r\n", body: Array(body.utf8))
        } else {
            peer.send(Self.head("Content-Length: 200000"))
            bench.turn(until: { !group(bench).queue.isIdle })
        }
        var sent = 0
        func push() {
            client?.move()
            if client == nil, sent < body.utf8.count { sent += peer.send(Array(body.utf8.dropFirst(sent))) }
        }
        bench.turn(until: {
            push()
            return group(bench).queue.count == 1
        })
        // It waits, and no more than that is read.
        for _ in 0..<20 {
            push()
            bench.turn()
        }
        let waiting = try #require(bench.worker.exchanges.all.all.first { $0.attempt.upload != nil })
        let held = (waiting.stream?.unread ?? 0) + (waiting.stream == nil ? waiting.client?.socket?.unread ?? 0 : 0)
        #expect(held >= 64 << 10 && held <= 96 << 10, "\(held)")
        server.send(.ok("0"))
        _ = bench.expect(first, ends: "0")
        bench.turn(until: {
            push()
            return server.text.hasSuffix(body)
        })
        server.send(.ok("1"))
        if let client {
            bench.turn(until: {
                client.move()
                return client[1].isWhole
            })
            #expect(client[1].status == 200)
        } else {
            _ = bench.expect(peer, ends: "1")
        }
        bench.expectNothingLeft()
    }

    @Test("a client that expects 100 Continue gets it while it waits", arguments: [false, true])
    func continues(_ http2: Bool) throws {
        let bench = try Self.bench()
        let (first, peer) = (bench.client(), bench.client())
        let server = try bench.requested(first, .get("/open/0"))
        if http2 {
            let client = H2Client(peer)
            let id = try client.request(
                "POST", "/open/up", "content-length: 2\r\nexpect: 100-continue\r\n", ends: false)
            bench.turn(until: {
                client.move()
                return client[id].interim == [100]
            })
            client.send(id, Array("ab".utf8))
            client.finish(id)
            bench.turn(until: {
                client.move()
                return group(bench).queue.count == 1
            })
        } else {
            peer.send(Self.head("Content-Length: 2", "Expect: 100-continue\r\n"))
            #expect(bench.expect(peer, ends: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            peer.send("ab")
            bench.turn(until: { group(bench).queue.count == 1 })
        }
        server.send(.ok("0"))
        _ = bench.expect(first, ends: "0")
        bench.turn(until: { server.text.hasSuffix("ab") })
        bench.expectNothingLeft()
    }

    @Test("a body that stops coming, breaks or is given up leaves nothing that waits")
    func endings() throws {
        let bench = try Self.bench { $0.limits.bodyTimeout = 60 }
        let (first, slow, broken, gone) = (bench.client(), bench.client(), bench.client(), bench.client())
        let server = try bench.requested(first, .get("/open/0"))
        let group = group(bench)
        slow.send(Self.head("Content-Length: 9") + "abc")
        #expect(bench.expect(slow, ends: "}").contains("body_timeout"))
        #expect(group.queue.isIdle)
        broken.send(Self.head("Transfer-Encoding: chunked"))
        bench.turn(until: { !group.queue.isIdle })
        broken.send("zz\r\n")
        #expect(bench.expect(broken, ends: "}").contains("malformed_body"))
        #expect(group.queue.isIdle)
        gone.send(Self.head("Content-Length: 9") + "abc")
        bench.turn(until: { !group.queue.isIdle })
        gone.close()
        bench.turn(until: { group.queue.isIdle })
        server.send(.ok("0"))
        _ = bench.expect(first, ends: "0")
        bench.expectNothingLeft()
    }

    @Test("without a limit of buffered bytes uploads wait like other requests")
    func unbuffered() throws {
        let bench = try Self.bench { $0.limits.bufferedBodyBytes = 0 }
        let (first, upload) = (bench.client(), bench.client())
        let server = try bench.requested(first, .get("/open/0"))
        upload.send(Self.head("Content-Length: 4"))
        bench.turn(until: { group(bench).queue.count == 1 })
        server.send(.ok("0"))
        _ = bench.expect(first, ends: "0")
        #expect(bench.head(server).hasPrefix("POST /open/up "))
        upload.send("abcd")
        bench.turn(until: { server.text == "abcd" })
        bench.expectNothingLeft()
    }

    @Test("while an upload of its network waits for its body, a further one waits too, and others go on")
    func laterUploads() throws {
        let bench = try Self.bench()
        let (first, held, later, other) = (bench.client(), bench.client(), bench.client(), bench.client())
        let server = try bench.requested(first, .get("/open/0"))
        let group = group(bench)
        held.send(Self.head("Content-Length: 9", Self.from(1)))
        bench.turn(until: { group.queue.arriving(of: IPAddress("192.0.2.1")) == 1 })
        server.send(.ok("0"))
        _ = bench.expect(first, ends: "0")
        later.send(Self.head("Content-Length: 9", Self.from(1)))
        bench.turn(until: { group.queue.arriving(of: IPAddress("192.0.2.1")) == 2 })
        #expect(group.inFlight == 0)
        other.send(Self.head("Content-Length: 9", Self.from(2)))
        #expect(bench.head(server).contains("192.0.2.2"))
        bench.expectNothingLeft()
    }

    // MARK: Turns

    @Test("networks take turns, and a full queue makes room for one that has less in it")
    func turns() throws {
        let bench = try Self.bench(queue: 3)
        let group = group(bench)
        let clients = (0..<5).map { _ in bench.client() }
        let server = try bench.requested(clients[0], .get("/open/0"))
        for index in 1...3 {
            clients[index].send(.get("/open/a\(index)", Self.from(1)))
            bench.turn(until: { group.queue.count == index })
        }
        clients[4].send(.get("/open/b", Self.from(2)))
        #expect(bench.expect(clients[3], ends: "}").contains("upstream_exhausted"))
        #expect(group.queue.count == 3)
        for (index, path) in [(0, "a1"), (1, "b"), (4, "a2")] {
            server.send(.ok("done"))
            _ = bench.expect(clients[index], ends: "done")
            #expect(bench.head(server).hasPrefix("GET /open/\(path) "))
        }
        bench.expectNothingLeft()
    }

    // MARK: Slow uploads

    /// One client, 6 uploads of a byte each, in two places.
    private func hold(_ bench: WorkerBench) throws -> (client: H2Client, ids: [Int32], servers: [Peer]) {
        let client = bench.h2Client()
        let ids = try (0..<6).map { _ in
            try client.request("POST", "/open/up", "content-length: 100\r\n", body: [97], ends: false)
        }
        let servers = try (0..<2).map { _ in try bench.accepted() }
        bench.turn(until: {
            client.move()
            return group(bench).queue.arriving(of: IPAddress("127.0.0.1")) == 4
        })
        return (client, ids, servers)
    }

    @Test("an upload that is too slow makes room, and no more of them than requests wait", arguments: [0, 5])
    func slowUploads(_ queue: Int) throws {
        let bench = try Self.bench(room: 2, queue: queue)
        let holder = try hold(bench)
        // The place of the first upload is free for one of the next two requests.
        for round in 1...2 {
            let others = (0..<round).map { _ in bench.client() }
            for other in others { other.send(.get("/open/other")) }
            let servers = try others.map { _ in try bench.accepted() }
            for server in servers {
                #expect(bench.head(server).hasPrefix("GET /open/other "))
                server.send(.ok("it", "Connection: close\r\n"))
            }
            for other in others { _ = bench.expect(other, ends: "it") }
            bench.turn(until: {
                holder.client.move()
                return holder.ids.count { holder.client[$0].status == 408 } >= round
            })
            bench.settle()
            #expect(holder.ids.count { holder.client[$0].status == 408 } == round)
            #expect(bench.refusals(.bodyRate) == UInt64(round))
        }
        #expect(group(bench).queue.arriving(of: IPAddress("127.0.0.1")) == 4)
        bench.expectNothingLeft()
    }

    @Test("without a rate no upload is too slow")
    func anyRate() throws {
        let bench = try Self.bench(room: 2) {
            $0.limits.minimumBodyRate = 0
            let change = $0.upstream
            $0.upstream = {
                change(&$0)
                $0.settings.queueTimeout = 1500
            }
        }
        let holder = try hold(bench)
        let other = bench.client()
        other.send(.get("/open/other"))
        #expect(bench.expect(other, ends: "}").contains("upstream_queue_timeout"))
        #expect(holder.ids.allSatisfy { holder.client[$0].status == 0 })
        bench.expectNothingLeft()
    }
}
