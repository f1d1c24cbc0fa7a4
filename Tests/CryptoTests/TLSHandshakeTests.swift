import Bytes
import Crypto
import Model
import Testing

/// Issue B, TLS: versions, protocols, ciphers and content over an in-memory connection.
@Suite struct TLSHandshakeTests {
    static let versions: [TLSVersion] = [.tls12, .tls13]

    @Test(arguments: versions)
    func contentPassesBothWays(_ version: TLSVersion) throws {
        let client = TLSClientSettings.trusting.with { $0.maximumVersion = version }
        let pair = try #require(try TLSPair(client, TLSSample.server)).shakeHands()
        #expect(pair.isOpen)
        #expect(pair.client.version == version)
        #expect(pair.server.version == version)
        #expect(pair.server.serverName == "a.example")
        #expect(pair.client.negotiatedProtocol == nil)
        #expect(!pair.server.wasResumed)
        #expect(pair.server.cipher == pair.client.cipher)
        #expect(pair.server.cipher.hasSuffix("_AES_128_GCM_SHA256"))
        #expect(pair.request("GET / HTTP/1.1") == "GET / HTTP/1.1")
        #expect(pair.reply("HTTP/1.1 200 OK") == "HTTP/1.1 200 OK")
        #expect(pair.server.peerCertificate == nil)
        #expect(pair.client.peerCertificate?.hostNames == ["a.example", "b.example"])
    }

    @Test(arguments: versions)
    func longContentPassesAndSmallRoomIsRespected(_ version: TLSVersion) throws {
        let client = TLSClientSettings.trusting.with { $0.maximumVersion = version }
        let pair = try #require(try TLSPair(client, TLSSample.server)).shakeHands()
        let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        #expect(pair.server.send(.of(content), into: pair.toClient) == .open)
        let room = Chunk(capacity: 1000)
        var got: [UInt8] = []
        while !pair.toClient.isEmpty || pair.client.hasMore {
            #expect(pair.client.receive(pair.toClient, into: room, replying: pair.toServer) == .open)
            #expect(room.count <= 1000)
            if room.isEmpty { break }
            got += room.bytes
            room.reset()
        }
        #expect(got == content)
        #expect(!pair.client.hasMore)
    }

    /// The first records are short, so that a receiver can use what has come of a long answer.
    @Test func recordsStartShort() throws {
        let pair = try #require(try TLSPair(.trusting, TLSSample.server)).shakeHands()
        _ = pair.server.send(.of([UInt8](repeating: 1, count: 200_000)), into: pair.toClient)
        let lengths = TLSRecord.lengths(pair.toClient.bytes)
        #expect(lengths.prefix(16).allSatisfy { $0 < 4200 })
        #expect(lengths.dropFirst(16).contains { $0 > 16_000 })
    }

    @Test func hasMoreTellsOfContentThatWaitsInside() throws {
        let pair = try #require(try TLSPair(.trusting, TLSSample.server)).shakeHands()
        _ = pair.client.send(.of([UInt8](repeating: 7, count: 3000)), into: pair.toServer)
        let room = Chunk(capacity: 1000)
        _ = pair.server.receive(pair.toServer, into: room, replying: pair.toClient)
        #expect(room.count == 1000)
        #expect(pair.toServer.isEmpty)
        #expect(pair.server.hasMore)
        room.reset()
        _ = pair.server.receive(pair.toServer, into: room, replying: pair.toClient)
        room.reset()
        _ = pair.server.receive(pair.toServer, into: room, replying: pair.toClient)
        #expect(!pair.server.hasMore)
    }

    /// RFC 7301 section 3.2.
    @Test(arguments: [
        ([ApplicationProtocol.h2, .http11], [ApplicationProtocol.http11, .h2], ApplicationProtocol.h2),
        ([.http11, .h2], [.h2, .http11], .http11), ([.h2, .http11], [.http11], .http11), ([.h2], [.http11, .h2], .h2),
    ])
    func theServersOrderDecides(
        _ server: [ApplicationProtocol], _ client: [ApplicationProtocol], _ expected: ApplicationProtocol
    ) throws {
        let pair = try #require(
            try TLSPair(
                .trusting.with { $0.protocols = client }, TLSSample.server.with { $0.protocols = server })
        ).shakeHands()
        #expect(pair.isOpen)
        #expect(pair.server.negotiatedProtocol == expected)
        #expect(pair.client.negotiatedProtocol == expected)
    }

    @Test(arguments: versions)
    func noProtocolInCommonIsRefused(_ version: TLSVersion) throws {
        let client = TLSClientSettings.trusting.with {
            $0.protocols = [.h2]
            $0.maximumVersion = version
        }
        let pair = try #require(try TLSPair(client, TLSSample.server.with { $0.protocols = [.http11] })).shakeHands()
        #expect(pair.server.failure == .noApplicationProtocol)
        #expect(pair.client.failure == .noApplicationProtocol)
        #expect(pair.server.failure?.code.description == "no_application_protocol")
    }

    @Test func silenceAboutProtocolsIsNotRefused() throws {
        let pair = try #require(try TLSPair(.trusting, TLSSample.server.with { $0.protocols = [.h2] })).shakeHands()
        #expect(pair.isOpen)
        #expect(pair.server.negotiatedProtocol == nil)
    }

    @Test func anOldClientIsRefused() throws {
        let pair = try #require(
            try TLSPair(
                .trusting.with { $0.maximumVersion = .tls12 },
                TLSSample.server.with { $0.rules.minimumVersion = .tls13 })
        ).shakeHands()
        #expect(pair.server.failure == .unsupportedVersion)
        #expect(pair.client.failure == .unsupportedVersion)
    }

    @Test func noCipherInCommonIsRefused() throws {
        let client = TLSClientSettings.trusting.with {
            $0.maximumVersion = .tls12
            $0.ciphers = "ECDHE-RSA-AES256-GCM-SHA384"
        }
        let pair = try #require(try TLSPair(client, TLSSample.server)).shakeHands()
        #expect(pair.server.failure == .noSharedCipher)
        #expect(pair.client.failure == .refusedByPeer(alert: 40))
    }

    @Test(arguments: [
        ("ECDHE-ECDSA-CHACHA20-POLY1305", TLSVersion.tls12, "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"),
        ("TLS_AES_256_GCM_SHA384", .tls13, "TLS_AES_256_GCM_SHA384"),
    ])
    func ciphersAreChosenBySettings(_ name: String, _ version: TLSVersion, _ expected: String) throws {
        let server = TLSSample.server.with {
            if version == .tls12 { $0.rules.ciphers = name } else { $0.rules.cipherSuites = name }
        }
        let pair = try #require(try TLSPair(.trusting.with { $0.maximumVersion = version }, server)).shakeHands()
        #expect(pair.server.cipher == expected)
    }

    /// One name with an RSA and an EC certificate: the client gets what it can check.
    @Test(arguments: [
        ("ECDHE-RSA-AES128-GCM-SHA256", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"),
        ("ECDHE-ECDSA-AES128-GCM-SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"),
        ("ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES128-GCM-SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"),
    ])
    func bothKindsOfKeysServeOneName(_ ciphers: String, _ expected: String) throws {
        let client = TLSClientSettings.trusting.with {
            $0.maximumVersion = .tls12
            $0.ciphers = ciphers
        }
        let server = TLSServerSettings(certificates: [TLSSample.leaf, TLSSample.rsaLeaf])
        let pair = try #require(try TLSPair(client, server)).shakeHands()
        #expect(pair.isOpen)
        #expect(pair.server.cipher == expected)
    }

    @Test(arguments: versions)
    func theGoodByeIsSeen(_ version: TLSVersion) throws {
        let client = TLSClientSettings.trusting.with { $0.maximumVersion = version }
        let pair = try #require(try TLSPair(client, TLSSample.server)).shakeHands()
        _ = pair.client.send(.of(Array("last words".utf8)), into: pair.toServer)
        pair.client.finish(into: pair.toServer)
        #expect(pair.server.receive(pair.toServer, into: pair.atServer, replying: pair.toClient) == .ended)
        #expect(pair.atServer.takeText() == "last words")
        #expect(pair.server.transportEnded() == .ended)
        #expect(pair.server.failure == nil)
        // The other direction stays open (RFC 8446 section 6.1).
        #expect(pair.server.send(.of(Array("answer".utf8)), into: pair.toClient) == .ended)
        _ = pair.client.receive(pair.toClient, into: pair.atClient, replying: pair.toServer)
        #expect(pair.atClient.takeText() == "answer")
        pair.server.finish(into: pair.toClient)
        #expect(pair.client.receive(pair.toClient, into: pair.atClient, replying: pair.toServer) == .ended)
    }

    /// Without the good-bye, what came may be cut.
    @Test func truncationIsAFailure() throws {
        let pair = try #require(try TLSPair(.trusting, TLSSample.server)).shakeHands()
        #expect(pair.request("half of a") == "half of a")
        #expect(pair.server.transportEnded() == .failed)
        #expect(pair.server.failure == .closed)
    }
}

/// The outside of TLS records.
enum TLSRecord {
    /// Lengths of the records in some bytes.
    static func lengths(_ bytes: [UInt8]) -> [Int] {
        var lengths: [Int] = []
        var place = 0
        while place + 5 <= bytes.count {
            lengths.append(Int(bytes[place + 3]) << 8 | Int(bytes[place + 4]))
            place += 5 + lengths[lengths.count - 1]
        }
        return lengths
    }
}
