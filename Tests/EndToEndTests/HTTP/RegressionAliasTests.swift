import Testing

/// Names that an upstream could take for those of fields that the gateway has decided by.
@Suite struct RegressionAliasTests {
    @Test(
        "ISS-06 GW-09: a field that imitates another is not forwarded",
        arguments: [
            "Oracle_Mobile_Backend_ID", "oracle.mobile.backend.id", "Oracle-Mobile_Backend-ID",
            "Oracle~Mobile~Backend~Id",
            "Oracle_Mobile_Social_Identity_Provider", "Content_Type", "User_Agent", "X_Forwarded", "X-Forwarded",
        ])
    func imitation(_ name: String) throws {
        let fixture = try Fixture()
        let token = try fixture.token("joe")
        let response = try fixture.request(
            "GET", "/inventory/me",
            [.bearer(token), "Oracle-Mobile-Backend-ID: mbe-inv-1", Field(name: name, value: "other")])
        #expect(response.status == 200)
        let request = try fixture.lastRequest("/inventory/me")
        #expect(!request.head.fields.contains { $0.value == "other" })
        #expect(request.only("Oracle-Mobile-Backend-ID") == "mbe-inv-1")
    }

    @Test(
        "GW-09: identities claimed by a client are not forwarded, in any spelling",
        arguments: [
            "Remote-User", "X-Auth-Request-User", "X-Forwarded-User", "X-Forwarded-Email", "X-Forwarded-Groups",
            "X-WEBAUTH-USER", "X-Auth-Subject", "SSL-Client-Cert", "SSL-Client-Verify", "SSL-Client-Subject-DN",
            "X-ARR-ClientCert", "X-Tls-Client-Cert", "WL-Proxy-Client-Cert", "WL-Proxy-SSL", "X-Envoy-Original-Path",
            "X-Remote-User", "OAM_REMOTE_USER", "HTTP_X_GATEWAY_USER", "X--Gateway--User", "XGatewayUser",
            "_X-Gateway-User", "remote_user", "REMOTEUSER", "X-Employee", "x--employee", "Impersonate-User",
        ])
    func identity(_ name: String) throws {
        let fixture = try Fixture { $0["managedHeaders"] = #"["X-Employee", "Impersonate-*"]"# }
        let field = Field(name: name, value: "claimed")
        #expect(try fixture.request("GET", "/inventory/me", [.bearer(fixture.token("joe")), field]).status == 200)
        let request = try fixture.lastRequest("/inventory/me")
        #expect(!request.head.fields.contains { $0.value == "claimed" })
        #expect(request.only("X-Gateway-User") == "joe")
        #expect(try fixture.request("GET", "/open/a", [field, "X-Employees: 1"]).status == 200)
        let open = try fixture.lastRequest("/open/a")
        #expect(!open.head.fields.contains { $0.value == "claimed" })
        #expect(open.only("X-Employees") == "1")
    }

    @Test("GW-07: unknown names are forwarded unchanged")
    func otherNames() throws {
        let fixture = try Fixture()
        #expect(try fixture.request("GET", "/open/a", ["X_Own_Field: 1", "x.dotted: 2"]).status == 200)
        let request = try fixture.lastRequest("/open/a")
        #expect(request.only("X_Own_Field") == "1")
        #expect(request.only("x.dotted") == "2")
    }
}
