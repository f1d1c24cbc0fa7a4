import Foundation
import Testing

/// Certificates of clients through real proxies.
@Suite struct ForwardedCertificatePeerTests {
    /// Envoy with TLS in front of the gateway.
    private static func envoy(_ fixture: ForwardedCertificateFixture, _ details: String) throws -> EnvoyProxy {
        try EnvoyProxy(
            """
            static_resources:
              listeners:
              - address: { socket_address: { address: 127.0.0.1, port_value: 8000 } }
                filter_chains:
                - transport_socket:
                    name: tls
                    typed_config:
                      "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext
                      common_tls_context:
                        tls_certificates:
                        - certificate_chain: { filename: \(fixture.gateway.file("tls/cert.pem")) }
                          private_key: { filename: \(fixture.gateway.file("tls/key.pem")) }
                        validation_context:
                          trusted_ca: { filename: \(fixture.file("authority/cert.pem")) }
                          trust_chain_verification: ACCEPT_UNTRUSTED
                  filters:
                  - name: http
                    typed_config:
                      "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
                      stat_prefix: http
                      forward_client_cert_details: \(details)
                      set_current_client_cert_details: { subject: true, cert: true, chain: true, dns: true, uri: true }
                      http_filters:
                      - name: router
                        typed_config: { "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router }
                      route_config:
                        virtual_hosts:
                        - { name: all, domains: ["*"], routes: [{ match: { prefix: / }, route: { cluster: gateway } }] }
              clusters:
              - name: gateway
                type: STATIC
                load_assignment:
                  cluster_name: gateway
                  endpoints:
                  - lb_endpoints:
                    - endpoint: { address: { socket_address: { address: 127.0.0.1, port_value: \(fixture.gateway.gateway.port("public")) } } }
            """)
    }

    private func status(
        _ fixture: ForwardedCertificateFixture, _ port: UInt16, _ path: String, as name: String?, _ fields: String...
    ) throws -> Int? {
        let own = name.map { fixture.own($0) } ?? []
        let result = try Program.run(
            "/usr/bin/curl",
            ["-sS", "-i", "--max-time", "30", "--cacert", fixture.gateway.file("tls/cert.pem")] + own
                + fields.flatMap { ["-H", $0] } + ["https://localhost:\(port)\(path)"])
        return CurlAnswer(result.ending, result.output, result.errors).status
    }

    @Test(
        "Envoy tells the certificate, and what a client adds does not count", .enabled(if: EnvoyProxy.isThere),
        arguments: ["SANITIZE_SET", "APPEND_FORWARD"])
    func envoy(_ details: String) throws {
        let fixture = try ForwardedCertificateFixture()
        let envoy = try Self.envoy(fixture, details)
        let forged = "X-Forwarded-Client-Cert: Cert=\"\(try fixture.escaped("billing"))\""
        #expect(try status(fixture, envoy.port, "/by", as: "billing") == 200)
        #expect(try fixture.told("/by").isEmpty && fixture.user("/by") == "billing")
        #expect(try status(fixture, envoy.port, "/by", as: "nobody") == 401)
        // Envoy takes it, the gateway does not.
        #expect(try status(fixture, envoy.port, "/by", as: "forged") == 403)
        #expect(try status(fixture, envoy.port, "/by", as: nil, forged) == 401)
        let added = try status(fixture, envoy.port, "/by", as: "nobody", forged)
        #expect(added == (details == "SANITIZE_SET" ? 401 : 400))
        #expect(fixture.gateway.upstream.requests("/by").count == 1)
    }

    @Test("nginx tells the certificate, whether it has verified it or not", .enabled(if: NginxProxy.isThere))
    func nginx() throws {
        let fixture = try ForwardedCertificateFixture("x-ssl-client-cert")
        let socket = try TCPSocket.listen()
        let nginx = try NginxProxy(
            """
            server {
                listen LISTEN ssl;
                ssl_certificate \(fixture.gateway.file("tls/cert.pem"));
                ssl_certificate_key \(fixture.gateway.file("tls/key.pem"));
                ssl_verify_client optional_no_ca;
                location / {
                    proxy_pass http://127.0.0.1:\(fixture.gateway.gateway.port("public"));
                    proxy_set_header X-SSL-Client-Cert $ssl_client_escaped_cert;
                }
            }
            """, on: socket)
        let forged = "X-SSL-Client-Cert: \(try fixture.escaped("billing"))"
        #expect(try status(fixture, nginx.port, "/by", as: "billing") == 200)
        #expect(try fixture.told("/by").isEmpty && fixture.user("/by") == "billing")
        #expect(try status(fixture, nginx.port, "/by", as: "nobody", forged) == 401)
        #expect(try status(fixture, nginx.port, "/by", as: "forged") == 403)
        #expect(try status(fixture, nginx.port, "/by", as: nil, forged) == 401)
        #expect(try status(fixture, nginx.port, "/any", as: "nobody") == 200)
        #expect(fixture.gateway.upstream.requests("/by").count == 1)
    }

    @Test("a proxy that asks for decisions tells the certificate, and its own logs no user in")
    func decisions() throws {
        let fixture = try ForwardedCertificateFixture {
            $0["listeners"] = $0["listeners"]?.replacing(
                #""http2": true,"#,
                with: #""forwardAuth": {"path": "/_auth", "trustedProxies": ["127.0.0.1"]}, "#)
        }
        func ask(_ path: String, _ fields: [String]) throws -> (status: Int, code: String?) {
            let lines = ForwardAuthFixture.description("GET", path).map { "\($0.name): \($0.value)" }
            return try fixture.ask("/_auth", lines + fields)
        }
        let field = "X-Forwarded-Client-Cert: Cert=\"\(try fixture.escaped("billing"))\""
        #expect(try ask("/by", [field]).status == 200)
        #expect(try ask("/by", []).status == 401)
        #expect(try ask("/by", ["X-Forwarded-Client-Cert: Cert=\"\(fixture.escaped("forged"))\""]).status == 403)
        #expect(try ask("/by", [field, field]).status == 400)
        #expect(try ask("/by", ["X_Forwarded_Client_Cert: \(field)"]).status != 200)
    }

    @Test("a certificate that a proxy tells with its question proves nothing for a token that is bound to it")
    func boundTokens() throws {
        let fixture = try ForwardedCertificateFixture(trusted: "127.0.0.9") {
            $0["listeners"] = $0["listeners"]?.replacing(
                #""http2": true,"#,
                with: #""forwardAuth": {"path": "/_auth", "trustedProxies": ["127.0.0.1"]}, "#)
            $0["backends"] = FixtureSettings.backends.replacing(
                #""enableSso": true"#, with: #""tlsClientCertificateBoundAccessTokens": true"#)
            $0.addRoutes(#"{"path": "/both", "upstream": "stub", "certificateLogin": true}"#)
        }
        let granted = try fixture.gateway.curl(
            fixture.own("billing") + [
                "-u", "inv-client:inv-secret", "-d", "grant_type=password&username=joe&password=Welcome1",
            ], "/oauth2/token")
        let token = try #require(JSONText(granted.body)["access_token"].string, "\(granted.body)")
        let bearer = "Authorization: Bearer \(token)"
        #expect(try fixture.gateway.curl(fixture.own("billing") + ["-H", bearer], "/both").status == 200)
        let question = ForwardAuthFixture.description("GET", "/both").map { "\($0.name): \($0.value)" }
        let field = "X-Forwarded-Client-Cert: Cert=\"\(try fixture.escaped("billing"))\""
        #expect(try fixture.ask("/_auth", question + [field, bearer]).status == 401)
        #expect(try fixture.gateway.denied("token_certificate_wrong") == 1)
    }
}
