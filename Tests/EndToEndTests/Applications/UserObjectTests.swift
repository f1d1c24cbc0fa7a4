import Foundation
import Testing

/// Revocation, manual tokens and users of applications, from the running binary (AOM-17 to AOM-26).
@Suite struct UserObjectTests {
    private static func body(_ member: String) -> String { #"{"@type":"Basics$User",\#(member)}"# }
    private static let manual = body(#""sessionToken":"manual-token-1""#)

    @Test("AOM-21 CON-12: revocation by GET and POST applies immediately in all workers", arguments: ["GET", "POST"])
    func revocation(_ method: String) throws {
        let app = try AppFixture { $0["workers"] = "4" }
        let map = try app.wish()
        // Many connections, so that each worker has the token in its cache.
        let connections = try (0..<16).map { _ in try app.gateway.connect() }
        let request = RawConnection.request(
            "GET", "/notes/1", [.bearer(map.access), Field(name: "X-Apiomat-Apikey", value: AppFixture.key)])
        for connection in connections {
            try connection.send(request)
            #expect(try connection.readResponse().status == 200)
        }
        let response = try app.revoke(map.access, method: method)
        #expect(response.status == 200)
        #expect(response.text == "{}")
        #expect(response.only("Cache-Control") == "no-store")
        for connection in connections {
            try connection.send(request)
            #expect(try connection.readResponse().status == 401)
        }
        #expect(try app.revoke(map.access, method: method).status == 401)
        #expect(try app.refresh(map.refresh).status == 400)
        #expect(try app.wish().access != map.access)
    }

    @Test("AOM-22 AOM-24: all tokens of the user are revoked, and the user can log in again")
    func revocationOfAll() throws {
        let app = try AppFixture()
        let (first, second) = (try app.wish(), try app.wish("extra=phone"))
        #expect(try app.object("PUT", AppFixture.administrator, Self.manual).status == 200)
        for token in [first.access, second.access, "manual-token-1"] { #expect(try app.status(token) == 200) }
        #expect(try app.revoke("manual-token-1", everything: true).status == 403)
        let response = try app.revoke(first.access, everything: true)
        #expect(response.status == 200 && response.text == "{}")
        for token in [first.access, second.access, "manual-token-1"] { #expect(try app.status(token) == 401) }
        #expect(try app.status(app.wish().access) == 200)
    }

    @Test("AOM-18 AOM-19 AOM-20: a manual token is set by the seed's PUT, is read-only, and never shown")
    func manualToken() throws {
        let app = try AppFixture()
        let url = "http://127.0.0.1:\(try app.gateway.gateway.port())\(AppFixture.userPath)/testUser"
        let result = try Program.run(
            "/usr/bin/curl",
            [
                "-s", "-X", "PUT", url, "-u", "admin@example.com:adminpw", "-H", "Content-Type: application/json",
                "-H", "X-apiomat-apikey: \(AppFixture.key)", "-d", Self.manual,
            ])
        #expect(JSONText(result.output)["userName"].string == "testUser")
        #expect(!result.output.contains("manual-token-1"))
        #expect(try app.status("manual-token-1") == 200)
        #expect(try app.status("manual-token-1", "POST") == 403)
        #expect(try app.object("PUT", .basic("writer:writing"), Self.manual).status == 200)
        #expect(try app.status("manual-token-1") == 200)
        #expect(try app.object("PUT", .basic("testUser:secret"), Self.manual).status == 403)
        #expect(try app.object("PUT", .basic("joe:Welcome1"), Self.manual).status == 403)
        #expect(try app.object("PUT", .basic("admin@example.com:wrong"), Self.manual).status == 401)
        #expect(try app.object("PUT", nil, Self.manual).status == 401)
        #expect(try app.object("PUT", AppFixture.administrator, Self.manual, key: nil).status == 401)
        #expect(try app.object("PUT", AppFixture.administrator, Self.manual, key: AppFixture.otherKey).status == 403)
        let taken = try app.object("PUT", AppFixture.administrator, Self.manual, at: AppFixture.userPath + "/joe")
        #expect(taken.status == 409)
        let object = try app.object("GET", AppFixture.administrator)
        #expect(JSONText(object.text).names.contains("sessionToken"))
        #expect(JSONText(object.text)["sessionToken"].string == nil)
        #expect(!object.text.contains("manual-token-1") && !object.text.contains("secret"))
    }

    @Test("AOM-23 Y13: expired pairs are deleted at start and on demand; valid ones stay")
    func cleaning() throws {
        let app = try AppFixture()
        let started = try #require(app.gateway.gateway.metrics().sum("portcullis_token_cleaner_last_run"))
        let gone = try app.wish("extra=gone&access_expiration=1&refresh_expiration=1")
        let kept = try app.wish("extra=kept&access_expiration=1&refresh_expiration=600")
        let alive = try app.wish()
        _ = try app.waitForEnd(of: gone.access)
        _ = try app.waitForEnd(of: kept.access)
        let cleaned = try app.gateway.admin("POST", "/admin/tokens/clean")
        #expect(cleaned.status == 200)
        #expect(JSONText(cleaned.text)["removed"].integer == 1, "\(cleaned.text)")
        let last = try #require(app.gateway.gateway.metrics().sum("portcullis_token_cleaner_last_run"))
        #expect(last >= started && last > 0)
        #expect(try app.gateway.gateway.metrics().sum("portcullis_token_cleaner_deleted_total") == 1)
        #expect(try app.refresh(kept.refresh).status == 200)
        #expect(try app.status(alive.access) == 200)
        #expect(try app.gateway.gateway.request("POST", "/admin/tokens/clean", listener: "admin").status == 401)
    }

    @Test("AOM-06: pairs persist in a durable store; revoked ones do not")
    func restart() throws {
        let app = try AppFixture { $0["store"] = #"{"kind": "sqlite"}"# }
        let map = try app.wish()
        let ended = try app.wish("extra=ended")
        #expect(try app.revoke(ended.access).status == 200)
        try app.gateway.gateway.stop()
        let again = try GatewayProcess(app.gateway.gateway.configuration)
        let status = { (token: String) in
            let fields: [Field] = [.bearer(token), Field(name: "X-Apiomat-Apikey", value: AppFixture.key)]
            return try again.request("GET", "/notes/1", fields).status
        }
        #expect(try status(map.access) == 200)
        #expect(try status(ended.access) == 401)
        let form: Field = "Content-Type: application/x-www-form-urlencoded"
        let reply = try again.request("POST", "/yambas/oauth/token", [form], body: AppFixture.form())
        #expect(try TokenMap(reply).access == map.access)
        try again.stop()
    }
}
