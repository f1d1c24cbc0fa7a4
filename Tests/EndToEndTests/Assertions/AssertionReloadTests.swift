import Foundation
import Testing

/// Policy and certificates that change while the gateway runs (JWT-03 to JWT-08).
@Suite struct AssertionReloadTests {
    private static let idp = Result { try OutsideIssuer() }
    private let idp: OutsideIssuer

    init() throws { idp = try Self.idp.get() }

    /// Unknown issuers and missing certificates are looked for at once.
    private static let atOnce = #""policyMinReloadInterval": 0, "certificatesMinReloadInterval": 0"#

    private func failures(_ fixture: Fixture, _ source: String) throws -> Double? {
        try fixture.gateway.metrics().sum("portcullis_assertion_reload_failures_total", ["source": source])
    }

    @Test("JWT-04, JWT-08: a changed policy is read on demand; an unreadable one is not used")
    func policy() throws {
        let fixture = try Fixture(exchanging: OutsideIssuer.configuration(more: Self.atOnce), idp)
        let files = fixture.gateway.configuration
        #expect(try fixture.exchange(idp.token()).status == 400)
        let good = OutsideIssuer.policies(OutsideIssuer.configuration(OutsideIssuer.entry(), more: Self.atOnce))
        try files.write("policies.json", good)
        #expect(try fixture.exchange(idp.token()).status == 200)
        // What cannot be read leaves the last good one in force. An unknown issuer makes the gateway read.
        try files.write("policies.json", "{")
        #expect(try fixture.exchange(idp.token(issuer: "https://new.example.com")).status == 400)
        #expect(try failures(fixture, "policy") == 1)
        #expect(fixture.gateway.waitForEvent("assertion_reload_failed") != nil)
        #expect(try fixture.exchange(idp.token()).status == 200)
        // POL-02: neither does a policy that is wrong.
        try files.write("policies.json", #"{"Security_TokenExchangeTimeoutSecs": "6h"}"#)
        #expect(try fixture.exchange(idp.token(issuer: "https://new.example.com")).status == 400)
        #expect(try failures(fixture, "policy") == 2)
        // JWT-03: JSON without issuers is a policy by which no token is good, until it is mended.
        try files.write("policies.json", OutsideIssuer.policies(#"{"policyMinReloadInterval": 0}"#))
        #expect(try fixture.exchange(idp.token(issuer: "https://new.example.com")).status == 400)
        #expect(try fixture.exchange(idp.token()).status == 400)
        try files.write(
            "policies.json", good.replacing("{\"Sec", with: "{\"Security_TokenExchangeTimeoutSecs\": 7200, \"Sec"))
        let response = try fixture.exchange(idp.token())
        #expect(response.status == 200 && response.text.contains(#""expires_in":7200"#))
    }

    @Test("JWT-06, SAML-08: changed certificates are read on demand; damaged ones are skipped")
    func certificates() throws {
        let fixture = try Fixture(
            files: [
                "policies.json": OutsideIssuer.policies(
                    OutsideIssuer.configuration(OutsideIssuer.entry(), more: Self.atOnce))
            ])
        let files = fixture.gateway.configuration
        #expect(try fixture.exchange(idp.token()).status == 400)
        try files.write("certificates.json", "[")
        #expect(try fixture.exchange(idp.token()).status == 400)
        #expect(try failures(fixture, "certificates") == 1)
        // One that is damaged does not keep the others out.
        let damaged = #"[{"alias": "x", "pem": "-----BEGIN CERTIFICATE-----\nAA"}, "#
        try files.write("certificates.json", damaged + idp.store.dropFirst())
        #expect(try fixture.exchange(idp.token()).status == 200)
    }

    @Test("JWT-03: the gateway starts without valid issuers, and `check` fails")
    func missingIssuers() throws {
        let fixture = try Fixture(exchanging: #"{"policyMinReloadInterval": 0}"#, idp)
        #expect(try fixture.exchange(idp.token()).status == 400)
        let path = fixture.gateway.configuration.path
        let check = try Program.run(GatewayProcess.binary, ["check", path])
        #expect(check.ending == .exit(1))
        #expect(check.errors.contains("error: /policies/Security_AuthTokenConfiguration: required member \"issuers\""))
        try fixture.gateway.configuration.write(
            "policies.json", OutsideIssuer.policies(OutsideIssuer.configuration(OutsideIssuer.entry())))
        #expect(try fixture.exchange(idp.token()).status == 200)
    }
}
