import Declaration
import Model
import Testing

@testable import Configuration

/// What `check` says of clients that no entry names.
@Suite struct ClientWarningTests {
    private func warnings(_ files: [String: String]) throws -> [String] {
        let loaded = try ConfigurationDirectory(files).load()
        #expect(loaded.lines(.error) == [])
        return loaded.diagnostics.filter { $0.pointer != "/store/kind" }.map(\.description)
    }

    @Test("clients from any website, and users of assertions who may be taken for others, are named")
    func documentsAndAssertions() throws {
        func files(domains: String, prefix: String) -> [String: String] {
            let service =
                #"{"registration": {"client": "a"}, "clientMetadataDocuments": {"allowedDomains": ["\#(domains)"]}}"#
            return [
                "gateway.json": ConfigurationDirectory.gateway(#""tokenService": \#(service)"#),
                "clients.json": """
                [{"clientId": "a", "clientSecret": "s", "identityAssertionIssuers": ["corp"],
                  "grantTypes": ["urn:ietf:params:oauth:grant-type:jwt-bearer"]}]
                """,
                "users.json": #"[{"username": "joe"}]"#,
                "identityProviders.json": #"[{"name": "local", "kind": "local"}]"#, "keys.json": #"{"keys": []}"#,
                "trustedIssuers.json": """
                [{"name": "corp", "issuer": "https://idp", "tokenType": "oauth-id-jag+jwt", "jwksFile": "keys.json",
                  "virtualUserEnabled": true\(prefix)}]
                """,
            ]
        }
        #expect(try warnings(files(domains: "app.example.com", prefix: #", "usernamePrefix": "corp:""#)) == [])
        #expect(
            try warnings(files(domains: "*", prefix: "")) == [
                #"gateway.json:5: warning: /tokenService/clientMetadataDocuments/allowedDomains: any website may be a client (expected the hosts of the clients where they are known)"#,
                #"trustedIssuers.json:1: warning: /trustedIssuers/0/usernamePrefix: its users get tokens of "local" and may have the names of other users there (expected a prefix such as "corp:")"#,
            ])
    }
}
