import Testing

/// Data of an ApiOmat application behind the gateway: requests as its SDKs send them. The users stay the gateway's.
@Suite struct DataRouteTests {
    private static let notes = "/yambas/rest/apps/testApp/models/Notes/Note"
    private static let body = #"{"@type":"Notes$Note","text":"x"}"#

    private static func fields(_ token: String, key: String = AppFixture.key) -> [Field] {
        [
            .bearer(token), Field(name: "X-apiomat-apikey", value: key), "X-apiomat-system: LIVE",
            "X-apiomat-sdkVersion: 3.5.0", "Content-Type: application/json", "Accept: application/json",
        ]
    }

    @Test(
        "objects of a module are routed, by a narrow and a wide path",
        arguments: ["/yambas/rest/apps/testApp/models/Notes/**", "/yambas/**"])
    func data(_ path: String) throws {
        let app = try AppFixture {
            $0.addRoutes(#"{"path": "\#(path)", "upstream": "stub", "application": "testApp"}"#)
        }
        let (map, upstream) = (try app.wish(), app.gateway.upstream)
        for (method, target) in [
            ("GET", "\(Self.notes)?q=text%20like%3A%22x%22&withReferencedHrefs=false"), ("GET", "\(Self.notes)/count"),
            ("POST", Self.notes), ("GET", "\(Self.notes)/507f1f77bcf86cd799439011"),
            ("PUT", "\(Self.notes)/507f1f77bcf86cd799439011"), ("DELETE", "\(Self.notes)/507f1f77bcf86cd799439011"),
        ] {
            let sent = method == "POST" || method == "PUT" ? Self.body : nil
            let response = try app.gateway.request(method, target, Self.fields(map.access), body: sent)
            #expect(response.status == 200, "\(method) \(target) \(response.text)")
            let seen = try #require(upstream.requests.last)
            #expect(seen.method == method && seen.target == target && seen.only("X-Gateway-User") == "testUser")
            #expect(seen.values("X-Apiomat-Apikey").isEmpty && seen.only("X-apiomat-system") == "LIVE")
        }
        let count = upstream.requests.count
        #expect(try app.gateway.request("GET", Self.notes, Self.fields("wrong")).status == 401)
        #expect(
            try app.gateway.request("GET", Self.notes, Self.fields(map.access, key: AppFixture.otherKey)).status == 403)
        // Users and tokens are answered by the gateway, and no other spelling of their paths gets around it.
        #expect(
            try app.gateway.request("GET", "\(AppFixture.userPath)/testUser", Self.fields(map.access)).status == 200)
        #expect(try app.gateway.request("GET", AppFixture.userPath, Self.fields(map.access)).status == 405)
        #expect(try app.refresh(map.refresh).status == 200)
        #expect(upstream.requests.count == count)
    }

    @Test("without applications and service domains their paths are routes like others")
    func unserved() throws {
        let fixture = try Fixture {
            $0.addRoutes(
                #"{"path": "/yambas/**", "upstream": "stub", "public": true}"#,
                #"{"path": "/oic_rest/**", "upstream": "stub", "public": true}"#)
        }
        for path in ["/yambas/oauth/token", AppFixture.userPath, "/oic_rest/rest/AppProfiles/x"] {
            #expect(try fixture.request("GET", path).status == 200)
            _ = try fixture.lastRequest(path)
        }
    }
}
