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

    @Test(arguments: TLSHandshakeTests.versions)
    func idleSessionsAreSmall(_ version: TLSVersion) throws {
        let keys = try #require(TLSTicketKeys(rotation: .seconds(3600)))
        let clients = try TLSClientContext(.trusting.with { $0.maximumVersion = version })
        let servers = try TLSServerContext(TLSSample.server.with { $0.ticketKeys = keys })
        var idle: [TLSSession] = []
        let count = 2000
        idle.reserveCapacity(count)
        func connect() throws {
            let pair = try #require(TLSPair(clients, servers)).shakeHands()
            #expect(pair.request("GET /") == "GET /")
            #expect(pair.reply("200") == "200")
            idle.append(pair.server)
        }
        for _ in 0..<100 { try connect() }
        idle.removeAll(keepingCapacity: true)
        let before = try Self.resident()
        for _ in 0..<count { try connect() }
        let each = (try Self.resident() - before) / count
        print("An idle \(version) session holds \(each) bytes")
        // Other tests run beside this one: the bound leaves them 20 MB.
        #expect(each < 30_000)
    }
}
