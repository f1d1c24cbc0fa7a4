#if SAML
    import Foundation
    import Testing

    /// `https://idp.example.com/saml`: an identity provider by pysaml2 and the Debian tool xmlsec1, with a key of its own.
    final class SAMLProvider: Sendable {
        static let name = "https://idp.example.com/saml"
        static let audience = "http://gw.example.com/mobile/platform/sso/exchange-token"
        static let python = ProcessInfo.processInfo.environment["PORTCULLIS_PYTHON"]
        static let isThere = python != nil && FileManager.default.isExecutableFile(atPath: "/usr/bin/xmlsec1")

        let directory: ConfigurationDirectory
        let certificate: String

        /// - Parameter key: arguments of `openssl req`.
        init(key: [String] = ["rsa:2048"]) throws {
            directory = try ConfigurationDirectory()
            let made = try Program.run(
                "/usr/bin/openssl",
                ["req", "-x509", "-newkey"] + key + [
                    "-nodes", "-days", "2", "-subj", "/O=Example/CN=idp.example.com", "-keyout", "key.pem", "-out",
                    "cert.pem",
                ], directory: directory.path)
            try #require(made.ending == .exit(0), "\(made.errors)")
            certificate = try directory.read("cert.pem")
        }

        /// `certificates.json` with its certificate.
        var store: String {
            #"[{"alias": "idp", "pem": "\#(certificate.replacing("\n", with: "\\n"))"}]"#
        }

        /// A SAMLResponse for joe in Base64; members replace what it says, as JSON without braces.
        func response(_ members: String = "") throws -> String {
            var said: [String: Any] = [
                "key": directory.path + "/key.pem", "certificate": directory.path + "/cert.pem", "issuer": Self.name,
                "audience": Self.audience, "recipient": "http://gw.example.com/mobile/platform/sso/redirect",
                "user": "joe",
            ]
            let changes = try JSONSerialization.jsonObject(with: Data("{\(members)}".utf8)) as? [String: Any]
            for (name, value) in try #require(changes) { said[name] = value }
            let input = String(decoding: try JSONSerialization.data(withJSONObject: said), as: UTF8.self)
            let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appending(path: "Interop/saml_provider.py").path
            let made = try Program.run(try #require(Self.python), ["-W", "ignore", script], input: input)
            try #require(made.ending == .exit(0), "\(made.errors)")
            return made.output
        }

        /// A response as `portcullis client saml pack` packs it.
        func packed(_ members: String = "") throws -> String { try Self.pack(response(members)) }

        static func pack(_ response: String) throws -> String {
            let made = try Program.run(GatewayProcess.binary, ["client", "saml", "pack"], input: response)
            try #require(made.ending == .exit(0), "\(made.errors)")
            return made.output
        }

        /// An entry of `samlIssuers` with these members, as JSON without braces.
        static func entry(_ members: String = "") -> String {
            #"{"issuerName": "\#(name)", "certificateSubjectNames": ["CN=idp.example.com,O=Example"]"#
                + "\(members.isEmpty ? "" : ", ")\(members)}"
        }

        /// `policies.json` with that entry.
        static func policies(_ members: String = "", more: String = "") -> String {
            #"{"Security_AuthTokenConfiguration": {"samlIssuers": [\#(entry(members))]}\#(more)}"#
        }
    }

    extension Fixture {
        /// A gateway that exchanges this provider's assertions.
        convenience init(
            saml members: String = "", more: String = "", _ provider: SAMLProvider,
            _ change: (inout FixtureSettings) -> Void = { _ in }
        ) throws {
            try self.init(
                files: [
                    "policies.json": SAMLProvider.policies(members, more: more), "certificates.json": provider.store,
                ], change)
        }

        func samlExchange(
            _ packed: String, _ fields: [Field] = ["Oracle-Mobile-Backend-ID: mbe-inv-1"]
        ) throws -> Response {
            try request("GET", "/mobile/platform/sso/exchange-token", [.bearer(packed)] + fields)
        }
    }
#endif
