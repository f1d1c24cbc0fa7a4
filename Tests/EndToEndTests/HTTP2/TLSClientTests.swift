import Foundation
import Glibc
import Testing

/// Issue B: TLS as openssl and curl see it. deploy/tls-audit asks sslyze for its opinion.
@Suite(.tags(.engine)) struct TLSClientTests {
    /// What `openssl s_client` says of a connection with one request on it.
    private func client(
        _ fixture: SecureFixture, _ arguments: String..., listener: String = "secure"
    ) throws -> (ending: Program.Ending, text: String) {
        let result = try Program.run(
            "/usr/bin/openssl",
            ["s_client", "-connect", "127.0.0.1:\(fixture.gateway.port(listener))", "-ign_eof"] + arguments,
            input: "GET /open/x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return (result.ending, result.output + "\n" + result.errors)
    }

    @Test("RFC 6066 3: the certificate matches the requested name, otherwise the first is used")
    func serverNames() throws {
        let fixture = try SecureFixture(certificates: [
            ("tls", "DNS:localhost,IP:127.0.0.1"), ("other", "DNS:other.test,DNS:*.wild.test"),
        ])
        let cases = [
            "localhost": "tls", "other.test": "other", "OTHER.test": "other", "a.wild.test": "other",
            "a.b.wild.test": "tls", "wild.test": "tls", "unknown.test": "tls",
        ]
        for (name, certificate) in cases {
            let shown = try client(fixture, "-servername", name)
            #expect(shown.text.contains("subject=CN = \(certificate)\n"), "\(name)")
            #expect(shown.text.contains("HTTP/1.1 200 OK"), "\(name)")
        }
        #expect(try client(fixture, "-noservername").text.contains("subject=CN = tls\n"))
        // RFC 9110 section 7.4: HTTP/2 takes requests for both names on one connection, as they are of one gateway.
        let answer = try fixture.curl(["--http2", "-H", "Host: other.test"], "/open/x")
        #expect(answer.status == 200, "\(answer.status) \(answer.body)")
    }

    @Test(
        "client certificates are optional or required, and must be of the configured authority",
        arguments: ["off", "optional", "required"], ["--tlsv1.3", "--tls-max 1.2"])
    func clientCertificates(_ mode: String, _ version: String) throws {
        let certificates = try ConfigurationDirectory()
        for name in ["authority", "stranger"] {
            try SecureFixture.makeCertificate(name, "DNS:\(name).test", in: certificates)
        }
        try Self.issue("friend", by: "authority", in: certificates)
        try Self.issue("enemy", by: "stranger", in: certificates)
        let authority = "\(certificates.path)/authority/cert.pem"
        let settings = mode == "off" ? "" : #""clientAuth": "\#(mode)", "clientCaFile": "\#(authority)", "#
        let fixture = try SecureFixture(tls: settings)
        func ask(_ name: String?) throws -> Int? {
            let own = name.map {
                ["--cert", "\(certificates.path)/\($0).pem", "--key", "\(certificates.path)/\($0).key"]
            }
            let answer = try fixture.curl(version.split(separator: " ").map { String($0) } + (own ?? []), "/open/x")
            return answer.ending == .exit(0) ? answer.status : nil
        }
        #expect(try ask(nil) == (mode == "required" ? nil : 200))
        #expect(try ask("friend") == 200)
        #expect(try ask("enemy") == (mode == "off" ? 200 : nil))
        let failed = try fixture.gateway.metrics().sum("portcullis_tls_handshake_failures_total")
        let refused = ["off": 0, "optional": 1, "required": 2][mode, default: 0]
        #expect(failed == Double(refused))
        #expect(fixture.upstream.requests.count == 3 - refused)
    }

    /// `NAME.pem` and `NAME.key`, issued by a certificate made before.
    static func issue(
        _ name: String, by issuer: String, subject: String? = nil, alternativeNames: String = "DNS:none.test",
        serial: String = "1", in directory: ConfigurationDirectory
    ) throws {
        let path = directory.path
        try SecureFixture.openssl(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", subject ?? "/CN=\(name)",
            "-addext", "subjectAltName=\(alternativeNames)", "-keyout", "\(path)/\(name).key", "-out",
            "\(path)/\(name).csr")
        try SecureFixture.openssl(
            "x509", "-req", "-in", "\(path)/\(name).csr", "-CA", "\(path)/\(issuer)/cert.pem", "-CAkey",
            "\(path)/\(issuer)/key.pem", "-set_serial", serial, "-days", "30", "-copy_extensions", "copyall", "-out",
            "\(path)/\(name).pem")
    }

    @Test("RFC 6066 8: an OCSP response is stapled on request")
    func stapling() throws {
        let authority = try ConfigurationDirectory()
        let path = authority.path
        try SecureFixture.makeCertificate("authority", "DNS:authority.test", in: authority)
        try Self.issue("server", by: "authority", in: authority)
        try authority.write("index.txt", "V\t401231235959Z\t\t01\tunknown\t/CN=server\n")
        try SecureFixture.openssl(
            "ocsp", "-index", "\(path)/index.txt", "-CA", "\(path)/authority/cert.pem", "-rsigner",
            "\(path)/authority/cert.pem", "-rkey", "\(path)/authority/key.pem", "-issuer",
            "\(path)/authority/cert.pem", "-cert", "\(path)/server.pem", "-ndays", "7", "-respout",
            "\(path)/response.der", "-noverify")
        let fixture = try SecureFixture {
            $0["listeners"] = SecureFixture.listeners("", ["tls"]).replacing(
                #"{"certFile": "tls/cert.pem", "keyFile": "tls/key.pem"}"#,
                with: """
                    {"certFile": "\(path)/server.pem", "keyFile": "\(path)/server.key",
                     "ocspFile": "\(path)/response.der"}
                    """, maxReplacements: 1)
        }
        let stapled = try client(fixture, "-status", "-CAfile", "\(path)/authority/cert.pem")
        #expect(stapled.text.contains("OCSP Response Status: successful"), "\(stapled.text)")
        #expect(stapled.text.contains("Cert Status: good"))
        #expect(try client(fixture, "-status", listener: "old").text.contains("OCSP response: no response sent"))
    }

    @Test("sessions are resumed by tickets on every worker and after a reload", arguments: ["-tls1_3", "-tls1_2"])
    func resumption(_ version: String) throws {
        let fixture = try SecureFixture()
        let ticket = fixture.file("session.pem")
        let first = try client(fixture, version, "-sess_out", ticket)
        #expect(first.text.contains("\nNew, TLSv1"), "\(first.text)")
        for _ in 0..<4 {
            #expect(try client(fixture, version, "-sess_in", ticket).text.contains("\nReused, TLSv1"))
        }
        #expect(try fixture.gateway.metrics().sum("portcullis_tls_resumptions_total") == 4)
        try fixture.reload()
        #expect(try client(fixture, version, "-sess_in", ticket).text.contains("\nReused, TLSv1"))
        // Where there are no tickets, there is no resumption.
        let without = try SecureFixture(tls: #""ticketRotation": "0s", "#)
        let none = without.file("session.pem")
        #expect(try client(without, version, "-sess_out", none).text.contains("HTTP/1.1 200 OK"))
        #expect(!FileManager.default.fileExists(atPath: none))
    }

    @Test(
        "SIGHUP: new connections get the new certificate; existing ones continue", arguments: ["--http1.1", "--http2"])
    func renewal(_ version: String) throws {
        let fixture = try SecureFixture()
        let gate = Gate()
        fixture.upstream.on("/open/long") { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345"), .wait(gate), .send("67890")]
        }
        let old = fixture.file("old.pem")
        try FileManager.default.copyItem(atPath: fixture.file("tls/cert.pem"), toPath: old)
        let long = try Program(
            "/usr/bin/curl", ["-sS", "--max-time", "60", version, "--cacert", old, "\(try fixture.url())/open/long"])
        #expect(fixture.upstream.waitForRequests(1, "/open/long").count == 1)
        try fixture.renewCertificate()
        try fixture.reload()
        #expect(try fixture.curl([version], "/open/x").status == 200)
        let untrusted = try fixture.curl([version, "--cacert", old], "/open/x")
        #expect(untrusted.ending == .exit(60), "\(untrusted.errors)")
        gate.open()
        #expect(long.waitForEnd() == .exit(0), "\(long.lines(.errors))")
        #expect(long.lines(.output) == ["1234567890"])
    }

    @Test("only the configured versions and ciphers are accepted")
    func versions() throws {
        let fixture = try SecureFixture()
        for version in ["-tls1", "-tls1_1"] {
            let shown = try client(fixture, version, "-cipher", "ALL:@SECLEVEL=0")
            #expect(shown.ending != .exit(0) && !shown.text.contains("HTTP/1.1 200"), "\(version)")
        }
        #expect(try client(fixture, "-tls1_2").text.contains("HTTP/1.1 200"))
        for cipher in ["AES128-SHA", "ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384", "NULL", "aNULL"] {
            let shown = try client(fixture, "-tls1_2", "-cipher", "\(cipher):@SECLEVEL=0")
            #expect(!shown.text.contains("HTTP/1.1 200"), "\(cipher)")
        }
        let strict = try SecureFixture(tls: #""minVersion": "1.3", "#)
        #expect(try client(strict, "-tls1_3").text.contains("HTTP/1.1 200"))
        #expect(try !client(strict, "-tls1_2").text.contains("HTTP/1.1 200"))
        #expect(try fixture.gateway.metrics().sum("portcullis_tls_handshake_failures_total") == 7)
    }

    @Test("a client that does not speak TLS, or is silent, is disconnected")
    func noTLS() throws {
        let fixture = try SecureFixture(tls: #""handshakeTimeout": "500ms", "#)
        let plain = try fixture.gateway.connect("secure")
        try plain.send("GET /open/x HTTP/1.1\r\nHost: localhost\r\n\r\n")
        _ = try? plain.receiveToEnd()
        #expect(plain.isClosed())
        let silent = try fixture.gateway.connect("secure")
        #expect(silent.isClosed())
        #expect(fixture.upstream.requests.isEmpty)
        #expect(try fixture.gateway.metrics().sum("portcullis_tls_handshake_failures_total") == 2)
    }
}
