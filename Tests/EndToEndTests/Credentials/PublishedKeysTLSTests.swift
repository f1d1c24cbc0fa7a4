import Foundation
import Testing

/// Keys over TLS: one gateway publishes its keys, another one believes it or does not (JWT-36, JWT-38).
@Suite(.tags(.engine)) struct PublishedKeysTLSTests {
    /// Says what became of the first fetch, and of a token: `200`, or the failure's code.
    private func outcome(
        _ idp: SecureFixture, _ members: String, host: String = "localhost"
    ) throws -> String {
        let entry = """
            {"name": "idp", "issuer": "https://idp.example", "audience": ["api"],
             "jwksUri": "\(try idp.url(host: host))/.well-known/jwks.json"\(members)}
            """
        let fixture = try Fixture { $0["trustedIssuers"] = "[\(entry)]" }
        let token = try idp.mint()
        let response = try fixture.request("GET", "/plain", [.bearer(token)])
        if response.status == 200 { return "200" }
        let event = try #require(fixture.gateway.waitForEvent("keys_failed"), "\(fixture.gateway.everythingWritten)")
        return "\(response.status) \(event["reason"].string ?? "")"
    }

    private func idp(_ tls: String = "", subject: String = "DNS:localhost,IP:127.0.0.1") throws -> SecureFixture {
        try SecureFixture(tls: tls, certificates: [("tls", subject)]) {
            $0["tokenService"] = #"{"issuer": "https://idp.example", "audience": "api"}"#
        }
    }

    private func trust(_ idp: SecureFixture) -> String { #", "trustFile": "\#(idp.file("tls/cert.pem"))""# }

    @Test("JWT-38: the issuer's certificate must be trusted and valid for its host")
    func certificatesAreChecked() throws {
        let known = try idp()
        #expect(try outcome(known, "") == "503 keys_tls")
        #expect(try outcome(known, trust(known)) == "200")
        #expect(try outcome(known, trust(known), host: "127.0.0.1") == "200")
        let foreign = try idp(subject: "DNS:other.example")
        #expect(try outcome(foreign, trust(foreign)) == "503 keys_tls")
        // The authority of another.
        #expect(try outcome(known, trust(foreign)) == "503 keys_tls")
    }

    @Test("JWT-36: only the configured TLS versions are used")
    func versionsAreThoseOfTheConfiguration() throws {
        let modern = try idp(#""minVersion": "1.3", "#)
        #expect(try outcome(modern, trust(modern) + #", "tlsVersions": ["TLSv1.3"]"#) == "200")
        #expect(try outcome(modern, trust(modern) + #", "tlsVersions": ["TLS"]"#) == "200")
        #expect(try outcome(modern, trust(modern) + #", "tlsVersions": ["TLSv1.1", "TLSv1.2"]"#) == "503 keys_tls")
        #expect(try outcome(modern, trust(modern) + #", "tlsVersions": ["SSLv3"]"#) == "503 tls_versions")
        let either = try idp()
        #expect(try outcome(either, trust(either) + #", "tlsVersions": ["TLSv1.1", "TLSv1.2"]"#) == "200")
        #expect(try outcome(either, trust(either) + #", "tlsVersions": ["TLSv1.1"]"#) == "503 tls_versions")
    }
}
