import Bytes
import Foundation
import HTTP
import Model
import TestSupport
import Testing

@testable import Gateway

/// What trusted proxies say of a client, and what others say of themselves.
@Suite struct WorkerForwardedTests {
    /// The forwarding fields that the upstream is sent for a request with these fields.
    private func forwarded(_ fields: String, trusted: [String]) throws -> [String] {
        let bench = try WorkerBench {
            $0.proxies = TrustedProxies(
                trusted.compactMap { literal in
                    let bytes = Array(literal.utf8)
                    return IPAddressRange(text: bytes.span)
                })
        }
        let client = bench.client()
        client.send(.get("/open/x", fields))
        let server = try bench.accepted()
        let head = bench.head(server)
        server.send(.ok("1"))
        _ = bench.expect(client, ends: "\r\n\r\n1")
        bench.expectNothingLeft()
        let own = ["Host", "X-Request-Id", "Via", "Connection"]
        return head.split(separator: "\r\n").dropFirst().map(String.init).filter { line in
            !own.contains { line.hasPrefix("\($0):") }
        }
    }

    private static let spoof = """
        X-Forwarded-For: 203.0.113.9\r
        x-forwarded-proto: https\r
        X-Forwarded-Host: evil.net\r
        X-Forwarded-Port: 444\r
        X-Forwarded-Prefix: /admin\r
        Forwarded: for=203.0.113.9;proto=https;host=evil.net\r
        X-Real-IP: 203.0.113.9\r
        X_Forwarded_For: 203.0.113.9\r
        True-Client-IP: 203.0.113.9\r
        X-Original-URL: /admin\r
        X-Rewrite-URL: /admin\r
        CF-Connecting-IP: 203.0.113.9\r
        Proxy: http://evil.net\r

        """

    @Test func ofAnybodyNothingIsBelieved() throws {
        let expected = ["X-Forwarded-For: 127.0.0.1", "X-Forwarded-Proto: http", "X-Forwarded-Host: gw.example.com"]
        #expect(try forwarded(Self.spoof, trusted: []) == expected)
        #expect(try forwarded(Self.spoof, trusted: ["10.0.0.0/8", "::1"]) == expected)
    }

    @Test func ofATrustedPeerTheFamilyIsTakenAndWrittenAnew() throws {
        #expect(
            try forwarded(Self.spoof, trusted: ["127.0.0.1"]) == [
                "X-Forwarded-For: 203.0.113.9, 127.0.0.1", "X-Forwarded-Proto: https", "X-Forwarded-Host: evil.net",
                "X-Forwarded-Port: 444",
            ])
        #expect(
            try forwarded(
                "X-Forwarded-For: 10.0.0.1, spoof, 192.0.2.7:99 , 10.0.0.2\r\n", trusted: ["127.0.0.1", "10.0.0.0/8"])
                == [
                    "X-Forwarded-For: 192.0.2.7, 10.0.0.2, 127.0.0.1", "X-Forwarded-Proto: http",
                    "X-Forwarded-Host: gw.example.com",
                ])
        #expect(
            try forwarded("X-Forwarded-Host: a b\r\nX-Forwarded-Proto: gopher\r\n", trusted: ["127.0.0.1"]) == [
                "X-Forwarded-For: 127.0.0.1", "X-Forwarded-Proto: http", "X-Forwarded-Host: gw.example.com",
            ])
    }

    @Test func theAddressFoundStandsInTheLogAndIsWhatLimitsCount() throws {
        let path = NSTemporaryDirectory() + "limits-\(UUID().uuidString).log"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let writer = try LogWriter(appendingTo: path)
        let bench = try WorkerBench {
            $0.accessLog = writer
            $0.proxies = TrustedProxies(WorkerBench.ranges("127.0.0.1"))
            $0.rateLimits = [
                "mine": [RateLimit(name: "a", requests: 1, perMilliseconds: 60_000, burst: 1, key: .address)]
            ]
        }
        let client = bench.client()
        func status(_ address: String) -> String {
            client.send(.get("/mine/x", "X-Forwarded-For: \(address)\r\n"))
            bench.turn(until: { client.text.hasSuffix("}") })
            defer { client.forget() }
            return String(client.text.dropFirst(9).prefix(3))
        }
        #expect(status("192.0.2.7") == "401")
        #expect(status("192.0.2.7") == "429")
        #expect(status("192.0.2.8") == "401")
        #expect(status("192.0.2.7, 192.0.2.9") == "401")
        #expect(status("2001:db8::1") == "401")
        #expect(status("2001:db8::2") == "429")
        bench.worker.counters.accessLog?.flush()
        writer.flush()
        let log = try String(contentsOfFile: path, encoding: .utf8)
        let addresses = log.split(separator: "\n").compactMap { $0.firstMatch(of: /"client_ip":"([^"]*)"/)?.1 }
        #expect(addresses == ["192.0.2.7", "192.0.2.7", "192.0.2.8", "192.0.2.9", "2001:db8::1", "2001:db8::2"])
        bench.expectNothingLeft()
    }
}
