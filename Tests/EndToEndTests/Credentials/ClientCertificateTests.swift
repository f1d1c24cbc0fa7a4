import Testing

/// Certificates of clients as attributes: what routes ask of them, and what upstreams receive.
@Suite(.tags(.engine)) struct ClientCertificateTests {
    private let certificates: ConfigurationDirectory
    private let fixture: SecureFixture

    init() throws {
        certificates = try ConfigurationDirectory()
        try SecureFixture.makeCertificate("authority", "DNS:authority.test", in: certificates)
        try TLSClientTests.issue(
            "device", by: "authority", subject: "/C=DE/O=Example, Inc./CN=device 7",
            alternativeNames: "DNS:D7.example.com,URI:spiffe://example.com/d/7,email:ops@example.com,IP:192.0.2.7",
            in: certificates)
        try TLSClientTests.issue(
            "other", by: "authority", alternativeNames: "DNS:d7.example.com.evil.net", in: certificates)
        fixture = try SecureFixture(
            tls: #""clientAuth": "optional", "clientCaFile": "\#(certificates.path)/authority/cert.pem", "#
        ) {
            $0.addRoutes(
                #"{"path": "/any", "upstream": "stub", "public": true, "clientCertificate": true}"#,
                """
                {"path": "/some", "upstream": "stub", "public": true, "forwardClientCertificate": true,
                 "clientCertificate": ["dns:*.example.com", "subject:CN=never"]}
                """,
                """
                {"path": "/both", "upstream": "stub",
                 "methods": {"GET": {"clientCertificate": ["uri:spiffe://example.com/d/*"]}, "PUT": {}}}
                """,
                #"{"path": "/told", "upstream": "stub", "public": true, "forwardClientCertificate": true}"#)
        }
    }

    private func ask(
        _ path: String, as name: String?, _ arguments: String..., listener: String = "secure"
    ) throws -> CurlAnswer {
        try fixture.curl(own(name) + arguments, path, listener: listener)
    }

    private func own(_ name: String?) -> [String] {
        guard let name else { return [] }
        return ["--cert", "\(certificates.path)/\(name).pem", "--key", "\(certificates.path)/\(name).key"]
    }

    private func code(_ answer: CurlAnswer) -> String? { JSONText(answer.body)["code"].string }

    @Test("a route accepts any certificate, or only matching ones", arguments: ["--http1.1", "--http2"])
    func requirement(_ version: String) throws {
        #expect(try ask("/any", as: "device", version).status == 200)
        #expect(try ask("/any", as: "other", version).status == 200)
        let none = try ask("/any", as: nil, version)
        #expect(none.status == 403 && code(none) == "client_certificate_required")
        #expect(try ask("/some", as: "device", version).status == 200)
        let wrong = try ask("/some", as: "other", version)
        #expect(wrong.status == 403 && code(wrong) == "client_certificate_not_allowed")
        let plain = try ask("/any", as: nil, listener: "public")
        #expect(plain.status == 403 && code(plain) == "client_certificate_required")
        #expect(fixture.upstream.requests("/some").count == 1)
        #expect(try fixture.denied("client_certificate_required") == 2)
    }

    @Test("a certificate can be required in addition to a credential, and by method")
    func besideCredential() throws {
        let joe = "Authorization: Bearer \(try fixture.mint())"
        #expect(try ask("/both", as: "device", "-H", joe).status == 200)
        #expect(try ask("/both", as: "device").status == 401)
        #expect(try ask("/both", as: nil, "-H", joe).status == 403)
        #expect(try ask("/both", as: "other", "-H", joe).status == 403)
        #expect(try ask("/both", as: nil, "-X", "PUT", "-d", "x", "-H", joe).status == 200)
    }

    @Test("the upstream gets the certificate's data, and never the client's own fields")
    func told() throws {
        let spoof = [
            "X-Gateway-Client-Subject: CN=root", "x_gateway_client_names: dns:root", "Client-Cert: :Y2VydA==:",
        ].flatMap { ["-H", $0] }
        func fields(_ path: String, _ name: String?) throws -> [String] {
            #expect(try fixture.curl(own(name) + spoof, path).status == 200)
            let request = try #require(fixture.upstream.requests(path).last)
            let fields = request.head.fields.filter { $0.name.lowercased().contains("client") }
            return fields.map { "\($0.name): \($0.value)" }
        }
        let told = try fields("/told", "device")
        try #require(told.count == 3)
        #expect(told[0] == #"X-Gateway-Client-Subject: CN=device 7,O=Example\, Inc.,C=DE"#)
        #expect(
            told[1] == "X-Gateway-Client-Names: "
                + "dns:d7.example.com,email:ops@example.com,uri:spiffe://example.com/d/7,ip:192.0.2.7")
        #expect(told[2].hasPrefix("X-Gateway-Client-Fingerprint: ") && told[2].utf8.count == 30 + 64)
        #expect(try fields("/told", nil).isEmpty)
        // A route that does not say so tells nothing.
        #expect(try fields("/any", "device").isEmpty)
    }

    @Test("a resumed session keeps its certificate")
    func resumed() throws {
        // A TLS 1.3 ticket of this connection opens the next, on which no certificate is sent.
        let session = fixture.file("session.pem")
        func openssl(_ arguments: String...) throws -> String {
            let result = try Program.run(
                "/usr/bin/openssl",
                ["s_client", "-connect", "127.0.0.1:\(fixture.gateway.port("secure"))", "-ign_eof"] + arguments,
                input: "GET /some HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            return result.output
        }
        let own = certificates.path + "/device"
        let first = try openssl("-cert", "\(own).pem", "-key", "\(own).key", "-sess_out", session)
        #expect(first.contains("HTTP/1.1 200 OK"), "\(first)")
        let second = try openssl("-sess_in", session)
        #expect(second.contains("Reused, TLSv1.3") && second.contains("HTTP/1.1 200 OK"), "\(second)")
    }
}
