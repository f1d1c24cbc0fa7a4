import Foundation
import Testing

/// Token maps of ApiOmat applications from the running binary (AOM-01 to AOM-16).
@Suite struct TokenMapTests {
    @Test("AOM-01 AOM-02 AOM-03: the seed's curl command works as printed")
    func seedCommand() throws {
        let app = try AppFixture()
        let url = "http://127.0.0.1:\(try app.gateway.gateway.port())/yambas/oauth/token"
        let form =
            "grant_type=aom_user&client_id=testApp&client_secret=\(AppFixture.key)&scope=read%20write"
            + "&username=testUser&app=testApp&password=secret&system=LIVE"
        let result = try Program.run("/usr/bin/curl", ["-s", "-X", "POST", url, "-d", form])
        let map = JSONText(result.output)
        #expect(
            map.names == [
                "access_token", "expires_in", "model", "module", "refresh_token", "scope", "token_type",
            ])
        let shape = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/
        #expect(try #require(map["access_token"].string).wholeMatch(of: shape) != nil)
        #expect(try #require(map["refresh_token"].string).wholeMatch(of: shape) != nil)
        #expect(map["expires_in"].integer == 604_800)
        #expect(map["module"].string == "Basics")
        #expect(map["model"].string == "com.apiomat.backend.modules.basics.User")
        #expect(try app.status(try #require(map["access_token"].string)) == 200)
    }

    @Test("AOM-16: the upstream sees the user, not token or key; another application's key is refused")
    func keys() throws {
        let app = try AppFixture()
        let token = try app.wish().access
        #expect(try app.call(token).status == 200)
        let seen = try app.gateway.lastRequest("/notes/1")
        #expect(seen.only("X-Gateway-User") == "testUser")
        #expect(seen.only("X-Gateway-Roles") == "Clerk")
        #expect(seen.values("Authorization").isEmpty && seen.values("X-Apiomat-Apikey").isEmpty)
        #expect(try app.call(token, key: nil).status == 401)
        #expect(try app.call(token, key: AppFixture.otherKey).status == 403)
        #expect(try app.call(token, "GET", "/others", key: AppFixture.otherKey).status == 403)
        #expect(try app.call(token, "GET", "/managers").status == 403)
        #expect(try app.call(token, "GET", "/plain").status == 403)
        #expect(try app.call(app.gateway.token("joe")).status == 403)
        #expect(try app.call(token, "GET", "/clerks").status == 200)
        #expect(try app.gateway.lastRequest("/clerks").only("Authorization")?.hasPrefix("Bearer ey") == true)
        let me = try app.call(token, "GET", "/mobile/platform/users/~")
        #expect(JSONText(me.text)["username"].string == "testUser")
    }

    @Test("AOM-08: a read-only token is refused for writing as in RFC 6750")
    func readOnly() throws {
        let app = try AppFixture()
        let token = try app.wish("scope=read_only").access
        #expect(try app.status(token) == 200)
        #expect(try app.status(token, "HEAD") == 200)
        #expect(try app.status(token, "OPTIONS") == 200)
        let refused = try app.call(token, "POST", body: "{}")
        #expect(refused.status == 403)
        #expect(JSONText(refused.text)["code"].string == "insufficient_scope")
        #expect(refused.only("WWW-Authenticate") == #"Bearer realm="portcullis", error="insufficient_scope""#)
        #expect(try app.status(token, "DELETE") == 403)
        #expect(!app.gateway.upstream.requests("/notes/1").contains { ["POST", "DELETE"].contains($0.method) })
    }

    @Test("AOM-04 AOM-06 AOM-14 AOM-15 Y02 Y03 Y07 Y08: tokens expire at their configured times")
    func expiry() throws {
        let app = try AppFixture()
        let first = try app.wish("access_expiration=2&refresh_expiration=600")
        #expect(first.expiresIn == 2)
        let same = try app.wish("access_expiration=3600")
        #expect(same.access != first.access || same.expiresIn <= 2)
        let second = try app.wish("extra=r&access_expiration=1&refresh_expiration=600")
        let third = try app.wish("extra=s&access_expiration=1&refresh_expiration=1")
        let ended = try app.waitForEnd(of: third.access)
        #expect(ended.only("WWW-Authenticate") == #"Bearer realm="portcullis", error="invalid_token""#)
        // AOM-15: a Webgate challenges in its own way.
        #expect(try app.call(third.access, "GET", "/gate").only("WWW-Authenticate")?.hasPrefix("OAM-Auth ") == true)
        let late = try app.refresh(third.refresh)
        #expect(late.status == 400)
        #expect(JSONText(late.text)["error"].string == "invalid_grant")
        _ = try app.waitForEnd(of: second.access)
        let renewed = try TokenMap(app.refresh(second.refresh))
        #expect(renewed.expiresIn == 604_800)
        #expect(try app.status(renewed.access) == 200)
        #expect(try app.refresh(second.refresh).status == 400)
        _ = try app.waitForEnd(of: first.access)
        let fresh = try app.wish()
        #expect(fresh.access != first.access && fresh.expiresIn == 604_800)
        #expect(try app.refresh(first.refresh).status == 400)
    }

    @Test("AOM-06: fifty concurrent first requests yield one pair")
    func concurrentRequests() throws {
        let app = try AppFixture()
        let maps = try Self.atOnce(50, app, AppFixture.form()).map { try TokenMap($0) }
        #expect(Set(maps.map(\.access)).count == 1)
        #expect(Set(maps.map(\.refresh)).count == 1)
    }

    @Test("AOM-13: of many refreshes with one token one succeeds, and only its pair is valid")
    func concurrentRefreshes() throws {
        let app = try AppFixture()
        let map = try app.wish()
        #expect(try app.status(map.access) == 200)
        let form =
            "grant_type=refresh_token&client_id=testApp&client_secret=\(AppFixture.key)&refresh_token=\(map.refresh)"
        let responses = try Self.atOnce(20, app, form)
        let winners = responses.filter { $0.status == 200 }
        #expect(winners.count == 1)
        #expect(responses.filter { $0.status == 400 }.count == 19)
        let winner = try TokenMap(try #require(winners.first))
        #expect(try app.status(winner.access) == 200)
        #expect(try app.status(map.access) == 401)
        #expect(try app.wish().access == winner.access)
    }

    @Test("CON-12: CORS rules apply to these endpoints")
    func crossSite() throws {
        let app = try AppFixture { $0["policies"] = #"{"Security_AllowOrigin": "https://shop.example.com"}"# }
        let path = "/yambas/oauth/users/revoke"
        let preflight = try app.gateway.request(
            "OPTIONS", path,
            [
                .origin("https://shop.example.com"), "Access-Control-Request-Method: GET",
                "Access-Control-Request-Headers: x-apiomat-apikey",
            ])
        #expect(preflight.status == 204)
        #expect(preflight.only("Access-Control-Allow-Methods") == "GET, POST")
        #expect(preflight.only("Access-Control-Allow-Headers")?.lowercased().contains("x-apiomat-apikey") == true)
        #expect(try app.gateway.request("GET", path, [.origin("https://evil.example.net")]).status == 403)
    }

    @Test("no log contains tokens, keys or passwords; the audit log lists grants")
    func logs() throws {
        let app = try AppFixture()
        let map = try app.wish("extra=logged")
        _ = try app.status(map.access)
        _ = try app.post(AppFixture.form().replacing("password=secret", with: "password=wrong-one"))
        let refused = app.gateway.gateway.program.wait(.errors) { lines in
            lines.map { JSONText($0) }.first {
                $0["event"].string == "audit" && $0["outcome"].string == "refused"
            }
        }
        #expect(refused?["action"].string == "grant.aom_user")
        #expect(refused?["client_id"].string == "testApp")
        let granted = try #require(
            app.gateway.gateway.waitForEvent("audit") { $0["outcome"].string == "granted" })
        #expect(granted["subject"].string == "testUser")
        let written = app.gateway.gateway.everythingWritten
        for secret in [map.access, map.refresh, AppFixture.key, "secret", "wrong-one"] {
            #expect(!written.contains(secret))
        }
    }

    /// Sends one form over many connections before the first answer is read.
    private static func atOnce(_ count: Int, _ app: AppFixture, _ form: String) throws -> [Response] {
        let request = RawConnection.request(
            "POST", "/yambas/oauth/token", ["Content-Type: application/x-www-form-urlencoded"], body: form)
        let connections = try (0..<count).map { _ in try app.gateway.connect() }
        for connection in connections { try connection.send(request) }
        return try connections.map { try $0.readResponse(to: "POST") }
    }
}
