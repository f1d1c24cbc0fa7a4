import Foundation
import Testing

/// `portcullis issuer`, `portcullis policy flatten|pretty`, and what `check` says of issuers (JWT-02, JWT-19, JWT-41).
@Suite struct IssuerCommandTests {
    private static let idp = Result { try OutsideIssuer() }
    private let idp: OutsideIssuer

    init() throws { idp = try Self.idp.get() }

    private func directory(_ configuration: String) throws -> ConfigurationDirectory {
        try ConfigurationDirectory([
            "gateway.json": FixtureSettings(upstream: "http://127.0.0.1:9").text,
            "policies.json": OutsideIssuer.policies(configuration), "certificates.json": idp.store,
        ])
    }

    private func run(_ arguments: String..., input: String? = nil) throws -> (Program.Ending, String, String) {
        let result = try Program.run(GatewayProcess.binary, arguments, input: input)
        return (result.ending, result.output, result.errors)
    }

    @Test("JWT-41: issuer test names the failed filter and reports all later checks")
    func test() throws {
        let filters =
            #""filters": [{"name": "dept", "values": ["sales"]}, {"name": "c", "type": "exclude", "values": ["DE"]}]"#
        let directory = try directory(
            OutsideIssuer.configuration(OutsideIssuer.entry(#"\#(filters), "roleAttributes": ["roles"]"#)))
        let bad = try idp.token(#""dept": "sales", "c": "DE", "roles": "Auditor""#)
        let (ending, output, _) = try run("issuer", "test", bad, "--config", directory.path)
        #expect(ending == .exit(1))
        let lines = output.split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("FAILED") }.count == 1)
        #expect(lines.contains { $0.hasPrefix("FAILED filter 2: assertion_filter_not_satisfied") })
        for step in ["issuer", "signature", "time", "audience", "filter 1", "username", "client id check", "mapping"] {
            #expect(lines.contains { $0.hasPrefix("ok     \(step): ") }, "\(step)")
        }
        #expect(lines.contains("ok     roles: Manager, Auditor"))
        let good = try idp.token(#""dept": "sales""#)
        let piped = try run(
            "issuer", "test", "-", "--config", directory.path, "--client", "inventory/1.0", input: good + "\n")
        #expect(piped.0 == .exit(0), "\(piped)")
        #expect(try run("issuer", "test", try idp.token(issuer: "x"), "--config", directory.path).0 == .exit(1))
        #expect(try run("issuer", "test", "no.token", "--config", directory.path).1.contains("assertion_malformed"))
        #expect(try run("issuer").0 == .exit(2))
    }

    @Test("issuer test accepts keys from a file")
    func keysFromAFile() throws {
        let entry = #"{"issuerName": "https://idp.example.com", "jwks": {"jwksUri": "https://idp.example.com/keys"}}"#
        let directory = try directory(OutsideIssuer.configuration(entry))
        try directory.write("keys.txt", idp.keySet)
        let result = try run(
            "issuer", "test", try idp.token(), "--config", directory.path, "--jwks", directory.path + "/keys.txt")
        #expect(result.0 == .exit(0), "\(result)")
    }

    @Test("issuer test verifies tokens of trusted issuers")
    func trusted() throws {
        let directory = try ConfigurationDirectory([
            "gateway.json": FixtureSettings(upstream: "http://127.0.0.1:9").text, "keys.json": idp.keySet,
            "trustedIssuers.json": #"""
            [{"name": "idp", "issuer": "https://idp.example.com", "audience": ["api"], "jwksFile": "keys.json",
              "roleAttributes": ["roles"]}]
            """#,
        ])
        let (ending, output, errors) = try run(
            "issuer", "test", try idp.token(#""aud": "api", "roles": ["Clerk"]"#), "--config", directory.path)
        #expect(ending == .exit(0), "\(output) \(errors)")
        #expect(output.contains(#"ok     issuer: "idp" of trustedIssuers.json"#))
        #expect(output.contains("ok     token: joe, user by bearer, issuer idp"), "\(output)")
        for (members, reason) in [(#""aud": "other""#, "audience"), (#""aud": "api", "exp": 1000"#, "expired")] {
            let refused = try run("issuer", "test", try idp.token(members), "--config", directory.path)
            #expect(refused.0 == .exit(1) && refused.1.contains("FAILED token: "), "\(refused)")
            #expect(refused.1.contains(reason), "\(refused)")
        }
        let unknown = try run("issuer", "test", try idp.token(issuer: "https://x"), "--config", directory.path)
        #expect(unknown.0 == .exit(1) && unknown.1.contains("no issuer of the name"), "\(unknown)")
        let slash = try run(
            "issuer", "test", try idp.token(issuer: "https://idp.example.com/"), "--config", directory.path)
        #expect(slash.1.contains(#"did you mean "https://idp.example.com"?"#), "\(slash)")
        #expect(try run("issuer", "list", "--config", directory.path).1.contains("https://idp.example.com  trusted"))
    }

    @Test(
        "issuer test says what is no token",
        arguments: [
            ("", 2, "the token is empty; is its variable set?"), (" ", 2, "the token is empty"),
            ("Bearer abc", 2, #"the token begins after "Bearer""#),
            ("abc", 1, "neither a JWT, which has two full stops, nor a packed SAML assertion"),
            ("a.b", 1, "no JWT"), ("a.b.c", 1, "no JWT"), ("abc.def.", 1, "no JWT"),
        ] as [(String, Int32, String)])
    func noToken(_ text: String, _ status: Int32, _ words: String) throws {
        let directory = try ConfigurationDirectory([
            "gateway.json": FixtureSettings(upstream: "http://127.0.0.1:9").text
        ])
        let result = try run("issuer", "test", text, "--config", directory.path)
        #expect(result.0 == .exit(status) && (result.1 + result.2).contains(words), "\(result)")
    }

    @Test("JWT-19, AMB-03: check reports the location of an issuer's error")
    func checkNamesThePlace() throws {
        let directory = try directory(
            OutsideIssuer.configuration(
                OutsideIssuer.entry(#""jwks": {"jwksUri": "https://a/keys"}"#), #"{"issuerName": "b"}"#,
                OutsideIssuer.entry(name: "c")))
        let check = try run("check", directory.path)
        #expect(check.0 == .exit(0), "\(check)")
        let place = "policies.json:1: warning: /policies/Security_AuthTokenConfiguration/issuers"
        #expect(check.2.contains("\(place)/0/certificateSubjectNames: the issuer has \"jwks\" as well"))
        #expect(check.2.contains("\(place)/1: the issuer has no keys"))
        let list = try run("issuer", "list", "--config", directory.path)
        #expect(
            list.1.split(separator: "\n").map { $0.split(separator: " ").prefix(2).joined(separator: " ") } == [
                "https://idp.example.com invalid", "b invalid", "c enabled",
            ])
    }

    @Test("JWT-03: check refuses two entries for one issuer")
    func duplicateIssuer() throws {
        let directory = try directory(OutsideIssuer.configuration(OutsideIssuer.entry(), OutsideIssuer.entry()))
        let check = try run("check", directory.path)
        #expect(check.0 == .exit(1))
        #expect(check.2.contains("/issuers/1/issuerName: issuer 0 has this \"issuerName\" already"))
    }

    @Test("JWT-02: policy flatten and pretty restore the same bytes")
    func layout() throws {
        let sample = Vectors.root.appending(path: "config/examples/username.json").path
        let (ending, line, _) = try run("policy", "flatten", sample)
        #expect(ending == .exit(0) && !line.contains("\n") && line.contains("unique_name"))
        let pretty = try run("policy", "pretty", "-", input: line)
        #expect(pretty.1 + "\n" == Vectors.text("config/examples/username.json"))
        #expect(try run("policy", "flatten", "-", input: "{").0 == .exit(1))
    }
}
