import Foundation

/// A server with the metadata documents of clients: a gateway with TLS in front of a stub.
final class DocumentServer: Sendable {
    let secure: SecureFixture

    init() throws { secure = try SecureFixture { $0["backends"] = FixtureSettings.coreBackends } }

    /// The URL of a document, which is the id of its client.
    func id(_ name: String = "client.json") throws -> String { "\(try secure.url())/open/\(name)" }

    /// The usual document of a client.
    func document(
        _ name: String = "client.json", redirect: String = "http://127.0.0.1/cb", _ more: String = ""
    ) throws -> String {
        """
        {"client_id": "\(try id(name))", "client_name": "Notes", "redirect_uris": ["\(redirect)"],
         "grant_types": ["authorization_code", "refresh_token", "urn:example:other"]\(more)}
        """
    }

    func serve(
        _ name: String = "client.json", _ text: String? = nil, status: String = "200 OK",
        _ fields: [Field] = ["Content-Type: application/json"]
    ) throws {
        let text = try text ?? document(name)
        secure.upstream.on("/open/\(name)") { _ in [.reply(status, fields, body: text)] }
    }

    /// How often a document was fetched.
    func fetches(_ name: String = "client.json") -> Int { secure.upstream.requests("/open/\(name)").count }

    /// The section of a gateway that fetches here.
    func section(_ more: String = #", "allowedAddresses": ["127.0.0.0/8"]"#) -> String {
        #"{"allowedDomains": ["localhost"], "caFile": "\#(secure.file("tls/cert.pem"))"\#(more)}"#
    }

    func prepare(_ settings: inout FixtureSettings, _ section: String? = nil, registration: String = "") {
        AuthorizationFixture.prepare(&settings)
        settings["tokenService"] = """
            {"scopes": ["orders"], "scopeDescriptions": {"orders": "See your orders"},
             "registration": {"client": "web/1.0"\(registration)},
             "clientMetadataDocuments": \(section ?? self.section())}
            """
    }
}
