import Bytes
import Identity
import Issuers
import Model
import Outbound
import TestSupport
import Testing

/// ISS-03: tokens of any API that gives one for an HTTP request.
@Suite struct LoginIssuerTests {
    private let now: Int64 = 1_700_000_000

    private func issue(
        _ values: [String: IssuerValue], _ caller: ScriptedCaller, _ request: IssueRequest = BuiltModule.request()
    ) throws -> Result<IssuedToken, IssueFailure> {
        let least: [String: IssuerValue] = ["url": .text("https://api.example/login")]
        return try BuiltModule.make(.login, least.merging(values) { $1 }, caller).issue(request, now: now).settled()
    }

    private static func node(_ text: String) throws -> IssuerValue {
        let bytes = Array(text.utf8)
        return .json(try JSONNode.parse(bytes.span))
    }

    private func body(_ caller: ScriptedCaller) -> String { String(decoding: caller.calls[0].body, as: UTF8.self) }

    @Test("the module `remote` works with only its URL configured")
    func remote() throws {
        let caller = ScriptedCaller(.token("abc", seconds: 40))
        let token = try issue(["clientId": .text("gw"), "clientSecret": .text("s")], caller).get()
        #expect(token.text == "abc" && token.expiresAt == now + 40)
        #expect(caller.calls[0].method == "POST" && caller.header("Content-Type") == "application/json")
        #expect(caller.header("Authorization") == "Basic Z3c6cw==")
        #expect(
            body(caller)
                == #"{"subject":"joe","kind":"user","backend":"inventory","backendVersion":"1.0","webgate":"WG","level":2,"roles":[]}"#
        )
    }

    @Test(
        "values are escaped for strings, forms, path segments and fields",
        arguments: [
            "joe", #"a","admin":"yes"#, "a&user=root", "../../root", "a\r\nX-Admin: 1", "ä{subject}", "a b%41#?",
        ])
    func placesAreEscaped(_ name: String) throws {
        let request = BuiltModule.request(name)
        let json = ScriptedCaller(.token("t"))
        _ = try issue(["json": Self.node(#"{"user": "<{subject}>", "n": [1, true, "{{x}"]}"#)], json, request).get()
        let sent = json.calls[0].body
        let node = try JSONNode.parse(sent.span)
        #expect(node["user"]?.string == "<\(name)>" && node.members?.count == 2)
        #expect(node["n"]?.array?[2].string == "{x}")

        let form = ScriptedCaller(.token("t"))
        _ = try issue(["form": .map([(name: "user", value: "{subject}"), (name: "b", value: "1")])], form, request)
            .get()
        #expect(try form.form() == ["user": name, "b": "1"])

        let url = ScriptedCaller(.token("t"))
        let place = "https://api.example/users/{subject}/token?u={subject}"
        _ = try issue(["url": .text(place), "method": .text("GET")], url, request).get()
        let target = url.calls[0].url.target
        #expect(target.count(where: { $0 == "/" }) == 3 && target.count(where: { $0 == "?" }) == 1)
        #expect(url.calls[0].url.host == "api.example" && url.calls[0].body.isEmpty)

        let field = ScriptedCaller(.token("t"))
        _ = try issue(["headers": .map([(name: "X-User", value: "u={subject}")])], field, request).get()
        let value = try #require(field.header("X-User"))
        #expect(value.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
    }

    @Test("secrets are inserted, and a configured content type replaces the default")
    func secrets() throws {
        let caller = ScriptedCaller(.token("t"))
        let secrets: IssuerValue = .map([(name: "key", value: "k\"1")])
        _ = try issue(
            [
                "json": Self.node(#"{"key": "{secret:key}"}"#), "secrets": secrets,
                "headers": .map([(name: "content-type", value: "application/x-login+json")]),
            ], caller
        ).get()
        #expect(body(caller) == #"{"key":"k\"1"}"#)
        #expect(caller.calls[0].headers.filter { $0.name.lowercased() == "content-type" }.count == 1)
        #expect(caller.header("Content-Type") == "application/x-login+json")
    }

    @Test("the caller's token is inserted; without one the call fails")
    func callersToken() throws {
        let values: [String: IssuerValue] = ["form": .map([(name: "token", value: "{credential}")])]
        let caller = ScriptedCaller(.token("t"))
        _ = try issue(values, caller, BuiltModule.request(token: "a.b")).get()
        #expect(try caller.form()["token"] == "a.b")
        let result = try issue(values, ScriptedCaller(.token("t")))
        #expect(throws: IssueFailure.credentialMissing) { try result.get() }
    }

    // MARK: Answers

    private func place(_ values: [String: IssuerValue]) -> IssuerValue { .object(values) }

    @Test("token and lifetime are found by JSON pointer")
    func pointers() throws {
        let answer = OutboundResult.json(#"{"a/b": {"~": ["x", "s-1"]}, "ttl": "90000"}"#)
        let values = [
            "token": place(["pointer": .text("/a~1b/~0/1"), "prefix": .text("s-")]),
            "lifetime": place(["pointer": .text("/ttl"), "unit": .text("milliseconds")]),
        ]
        let token = try issue(values, ScriptedCaller(answer)).get()
        #expect(token.text == "1" && token.expiresAt == now + 90)
        for pointer in ["/a~1b/~0/01", "/a~1b/~0/+1", "/a~1b/~0/2", "/a", "/a~1b"] {
            let result = try issue(["token": place(["pointer": .text(pointer)])], ScriptedCaller(answer))
            #expect(throws: IssueFailure.invalidToken) { try result.get() }
        }
    }

    @Test("lifetimes as servers really write them")
    func lifetimes() throws {
        let bodies: [(String, Int64)] = [
            (#"{"access_token": "t"}"#, 300), (#"{"access_token": "t", "token_type": null, "expires_in": null}"#, 300),
            (#"{"access_token": "t", "expires_in": 3599.9}"#, 3599),
            (#"{"access_token": "t", "expires_in": "60.0"}"#, 60),
            (#"{"access_token": "t", "expires_in": 0}"#, 1), (#"{"access_token": "t", "expires_in": "0"}"#, 1),
            (#"{"access_token": "t", "expires_in": 9223372036854775807}"#, 315_360_000),
        ]
        for (body, seconds) in bodies {
            #expect(try issue([:], ScriptedCaller(.json(body))).get().expiresAt == now + seconds, "\(body)")
        }
        for (unit, number, end) in [
            ("milliseconds", "1500.5", now + 1), ("milliseconds", "10", now + 1),
            ("epochSeconds", "\(now + 50).9", now + 50),
            ("epochMilliseconds", "\(now + 50)000", now + 50),
        ] {
            let lifetime = place(["pointer": .text("/expires_in"), "unit": .text(unit)])
            let answer = ScriptedCaller(.json(#"{"access_token": "t", "expires_in": \#(number)}"#))
            #expect(try issue(["lifetime": lifetime], answer).get().expiresAt == end, "\(unit) \(number)")
        }
    }

    @Test("token and lifetime are found in fields and cookies")
    func headersAndCookies() throws {
        let answer = OutboundResult.response(
            OutboundResponse(
                status: 204,
                headers: [
                    (name: "X-Token", value: "Bearer abc"), (name: "X-End", value: "\(now + 50)"),
                    (name: "Set-Cookie", value: "SID=c1; Path=/; Max-Age=70; HttpOnly"),
                    (name: "Set-Cookie", value: "other=x; Max-Age=1"), (name: "X-Two", value: "1"),
                    (name: "X-Two", value: "2"),
                ]))
        let statuses: IssuerValue = .numbers([204])
        let header = try issue(
            [
                "status": statuses, "token": place(["header": .text("x-token"), "prefix": .text("Bearer ")]),
                "lifetime": place(["header": .text("X-End"), "unit": .text("epochSeconds")]),
            ], ScriptedCaller(answer)
        ).get()
        #expect(header.text == "abc" && header.expiresAt == now + 50)
        let cookie = try issue(
            ["status": statuses, "token": place(["cookie": .text("SID")])], ScriptedCaller(answer)
        ).get()
        #expect(cookie.text == "c1" && cookie.expiresAt == now + 70)
        // What is there twice belongs to no user.
        let two = try issue(["status": statuses, "token": place(["header": .text("X-Two")])], ScriptedCaller(answer))
        #expect(throws: IssueFailure.invalidToken) { try two.get() }
    }

    @Test(
        "failures are classified as specified",
        arguments: [
            (OutboundResult.json("{}", status: 403), IssueFailure.refused), (.json("{}", status: 401), .misconfigured),
            (.json("{}", status: 404), .invalidToken), (.json("{}", status: 201), .invalidToken),
            (.json("", status: 503), .unavailable), (.failed(.timeout), .unavailable),
            (.failed(.malformed), .invalidToken),
            (.json(#"{"access_token": "t", "token_type": "mac"}"#), .invalidToken),
            (.json(#"{"access_token": "t", "expires_in": -4}"#), .invalidToken),
            (.json(#"{"access_token": "t", "expires_in": "soon"}"#), .invalidToken),
            (.json(#"{"access_token": "a b"}"#), .invalidToken), (.json("<html>"), .invalidToken),
        ])
    func failures(_ result: OutboundResult, _ failure: IssueFailure) throws {
        let result = try issue([:], ScriptedCaller(result))
        #expect(throws: failure) { try result.get() }
    }

    // MARK: Attempts

    @Test("ISS-03: retries back off exponentially, up to a limit")
    func attempts() throws {
        let caller = ScriptedCaller(.failed(.connect), .json("", status: 503), .token("t"))
        _ = try issue(["method": .text("GET"), "retries": .number(3)], caller).get()
        #expect(caller.calls.map(\.mayRepeat) == [true, true, true])
        let pauses = caller.calls.map(\.delayMilliseconds)
        #expect(pauses[0] == 0 && (50...100).contains(pauses[1]) && (100...200).contains(pauses[2]))
        let dead = ScriptedCaller(.failed(.connect))
        #expect(throws: IssueFailure.unavailable) {
            try issue(["idempotent": .flag(true), "retries": .number(2)], dead).get()
        }
        #expect(dead.calls.count == 3)
    }

    @Test("refusals and answers with Retry-After are not retried")
    func noFurtherAttempts() throws {
        for answer in [
            OutboundResult.json("", status: 403), .json("", status: 503, [(name: "Retry-After", value: "9")]),
        ] {
            let caller = ScriptedCaller(answer)
            _ = try issue(["method": .text("GET"), "retries": .number(3)], caller)
            #expect(caller.calls.count == 1)
        }
    }

    // MARK: Settings

    @Test("inconsistent settings are refused")
    func settingsThatMakeNoSense() throws {
        let cases: [([String: IssuerValue], String)] = [
            (["retries": .number(1)], "retries"), (["url": .text("http://api.example/x")], "url"),
            (["url": .text("https://{subject}.example/x")], "url"), (["url": .text("https://{webgate}")], "url"),
            (["url": .text("https://api.example/{nobody}")], "url"),
            (["url": .text("https://api.example/{subject")], "url"),
            (["url": .text("https://u:p@api.example/")], "url"), (["json": try Self.node(#"["{x}"]"#)], "json"),
            (["form": .map([(name: "a", value: "{y}")])], "form/a"),
            (["headers": .map([(name: "A", value: "{secret:no}")])], "secrets"),
            (["json": try Self.node("{}"), "form": .map([])], "form"), (["clientId": .text("x")], "clientId"),
            (["clientSecret": .text("x")], "clientSecret"), (["token": place([:])], "token"),
            (["token": place(["pointer": .text("x")])], "token/pointer"),
            (["token": place(["pointer": .text("/a~2")])], "token/pointer"),
            (["lifetime": place(["header": .text("A"), "cookie": .text("b")])], "lifetime/cookie"),
            (["form": .map([(name: "u", value: "{subject}")]), "perCaller": .flag(false)], "perCaller"),
        ]
        for (values, pointer) in cases {
            let problem = #expect(throws: IssuerProblem.self) { try issue(values, ScriptedCaller(.token("t"))) }
            #expect(problem?.pointer == pointer, "\(values)")
        }
    }
}
