import Foundation
import Testing

/// Tokens that carry the certificates of their key (`x5c`): the running gateway.
@Suite struct CertifiedTokenTests {
    private static let python = ProcessInfo.processInfo.environment["PORTCULLIS_PYTHON"]
    private static let script = Vectors.root.appending(path: "Tests/Interop/certified_tokens.py").path

    private static func entry(_ members: String) -> String {
        """
        [{"name": "certified", "issuer": "https://certified.example", "audience": ["api"],
          "x5c": {"caFile": "ca.pem"\(members), "names": ["dns:signer.example"]}}]
        """
    }

    @Test(
        "PyJWT sends chains; only valid ones of the authority and for the name count", .enabled(if: python != nil),
        arguments: ["none", "lists"])
    func peer(lists: String) throws {
        let directory = try ConfigurationDirectory()
        let made = try Program.run(Self.python ?? "", [Self.script, "make", directory.path])
        try #require(made.ending == .exit(0), "\(made.errors)")
        let files = try ["ca.pem": directory.read("ca.pem"), "crl.pem": directory.read("crl.pem")]
        let fixture = try Fixture(files: files) {
            $0["trustedIssuers"] = Self.entry(lists == "lists" ? #", "crlFile": "crl.pem""# : "")
        }
        let other = try StubUpstream()
        defer { other.stop() }
        let url = "http://127.0.0.1:\(try fixture.gateway.port())"
        let result = try Program.run(
            Self.python ?? "", [Self.script, "call", url, directory.path, other.url, lists])
        #expect(result.ending == .exit(0), "\(result.output)\n\(result.errors)")
        #expect(result.output.split(separator: "\n").count == 29, "\(result.output)")
        // Nothing that a token names by URL is fetched.
        #expect(other.requests.isEmpty)
        let metrics = try fixture.gateway.metrics()
        let reasons = [
            "token_chain_untrusted": lists == "lists" ? 18.0 : 17, "token_chain_name_wrong": 2, "bad_signature": 1,
            "unsupported_algorithm": 1, "token_expired": 1, "wrong_audience": 1,
        ]
        for (reason, count) in reasons {
            #expect(metrics.sum("portcullis_denied_total", ["reason": reason]) == count, "\(reason)")
        }
        #expect(try fixture.lastRequest("/plain").only("X-Gateway-User") == "joe")
    }

    @Test("check reports authorities and lists that cannot be used")
    func files() throws {
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        settings["trustedIssuers"] = Self.entry(#", "crlFile": "crl.pem""#)
        let certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        let directory = try ConfigurationDirectory([
            "gateway.json": settings.text, "ca.pem": certificate, "crl.pem": "none",
        ])
        let checked = try CommandLine.run("check", directory.path)
        #expect(
            checked.ending == .exit(1) && checked.errors.contains("/trustedIssuers/0/x5c/caFile: certificates of the"),
            "\(checked)")
    }
}
