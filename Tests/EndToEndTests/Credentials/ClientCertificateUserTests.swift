import Testing

/// Certificates of clients as credentials.
@Suite(.tags(.engine)) struct ClientCertificateUserTests {
    private let certificates: ConfigurationDirectory
    private let fixture: SecureFixture

    init() throws {
        let certificates = try ConfigurationDirectory()
        self.certificates = certificates
        try SecureFixture.makeCertificate("authority", "DNS:authority.test", in: certificates)
        func issue(_ name: String, _ subject: String, _ names: String) throws {
            try TLSClientTests.issue(
                name, by: "authority", subject: subject, alternativeNames: names, in: certificates)
        }
        try issue("billing", "/O=Example/CN=billing", "DNS:a.jobs.example.com")
        try issue("forged", "/CN=billing,O=Example", "DNS:forged.test")
        try issue("joe", "/CN=joe", "URI:spiffe://example.com/people/joe")
        try issue("unknown", "/CN=unknown", "DNS:a.jobs.example.com.evil.net")
        fixture = try SecureFixture(
            tls: """
                "clientAuth": "optional", "clientCaFile": "\(certificates.path)/authority/cert.pem", "clientUsers": [
                  {"subject": "CN=billing,O=Example", "user": "billing", "roles": ["Clerk"]},
                  {"uri": "spiffe://example.com/people/*", "user": "joe"}],
                """
        ) {
            $0.addRoutes(
                #"{"path": "/by", "upstream": "stub", "certificateLogin": true, "roles": ["Clerk", "Manager"]}"#,
                #"{"path": "/managers", "upstream": "stub", "certificateLogin": true, "roles": ["Manager"]}"#,
                #"{"path": "/closed", "upstream": "stub"}"#,
                #"{"path": "/free", "upstream": "stub", "public": true}"#)
        }
    }

    private func ask(_ path: String, as name: String?, _ arguments: String..., listener: String = "secure") throws
        -> (status: Int?, code: String?)
    {
        let own = name.map { ["--cert", "\(certificates.path)/\($0).pem", "--key", "\(certificates.path)/\($0).key"] }
        let answer = try fixture.curl((own ?? []) + arguments, path, listener: listener)
        return (answer.status, JSONText(answer.body)["code"].string)
    }

    @Test("a certificate is the credential where the route says so", arguments: ["--http1.1", "--http2"])
    func credential(_ version: String) throws {
        #expect(try ask("/by", as: "billing", version).status == 200)
        let told = try #require(fixture.upstream.requests("/by").last).head.fields
        #expect(told.contains { $0.name == "X-Gateway-User" && $0.value == "billing" })
        #expect(told.contains { $0.name == "X-Gateway-Roles" && $0.value == "Clerk" })
        #expect(try ask("/managers", as: "billing", version).status == 403)
        // An account gives its roles.
        #expect(try ask("/managers", as: "joe", version).status == 200)
        #expect(try ask("/by", as: nil, version).status == 401)
        #expect(try ask("/closed", as: "billing", version).status == 401)
        for name in ["forged", "unknown"] {
            let refused = try ask("/by", as: name, version)
            #expect(refused.status == 401 && refused.code == "unauthorized", "\(name)")
        }
        #expect(try fixture.denied("certificate_user_unknown") == 2)
        #expect(try ask("/by", as: nil, listener: "public").status == 401)
    }

    @Test("a token beside the certificate is the credential, good or bad")
    func besideToken() throws {
        let ann = "Authorization: Bearer \(try fixture.mint("ann"))"
        #expect(try ask("/by", as: "unknown", "-H", ann).status == 200)
        let told = try #require(fixture.upstream.requests("/by").last).head.fields
        #expect(told.contains { $0.name == "X-Gateway-User" && $0.value == "ann" })
        for bad in ["Bearer x", "Bearer a.b.c", "Basic eDp5", "Negotiate x"] {
            #expect(try ask("/by", as: "billing", "-H", "Authorization: \(bad)").status == 401, "\(bad)")
        }
        #expect(fixture.upstream.requests("/by").count == 1)
    }

    @Test("the certificate of a trusted proxy is not that of its clients")
    func ofProxy() throws {
        #expect(try ask("/by", as: "billing", "-H", "X-Forwarded-For: 203.0.113.9").status == 200)
        try fixture.rewrite { "{ \"trustedProxies\": [\"127.0.0.1\"]," + $0.trimmingPrefix(/\s*\{/) }
        #expect(try ask("/by", as: "billing", "-H", "X-Forwarded-For: 203.0.113.9").status == 401)
        #expect(try ask("/by", as: "billing").status == 401)
    }

    @Test("fields with certificates are no certificates, in no spelling")
    func forgedFields() throws {
        let value = #"Hash=ab;Subject="CN=billing,O=Example";URI=spiffe://example.com/people/joe"#
        let names = ["X-Forwarded-Client-Cert", "x_forwarded_client_cert", "X-Forwarded.Client_Cert", "Client-Cert"]
        for name in names {
            #expect(try ask("/by", as: nil, "-H", "\(name): \(value)").status == 401, "\(name)")
            #expect(try ask("/free", as: nil, "-H", "\(name): \(value)").status == 200, "\(name)")
        }
        let told = fixture.upstream.requests("/free").flatMap(\.head.fields).filter {
            $0.name.lowercased().contains("cert")
        }
        #expect(fixture.upstream.requests("/free").count == names.count && told.isEmpty, "\(told)")
        #expect(fixture.upstream.requests("/by").isEmpty)
    }

    @Test("a reload changes the rules of connections that are open")
    func reload() throws {
        #expect(try ask("/managers", as: "joe").status == 200)
        try fixture.rewrite { text in
            text.replacing(#""username": "joe", "#, with: #""username": "joe", "enabled": false, "#)
        }
        #expect(try ask("/managers", as: "joe").status == 401)
        #expect(try fixture.denied("unknown_subject") == 1)
        #expect(try ask("/by", as: "billing").status == 200)
    }
}
