import Bytes
import Crypto
import Model
import Testing

/// Issue B, TLS: session resumption by tickets with rotated keys.
@Suite struct TLSResumptionTests {
    static func keys() throws -> TLSTicketKeys { try #require(TLSTicketKeys(rotation: .seconds(3600))) }

    /// Shakes hands, with content after it so that TLS 1.3 tickets arrive.
    static func connect(
        _ clients: TLSClientContext, _ servers: TLSServerContext, name: String = "a.example"
    ) throws -> TLSPair {
        let pair = try #require(TLSPair(clients, servers, name: name)).shakeHands()
        #expect(pair.isOpen, "\(String(describing: pair.client.failure)) \(String(describing: pair.server.failure))")
        #expect(pair.request("x") == "x")
        #expect(pair.client.wasResumed == pair.server.wasResumed)
        return pair
    }

    @Test(arguments: TLSHandshakeTests.versions)
    func theNextSessionIsResumed(_ version: TLSVersion) throws {
        let clients = try TLSClientContext(.trusting.with { $0.maximumVersion = version })
        let keys = try Self.keys()
        let settings = TLSSample.server.with { $0.ticketKeys = keys }
        let servers = try TLSServerContext(settings)
        #expect(try !Self.connect(clients, servers).server.wasResumed)
        #expect(try Self.connect(clients, servers).server.wasResumed)
        // Another worker's or a reloaded context with the same keys; another name, and another client.
        #expect(try Self.connect(clients, TLSServerContext(settings)).server.wasResumed)
        #expect(try !Self.connect(clients, servers, name: "b.example").server.wasResumed)
        #expect(try !Self.connect(TLSClientContext(.trusting), servers).server.wasResumed)
    }

    @Test(arguments: TLSHandshakeTests.versions)
    func keysAreRotated(_ version: TLSVersion) throws {
        let clients = try TLSClientContext(.trusting.with { $0.maximumVersion = version })
        let keys = try Self.keys()
        let servers = try TLSServerContext(TLSSample.server.with { $0.ticketKeys = keys })
        let start = ContinuousClock.now
        _ = try Self.connect(clients, servers)
        keys.advance(to: start + .seconds(3700))
        #expect(try Self.connect(clients, servers).server.wasResumed, "the previous key opens")
        keys.advance(to: start + .seconds(7400))
        #expect(try Self.connect(clients, servers).server.wasResumed, "a new ticket came with the last session")
        keys.advance(to: start + .seconds(11_100))
        keys.advance(to: start + .seconds(14_800))
        #expect(try !Self.connect(clients, servers).server.wasResumed, "both keys are gone")
    }

    /// RFC 8446 section 4.6.1: each resumption brings another ticket, but the chain of them ends.
    @Test(arguments: TLSHandshakeTests.versions)
    func resumptionEnds(_ version: TLSVersion) throws {
        let clients = try TLSClientContext(.trusting.with { $0.maximumVersion = version })
        let keys = try Self.keys()
        let settings = TLSSample.server.with { $0.ticketKeys = keys }
        let never = try TLSServerContext(settings.with { $0.resumptionLimit = 0 })
        for _ in 0..<2 { #expect(try !Self.connect(clients, never).server.wasResumed) }
        let soon = try TLSServerContext(settings.with { $0.resumptionLimit = 2 })
        let start = ContinuousClock.now
        var resumed = 0
        _ = try Self.connect(clients, soon)
        while try Self.connect(clients, soon).server.wasResumed, .now - start < .seconds(30) { resumed += 1 }
        #expect(resumed > 0)
        #expect(.now - start < .seconds(30), "each ticket began anew")
    }

    @Test func aLongQuietTimeDropsBothKeys() throws {
        let clients = try TLSClientContext(.trusting)
        let keys = try Self.keys()
        let servers = try TLSServerContext(TLSSample.server.with { $0.ticketKeys = keys })
        _ = try Self.connect(clients, servers)
        keys.advance(to: .now + .seconds(7300))
        #expect(try !Self.connect(clients, servers).server.wasResumed)
    }

    @Test(arguments: TLSHandshakeTests.versions)
    func noKeysNoTickets(_ version: TLSVersion) throws {
        #expect(TLSTicketKeys(rotation: .zero) == nil)
        let clients = try TLSClientContext(.trusting.with { $0.maximumVersion = version })
        let servers = try TLSServerContext(TLSSample.server)
        for _ in 0..<3 { #expect(try !Self.connect(clients, servers).server.wasResumed) }
        let forgetful = try TLSClientContext(
            .trusting.with {
                $0.maximumVersion = version
                $0.reusesSessions = false
            })
        let keys = try Self.keys()
        let withTickets = try TLSServerContext(TLSSample.server.with { $0.ticketKeys = keys })
        for _ in 0..<2 { #expect(try !Self.connect(forgetful, withTickets).server.wasResumed) }
    }

    /// A session must not carry one listener's judgement of a client to another listener.
    @Test(arguments: TLSHandshakeTests.versions)
    func clientAuthenticationIsABorder(_ version: TLSVersion) throws {
        let keys = try Self.keys()
        let clients = try TLSClientContext(
            .trusting.with {
                $0.maximumVersion = version
                $0.certificate = TLSSample.device
            })
        let open = try TLSServerContext(TLSSample.server.with { $0.ticketKeys = keys })
        let mutual = try TLSServerContext(TLSSample.mutual.with { $0.ticketKeys = keys })
        let optional = try TLSServerContext(
            TLSSample.mutual.with {
                $0.ticketKeys = keys
                $0.rules.clientAuthentication = .optional
                $0.clientAuthoritiesPEM = TLSAuthority.stranger.certificatePEM + TLSAuthority.shared.certificatePEM
            })
        _ = try Self.connect(clients, open)
        let first = try Self.connect(clients, mutual)
        #expect(!first.server.wasResumed)
        let second = try Self.connect(clients, mutual)
        #expect(second.server.wasResumed)
        #expect(second.server.peerCertificate?.commonName == "devïce 7")
        #expect(second.server.peerCertificate == first.server.peerCertificate)
        #expect(try !Self.connect(clients, optional).server.wasResumed)
    }

    /// A reload with a renewed certificate for the same names goes on with the sessions.
    @Test func sessionsOutliveACertificate() throws {
        let keys = try Self.keys()
        let clients = try TLSClientContext(.trusting)
        _ = try Self.connect(clients, TLSServerContext(TLSSample.server.with { $0.ticketKeys = keys }))
        let renewed = TLSAuthority.shared.issue(["DNS:a.example", "DNS:b.example"])
        let settings = TLSServerSettings(certificates: [renewed]).with { $0.ticketKeys = keys }
        #expect(try Self.connect(clients, TLSServerContext(settings)).server.wasResumed)
    }

    @Test func aCutConnectionsSessionIsStillGood() throws {
        let keys = try Self.keys()
        let clients = try TLSClientContext(.trusting.with { $0.maximumVersion = .tls12 })
        let servers = try TLSServerContext(TLSSample.server.with { $0.ticketKeys = keys })
        let cut = try Self.connect(clients, servers)
        #expect(cut.client.transportEnded() == .failed)
        #expect(cut.server.transportEnded() == .failed)
        #expect(try Self.connect(clients, servers).server.wasResumed)
        // A handshake that fails may be its session's fault: the next one starts anew.
        let broken = try #require(TLSPair(clients, servers))
        _ = broken.client.start(replying: broken.toServer)
        #expect(broken.client.transportEnded() == .failed)
        #expect(try !Self.connect(clients, servers).server.wasResumed)
    }

    @Test func contextsAreUsedByManyThreads() async throws {
        let keys = try Self.keys()
        let clients = try TLSClientContext(.trusting)
        let servers = try TLSServerContext(TLSSample.server.with { $0.ticketKeys = keys })
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for round in 0..<20 {
                        _ = try Self.connect(clients, servers, name: round % 2 == 0 ? "a.example" : "b.example")
                        if task == 0 { keys.advance(to: start + .seconds(3601 * round)) }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
