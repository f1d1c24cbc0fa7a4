import Foundation
import Testing

/// Certificates of clients in fields of trusted proxies, and such fields for upstreams.
@Suite(.tags(.engine)) struct ForwardedCertificateTests {
    @Test("the certificate in the field is the client's", arguments: ["xfcc", "x-ssl-client-cert", "client-cert"])
    func login(_ format: String) throws {
        let fixture = try ForwardedCertificateFixture(format)
        func field(_ name: String) throws -> String {
            switch format {
            case "xfcc": "X-Forwarded-Client-Cert: By=x;Cert=\"\(try fixture.escaped(name))\";Subject=\"CN=root\""
            case "client-cert": "Client-Cert: :\(try fixture.base64(name)):"
            default: "X-SSL-Client-Cert: \(try fixture.escaped(name))"
            }
        }
        for version in ["--http1.1", "--http2-prior-knowledge"] {
            #expect(try fixture.ask("/by", [field("billing")], [version]).status == 200)
            #expect(fixture.user("/by") == "billing")
            #expect(try fixture.told("/by").isEmpty)
            // A second time from memory.
            #expect(try fixture.ask("/by", [field("billing")], [version]).status == 200)
            #expect(try fixture.ask("/any", [field("nobody")], [version]).status == 200)
            #expect(try fixture.ask("/by", [field("nobody")], [version]) == (401, "unauthorized"))
            #expect(try fixture.ask("/by", [field("forged")], [version]) == (403, "client_certificate_invalid"))
            #expect(try fixture.ask("/any", [], [version]) == (403, "client_certificate_required"))
            #expect(try fixture.ask("/by", [], [version]).status == 401)
            // Where certificates do not matter, they are not looked at, and do not pass.
            #expect(try fixture.ask("/free", [field("forged")], [version]).status == 200)
            #expect(try fixture.told("/free").isEmpty)
        }
        #expect(try fixture.gateway.denied("client_certificate_invalid") == 2)
        // The certificate of the proxy's own connection is not its clients'.
        #expect(try fixture.ask("/any", [], listener: "secure", fixture.own("billing")).status == 403)
        #expect(try fixture.ask("/by", [field("billing")], listener: "secure", fixture.own("nobody")).status == 200)
    }

    @Test("what only resembles the field does not count")
    func attacks() throws {
        let fixture = try ForwardedCertificateFixture()
        let cert = "Cert=\"\(try fixture.escaped("billing"))\""
        let name = "X-Forwarded-Client-Cert"
        for lines in [
            [#"\#(name): Subject="CN=billing,O=Example""#], ["\(name): Hash=ab;Subject=\"CN=billing,O=Example\""],
            ["\(name): \(cert)", "\(name): \(cert)"], ["\(name): \(cert),\(cert)"], ["\(name): \(cert);\(cert)"],
            ["\(name): Hash=abcd;\(cert)"], ["\(name): \(cert);Chain=\"\(try fixture.escaped("nobody"))\""],
            ["\(name): \(cert.dropLast())"], ["\(name): Cert=\"%41\""],
        ] {
            let refused = try fixture.ask("/by", lines)
            #expect(refused == (400, "client_certificate_malformed"), "\(lines)")
            #expect(try fixture.ask("/any", lines).status == 400)
        }
        // Other spellings and forms are no certificate, and come no further.
        for other in ["X_Forwarded_Client_Cert", "X-Forwarded.Client-Cert", "XForwardedClientCert"] {
            #expect(try fixture.ask("/by", ["\(other): \(cert)"]).status == 401, "\(other)")
            #expect(try fixture.ask("/free", ["\(other): \(cert)"]).status == 200)
            #expect(try fixture.told("/free").isEmpty)
        }
        #expect(try fixture.ask("/by", ["Client-Cert: :\(fixture.base64("billing")):"]).status == 401)
        #expect(fixture.gateway.upstream.requests("/by").isEmpty)
        // A bad certificate is not made up for by a token.
        let token = "Authorization: Bearer \(try fixture.gateway.mint("ann"))"
        #expect(try fixture.ask("/by", [token, "\(name): Cert=\"\(fixture.escaped("forged"))\""]).status == 403)
        #expect(try fixture.ask("/by", [token]).status == 200)
        #expect(try fixture.ask("/by", [token, "\(name): \(cert)"]).status == 200)
        #expect(fixture.user("/by") == "ann")
    }

    @Test("peers that are not trusted tell nothing, and show certificates of their own")
    func untrusted() throws {
        let fixture = try ForwardedCertificateFixture(trusted: "10.0.0.1")
        let field = "X-Forwarded-Client-Cert: Cert=\"\(try fixture.escaped("billing"))\""
        #expect(try fixture.ask("/by", [field]).status == 401)
        #expect(try fixture.ask("/any", [field]) == (403, "client_certificate_required"))
        #expect(try fixture.ask("/any", [field, "X-Forwarded-For: 10.0.0.1"]).status == 403)
        #expect(try fixture.ask("/any", [field], listener: "secure", fixture.own("nobody")).status == 200)
        #expect(try fixture.ask("/free", [field]).status == 200 && fixture.told("/free").isEmpty)
    }

    @Test("several proxies add an element each, and the first is about the client")
    func hops() throws {
        let fixture = try ForwardedCertificateFixture(more: #""hops": 2,"#)
        let (client, proxy) = try ("Cert=\(fixture.escaped("billing"))", "Cert=\(fixture.escaped("nobody"))")
        let name = "X-Forwarded-Client-Cert"
        #expect(try fixture.ask("/by", ["\(name): \(client),\(proxy)"]).status == 200)
        #expect(try fixture.ask("/by", ["\(name): \(proxy)"]).status == 401)
        #expect(try fixture.ask("/by", ["\(name): \(client)"]).status == 401)
        #expect(try fixture.ask("/by", ["\(name): \(client),\(client),\(proxy)"]).status == 400)
    }

    @Test("a revoked certificate is refused from the reload on, and its event streams end")
    func revocation() throws {
        let fixture = try ForwardedCertificateFixture()
        try ClientRevocationTests.revoke([], in: fixture.certificates)
        try fixture.gateway.rewrite {
            $0.replacing(#""caFile":"#, with: "\"crlFile\": \"\(fixture.file("list.pem"))\", \"caFile\":")
        }
        let field = "X-Forwarded-Client-Cert: Cert=\"\(try fixture.escaped("billing"))\""
        #expect(try fixture.ask("/by", [field]).status == 200)
        let gate = Gate()
        fixture.gateway.upstream.on("/by") { _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n"), .wait(gate),
                .send("data: 2\n\n"),
            ]
        }
        let stream = try Program(
            "/usr/bin/curl",
            ["-sSN", "--max-time", "60", "-H", field, "\(try fixture.gateway.url("public"))/by"])
        #expect(fixture.gateway.upstream.waitForRequests(2, "/by").count == 2)
        try ClientRevocationTests.revoke(["0A"], in: fixture.certificates)
        try fixture.gateway.reload()
        #expect(stream.waitForEnd() != .exit(0))
        gate.open()
        #expect(!stream.lines(.output).contains("data: 2"))
        #expect(try fixture.ask("/by", [field]) == (403, "client_certificate_revoked"))
    }

    @Test("an upstream gets the verified certificate, in the form of Envoy or of RFC 9440", arguments: [true, false])
    func forwarded(_ isTold: Bool) throws {
        let fixture = try ForwardedCertificateFixture(trusted: isTold ? "127.0.0.1" : "10.0.0.1")
        let forged = "X-Forwarded-Client-Cert: Cert=\"\(try fixture.escaped(isTold ? "billing" : "forged"))\""
        let lines = [forged, "Client-Cert: :AAAA:", "X_Forwarded_Client_Cert: x"]
        let own = isTold ? [] : fixture.own("billing")
        #expect(try fixture.ask("/xfcc", lines, listener: "secure", own).status == 200)
        let told = try fixture.told("/xfcc")
        let value = try #require(told.first)
        #expect(told.count == 1 && value.hasPrefix("X-Forwarded-Client-Cert: Hash="))
        #expect(
            value.hasSuffix(
                #";Subject="CN=billing,O=Example";URI="spiffe://example.com/billing";DNS="a.example""#))
        // Another gateway of this kind believes it.
        let next = try #require(value.firstMatch(of: /Cert="([^"]+)"/)?.1)
        #expect(next.removingPercentEncoding == (try fixture.pem("billing")))
        let other = try ForwardedCertificateFixture()
        try other.gateway.rewrite { $0.replacing(other.file("authority"), with: fixture.file("authority")) }
        #expect(try other.ask("/by", [value]).status == 200)
        #expect(try fixture.ask("/standard", lines, listener: "secure", own).status == 200)
        #expect(try fixture.told("/standard") == ["Client-Cert: :\(fixture.base64("billing")):"])
        #expect(try fixture.ask("/standard", ["Client-Cert: :AAAA:"], listener: "secure").status == 200)
        #expect(try fixture.told("/standard").isEmpty)
    }
}
