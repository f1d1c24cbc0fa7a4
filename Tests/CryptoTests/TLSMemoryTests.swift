import Bytes
import Crypto
import Foundation
import Testing

/// Issue B, hostile clients: memory is bounded; a session that idles holds little.
@Suite(.serialized) struct TLSMemoryTests {
    /// Resident bytes of this process.
    static func resident() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = try #require(text.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        return pages * 4096
    }

    /// In a process of its own: what tests beside it allocate would be counted as well.
    @Test(.disabled(if: isSanitized)) func idleSessionsAreSmall() async {
        await #expect(processExitsWith: .success) { try TLSMemoryTests.measure() }
    }

    /// A sanitizer's heap keeps what is freed.
    static let isSanitized = ["ASAN_OPTIONS", "TSAN_OPTIONS"].contains {
        ProcessInfo.processInfo.environment[$0] != nil
    }

    static func measure() throws {
        let keys = try #require(TLSTicketKeys(rotation: .seconds(3600)))
        let servers = try TLSServerContext(TLSSample.server.with { $0.ticketKeys = keys })
        var idle: [TLSSession] = []
        for version in TLSHandshakeTests.versions {
            let clients = try TLSClientContext(.trusting.with { $0.maximumVersion = version })
            // The first ones fill what making keys and contexts has freed.
            for _ in 0..<200 { idle.append(try Self.idleSession(clients, servers)) }
            let before = try Self.resident()
            let count = 2000
            for _ in 0..<count { idle.append(try Self.idleSession(clients, servers)) }
            let each = (try Self.resident() - before) / count
            print("An idle \(version) session holds \(each) bytes")
            precondition(each < 18_000, "\(each) bytes")
        }
    }

    /// A server's session that has answered a request.
    static func idleSession(_ clients: TLSClientContext, _ servers: TLSServerContext) throws -> TLSSession {
        let pair = try #require(TLSPair(clients, servers)).shakeHands()
        precondition(pair.request("GET /") == "GET /" && pair.reply("200") == "200")
        return pair.server
    }
}
