import Testing

/// The paths of identity providers where browsers are sent to none.
@Suite struct ProviderPathTests {
    @Test(
        "without a provider, callback and logout paths know no service",
        arguments: [("GET", "callback"), ("POST", "callback"), ("POST", "backchannel-logout")])
    func unknownService(_ method: String, _ endpoint: String) throws {
        let fixture = try Fixture { settings in
            settings["identityProviders"] = #"[{"name": "form", "kind": "local"}]"#
        }
        let response = try fixture.request(method, "/oauth2/\(endpoint)/form")
        #expect(response.status == 404, "\(response.text)")
    }
}
