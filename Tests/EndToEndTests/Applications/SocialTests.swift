import Foundation
import Testing

/// Login with Facebook, from the running binary (FB-01 to FB-07, AOM-11).
@Suite struct SocialTests {
    @Test("Z01 to Z08: social login is accepted as in the matrix of routes and fields")
    func matrix() throws {
        let app = try AppFixture()
        let get = { (path: String, fields: [Field]) in try app.gateway.request("GET", path, fields).status }
        let good = AppFixture.socialFields()
        #expect(try get("/social/open", good) == 200, "Z01")
        #expect(try get("/social/feed", good) == 200, "Z02")
        #expect(try get("/social/login", good) == 401, "Z03")
        #expect(try get("/social/roles", good) == 403, "Z04")
        #expect(try get("/social/feed", AppFixture.socialFields(nil)) == 401, "Z05")
        #expect(try get("/social/feed", AppFixture.socialFields(provider: "twitter")) == 401, "Z06")
        #expect(try get("/social/feed", AppFixture.socialFields(authorization: "Basic d3Jvbmc6a2V5")) == 401, "Z07")
        #expect(try get("/social/feed", AppFixture.socialFields("rejected")) == 401, "Z08")
        #expect(try get("/social/feed", AppFixture.socialFields("other-app")) == 401, "FB-03")
        #expect(try app.gateway.lastRequest("/social/feed").only("X-Gateway-User") == "facebook:1001")
        let seen = try app.gateway.lastRequest("/social/feed")
        #expect(seen.values("Oracle-Mobile-Social-Access-Token").isEmpty && seen.values("Authorization").isEmpty)
        #expect(seen.only("X-Gateway-Roles") == nil || seen.only("X-Gateway-Roles") == "")
    }

    @Test("Z09 Z10 FB-04: other methods are refused at the route and at the backend")
    func otherMethods() throws {
        let app = try AppFixture()
        let joe = [Field.basic("joe:Welcome1"), "Oracle-Mobile-Backend-ID: mbe-inv-1"]
        #expect(try app.gateway.request("GET", "/social/feed", joe).status == 401, "Z09")
        #expect(try app.gateway.request("GET", "/social/feed", [.bearer(app.gateway.token("joe"))]).status == 401)
        let joeThere = [Field.basic("joe:Welcome1"), "Oracle-Mobile-Backend-ID: mbe-social"]
        #expect(try app.gateway.request("GET", "/social/login", joeThere).status == 401, "Z10")
        let anonymous = ["Authorization: Basic c29jaWFsOmtleQ==", "Oracle-Mobile-Backend-ID: mbe-social"] as [Field]
        #expect(try app.gateway.request("GET", "/social/open", anonymous).status == 200)
        #expect(try app.gateway.request("GET", "/social/login", anonymous).status == 401)
        let grant = try app.gateway.grant(
            "grant_type=password&username=joe&password=Welcome1", client: "social-client:social-secret")
        #expect(grant.status == 400)
        #expect(JSONText(grant.text)["error"].string == "unauthorized_client")
    }

    @Test("Z11 CON-10: a blank before the colon is invalid HTTP")
    func blankBeforeColon() throws {
        let app = try AppFixture()
        let connection = try app.gateway.connect()
        try connection.send(
            "GET /social/feed HTTP/1.1\r\nHost: gw.example.com\r\nAuthorization: Basic c29jaWFsOmtleQ==\r\n"
                + "Oracle-Mobile-Backend-ID: mbe-social\r\nOracle-Mobile-Social-Identity-Provider : facebook\r\n"
                + "Oracle-Mobile-Social-Access-Token: good\r\n\r\n")
        #expect(try connection.readResponse().status == 400)
        #expect(app.gateway.upstream.requests("/social/feed").isEmpty)
    }

    @Test("FB-03: a verdict is cached; an outage of the provider is not an invalid token")
    func questions() throws {
        let app = try AppFixture()
        for _ in 0..<2 {
            #expect(try app.gateway.request("GET", "/social/feed", AppFixture.socialFields("good-1")).status == 200)
        }
        #expect(app.facebook.requests("/debug_token").count == 1)
        let question = try #require(app.facebook.requests("/debug_token").first)
        #expect(question.target == "/debug_token?input_token=good-1&access_token=42%7Cfb-secret")
        let down = try app.gateway.request("GET", "/social/feed", AppFixture.socialFields("down"))
        #expect(down.status == 503)
        app.facebook.stop()
        #expect(try app.gateway.request("GET", "/social/feed", AppFixture.socialFields("good-2")).status == 503)
        #expect(try app.gateway.request("GET", "/social/feed", AppFixture.socialFields("good-1")).status == 200)
        #expect(!app.gateway.gateway.everythingWritten.contains("fb-secret"))
    }

    @Test("FB-03: concurrent requests with one token make one call")
    func singleFlight() throws {
        let app = try AppFixture()
        let fields = AppFixture.socialFields("good-many")
        let connections = try (0..<20).map { _ in try app.gateway.connect() }
        for connection in connections { try connection.send(RawConnection.request("GET", "/social/feed", fields)) }
        for connection in connections { #expect(try connection.readResponse().status == 200) }
        #expect(app.facebook.requests("/debug_token").count == 1)
    }

    @Test("AOM-11: a Facebook login yields a token pair of the application in its own slot")
    func pair() throws {
        let app = try AppFixture()
        let form = "grant_type=aom_facebook&client_id=testApp&client_secret=\(AppFixture.key)&facebook_token="
        let map = try TokenMap(app.post(form + "good"))
        #expect(JSONText(map.response.text)["extra"].string == "facebook")
        #expect(try app.status(map.access) == 200)
        #expect(try app.gateway.lastRequest("/notes/1").only("X-Gateway-User") == "facebook:1001")
        #expect(try app.call(map.access, "GET", "/managers").status == 403)
        #expect(try TokenMap(app.post(form + "good")).access == map.access)
        #expect(try app.post(form + "rejected").status == 400)
        #expect(try app.post(form + "down").status == 503)
        #expect(try app.revoke(map.access, everything: true).status == 200)
        #expect(try app.status(map.access) == 401)
    }
}
