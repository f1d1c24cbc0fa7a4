import Bytes
import Crypto
import Foundation
import Testing

/// Issue B, TLS: against the programs of OpenSSL, where those can do what our own other side cannot.
@Suite struct TLSInteropTests {
    /// A connection of `openssl s_client` with our server.
    static func client(_ settings: TLSServerSettings, _ arguments: [String]) throws -> (TLSPeer, OpenSSLCommand) {
        let session = try #require(try TLSServerContext(settings).makeSession())
        let (listener, port) = Loopback.listen()
        defer { close(listener) }
        let command = OpenSSLCommand(
            ["s_client", "-connect", "127.0.0.1:\(port)", "-CAfile", TLSAuthority.shared.path("ca.pem")] + arguments)
        return (TLSPeer(session, Loopback.accept(listener)), command)
    }

    static let stapling: TLSServerSettings = {
        let leaf = TLSAuthority.shared.issue(["DNS:a.example"], name: "stapled")
        let response = TLSAuthority.shared.ocspResponse(for: "stapled")
        return TLSServerSettings(certificates: [
            TLSCertificate(chainPEM: leaf.chainPEM, keyPEM: leaf.keyPEM, ocspResponse: response)
        ]).with { $0.protocols = [.h2, .http11] }
    }()

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func aRealClientIsServed(_ version: String) throws {
        let (peer, command) = try Self.client(
            Self.stapling,
            [version, "-servername", "a.example", "-verify_hostname", "a.example", "-alpn", "http/1.1,h2", "-status"])
        #expect(peer.run { peer.session.state != .opening })
        #expect(peer.session.negotiatedProtocol == .h2)
        command.write("hello\n")
        #expect(peer.run { peer.plain.count == 6 })
        #expect(peer.plain.takeText() == "hello\n")
        peer.send("answer-of-ours\n")
        let seen = command.read(until: "answer-of-ours")
        #expect(seen.contains("OCSP Response Status: successful"))
        #expect(seen.contains("Verify return code: 0 (ok)"))
        #expect(seen.contains("ALPN protocol: h2"))
        #expect(seen.contains("Compression: NONE"))
        command.end()
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func nothingIsStapledUnasked(_ version: String) throws {
        for (settings, arguments) in [(Self.stapling, []), (TLSSample.server, ["-status"])] {
            let (peer, command) = try Self.client(settings, [version, "-servername", "a.example"] + arguments)
            #expect(peer.run { peer.session.state != .opening })
            peer.send("answer-of-ours\n")
            let seen = command.read(until: "answer-of-ours")
            #expect(!seen.contains("OCSP Response Status"))
            #expect(seen.contains("OCSP response: no response sent") == !arguments.isEmpty)
            command.end()
        }
    }

    @Test(arguments: ["-tls1", "-tls1_1"])
    func oldVersionsAreRefused(_ version: String) throws {
        let (peer, command) = try Self.client(TLSSample.server, [version, "-cipher", "ALL:@SECLEVEL=0"])
        #expect(peer.run { peer.session.state != .opening })
        #expect(peer.session.failure == .unsupportedVersion)
        command.end()
    }

    /// RFC 8446 appendix C.4: a ticket is for one connection, so each that is resumed brings the next.
    @Test func aResumedSessionBringsItsSuccessor() throws {
        let file = TLSAuthority.shared.path("session-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(atPath: file) }
        let keys = try TLSResumptionTests.keys()
        let settings = TLSSample.server.with { $0.ticketKeys = keys }
        var known: String?
        for round in 0..<3 {
            let earlier = round == 0 ? [] : ["-sess_in", file]
            let (peer, command) = try Self.client(
                settings, ["-tls1_3", "-servername", "a.example", "-sess_out", file] + earlier)
            #expect(peer.run { peer.session.state != .opening })
            #expect(peer.session.wasResumed == (round > 0))
            peer.send("answer-of-ours\n")
            _ = command.read(until: "answer-of-ours")
            command.end()
            // The program writes it for each ticket that comes.
            let session = try String(contentsOfFile: file, encoding: .utf8)
            #expect(session != known)
            known = session
        }
    }

    /// RFC 8446 section 4.6.3: each key update costs a derivation; a few are fine, a flood is not.
    @Test func keyUpdatesAreCounted() throws {
        let (peer, command) = try Self.client(TLSSample.server, ["-tls1_3", "-servername", "a.example"])
        #expect(peer.run { peer.session.state != .opening })
        for _ in 0..<20 {
            command.write("K\n")
            #expect(peer.step())
        }
        #expect(peer.session.state == .open)
        command.write("hello\n")
        #expect(peer.run { peer.plain.count == 6 })
        peer.plain.reset()
        var updates = 0
        while peer.session.state == .open && updates < 100 {
            command.write("K\n")
            #expect(peer.step())
            updates += 1
        }
        #expect(peer.session.failure == .flood)
        #expect(updates > 30 && updates < 40)
        command.end()
    }

    /// RFC 9325 section 3.5: a renegotiation that a client asks for is refused.
    @Test func renegotiationIsRefused() throws {
        let (peer, command) = try Self.client(TLSSample.server, ["-tls1_2", "-servername", "a.example"])
        #expect(peer.run { peer.session.state != .opening })
        command.write("R\n")
        #expect(peer.step())
        let seen = command.read(until: "no renegotiation")
        #expect(seen.contains("no renegotiation"))
        #expect(peer.session.state != .opening)
        #expect(peer.plain.isEmpty)
        command.end()
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func aRealServerIsCalled(_ version: String) throws {
        let files = TLSAuthority.shared
        _ = try TLSSample.leaf.inspect()
        let command = OpenSSLCommand([
            "s_server", "-accept", "127.0.0.1:0", "-cert", files.path("leaf.pem"), "-key", files.path("leaf.key"),
            version,
            "-alpn", "h2", "-Verify", "1", "-CAfile", files.path("ca.pem"), "-verify_return_error", "-rev",
        ])
        let greeting = command.read(until: "ACCEPT 127.0.0.1:")
        let rest = greeting.split(separator: "ACCEPT 127.0.0.1:").last ?? ""
        let port = try #require(UInt16(rest.prefix { $0.isNumber }))
        let settings = TLSClientSettings.trusting.with {
            $0.certificate = TLSSample.device
            $0.protocols = [.http11, .h2]
        }
        let clients = try TLSClientContext(settings)
        for isResumed in [false, true] {
            let session = try #require(clients.makeSession(serverName: "a.example"))
            let peer = TLSPeer(session, Loopback.connect(port))
            #expect(peer.run { session.state != .opening })
            #expect(session.negotiatedProtocol == .h2)
            #expect(session.wasResumed == isResumed)
            peer.send("hello\n")
            #expect(peer.run { peer.plain.count == 6 })
            #expect(peer.plain.takeText() == "olleh\n")
            peer.finish()
        }
        command.end()
    }
}
