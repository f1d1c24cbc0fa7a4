import Crypto
import Foundation
import JOSE
import Model
import TestSupport
import Testing

/// The commands that review rules, where secrets and key files of production are absent.
@Suite struct AbsentSecretTests {
    private static let metadata = """
        <md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" \
        xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="https://idp.example.com/metadata"><md:IDPSSODescriptor \
        protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><md:KeyDescriptor><ds:KeyInfo><ds:X509Data>\
        <ds:X509Certificate>KEY</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>\
        <md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" \
        Location="https://idp.example.com/sso"/></md:IDPSSODescriptor></md:EntityDescriptor>
        """

    private static let pair = #""certFile": "tls/cert.pem", "keyFile": "tls/key.pem""#
    private static let variables = ["PEER_SECRET": "0123456789abcdef", "JOE_PASSWORD": "{PlainText}x", "STAGE": "test"]

    /// Rules that need a file or a secret in each place that may change who is let in.
    private static func settings() -> FixtureSettings {
        var settings = FixtureSettings(upstream: "https://127.0.0.1:9")
        settings["listeners"] = """
            [{"name": "public", "address": "127.0.0.1", "port": 0, "tls": {"certificates": [{\(pair)}],
              "clientAuth": "optional", "clientCaFile": "tls/cert.pem"}}]
            """
        settings["admin"] = #"{"address": "127.0.0.1", "port": 0, "adminToken": "file:admin-token"}"#
        settings["upstreams"] = """
            {"stub": {"url": "https://127.0.0.1:9", "tls": {"caFile": "tls/cert.pem", \(pair)}}}
            """
        settings["store"] = #"{"kind": "redis", "url": "redis://127.0.0.1:9", "key": "file:store-key"}"#
        settings["users"] = #"[{"username": "joe", "password": "${JOE_PASSWORD}", "roles": ["Manager"]}]"#
        settings["trustedIssuers"] = """
            [{"name": "idp", "issuer": "https://idp.example.com", "audience": ["api"], "jwksFile": "idp.jwks",
              "virtualUserEnabled": true, "roleAttributes": ["roles"]},
             {"name": "chains", "issuer": "https://ca.example.com", "audience": ["api"], "virtualUserEnabled": true,
              "x5c": {"caFile": "tls/cert.pem", "names": ["dns:signer.example.com"]}},
             {"name": "opaque", "issuer": "https://op.example.com", "audience": ["api"], "virtualUserEnabled": true,
              "introspection": {"url": "https://op.example.com/", "clientId": "gw", "clientAuthentication": "tls_client_auth",
                                "tls": {\(pair)}}}]
            """
        settings["identityProviders"] = """
            [{"name": "local", "kind": "local"},
             {"name": "partner", "kind": "saml", "metadataFile": "partner.xml", "signingKeyFile": "tls/key.pem",
              "signingCertificateFile": "tls/cert.pem", "signingAlgorithm": "ES256"}]
            """
        settings["policyServers"] = """
            {"opa": {"url": "https://opa.example.com/", "tls": {"caFile": "tls/cert.pem"}, "token": "env:PEER_SECRET"}}
            """
        settings["issuers"] = """
            {"local": {"module": "embedded", "audience": "inventory"},
             "peer": {"module": "oauth2", "tokenEndpoint": "https://as.example.com/token", "clientId": "gw",
                      "clientSecret": "${PEER_SECRET}", "tls": {"caFile": "tls/cert.pem"}}}
            """
        settings.addRoutes(
            #"{"path": "/asked", "upstream": "stub", "policy": "opa", "injection": {"issuer": "peer"}}"#,
            #"{"path": "/partner", "upstream": "stub", "login": "partner"}"#,
            """
            {"path": "/stage", "upstream": "stub", "public": true,
             "requestHeaders": {"set": {"X-Stage": "${env.STAGE}"}}}
            """)
        return settings
    }

    private static func directory(_ change: (inout FixtureSettings) -> Void = { _ in }) throws -> ConfigurationDirectory
    {
        let directory = try ConfigurationDirectory()
        var settings = settings()
        change(&settings)
        try directory.write("gateway.json", settings.text)
        return directory
    }

    /// What production has.
    private static func fill(_ directory: ConfigurationDirectory) throws {
        try SecureFixture.makeCertificate("tls", "DNS:localhost", in: directory)
        let body = try directory.read("tls/cert.pem").split(separator: "\n").filter { !$0.hasPrefix("-----") }
        try directory.write("partner.xml", metadata.replacing("KEY", with: body.joined(separator: "\n")))
        let keys = KeySet(keys: [JWTSigner(key: SigningKey.generate(.es256), keyID: "a").publishedKey])
        try directory.write("idp.jwks", String(decoding: keys.jwks(), as: UTF8.self))
        try directory.write("admin-token", "an-admin-token-of-some-length")
        try directory.write("store-key", "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")
    }

    @Test("rules are decided without secrets and key files as they are with them, and what is absent is named")
    func same() throws {
        let (bare, whole) = (try Self.directory(), try Self.directory())
        try Self.fill(whole)
        let full = try CommandLine.run("access", whole.path, "--format", "json", environment: Self.variables)
        let without = try CommandLine.run("access", bare.path, "--format", "json")
        #expect(full.ending == .exit(0) && full.errors.isEmpty, "\(full.errors)")
        #expect(without.ending == .exit(0) && without.output == full.output && !full.output.isEmpty)
        let references = [
            "file:tls/cert.pem", "file:tls/key.pem", "file:idp.jwks", "file:partner.xml", "file:admin-token",
            "file:store-key", "env:PEER_SECRET", "env:STAGE", "${PEER_SECRET}", "${JOE_PASSWORD}",
        ]
        for reference in references {
            #expect(without.errors.contains("not read here: \(reference) (/"), "\(reference)")
        }
        #expect(without.errors.split(separator: "\n").count == references.count, "\(without.errors)")

        let gone = try CommandLine.run("diff", whole.path, bare.path, environment: Self.variables)
        #expect(gone.ending == .exit(0), "\(gone.output)\(gone.errors)")
        #expect(gone.output.contains("not read here: file:idp.jwks (/trustedIssuers/0/jwksFile)"), "\(gone.output)")
        #expect(gone.output.hasSuffix("no request is decided differently"))
        let programs = try CommandLine.run("diff", bare.path, bare.path, "--json")
        #expect(JSONText(programs.output)["notRead"].list.count == references.count, "\(programs.output)")
        // Keys that come with a change are one.
        let added = try CommandLine.run("diff", bare.path, whole.path, environment: Self.variables)
        #expect(added.ending == .exit(3))
        for entry in ["the trusted issuer idp", "the trusted issuer chains", "the identity provider partner"] {
            #expect(added.output.contains("UNDECIDED: \(entry) has changed"), "\(added.output)")
        }
        let replayed = try CommandLine.run("replay", "-", bare.path, input: "")
        #expect(replayed.ending == .exit(0) && replayed.errors.contains("not read here: file:idp.jwks"))
    }

    @Test("nothing but a review does without: serve, check and explain refuse")
    func refused() throws {
        let bare = try Self.directory()
        for words in [
            ["serve", "--config", bare.path], ["check", bare.path],
            ["explain", "GET", "/asked", "--config", bare.path],
        ] {
            let result = try CommandLine.run(words)
            #expect(
                result.ending == .exit(1) && result.errors.contains("/trustedIssuers/0/jwksFile"), "\(result.errors)")
        }
    }

    @Test("a malformed secret, and a setting that is no secret, stay errors")
    func malformed() throws {
        let directory = try Self.directory()
        try directory.write("idp.jwks", "{}")
        try directory.write("store-key", "short")
        let keys = try CommandLine.run("diff", directory.path, directory.path)
        #expect(
            keys.ending == .exit(3) && keys.errors.contains("error: /store/key: the key is malformed"), "\(keys.errors)"
        )
        try directory.remove("store-key")
        let set = try CommandLine.run("expect", directory.path)
        #expect(set.ending == .exit(1) && set.errors.contains("error: /trustedIssuers/0/jwksFile"), "\(set.errors)")
        let other = try Self.directory { $0["baseUrl"] = #""https://${GATEWAY_HOST}""# }
        let host = try CommandLine.run("access", other.path)
        #expect(host.errors.contains("error: /baseUrl: the environment variable GATEWAY_HOST is not set"))
        #expect(host.ending == .exit(1))
        let issuer = try Self.directory {
            $0["issuers"] = $0["issuers"]?.replacing("https://as.example.com", with: "${AS}")
        }
        let address = try CommandLine.run("access", issuer.path)
        #expect(address.errors.contains("the environment variable AS is not set") && address.ending == .exit(1))
    }

    @Test("an expectation of a value that is absent is undecided, and one that is not met fails")
    func expectations() throws {
        let directory = try Self.directory()
        func expect(_ texts: String..., format: String = "text") throws -> (ending: Program.Ending, output: String) {
            try directory.write("expectations.json", FixtureSettings.list(texts))
            // Continuous integration sets a secret that it withholds to an empty text.
            let result = try CommandLine.run(
                "expect", directory.path, "--format", format, environment: ["STAGE": "", "PEER_SECRET": ""])
            return (result.ending, result.output)
        }
        let met = #"{"request": "GET /stage", "outcome": "forwarded"}"#
        let dependent = #"{"request": "GET /stage", "identity": {"X-Stage": "test"}}"#
        let unmet = #"{"request": "GET /asked", "outcome": "forwarded"}"#
        #expect(try expect(met).ending == .exit(0))
        let undecided = try expect(met, dependent)
        #expect(undecided.ending == .exit(3) && undecided.output.contains("UNDECIDED GET /stage by anonymous"))
        #expect(undecided.output.hasSuffix("2 expectations, 0 not met, 1 undecided"), "\(undecided.output)")
        #expect(try expect(met, dependent, unmet).ending == .exit(1))
        let report = try expect(met, dependent, format: "junit").output
        #expect(
            report.contains(#"tests="2" failures="0" errors="1">"#) && report.contains("<error message="), "\(report)")
        #expect(JSONText(try expect(dependent, format: "json").output).list.first?["undecided"].bool == true)
    }

    @Test("the constant of a field is compared by its name where it is absent")
    func constants() throws {
        let directories = try ["STAGE", "STAGE", "REGION"].map { name in
            try Self.directory { $0["routes"] = $0["routes"]?.replacing("env.STAGE", with: "env.\(name)") }
        }
        let same = try CommandLine.run("diff", directories[0].path, directories[1].path)
        #expect(same.ending == .exit(0) && same.output.contains("no request is decided differently"), "\(same.output)")
        let other = try CommandLine.run("diff", directories[0].path, directories[2].path)
        #expect(
            other.output.contains("X-Stage: (not-read-here:env:STAGE) -> (not-read-here:env:REGION)"), "\(other.output)"
        )
    }

    @Test("the settings of the reference are reviewed without their files and variables")
    func everySetting() throws {
        let directory = try ConfigurationDirectory()
        let copy = try Program.run(
            "/bin/cp", ["-r", Vectors.root.path + "/Tests/Fixtures/configuration/complete/.", directory.path])
        try #require(copy.ending == .exit(0))
        // Their certificates are texts that are none.
        for name in ["keys", "certificates.json"] { try directory.remove(name) }
        let result = try CommandLine.run("access", directory.path)
        #expect(result.ending == .exit(0), "\(result.errors)")
        #expect(result.errors.contains("not read here: file:keys/partner.xml (/identityProviders/4/metadataFile)"))
    }
}
