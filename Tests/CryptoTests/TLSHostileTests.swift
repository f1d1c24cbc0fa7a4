import Bytes
import Crypto
import Model
import Testing

/// Issue B, hostile clients: what is sent to a TLS port by those that mean no good, or no TLS.
@Suite struct TLSHostileTests {
    static let servers = Result { try TLSServerContext(TLSSample.server) }

    /// What becomes of a server that gets these bytes.
    static func server(_ bytes: [UInt8]) throws -> (session: TLSSession, wire: [UInt8]) {
        let session = try #require(try servers.get().makeSession())
        let wire = Chunk(capacity: 16)
        let plain = Chunk(capacity: 4096)
        _ = session.receive(.of(bytes), into: plain, replying: wire)
        #expect(plain.isEmpty)
        return (session, wire.bytes)
    }

    static func hello(_ settings: TLSClientSettings = .trusting) throws -> [UInt8] {
        let client = try #require(try TLSClientContext(settings).makeSession(serverName: "a.example"))
        let wire = Chunk(capacity: 16)
        #expect(client.start(replying: wire) == .opening)
        return wire.bytes
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", TLSFailure.notTLS), ("POST / HTTP/1.1\r\n\r\n", .notTLS),
        ("CONNECT a.example:443 HTTP/1.1\r\n\r\n", .notTLS), ("SSH-2.0-OpenSSH_9.2p1\r\n", .notTLS),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .notTLS),
        ("\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}", .notTLS),
    ])
    func otherProtocolsAreToldApart(_ text: String, _ expected: TLSFailure) throws {
        let session = try Self.server(Array(text.utf8)).session
        #expect(session.state == .failed)
        #expect(session.failure == expected)
    }

    @Test func aClientThatMeetsPlainHTTPSaysSo() throws {
        let client = try #require(try TLSClientContext(.trusting).makeSession(serverName: "a.example"))
        let wire = Chunk(capacity: 16)
        _ = client.start(replying: wire)
        let reply = Chunk.of(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
        #expect(client.receive(reply, into: Chunk(capacity: 10), replying: wire) == .failed)
        #expect(client.failure == .notTLS)
    }

    @Test func aTruncatedHelloWaitsAndThenFails() throws {
        let hello = try Self.hello()
        for count in stride(from: 0, to: hello.count, by: 7) {
            let session = try Self.server(Array(hello.prefix(count))).session
            #expect(session.state == .opening)
            #expect(session.transportEnded() == .failed)
            #expect(session.failure == .closed)
        }
    }

    /// A failed session stays failed, takes what still comes and says no more than its alert.
    @Test func failureIsFinal() throws {
        let (session, wire) = try Self.server([22, 3, 1, 0xFF, 0xFF] + [UInt8](repeating: 1, count: 100))
        #expect(session.failure == .protocolError)
        #expect(wire.first == 21, "an alert")
        let more = Chunk.of(try Self.hello())
        let reply = Chunk(capacity: 10)
        #expect(session.receive(more, into: Chunk(capacity: 10), replying: reply) == .failed)
        #expect(more.isEmpty)
        #expect(session.send(.of([1]), into: reply) == .failed)
        session.finish(into: reply)
        #expect(reply.isEmpty)
        #expect(!session.hasMore)
    }

    @Test func alertsOfThePeerAreNamed() throws {
        let client = try #require(try TLSClientContext(.trusting).makeSession(serverName: "a.example"))
        let wire = Chunk(capacity: 16)
        _ = client.start(replying: wire)
        #expect(client.receive(.of([21, 3, 3, 0, 2, 2, 40]), into: Chunk(capacity: 10), replying: wire) == .failed)
        #expect(client.failure == .refusedByPeer(alert: 40))
        #expect(client.failure?.detail == "handshake failure")
        // Before the first message there is nothing to refuse.
        #expect(try Self.server([21, 3, 3, 0, 2, 2, 40]).session.failure == .protocolError)
    }

    @Test func aGoodByeInPlaceOfAHandshakeIsAFailure() throws {
        let session = try Self.server([21, 3, 3, 0, 2, 1, 0]).session
        #expect(session.state == .failed)
    }

    /// Issue B: every message also split at every byte.
    @Test(arguments: TLSHandshakeTests.versions)
    func handshakesPassByteByByte(_ version: TLSVersion) throws {
        let client = TLSClientSettings.trusting.with {
            $0.maximumVersion = version
            $0.certificate = TLSSample.device
            $0.protocols = [.h2]
        }
        let pair = try #require(try TLSPair(client, TLSSample.mutual.with { $0.protocols = [.h2] }))
        _ = pair.client.start(replying: pair.toServer)
        while !pair.toServer.isEmpty || !pair.toClient.isEmpty {
            for byte in pair.toServer.takeBytes() {
                let one = Chunk.of([byte])
                _ = pair.server.receive(one, into: pair.atServer, replying: pair.toClient)
                #expect(one.isEmpty)
            }
            for byte in pair.toClient.takeBytes() {
                _ = pair.client.receive(.of([byte]), into: pair.atClient, replying: pair.toServer)
            }
        }
        #expect(pair.isOpen)
        #expect(pair.server.negotiatedProtocol == .h2)
        _ = pair.client.send(.of(Array("hello".utf8)), into: pair.toServer)
        for byte in pair.toServer.takeBytes() {
            _ = pair.server.receive(.of([byte]), into: pair.atServer, replying: pair.toClient)
        }
        #expect(pair.atServer.takeText() == "hello")
    }

    /// Content that comes in one piece with the last message of the handshake is not lost.
    @Test(arguments: TLSHandshakeTests.versions)
    func contentBehindTheHandshakeIsRead(_ version: TLSVersion) throws {
        let pair = try #require(try TLSPair(.trusting.with { $0.maximumVersion = version }, TLSSample.server))
        _ = pair.client.start(replying: pair.toServer)
        _ = pair.server.receive(pair.toServer, into: pair.atServer, replying: pair.toClient)
        _ = pair.client.receive(pair.toClient, into: pair.atClient, replying: pair.toServer)
        if version == .tls12 {
            _ = pair.server.receive(pair.toServer, into: pair.atServer, replying: pair.toClient)
            _ = pair.client.receive(pair.toClient, into: pair.atClient, replying: pair.toServer)
        }
        #expect(pair.client.send(.of(Array("early".utf8)), into: pair.toServer) == .open)
        #expect(pair.server.receive(pair.toServer, into: pair.atServer, replying: pair.toClient) == .open)
        #expect(pair.atServer.takeText() == "early")
    }

    /// A hello with a byte changed opens nothing by itself, and breaks nothing.
    @Test func changedHellosAreSurvived() throws {
        let hello = try Self.hello(.trusting.with { $0.protocols = [.h2, .http11] })
        for place in hello.indices {
            for change in [UInt8(1), 0x80, 0xFF] {
                var bytes = hello
                bytes[place] ^= change
                let session = try Self.server(bytes).session
                #expect(session.state != .open)
                #expect((session.state == .failed) == (session.failure != nil))
            }
        }
    }

    /// A handshake with a byte changed on the way never opens on both sides.
    @Test(arguments: TLSHandshakeTests.versions)
    func changedHandshakesDoNotOpen(_ version: TLSVersion) throws {
        let clients = try TLSClientContext(.trusting.with { $0.maximumVersion = version })
        for place in stride(from: 0, to: 900, by: 13) {
            let pair = try #require(TLSPair(clients, try Self.servers.get()))
            _ = pair.client.start(replying: pair.toServer)
            _ = pair.server.receive(pair.toServer, into: pair.atServer, replying: pair.toClient)
            var flight = pair.toClient.takeBytes()
            guard place < flight.count else { break }
            // The version of a record is not looked at in TLS 1.3 (RFC 8446 section 5.1).
            if TLSRecord.isVersion(place, of: flight) { continue }
            flight[place] ^= 0x55
            pair.toClient.append(flight)
            pair.settle()
            #expect(!pair.isOpen, "byte \(place)")
        }
    }

    @Test(arguments: TLSHandshakeTests.versions)
    func aForgedRecordIsRefused(_ version: TLSVersion) throws {
        let pair = try #require(try TLSPair(.trusting.with { $0.maximumVersion = version }, TLSSample.server))
        pair.shakeHands()
        _ = pair.client.send(.of(Array("pay 10".utf8)), into: pair.toServer)
        var record = pair.toServer.takeBytes()
        record[record.count - 3] ^= 1
        #expect(pair.server.receive(.of(record), into: pair.atServer, replying: pair.toClient) == .failed)
        #expect(pair.server.failure == .protocolError)
        #expect(pair.atServer.isEmpty)
        pair.settle()
        #expect(pair.client.failure == .refusedByPeer(alert: 20))
    }

    @Test func aReplayedRecordIsRefused() throws {
        let pair = try #require(try TLSPair(.trusting, TLSSample.server)).shakeHands()
        _ = pair.client.send(.of(Array("pay 10".utf8)), into: pair.toServer)
        let record = pair.toServer.takeBytes()
        #expect(pair.server.receive(.of(record), into: pair.atServer, replying: pair.toClient) == .open)
        #expect(pair.server.receive(.of(record), into: pair.atServer, replying: pair.toClient) == .failed)
        #expect(pair.atServer.takeText() == "pay 10")
    }
}

extension Chunk {
    func takeBytes() -> [UInt8] {
        let taken = bytes
        reset()
        return taken
    }
}

extension TLSRecord {
    /// Whether a place is one of the two version bytes of a record's header.
    static func isVersion(_ place: Int, of bytes: [UInt8]) -> Bool {
        var start = 0
        for length in lengths(bytes) {
            if place == start + 1 || place == start + 2 { return true }
            start += 5 + length
        }
        return false
    }
}
