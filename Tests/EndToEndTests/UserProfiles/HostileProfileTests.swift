import Dispatch
import Foundation
import HTTP
import Synchronization
import Testing

/// User profiles in the hands of those who mean no good.
@Suite struct HostileProfileTests {
    @Test("UPS: users of another realm are invisible, with any roles")
    func otherRealm() throws {
        let fixture = try ProfileFixture()
        let olga = try fixture.branchToken("olga")
        #expect(
            try fixture.get("/people?attrs=id", olga).json["items"].list.map { $0["id"].string } == ["olga", "otto"])
        for (method, target, body) in [
            ("GET", "/people/joe", nil), ("GET", "/people/joe/attributes/mail", nil),
            ("PATCH", "/people/joe", #"{"title":"x"}"#), ("DELETE", "/people/joe", nil),
            ("PUT", "/groups/Manager/members/joe", nil), ("DELETE", "/groups/Manager/members/joe", nil),
            ("GET", "/groups/Manager/members/joe", nil), ("GET", "/people/joe/reports", nil),
        ] {
            let response = try fixture.send(method, target, olga, body)
            #expect(response.status == 404 && response.code == "profile_unknown_person", "\(method) \(target)")
        }
        #expect(try fixture.get("/groups/Manager/members", olga).json["total"].integer == 0)
        #expect(try fixture.get("/people?filter[mail]=joe@example.com", olga).json["total"].integer == 0)
        // The realm is that of the backend, and not what a body says.
        #expect(try fixture.send("POST", "/people", olga, #"{"id":"new","realm":"Default"}"#).status == 400)
        #expect(try fixture.send("POST", "/people", olga, #"{"id":"joe","mail":"joe@example.com"}"#).status == 201)
        let rita = try fixture.token("rita")
        #expect(try fixture.get("/people/joe", rita).json["title"].string == "Boss")
        #expect(try fixture.send("DELETE", "/people/joe", olga).status == 204)
        #expect(try fixture.items("joe") == 200)
    }

    @Test("UPS: ambiguous paths are refused")
    func paths() throws {
        let fixture = try ProfileFixture()
        let (bob, will) = (try fixture.token("bob"), try fixture.token("will"))
        for target in [
            "/people/..%2fjoe", "/people/bob%2f..%2fjoe", "/people/bob/../joe", "/people/bob%2fattributes%2fmail",
            "/people/bob/attributes/..%2f..%2fjoe", "/people/%2e%2e/joe", "/people/joe%00", "/people/joe;x=bob",
            "/people//joe", "/people/bob/../../people/joe", "/people/%6aoe", "/../userprofile/people/joe",
            "/people/bob%5c..%5cjoe", "/people/bob%252f..%252fjoe",
        ] {
            let response = try fixture.get(target, bob)
            #expect((400...404).contains(response.status) && response.status != 401, "\(target): \(response.status)")
            #expect(!response.text.contains("joe@example.com"), "\(target)")
        }
        #expect(try fixture.get("/people/%6aoe", will).status == 200)
        for target in ["/people/", "/people/joe/", "/groups/", "/People", "/"] {
            #expect(try fixture.get(target, will).status == 404, "\(target)")
        }
    }

    @Test(
        "UPS: names with special characters are handled",
        arguments: ["a\"b'<>&", "jürgen müller", "李小龍", "50;x,y", "e\u{301}", "-"])
    func names(_ name: String) throws {
        let fixture = try ProfileFixture()
        let will = try fixture.token("will")
        let encoded = PathSegment.encode(name)
        let body = try String(
            decoding: JSONSerialization.data(withJSONObject: ["id": name, "displayName": name]), as: UTF8.self)
        let made = try fixture.send("POST", "/people", will, body)
        #expect(made.status == 201 && made.only("Location") == ProfileFixture.path + "/people/" + encoded)
        #expect(try fixture.send("POST", "/people", will, body).status == 409)
        #expect(try fixture.get("/people/" + encoded, will).json["id"].string == name)
        #expect(try fixture.get("/people?filter[displayName]=\(encoded)", will).json["total"].integer == 1)
        // Another text for the same sign is another name.
        if name == "e\u{301}" { #expect(try fixture.get("/people/%C3%A9", will).status == 404) }
        #expect(try fixture.send("PUT", "/groups/Clerk/members/" + encoded, will).status == 200)
        #expect(try fixture.send("DELETE", "/people/" + encoded, will).status == 204)
        #expect(try fixture.get("/people/" + encoded, will).status == 404)
        #expect(try fixture.gateway.admin("POST", "/admin/reload").status == 204)
    }

    @Test("UPS-03: no body grants more than intended")
    func bodies() throws {
        let fixture = try ProfileFixture()
        let will = try fixture.token("will")
        let before = try fixture.gateway.gateway.configuration.contents()
        for body in [
            #"{"id":"x","roles":["Manager"]}"#, #"{"id":"x","passwordHash":"{PlainText}x"}"#,
            #"{"id":"x","title":"a","title":"b"}"#, #"{"id":"x","id":"y"}"#, #"{"id":"x","title":"a\u0000b"}"#,
            #"{"id":"a/b"}"#, #"{"id":".."}"#, #"{"id":"a%2e"}"#, #"{"id":"x"} {"id":"y"}"#, "[]",
            #"{"id":"x","manager":"nobody"}"#,
            #"{"id":"x","attributes":{"title":"y"}}"#, #"{"id":"x","title":"\#(String(repeating: "x", count: 1025))"}"#,
        ] {
            let response = try fixture.send("POST", "/people", will, body)
            #expect(response.status == 400, "\(body.prefix(60)): \(response.status)")
        }
        let long = #"{"id":"x","title":"\#(String(repeating: "x", count: 70_000))"}"#
        #expect(try fixture.send("POST", "/people", will, long).status == 413)
        #expect(try fixture.send("POST", "/people", will, nil).status == 415)
        #expect(try fixture.gateway.gateway.configuration.contents() == before)
    }

    @Test("UPS-03: of concurrent writers one wins, and nothing is lost")
    func races() throws {
        let fixture = try ProfileFixture()
        let will = try fixture.token("will")
        let count = 8
        let made = try concurrently(count) { _ in
            try fixture.send("POST", "/people", will, #"{"id":"twin"}"#).status
        }
        #expect(made.sorted() == [201] + Array(repeating: 409, count: count - 1))
        let names = [
            "title", "mobile", "country", "photo", "description", "displayName", "telephoneNumber", "lastName",
        ]
        let changed = try concurrently(count) { number in
            try fixture.send("PATCH", "/people/twin", will, #"{"\#(names[number])":"\#(number)"}"#).status
        }
        #expect(changed == Array(repeating: 200, count: count))
        let now = try fixture.get("/people/twin", will).json
        for (number, name) in names.enumerated() { #expect(now[name].string == "\(number)") }
        let mails = try concurrently(count) { number in
            try fixture.send("POST", "/people", will, #"{"id":"m\#(number)","mail":"same@example.com"}"#).status
        }
        #expect(mails.filter { $0 == 201 }.count == 1 && mails.allSatisfy { $0 == 201 || $0 == 409 }, "\(mails)")
        let mixed = try concurrently(count) { number in
            try number % 2 == 0
                ? fixture.send("DELETE", "/people/twin", will).status
                : fixture.send("PUT", "/groups/Clerk/members/twin", will).status
        }
        #expect(mixed.filter { $0 == 204 }.count == 1, "\(mixed)")
        #expect(try fixture.get("/people/twin", will).status == 404)
        let tag = try #require(try fixture.get("/people/bob", will).only("ETag"))
        let guarded = try concurrently(count) { number in
            try fixture.send("PATCH", "/people/bob", will, #"{"title":"\#(number)"}"#, ["If-Match: \(tag)"]).status
        }
        #expect(guarded.sorted() == [200] + Array(repeating: 412, count: count - 1))
    }

    @Test("UPS-03, CACHE-07: removing a user removes the user's tokens, in every worker")
    func removal() throws {
        let fixture = try ProfileFixture {
            $0["applications"] = #"[{"name": "App", "apiKey": "key"}]"#
            $0["serviceDomains"] = MobileFixture.domains()
        }
        let will = try fixture.token("will")
        let bearer = try fixture.token("bob")
        let pair = try fixture.gateway.request(
            "POST", "/yambas/oauth/token", ["Content-Type: application/x-www-form-urlencoded"],
            body: "grant_type=aom_user&client_id=App&client_secret=key&username=bob&password=pw-bob&scope=read%20write"
        ).json
        let access = try #require(pair["access_token"].string)
        let login = MobileFixture.login("USERTOKEN", user: "bob", password: "pw-bob", app: "inventory")
        let session = try fixture.gateway.request(
            "POST", MobileFixture.plain + "/authenticate",
            ["Content-Type: application/json", MobileFixture.uidPassword("inventory:shared")], body: login
        ).json
        let userToken = try #require(session["X-Idaas-Rest-Token-Value"].string)
        let info =
            MobileFixture.plain
            + "/tokens/info?X-Idaas-Rest-Subject-Type=TOKEN&X-Idaas-Rest-Subject-Value=\(userToken)"
        func statuses(_ password: String = "pw-bob") throws -> [Int] {
            [
                try fixture.gateway.request("GET", "/inventory/me", [.bearer(bearer)]).status,
                try fixture.get("/people/bob", access).status, try fixture.gateway.request("GET", info).status,
                try fixture.gateway.request(
                    "GET", "/inventory/me", [.basic("bob:\(password)"), "Oracle-Mobile-Backend-ID: mbe-inv-1"]
                ).status,
            ]
        }
        #expect(try statuses() == [200, 200, 200, 200])
        #expect(try fixture.send("DELETE", "/people/bob", will).status == 204)
        // New connections go to both workers.
        for _ in 0..<8 { #expect(try statuses() == [401, 401, 401, 401]) }
        #expect(
            try fixture.send("POST", "/people", will, #"{"id":"bob","password":"pw-bobby"}"#).status == 201)
        for _ in 0..<8 { #expect(try statuses("pw-bobby") == [401, 401, 401, 200]) }
        let refreshed = try fixture.gateway.request(
            "POST", "/yambas/oauth/token", ["Content-Type: application/x-www-form-urlencoded"],
            body: "grant_type=refresh_token&client_id=App&client_secret=key&refresh_token="
                + (pair["refresh_token"].string ?? ""))
        #expect(refreshed.status >= 400)
    }

    @Test("UPS-06: a revoked right is lost in every worker")
    func lostRight() throws {
        let fixture = try ProfileFixture()
        let (will, rita) = (try fixture.token("will"), try fixture.token("rita"))
        #expect(try fixture.get("/people/joe", rita).status == 200)
        #expect(try fixture.send("DELETE", "/groups/userProfile.read/members/rita", will).status == 204)
        for _ in 0..<8 { #expect(try fixture.get("/people/joe", rita).status == 403) }
        #expect(try fixture.get("/people/rita", rita).status == 200)
    }

    @Test("UPS: nothing of the service exists when it is off")
    func off() throws {
        let fixture = try ProfileFixture { $0["userProfile"] = nil }
        #expect(try fixture.get("/people/will", fixture.token("will")).status == 404)
    }

    @Test("UPS: a webgate's token is refused for profiles, and other sites read nothing")
    func otherTokens() throws {
        let fixture = try ProfileFixture()
        let token = try fixture.token("rita")
        let target = ProfileFixture.path + "/people/joe"
        let cross = try fixture.gateway.request("GET", target, [.bearer(token), .origin("https://evil.example.com")])
        #expect(cross.status == 403 && !cross.text.contains("joe@"))
        for fields: [Field] in [["Cookie: ObSSOCookie=\(token)"], [], [.bearer("")]] {
            #expect(try fixture.gateway.request("GET", target, fields).status == 401)
        }
        #expect(try fixture.gateway.request("GET", target + "?access_token=\(token)").status == 401)
        #expect(try fixture.gateway.request("GET", target, [.bearer(token), .bearer(token)]).status == 400)
    }
}

/// What several threads get at once, in their order.
private func concurrently(_ count: Int, _ work: @escaping @Sendable (Int) throws -> Int) throws -> [Int] {
    let results = Mutex([Int: Result<Int, any Error>]())
    DispatchQueue.concurrentPerform(iterations: count) { number in
        let result = Result { try work(number) }
        results.withLock { $0[number] = result }
    }
    return try results.withLock { results in try (0..<count).compactMap { try results[$0]?.get() } }
}
