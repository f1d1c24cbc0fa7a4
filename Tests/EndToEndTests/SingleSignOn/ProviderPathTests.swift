import Testing

/// The paths of identity providers where browsers are sent to none.
@Suite struct ProviderPathTests {
    @Test(
        "without a provider, callback and logout paths are unknown services",
        arguments: [("GET", "callback"), ("POST", "callback"), ("POST", "backchannel-logout")])
    func unknownService(_ method: String, _ endpoint: String) throws {
        let fixture = try Fixture { settings in
            settings["identityProviders"] = #"[{"name": "form", "kind": "local"}]"#
        }
        let response = try fixture.request(method, "/mobile/platform/sso/\(endpoint)/form")
        #expect(response.status == 404)
        #expect(response.text.contains("IDAAS-00006"), "\(response.text)")
    }
}
