import Bytes
import Model
import Reactor
import TestSupport
import Testing

@testable import Gateway

/// Long bodies: back-pressure, early answers, time-outs.
@Suite struct WorkerBodyTests {
    private static func pattern(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 131 &+ $0 >> 8) }
    }

    /// A slow side slows the other one down, and no byte is lost, doubled or moved by it.
    @Test(arguments: [true, false])
    func aLongUploadReachesASlowUpstreamWhole(chunked: Bool) throws {
        let bench = try WorkerBench()
        let client = bench.client()
        let body = Self.pattern(6_000_000)
        let framing = chunked ? "Transfer-Encoding: chunked" : "Content-Length: \(body.count)"
        let server = try bench.requested(client, "POST /open/x HTTP/1.1\r\nHost: h\r\n\(framing)\r\n\r\n")
        var wire: [UInt8] = []
        if chunked {
            for start in stride(from: 0, to: body.count, by: 50_000) {
                wire += Array("\(String(50_000, radix: 16))\r\n".utf8) + body[start..<start + 50_000] + [13, 10]
            }
            wire += Array("0\r\n\r\n".utf8)
        } else {
            wire = body
        }
        var sent = 0
        var most = 0
        let end = Array("0\r\n\r\n".utf8)
        bench.turn(until: {
            if sent < wire.count { sent += client.send(Array(wire[sent..<min(sent + 200_000, wire.count)])) }
            server.receive(atMost: 100_000)
            most = max(most, bench.worker.poller.chunks.inUse)
            return chunked ? server.received.suffix(5).elementsEqual(end) : server.received.count >= body.count
        })
        #expect(most < 64)
        let arrived = chunked ? Self.dechunked(server.received) : server.received
        let isWhole = arrived == body
        #expect(isWhole)
        server.forget()
        server.send(.ok("done"))
        _ = bench.expect(client, ends: "done")
        bench.expectNothingLeft()
    }

    private static func dechunked(_ bytes: [UInt8]) -> [UInt8] {
        var body: [UInt8] = []
        var position = 0
        while let end = bytes[position...].firstIndex(of: 13) {
            guard let size = Int(String(decoding: bytes[position..<end], as: UTF8.self), radix: 16), size > 0 else {
                break
            }
            body += bytes[(end + 2)..<(end + 2 + size)]
            position = end + 4 + size
        }
        return body
    }

    @Test(arguments: ["length", "chunked", "close"])
    func aLongDownloadReachesASlowClientWhole(_ framing: String) throws {
        let bench = try WorkerBench()
        let client = bench.client(receiveBuffer: 16_384)
        let server = try bench.requested(client, .get())
        let body = Self.pattern(3_000_000)
        var wire = Array("HTTP/1.1 200 OK\r\n".utf8)
        switch framing {
        case "length": wire += Array("Content-Length: \(body.count)\r\n\r\n".utf8) + body
        case "close": wire += Array("\r\n".utf8) + body
        default:
            wire += Array("Transfer-Encoding: chunked\r\n\r\n\(String(body.count, radix: 16))\r\n".utf8) + body
            wire += Array("\r\n0\r\n\r\n".utf8)
        }
        var sent = 0
        var most = 0
        let end = Array("0\r\n\r\n".utf8)
        bench.turn(until: {
            if sent < wire.count {
                sent += server.send(Array(wire[sent..<min(sent + 200_000, wire.count)]))
                if sent == wire.count, framing == "close" { server.close() }
            }
            client.receive(atMost: 60_000)
            most = max(most, bench.worker.poller.chunks.inUse)
            if framing == "length" { return client.received.suffix(1_000).elementsEqual(body.suffix(1_000)) }
            return client.received.suffix(5).elementsEqual(end)
        })
        #expect(most < 64)
        let separator = Array("\r\n\r\n".utf8)
        let start = client.received.indices.first { client.received[$0...].starts(with: separator) } ?? 0
        let raw = Array(client.received[(start + 4)...])
        let isWhole = (framing == "length" ? raw : Self.dechunked(raw)) == body
        #expect(isWhole)
        client.forget()
        bench.expectNothingLeft()
    }

    // MARK: Early answers

    /// The upstream answers before it has the whole body, and closes: its answer arrives, and not a 502.
    @Test func anEarlyAnswerToALongUploadArrives() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        let server = try bench.requested(
            client, "POST /open/x HTTP/1.1\r\nHost: h\r\nContent-Length: 100000000\r\n\r\n")
        bench.turn(until: { client.send([UInt8](repeating: 65, count: 65_536)) == 0 })
        server.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 7\r\nConnection: close\r\n\r\nenough!")
        server.close()
        bench.turn(until: { client.isOver || client.text.contains("enough!") })
        #expect(client.text.hasPrefix("HTTP/1.1 413 "))
        #expect(client.text.contains("Connection: close\r\n"))
        bench.expectNothingLeft()
    }

    /// A short rest of the body is skipped, and the connection lives on; the upstream's does not.
    @Test func anEarlyAnswerToAShortUploadKeepsTheClient() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        let server = try bench.requested(client, "POST /open/x HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhalf")
        server.send(.ok("early"))
        _ = bench.expect(client, ends: "early")
        bench.turn(until: { server.isOver })
        client.send("-body" + .get("/open/next"))
        let next = try bench.accepted()
        #expect(bench.head(next).hasPrefix("GET /open/next "))
        next.send(.ok("next"))
        _ = bench.expect(client, ends: "next")
        bench.expectNothingLeft()
    }

    /// The response runs while the body is still sent, as in a stream in both directions.
    @Test func bothBodiesRunAtTheSameTime() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        let server = try bench.requested(
            client, "POST /open/x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
        server.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for round in 0..<20 {
            client.send("2\r\n\(round % 10)?\r\n")
            bench.turn(until: { server.text.hasSuffix("2\r\n\(round % 10)?\r\n") })
            server.forget()
            server.send("2\r\n\(round % 10)!\r\n")
            bench.turn(until: { client.text.hasSuffix("2\r\n\(round % 10)!\r\n") })
        }
        client.send("0\r\n\r\n")
        bench.turn(until: { server.text == "0\r\n\r\n" })
        server.send("0\r\n\r\n")
        _ = bench.expect(client, ends: "0\r\n\r\n")
        bench.expectNothingLeft()
        #expect(bench.errors.allSatisfy { $0 == 0 })
    }

    // MARK: Limits

    @Test func aMalformedChunkIsRefusedAndTheUpstreamLeft() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        let server = try bench.requested(
            client, "POST /open/x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nfoo\r\n")
        client.send("zz\r\n")
        bench.turn(until: { client.isOver })
        #expect(client.text.hasPrefix("HTTP/1.1 400 "))
        bench.turn(until: { server.isOver })
        #expect(!server.text.hasSuffix("0\r\n\r\n"))
        bench.expectNothingLeft()
    }

    @Test(arguments: [true, false])
    func aBodyOverTheLimitIsRefused(chunked: Bool) throws {
        let bench = try WorkerBench { $0.limits.maximumBodyBytes = 1_000 }
        let client = bench.client()
        let body = String(repeating: "b", count: 1_001)
        if chunked {
            client.send("POST /open/x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n\(body)\r\n")
        } else {
            client.send(.post("/open/x", body))
        }
        bench.turn(until: { client.isOver })
        #expect(client.text.hasPrefix("HTTP/1.1 413 "))
        bench.expectNothingLeft()
    }

    /// `responseTimeout` runs from the end of the request: an upload may take longer.
    @Test func aLongUploadIsNoSilentUpstream() throws {
        let bench = try WorkerBench { $0.upstream = { $0.settings.responseTimeout = 60 } }
        let client = bench.client()
        let server = try bench.requested(client, "POST /open/x HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\n")
        for piece in ["ab", "cd"] {
            client.send(piece)
            bench.pass(milliseconds: 100)
        }
        #expect(client.text.isEmpty)
        client.send("ef")
        bench.turn(until: { server.text == "abcdef" })
        server.send(.ok("done"))
        _ = bench.expect(client, ends: "done")
        bench.expectNothingLeft()
    }

    /// An upstream that takes nothing is the upstream's fault and not the client's.
    @Test func anUpstreamThatTakesNothingIs504() throws {
        let bench = try WorkerBench {
            $0.limits.bodyTimeout = 40
            $0.upstream = { $0.settings.responseTimeout = 120 }
        }
        let client = bench.client()
        let server = try bench.requested(
            client, "POST /open/x HTTP/1.1\r\nHost: h\r\nContent-Length: 100000000\r\n\r\n")
        bench.turn(until: {
            client.send([UInt8](repeating: 65, count: 65_536))
            return client.isOver || client.text.contains("HTTP/1.1")
        })
        #expect(client.text.hasPrefix("HTTP/1.1 504 "))
        bench.expectNothingLeft()
        withExtendedLifetime(server) {}
    }

    // MARK: Endpoints

    @Test func anEndpointTakesItsBodyInPieces() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        let body = "grant_type=" + String(repeating: "x", count: 30_000)
        let form = "Content-Type: application/x-www-form-urlencoded\r\n"
        for framing in ["length", "chunked"] {
            if framing == "length" {
                client.send(
                    "POST /oauth2/token HTTP/1.1\r\nHost: h\r\n\(form)Content-Length: \(body.utf8.count)\r\n\r\n")
                client.send(String(body.prefix(20_000)))
                bench.settle()
                client.send(String(body.dropFirst(20_000)))
            } else {
                client.send("POST /oauth2/token HTTP/1.1\r\nHost: h\r\n\(form)Transfer-Encoding: chunked\r\n\r\n")
                for byte in body.utf8.prefix(2_000) {
                    client.send([49, 13, 10, byte, 13, 10])
                    bench.turn()
                }
                client.send("0\r\n\r\n")
            }
            bench.turn(until: { client.text.hasSuffix("}") })
            #expect(client.text.hasPrefix("HTTP/1.1 4"), "\(framing)")
            #expect(!client.text.contains("Connection: close"))
            client.forget()
        }
        bench.turn()
        #expect(bench.worker.poller.chunks.inUse == 0)
        bench.expectNothingLeft()
    }

    @Test func anEndpointRefusesWhatIsTooLong() throws {
        let bench = try WorkerBench()
        let announced = bench.client()
        announced.send("POST /oauth2/token HTTP/1.1\r\nHost: h\r\nContent-Length: 65537\r\n\r\n")
        bench.turn(until: { announced.text.contains("HTTP/1.1 413 ") })
        let chunked = bench.client()
        chunked.send("POST /oauth2/token HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
        bench.turn(until: {
            chunked.send("1000\r\n" + String(repeating: "x", count: 4_096) + "\r\n")
            return chunked.text.contains("HTTP/1.1 ")
        })
        #expect(chunked.text.hasPrefix("HTTP/1.1 413 "))
        let padded = bench.client()
        padded.send("POST /oauth2/token HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
        bench.turn(until: {
            padded.send("1;\(String(repeating: "e", count: 200))\r\nx\r\n")
            return padded.text.contains("HTTP/1.1 ")
        })
        #expect(padded.text.hasPrefix("HTTP/1.1 413 "))
        bench.expectNothingLeft()
    }
}
