import Foundation
import Testing

/// What `portcullis check` says of SAML providers beyond what is in the file itself (SSO-07).
@Suite struct SAMLCheckTests {
    private static let base = """
        <md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" \
        xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="https://idp.example.com/metadata"><md:IDPSSODescriptor \
        protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">KEYS\
        <md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" \
        Location="https://idp.example.com/sso"/></md:IDPSSODescriptor></md:EntityDescriptor>
        """

    /// A directory with a provider, two keys with their certificates, and metadata with the first one.
    private func check(
        _ members: String, metadata: (String) -> String = { $0 }, certificates: String = "[]"
    ) throws -> (ending: Program.Ending, text: String) {
        let directory = try ConfigurationDirectory()
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        settings["identityProviders"] = """
            [{"name": "local", "kind": "local"}, {"name": "idp", "kind": "saml", \(members)}]
            """
        settings["certificates"] = certificates
        for name in ["one", "other"] {
            _ = try Program.run(
                "/usr/bin/openssl",
                [
                    "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/O=Example/CN=\(name)",
                    "-keyout", "\(directory.path)/\(name).key", "-out", "\(directory.path)/\(name).pem",
                ])
        }
        let pem = try String(contentsOfFile: "\(directory.path)/one.pem", encoding: .utf8)
        let body = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined(separator: "\n")
        let key = """
            <md:KeyDescriptor><ds:KeyInfo><ds:X509Data><ds:X509Certificate>\(body)</ds:X509Certificate></ds:X509Data>\
            </ds:KeyInfo></md:KeyDescriptor>
            """
        try directory.write("idp.xml", metadata(Self.base.replacing("KEYS", with: key)))
        try directory.write("gateway.json", settings.text)
        let result = try CommandLine.run("check", directory.path)
        return (result.ending, result.output + result.errors)
    }

    private static let explicit =
        #""entityId": "https://idp.example.com/metadata", "singleSignOnUrl": "https://idp.example.com/sso""#

    @Test("valid providers are accepted: by metadata, and by file with signed requests")
    func good() throws {
        let byMetadata = try check(#""metadataFile": "idp.xml""#)
        #expect(byMetadata.ending == .exit(0), "\(byMetadata.text)")
        let byFile = try check(
            Self.explicit
                + #", "certificateFile": "one.pem", "signingKeyFile": "other.key", "signingCertificateFile": "other.pem""#
        )
        #expect(byFile.ending == .exit(0), "\(byFile.text)")
    }

    @Test("unusable metadata is refused")
    func metadata() throws {
        let cases: [(members: String, change: (String) -> String, said: String)] = [
            (#""metadataFile": "idp.xml""#, { _ in "<a/>" }, "this is no SAML metadata"),
            (#""metadataFile": "idp.xml", "entityId": "x""#, { $0 }, "no identity provider of this entity id"),
            (
                #""metadataFile": "idp.xml""#, { $0.replacing("HTTP-Redirect", with: "HTTP-POST") },
                "names no single sign-on service for redirects"
            ),
            (
                #""metadataFile": "idp.xml""#, { $0.replacing("https://idp.example.com/sso", with: "http://idp/sso") },
                "is not encrypted"
            ),
            (
                #""metadataFile": "idp.xml""#,
                { $0.replacing("<md:KeyDescriptor>", with: #"<md:KeyDescriptor use="encryption">"#) },
                "there is no certificate to check the provider's signatures with"
            ),
        ]
        for (members, change, said) in cases {
            let result = try check(members, metadata: change)
            #expect(result.ending != .exit(0) && result.text.contains(said), "\(said): \(result.text)")
            #expect(result.text.contains("/identityProviders/1"))
        }
    }

    @Test("certificates that do not match the key, or do not exist, are refused")
    func certificates() throws {
        let mixed = try check(
            Self.explicit
                + #", "certificateFile": "one.pem", "signingKeyFile": "other.key", "signingCertificateFile": "one.pem""#
        )
        #expect(mixed.ending != .exit(0) && mixed.text.contains("the certificate is not that of"), "\(mixed.text)")
        let algorithm = try check(
            Self.explicit
                + #", "certificateFile": "one.pem", "signingKeyFile": "one.key", "signingCertificateFile": "one.pem", "signingAlgorithm": "ES256""#
        )
        #expect(algorithm.ending != .exit(0) && algorithm.text.contains("holds no key for ES256"), "\(algorithm.text)")
        let noName = try check(Self.explicit + #", "certificateSubjectNames": ["idp"]"#)
        #expect(
            noName.ending != .exit(0) && noName.text.contains("is not a subject of a certificate"), "\(noName.text)")
        // It may come while the gateway runs.
        let absent = try check(Self.explicit + #", "certificateSubjectNames": ["CN=one,O=Example"]"#)
        #expect(absent.ending == .exit(0), "\(absent.text)")
        #expect(absent.text.contains("has no certificate of this subject that is valid now"))
        let present = try check(
            Self.explicit + #", "certificateSubjectNames": ["CN=one, O=Example"]"#,
            certificates: #"[{"alias": "idp", "pemFile": "one.pem"}]"#)
        #expect(present.ending == .exit(0) && !present.text.contains("valid now"), "\(present.text)")
    }
}
