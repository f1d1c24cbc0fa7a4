import Foundation
import Testing

/// Fields that routes set, add and remove, of requests and of responses.
@Suite struct RouteFieldTests {
    private static let basic: [Field] = [.basic("joe:Welcome1"), "Oracle-Mobile-Backend-ID: mbe-inv-1"]

    private func fixture(_ more: String, isPublic: Bool = false, others: [String] = []) throws -> Fixture {
        let access = isPublic ? #""public": true"# : #""roles": []"#
        return try Fixture(environment: ["STAGE": "test", "BROKEN": "a\nb"]) {
            $0["routes"] = FixtureSettings.list(
                [#"{"path": "/a/**", "upstream": "stub", \#(access), \#(more)}"#] + others)
        }
    }

    /// The request that the upstream got for one that the gateway admitted.
    private func forwarded(_ fixture: Fixture, _ fields: [Field] = basic, path: String = "/a/b") throws
        -> RecordedRequest
    {
        let response = try fixture.request("GET", path, fields)
        try #require(response.status == 200, "\(response.text)")
        return try fixture.lastRequest(path)
    }

    @Test(
        "placeholders are replaced by values of the request",
        arguments: [
            ("${user}", "joe"), ("${issuer}", "local"), ("${roles}", "Manager"), ("${client_ip}", "127.0.0.1"),
            ("${claim.email}", "joe@example.com"),
            ("${claim.name} <${claim.email}>", "Joe Example <joe@example.com>"), ("${env.STAGE}-1", "test-1"),
            ("$${user}", "${user}"), ("a$b", "a$b"), ("${claim./roles/0}", "Manager"), ("plain", "plain"),
        ])
    func values(_ template: String, _ value: String) throws {
        let fixture = try fixture(#""requestHeaders": {"set": {"X-Own": "\#(template)"}}"#)
        #expect(try forwarded(fixture).values("X-Own") == [value])
    }

    @Test("the request id equals that in the log")
    func requestID() throws {
        let fixture = try fixture(#""requestHeaders": {"set": {"X-Own": "${request_id}"}}"#)
        let request = try forwarded(fixture)
        #expect(request.values("X-Own") == request.values("X-Request-Id"))
    }

    @Test("claims of a token can be inserted, including nested ones, lists and userinfo")
    func claims() throws {
        let fixture = try fixture(
            #"""
            "requestHeaders": {"set": {
              "X-Mail": "${claim.email}", "X-Subject": "${claim.sub}", "X-Audience": "${claim.aud}", "X-None": "${claim.a.b}",
              "X-Partly": "a ${claim.none}"}, "preset": "apisix-userinfo"}
            """#)
        let request = try forwarded(fixture, [.bearer(fixture.token("joe"))])
        #expect(request.values("X-Mail") == ["joe@example.com"])
        #expect(request.values("X-Subject") == ["joe"])
        #expect(request.values("X-Audience") == ["http://gw.example.com"])
        // Half a value would be another one.
        #expect(request.values("X-None").isEmpty && request.values("X-Partly").isEmpty)
        let userinfo = try #require(request.values("X-Userinfo").first.flatMap { Data(base64Encoded: $0) })
        #expect(JSONText(String(decoding: userinfo, as: UTF8.self))["sub"].string == "joe")
    }

    @Test(
        "a client's field of the same name is removed in all spellings",
        arguments: [
            "X-Own", "x-own", "X_Own", "X.Own", "HTTP_X_OWN",
        ])
    func spoofed(_ name: String) throws {
        let fixture = try fixture(
            #""requestHeaders": {"set": {"X-Own": "${claim.email}"}, "remove": ["X-Gone"]}"#,
            others: [#"{"path": "/open/**", "upstream": "stub", "public": true}"#])
        let sent = Self.basic + [Field(name: name, value: "eve@example.com"), Field(name: "X-Gone", value: "1")]
        let request = try forwarded(fixture, sent)
        #expect(request.values("X-Own") == ["joe@example.com"])
        #expect(!request.head.raw.contains("eve@") && request.values("X-Gone").isEmpty)
        // A route that says nothing of the field does not pass it on either.
        let other = try forwarded(fixture, [Field(name: name, value: "eve@example.com")], path: "/open/x")
        #expect(!other.head.raw.contains("eve@"))
    }

    @Test("without a caller, fields that name one are omitted, including the client's")
    func anonymous() throws {
        let fixture = try fixture(
            #""requestHeaders": {"set": {"X-Own": "${user}", "X-Stage": "${env.STAGE}"}}"#, isPublic: true)
        let request = try forwarded(fixture, ["X-Own: eve", "X-Stage: eve"])
        #expect(request.values("X-Own").isEmpty && request.values("X-Stage") == ["test"])
    }

    @Test(
        "a fixed value replaces the client's field in all spellings",
        arguments: [
            "X-Stage", "x_stage", "X.Stage", "XStage", "HTTP_X_Stage", "HTTP_HTTP-X-Stage",
        ])
    func fixed(_ name: String) throws {
        let fixture = try fixture(#""requestHeaders": {"set": {"X-Stage": "test"}}"#, isPublic: true)
        let request = try forwarded(fixture, [Field(name: name, value: "eve"), "X-Stages: kept"])
        #expect(request.values("X-Stage") == ["test"] && !request.head.raw.contains("eve"))
        #expect(request.values("X-Stages") == ["kept"])
    }

    @Test("add keeps existing fields, set replaces them")
    func addition() throws {
        let fixture = try fixture(
            #""requestHeaders": {"set": {"X-A": "1"}, "add": {"X-B": "2"}}"#, isPublic: true)
        let request = try forwarded(fixture, ["X-A: 9", "X-B: 9"])
        #expect(request.values("X-A") == ["1"] && request.values("X-B") == ["9", "2"])
    }

    @Test(
        "presets expand to their fields",
        arguments: [
            (
                "oauth2-proxy",
                [
                    ("X-Forwarded-User", "joe"), ("X-Forwarded-Email", "joe@example.com"),
                    ("X-Forwarded-Groups", "Manager"),
                    ("X-Forwarded-Preferred-Username", "joe"),
                ]
            ),
            (
                "authelia",
                [
                    ("Remote-User", "joe"), ("Remote-Groups", "Manager"), ("Remote-Email", "own"),
                    ("Remote-Name", "Joe Example"),
                ]
            ),
        ])
    func presets(_ name: String, _ fields: [(String, String)]) throws {
        let fixture = try fixture(
            #""requestHeaders": {"preset": "\#(name)", "set": {"remote_email": "own"}}"#)
        let request = try forwarded(fixture, Self.basic + fields.map { Field(name: $0.0, value: "eve") })
        for (name, value) in fields where value != "own" { #expect(request.values(name) == [value]) }
        #expect(request.values("Remote-Email").isEmpty && request.values("remote_email") == ["own"])
    }

    @Test("response fields are set, added and removed, also in the gateway's own answers")
    func responses() throws {
        let fixture = try fixture(
            #"""
            "responseHeaders": {"set": {"Strict-Transport-Security": "max-age=1", "Cache-Control": "no-cache"},
                                "add": {"X-Req": "${request_id}"}, "remove": ["Server", "X-Powered-By"]}
            """#)
        fixture.upstream.on("/a/b") { _ in
            [.reply("200 OK", ["Server: stub", "x_powered_by: php", "Cache-Control: public", "X-Req: 1"], body: "x")]
        }
        let response = try fixture.request("GET", "/a/b", Self.basic)
        #expect(response.values("Server").isEmpty && response.values("x_powered_by").isEmpty)
        #expect(response.values("Strict-Transport-Security") == ["max-age=1"])
        #expect(response.values("Cache-Control") == ["no-cache"])
        #expect(response.values("X-Req").count == 2 && response.values("X-Req")[0] == "1")
        let refused = try fixture.request("GET", "/a/b")
        #expect(refused.status == 401 && refused.values("Strict-Transport-Security") == ["max-age=1"])
        #expect(refused.values("X-Req") == refused.values("X-Request-Id"))
    }
}
