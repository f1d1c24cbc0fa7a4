import Glibc
import Testing

/// Revocation lists of client certificates, and the effect of a reload on open connections.
@Suite(.tags(.engine)) struct ClientRevocationTests {
    private let certificates: ConfigurationDirectory
    private let fixture: SecureFixture

    init() throws {
        let certificates = try ConfigurationDirectory()
        self.certificates = certificates
        try SecureFixture.makeCertificate("authority", "DNS:authority.test", in: certificates)
        try TLSClientTests.issue("good", by: "authority", serial: "0x0A", in: certificates)
        try TLSClientTests.issue("bad", by: "authority", serial: "0x0B", in: certificates)
        try Self.revoke([], in: certificates)
        let path = certificates.path
        fixture = try SecureFixture(
            tls: """
                "clientAuth": "optional", "clientCaFile": "\(path)/authority/cert.pem",
                "clientCrlFile": "\(path)/list.pem", "clientUsers": [
                  {"commonName": "good", "user": "good", "roles": []}, {"commonName": "bad", "user": "bad", "roles": []}],
                """
        ) {
            $0.addRoutes(
                #"{"path": "/by", "upstream": "stub", "certificateLogin": true}"#,
                #"{"path": "/events", "upstream": "stub", "certificateLogin": true}"#,
                #"{"path": "/free", "upstream": "stub", "public": true}"#)
        }
    }

    /// Writes `list.pem`.
    static func revoke(_ serials: [String], _ dates: [String] = [], in directory: ConfigurationDirectory) throws {
        let path = directory.path
        let lines = serials.map { "R\t401231235959Z\t200101000000Z\t\($0)\tunknown\t/CN=x\n" }
        try directory.write("revoked.txt", lines.joined())
        try directory.write(
            "revoked.cnf",
            "[ca]\ndefault_ca = own\n[own]\ndatabase = \(path)/revoked.txt\ndefault_md = sha256\ndefault_crl_days = 1\n"
        )
        let result = try Program.run(
            "/usr/bin/openssl",
            ["ca", "-gencrl", "-config", "\(path)/revoked.cnf", "-cert", "\(path)/authority/cert.pem", "-keyfile"]
                + ["\(path)/authority/key.pem", "-out", "\(path)/list.pem"] + dates)
        try #require(result.ending == .exit(0), "\(result.errors)")
    }

    private func own(_ name: String) -> [String] {
        ["--cert", "\(certificates.path)/\(name).pem", "--key", "\(certificates.path)/\(name).key"]
    }

    private func status(_ name: String, _ path: String = "/by") throws -> Int? {
        let answer = try fixture.curl(own(name), path)
        return answer.ending == .exit(0) ? answer.status : nil
    }

    @Test("a reload takes a new list, and refuses the handshake of a revoked certificate")
    func reload() throws {
        #expect(try status("good") == 200 && status("bad") == 200)
        try Self.revoke(["0B"], in: certificates)
        try fixture.reload()
        #expect(try status("good") == 200)
        #expect(try status("bad") == nil)
        #expect(try status("bad", "/free") == nil)
        #expect(try fixture.curl([], "/free").status == 200)
        #expect(try fixture.gateway.metrics().sum("portcullis_tls_handshake_failures_total") == 2)
    }

    /// What makes a certificate count no more.
    enum Change: CaseIterable { case revocation, otherAuthority, expiredList }

    @Test("event streams of connections that are open end with the certificate", arguments: Change.allCases)
    func openConnections(_ change: Change) throws {
        let gate = Gate()
        fixture.upstream.on("/events") { _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n"), .wait(gate),
                .send("data: 2\n\n"),
            ]
        }
        let stream = try Program(
            "/usr/bin/curl",
            ["-sSN", "--max-time", "60", "--http1.1", "--cacert", fixture.file("tls/cert.pem")] + own("bad")
                + ["\(try fixture.url())/events"])
        #expect(fixture.upstream.waitForRequests(1, "/events").count == 1)
        switch change {
        case .revocation: try Self.revoke(["0B"], in: certificates)
        case .otherAuthority:
            try SecureFixture.makeCertificate("authority", "DNS:other.test", in: certificates)
            try Self.revoke([], in: certificates)
        case .expiredList:
            try Self.revoke(
                [], ["-crl_lastupdate", "20200101000000Z", "-crl_nextupdate", "20200102000000Z"], in: certificates)
        }
        try fixture.reload()
        // Whether the stream ends is seen before the upstream would end it.
        #expect(stream.waitForEnd() != .exit(0))
        gate.open()
        #expect(!stream.lines(.output).contains("data: 2"))
    }

    @Test("a list that is over refuses its certificates with a clear log, a damaged one the reload")
    func files() throws {
        try Self.revoke(
            [], ["-crl_lastupdate", "20200101000000Z", "-crl_nextupdate", "20200102000000Z"], in: certificates)
        try fixture.reload()
        #expect(try status("good") == nil)
        #expect(fixture.gateway.everythingWritten.contains("the revocation list of CN=authority has expired"))
        try certificates.write("list.pem", "-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n")
        let before = fixture.gateway.events("reload_failed").count
        fixture.gateway.program.signal(SIGHUP)
        _ = try #require(fixture.gateway.waitForEvent("reload_failed", skipping: before))
        #expect(fixture.gateway.everythingWritten.contains("revocation list 1 of the file is damaged"))
    }
}
