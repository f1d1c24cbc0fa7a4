import Configuration
import Declaration
import Model
import Testing

/// What `check` says of users who are identified by their e-mail addresses (RP-03).
@Suite struct ProviderWarningTests {
    private func warnings(_ members: String, _ more: [String: String] = [:]) throws -> [String] {
        let provider = "[{ \"name\": \"idp\", \"clientId\": \"c\", \(members) }]"
        let files = ["identityProviders.json": provider].merging(more) { $1 }
        let loaded = try ConfigurationDirectory(files).load()
        #expect(loaded.lines(.error) == [])
        return loaded.diagnostics.filter { $0.pointer.hasPrefix("/identityProviders") }.map(\.pointer)
    }

    private static let oidc = #""issuer": "https://idp""#
    private static let plain =
        #""kind": "oauth2", "authorizationEndpoint": "https://idp/a", "tokenEndpoint": "https://idp/t", "userInfoEndpoint": "https://idp/u""#
    private static let account = #""virtualUserEnabled": false, "userMappingAttribute": "mail""#

    @Test("accounts by an address that the provider's word of verification does not speak of")
    func otherClaim() throws {
        let pointer = ["/identityProviders/0/usernameAttribute"]
        #expect(try warnings("\(Self.oidc), \(Self.account)") == pointer)
        #expect(try warnings("\(Self.oidc), \(Self.account), \"usernameAttribute\": \"upn\"") == pointer)
        #expect(try warnings("\(Self.oidc), \(Self.account), \"usernameAttribute\": \"email\"") == [])
        #expect(try warnings("\(Self.oidc), \(Self.account), \"verifiedEmail\": \"ignored\"") == [])
        #expect(try warnings("\(Self.oidc), \"userMappingAttribute\": \"mail\"") == [], "users without accounts")
    }

    @Test("addresses of a provider that has no word for it, unless the file says that they will do")
    func unverified() throws {
        let pointer = ["/identityProviders/0/verifiedEmail"]
        #expect(try warnings("\(Self.plain), \(Self.account)") == pointer)
        #expect(try warnings("\(Self.plain), \"usernameAttribute\": \"email\"") == pointer)
        #expect(try warnings("\(Self.plain), \(Self.account), \"verifiedEmail\": \"notDenied\"") == [])
        #expect(try warnings(Self.plain) == [])
        let domain = """
            {"D": {"authentication": {"type": "relyingParty", "provider": "idp", "usernameFrom": "email"},
              "applications": {"App": {"backend": "inventory/1.0"}}}}
            """
        #expect(try warnings(Self.plain, ["serviceDomains.json": domain]) == pointer)
    }

    @Test("a client that calls for itself by the name of a user is named")
    func clientsWithNamesOfUsers() throws {
        func found(_ more: String) throws -> [String] {
            try ConfigurationDirectory([
                "clients.json": #"[{"clientId": "joe", "clientSecret": "s"\#(more)}]"#,
                "users.json": #"[{"username": "joe", "password": "{PlainText}Welcome1"}]"#,
            ]).load().diagnostics.filter { $0.message.contains("X-Gateway-User") }.map(\.pointer)
        }
        #expect(try found("") == ["/clients/0/clientId"])
        #expect(try found(#", "redirectUris": ["https://joe.example/cb"]"#) == [])
    }
}
