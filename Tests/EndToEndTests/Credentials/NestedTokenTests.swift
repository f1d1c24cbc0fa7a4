import Crypto
import Foundation
import Model
import TestSupport
import Testing

/// Tokens that are signed and then encrypted to the gateway (RFC 7516): the running gateway.
@Suite struct NestedTokenTests {
    private static let python = ProcessInfo.processInfo.environment["PORTCULLIS_PYTHON"]
    private static let script = Vectors.root.appending(path: "Tests/Interop/nested_tokens.py").path

    /// A gateway that trusts a stub, with this key for its tokens.
    private func fixture(_ issuer: StubIssuer, _ key: SigningKey, _ members: String = "") throws -> Fixture {
        let entry = issuer.entry(#""decryptionKeys": [{"keyFile": "enc.pem"}]\#(members)"#)
        let fixture = try Fixture(files: ["enc.pem": key.pem]) { $0["trustedIssuers"] = "[\(entry)]" }
        _ = try #require(fixture.gateway.waitForEvent("keys_fetched"), "\(fixture.gateway.everythingWritten)")
        return fixture
    }

    private func denied(_ fixture: Fixture, _ reason: String) throws -> Double? {
        try fixture.gateway.metrics().sum("portcullis_denied_total", ["reason": reason])
    }

    @Test("joserfc encrypts tokens in each way; attacks and mistakes get one answer", .enabled(if: python != nil))
    func peer() throws {
        let directory = try ConfigurationDirectory()
        let made = try Program.run(Self.python ?? "", [Self.script, "make", directory.path])
        try #require(made.ending == .exit(0), "\(made.errors)")
        let names = ["rsa", "p256", "p384", "x25519"]
        var files = try Dictionary(uniqueKeysWithValues: names.map { ("\($0).pem", try directory.read("\($0).pem")) })
        files["jwks.json"] = try directory.read("jwks.json")
        let fixture = try Fixture(files: files) {
            // One cache.
            $0["workers"] = "1"
            $0["trustedIssuers"] = """
                [{"name": "nested", "issuer": "https://nested.example", "audience": ["api"], "jwksFile": "jwks.json",
                  "encrypted": "required", "decryptionKeys": [
                    {"keyFile": "rsa.pem", "kid": "rsa"}, {"keyFile": "p256.pem", "kid": "p256"},
                    {"key": "file:p384.pem"}, {"keyFile": "x25519.pem"}]}]
                """
        }
        let url = "http://127.0.0.1:\(try fixture.gateway.port())"
        let result = try Program.run(Self.python ?? "", [Self.script, "call", url, directory.path])
        #expect(result.ending == .exit(0), "\(result.output)\n\(result.errors)")
        #expect(result.output.split(separator: "\n").count == 24, "\(result.output)")
        let reasons = [
            "token_undecryptable": 6.0, "token_unsigned": 2, "token_unencrypted": 1, "unsupported_algorithm": 3,
            "bad_signature": 1, "token_expired": 1, "wrong_audience": 1, "proof_required": 1,
        ]
        for (reason, count) in reasons { #expect(try denied(fixture, reason) == count, "\(reason)") }
        #expect(try fixture.lastRequest("/plain").only("X-Gateway-User") == "joe")
        let hits = try fixture.gateway.metrics().sum("portcullis_cache_hits_total", ["cache": "verified_tokens"]) ?? 0
        #expect(hits >= 7)
    }

    @Test("the keys of the signature are fetched, and the keys of the encryption change with a reload")
    func rotation() throws {
        let issuer = try StubIssuer(keys: "a")
        let (old, new) = (SigningKey.generate(.es256), SigningKey.generate(.rs256))
        let fixture = try fixture(issuer, old, #", "minReloadInterval": "1s""#)
        let sealer = TokenSealer(old, curve: .p256)
        func status(_ token: String) throws -> Int { try fixture.request("GET", "/plain", [.bearer(token)]).status }
        #expect(try status(sealer.seal(issuer.token("a"))) == 200)
        #expect(try status(issuer.token("a")) == 200)
        issuer.publish(["a", "b"])
        // A token by a key that is not known yet waits for it.
        let second = try sealer.seal(issuer.token("b"))
        let deadline = Deadline.usual
        while try status(second) != 200 { try #require(!deadline.isPast) }
        #expect(issuer.fetchCount > 1)
        let last = try TokenSealer(new).seal(issuer.token("a"))
        #expect(try status(last) == 401)
        try fixture.gateway.configuration.write("new.pem", new.pem)
        let entry = issuer.entry(#""decryptionKeys": [{"keyFile": "new.pem"}, {"keyFile": "enc.pem"}]"#)
        try fixture.reload { $0["trustedIssuers"] = "[\(entry)]" }
        #expect(try status(last) == 200)
        #expect(try status(sealer.seal(issuer.token("a"))) == 200)
        let known = try sealer.seal(issuer.token("a"))
        #expect(try status(known) == 200)
        try fixture.reload {
            $0["trustedIssuers"] = "[\(issuer.entry(#""decryptionKeys": [{"keyFile": "new.pem"}]"#))]"
        }
        #expect(try status(known) == 401)
        #expect(try status(last) == 200)
    }

    @Test("a bound token inside needs its proof, for the token that was sent")
    func bound() throws {
        let issuer = try StubIssuer(keys: "a")
        let key = SigningKey.generate(.es256)
        let fixture = try fixture(issuer, key)
        let client = ProofMaker()
        let inner = issuer.token("a", more: #", "cnf": {"jkt": "\#(client.jkt)"}"#)
        let token = try TokenSealer(key, curve: .p256).seal(inner)
        let now = Int64(Date().timeIntervalSince1970)
        func status(_ proven: String?) throws -> Int {
            let proof = proven.map {
                Field(name: "DPoP", value: client.proof("http://gw.example.com/plain", at: now, token: $0))
            }
            let sent = Field(name: "Authorization", value: "DPoP \(token)")
            return try fixture.request("GET", "/plain", [sent, "Host: gw.example.com"] + [proof].compactMap(\.self))
                .status
        }
        #expect(try status(token) == 200)
        #expect(try status(nil) == 401 && status(inner) == 401)
        #expect(try denied(fixture, "dpop_proof_missing") == 1 && denied(fixture, "dpop_token_wrong") == 1)
        #expect(try fixture.request("GET", "/plain", [.bearer(token)]).status == 401)
    }

    @Test("explain and issuer test read encrypted tokens; check reports keys that cannot decrypt")
    func commands() throws {
        let issuer = try StubIssuer(keys: "a")
        let key = SigningKey.generate(.es256)
        let fixture = try fixture(issuer, key)
        let token = try TokenSealer(key, curve: .p256).seal(issuer.token("a"))
        let path = fixture.gateway.configuration.path
        let explained = try Program.run(
            GatewayProcess.binary, ["explain", "GET", "/plain", "--config", path, "--token-file", "-"], input: token)
        #expect(explained.ending == .exit(0) && explained.output.contains("joe"), "\(explained)")
        let tested = try CommandLine.run("issuer", "test", token, "--config", path)
        #expect(tested.ending == .exit(0) && tested.output.contains("joe"), "\(tested)")
        let stranger = try TokenSealer(SigningKey.generate(.es256), curve: .p256).seal(issuer.token("a"))
        let refused = try CommandLine.run("issuer", "test", stranger, "--config", path)
        #expect(
            refused.ending != .exit(0) && refused.output.contains("FAILED token: token_undecryptable"), "\(refused)")
        try fixture.gateway.configuration.write("enc.pem", SigningKey.generate(.edDSA).pem)
        let checked = try CommandLine.run("check", path)
        #expect(
            checked.ending == .exit(1)
                && checked.errors.contains(
                    "/trustedIssuers/0/decryptionKeys/0/keyFile: the key cannot decrypt tokens: "
                        + "its type or curve is not supported"),
            "\(checked)")
    }
}
