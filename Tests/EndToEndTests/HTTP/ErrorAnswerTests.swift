import Foundation
import Testing

/// `errors` and `errorFormat`: how errors of the gateway itself are answered by route, and without one.
@Suite(.tags(.engine)) struct ErrorAnswerTests {
    private static let bob: [Field] = [.basic("bob:Welcome3"), "Oracle-Mobile-Backend-ID: mbe-inv-1"]
    private static let browser: Field = "Accept: text/html,application/xhtml+xml,*/*;q=0.8"

    /// A route that bob must not use, with these answers, and one whose upstream is not there.
    private func fixture(
        _ errors: String, files: [String: String] = [:], route: String = "", gateway: String? = nil,
        _ change: (inout FixtureSettings) -> Void = { _ in }
    ) throws -> Fixture {
        try Fixture(files: files, environment: ["HELP": "a<b"]) {
            $0["environment"] = #"["HELP"]"#
            $0["upstreams"] = String(($0["upstreams"] ?? "").dropLast()) + #", "gone": {"url": "http://127.0.0.1:1"}}"#
            if let gateway { $0["errors"] = gateway }
            let rules = errors.isEmpty ? "" : #", "errors": [\#(errors)]"#
            $0.addRoutes(
                #"{"path": "/a/**", "upstream": "stub", "roles": ["Manager"]\#(rules)\#(route)}"#,
                #"{"path": "/gone/**", "upstream": "gone", "public": true\#(rules)\#(route)}"#)
            change(&$0)
        }
    }

    @Test("a body by status or reason, inline or from a file, with values of the request")
    func bodies() throws {
        let fixture = try fixture(
            #"""
            {"reason": "role_required", "body": "<p>${user} ${status} ${reason} ${message} ${path} ${env.HELP} $${user}</p>",
             "headers": {"X-Who": "${user}", "X-Own": "error"}, "answerStatus": 404},
            {"status": [401, 403], "file": "errors/all.txt", "contentType": "text/plain"},
            {"status": "5xx", "body": "{\"id\": \"${request_id}\", \"status\": ${status}}", "contentType": "application/json"}
            """#, files: ["errors/all.txt": "asked for ${path} as ${user}."],
            route:
                #", "responseHeaders": {"set": {"X-Own": "route", "X-Route": "1", "X-Content-Type-Options": "nosniff"}}"#
        )
        let connection = try fixture.connect()
        let refused = try connection.exchange("GET", "/a/b", Self.bob + [Self.browser])
        #expect(refused.status == 404)
        #expect(
            refused.text == "<p>bob 404 role_required a required role is missing /a/b a&lt;b ${user}</p>",
            "\(refused.text)")
        #expect(refused.values("Content-Type") == ["text/html; charset=utf-8"])
        #expect(refused.values("Cache-Control") == ["no-store"] && refused.values("X-Who") == ["bob"])
        #expect(refused.values("X-Own") == ["error"] && refused.values("X-Route") == ["1"])
        #expect(refused.values("X-Content-Type-Options") == ["nosniff"])
        let id = try #require(refused.only("X-Request-Id"))
        let line = try #require(fixture.gateway.waitForAccess { $0["request_id"].string == id })
        #expect(line["reason"].string == "role_required" && line["status"].integer == 404)

        let challenged = try connection.exchange("GET", "/a/b", [.origin("http://gw.example.com")])
        #expect(challenged.status == 401 && challenged.text == "asked for /a/b as .")
        #expect(challenged.values("WWW-Authenticate") == [#"Bearer realm="portcullis""#])
        #expect(challenged.values("Content-Type") == ["text/plain; charset=utf-8"])
        #expect(challenged.values("Vary").contains("Origin"))

        let failed = try connection.exchange("GET", "/gone/x", ["X-Request-Id: mine"])
        #expect(failed.status == 502 && failed.text == #"{"id": "mine", "status": 502}"#)
        let head = try connection.exchange("HEAD", "/gone/x", ["X-Request-Id: mine"])
        #expect(head.status == 502 && head.body.isEmpty && head.values("Content-Length") == ["29"])
    }

    @Test("errors of the upstream are its own")
    func upstreamErrors() throws {
        let fixture = try fixture(#"{"status": ["4xx", "5xx"], "body": "own"}"#)
        fixture.upstream.on("/a/x") { _ in [.reply("503 Service Unavailable", body: "theirs")] }
        let joe: [Field] = [.basic("joe:Welcome1"), "Oracle-Mobile-Backend-ID: mbe-inv-1"]
        let theirs = try fixture.request("GET", "/a/x", joe)
        #expect(theirs.status == 503 && theirs.text == "theirs")
        #expect(try fixture.request("GET", "/a/x", Self.bob).text == "own")
    }

    @Test("of several answers, browsers get the page and programs the other one")
    func accept() throws {
        let fixture = try fixture(
            #"""
            {"status": 403, "body": "page"}, {"status": "4xx", "body": "{}", "contentType": "application/json"},
            {"status": 502, "redirect": "https://www.example.com/sorry/${status}?id=${request_id}&from=${path}"}
            """#)
        let connection = try fixture.connect()
        #expect(try connection.exchange("GET", "/a/x", Self.bob + [Self.browser]).text == "page")
        #expect(try connection.exchange("GET", "/a/x", Self.bob).text == "{}")
        #expect(try connection.exchange("GET", "/a/x", Self.bob + ["Accept: application/json"]).text == "{}")
        // Only browsers that ask for a page are sent elsewhere.
        let sent = try connection.exchange("GET", "/gone/a%26b", [Self.browser, "X-Request-Id: m"])
        #expect(sent.status == 302 && sent.body.isEmpty)
        #expect(sent.values("Location") == ["https://www.example.com/sorry/302?id=m&from=%2Fgone%2Fa%2526b"])
        #expect(sent.values("Cache-Control") == ["no-store"])
        #expect(try connection.exchange("HEAD", "/gone/x", [Self.browser]).status == 302)
        #expect(try connection.exchange("POST", "/gone/x", [Self.browser], body: "a").status == 502)
        #expect(try connection.exchange("GET", "/gone/x").status == 502)
    }

    @Test("nothing of a request becomes markup, JSON, a field or another host")
    func injection() throws {
        let evil = #"<b>\"x\" & 'y'"#
        let fixture = try fixture(
            #"""
            {"status": 403, "body": "<p title=\"${claim.given_name}\">${path} ${request_id}</p>"},
            {"status": 403, "body": "{\"n\": \"${claim.given_name}\", \"p\": \"${path}\", \"id\": \"${request_id}\"}",
             "contentType": "application/json"},
            {"status": 502, "redirect": "/sorry?from=${path}&id=${request_id}"}
            """#
        ) {
            $0["users"] = """
                [{"username": "bob", "email": "b@example.com", "firstName": "\(evil)", "password": "{PlainText}Welcome3", "roles": []}]
                """
        }
        let connection = try fixture.connect()
        let path = "/a/%3Cscript%3E%22%0d%0aX-Evil:%201%00"
        for target in [path, "/a/<script>'\"", "/a/'onload='x"] {
            let page = try connection.exchange("GET", target, Self.bob + [Self.browser, "X-Request-Id: <i>"])
            guard page.status == 403 else {
                #expect(page.status == 400)
                continue
            }
            #expect(page.text.hasPrefix(#"<p title="&lt;b&gt;&quot;x&quot; &amp; &#39;y&#39;">"#), "\(page.text)")
            #expect(!page.text.contains("<script") && !page.text.contains("<i>") && page.values("X-Evil").isEmpty)
            let json = try connection.exchange("GET", target, Self.bob + [#"X-Request-Id: a"b"#])
            #expect(json.status == 403)
            let read = try JSONSerialization.jsonObject(with: Data(json.text.utf8)) as? [String: String]
            #expect(read?["n"] == #"<b>"x" & 'y'"# && read?.count == 3, "\(json.text)")
        }
        for target in [
            "/gone//evil.example", "/gone/%5cevil.example", "//evil.example/gone/", "/gone/%0d%0aSet-Cookie:a=b",
        ] {
            let answer = try connection.exchange("GET", target, [Self.browser])
            let location = answer.only("Location")
            #expect(location == nil || location?.hasPrefix("/sorry?from=%2Fgone%2F") == true, "\(location ?? "")")
            #expect(answer.values("Set-Cookie").isEmpty)
        }
    }

    @Test("rules for all routes are behind those of a route, and hold without a route")
    func defaults() throws {
        let fixture = try fixture(
            #"{"status": 403, "body": "of the route"}"#,
            gateway: #"[{"status": "4xx", "body": "${status} of all"}]"#)
        let connection = try fixture.connect()
        #expect(try connection.exchange("GET", "/a/x", Self.bob).text == "of the route")
        #expect(try connection.exchange("GET", "/a/x").text == "401 of all")
        #expect(try connection.exchange("GET", "/plain").text == "401 of all")
        #expect(try connection.exchange("GET", "/nowhere").text == "404 of all")
        #expect(try connection.exchange("GET", "/open/%2e%2e%2fx").text == "400 of all")
        // Endpoints have forms of their own, and requests that are no HTTP get JSON.
        let token = try connection.exchange("POST", "/oauth2/token", ["Content-Type: text/plain"], body: "x")
        #expect(token.status >= 400 && JSONText(token.text)["error"].string != nil)
        try connection.send("GET / HTTP/1.1\r\n\r\n")
        #expect(JSONText(try connection.readResponse().text)["code"].string == "missing_host")
        let admin = try fixture.gateway.request("GET", "/nothing", listener: "admin")
        #expect(JSONText(admin.text)["status"].integer == 404)
    }

    @Test("problem documents, and pages for browsers")
    func problems() throws {
        let fixture = try fixture("", route: #", "errorFormat": "default""#) { $0["errorFormat"] = #""problem""# }
        let connection = try fixture.connect()
        let problem = try connection.exchange("GET", "/plain", ["X-Request-Id: m"])
        #expect(problem.status == 401 && problem.values("Content-Type") == ["application/problem+json"])
        #expect(problem.values("WWW-Authenticate").count == 1)
        let expected =
            #"{"type":"about:blank","title":"Unauthorized","status":401,"detail":"invalid or missing token","#
            + #""instance":"/plain","reason":"unauthorized","request_id":"m"}"#
        #expect(problem.text == expected)
        #expect(JSONText(try connection.exchange("GET", "/nowhere").text)["reason"].string == "no_route")
        #expect(try connection.exchange("HEAD", "/plain").body.isEmpty)
        let page = try connection.exchange("GET", "/plain", [Self.browser])
        #expect(page.only("Content-Type") == "text/html; charset=utf-8")
        let usual = try connection.exchange("GET", "/a/x")
        #expect(
            usual.only("Content-Type") == "application/json" && JSONText(usual.text)["code"].string == "unauthorized")
    }

    @Test("Retry-After and Allow stay")
    func fieldsOfErrors() throws {
        let fixture = try fixture("", gateway: #"[{"status": "4xx", "body": "x", "answerStatus": 400}]"#) {
            $0.addRoutes(
                #"{"path": "/few", "upstream": "stub", "public": true, "methods": ["GET"], "rateLimit": [{"requests": 1, "per": "1h"}]}"#
            )
        }
        let connection = try fixture.connect()
        #expect(try connection.exchange("GET", "/few").status == 200)
        let limited = try connection.exchange("GET", "/few")
        #expect(limited.status == 400 && limited.text == "x" && limited.values("Retry-After").count == 1)
        let method = try connection.exchange("POST", "/few")
        #expect(method.status == 400 && method.values("Allow").first?.contains("GET") == true)
    }

    @Test("a refused gRPC call gets the status of its protocol, the log the usual one, and other requests are no calls")
    func calls() throws {
        let fixture = try SecureFixture { $0["errors"] = #"[{"status": 401, "body": "no"}]"# }
        let type = ["-H", "Content-Type: application/grpc"]
        // Without a body, since curl may take an answer before its end for a failure.
        let answer = try fixture.curl(["--http2", "-X", "POST"] + type, "/plain")
        #expect(answer.version == "HTTP/2" && answer.status == 200 && answer.body.isEmpty, "\(answer)")
        let line = try #require(fixture.gateway.waitForAccess { $0["path"].string == "/plain" })
        #expect(line["status"].number == 401 && line["reason"].string == "missing_credential")
        // A proxy that asks would take 200 for a permission.
        #expect(try fixture.curl(["--http1.1", "-d", "x"] + type, "/plain").status == 401)
        #expect(try fixture.curl(["--http2"] + type, "/plain").status == 401)
    }

    @Test("proxies that ask for decisions get no answer of a call")
    func callsOfProxies() throws {
        let fixture = try ForwardAuthFixture.make()
        let type: Field = "Content-Type: application/grpc"
        #expect(try fixture.ask("POST", "/plain", [type]).status == 401)
        #expect(try fixture.ask("POST", "/nowhere", [type]).status == 404)
        let connection = try fixture.gateway.connect("auth")
        #expect(try connection.exchange("POST", "/elsewhere", [type], body: "x").status == 404)
    }

    @Test("answers over HTTP/2")
    func http2() throws {
        let fixture = try SecureFixture {
            $0["errors"] = #"[{"status": 401, "body": "for ${path}", "contentType": "text/plain"}]"#
        }
        let answer = try fixture.curl(["--http2"], "/plain")
        #expect(answer.version == "HTTP/2" && answer.status == 401 && answer.body == "for /plain")
        #expect(try fixture.curl(["--http2", "-I"], "/plain").body.isEmpty)
    }

    @Test("proxies that ask for decisions get the answers for their clients, and never a success")
    func forwardAuth() throws {
        let fixture = try ForwardAuthFixture.make {
            $0["errors"] = #"[{"status": "4xx", "body": "${status} for ${path}", "contentType": "text/plain"}]"#
            $0.addRoutes(
                #"{"path": "/hidden", "upstream": "stub", "roles": ["Manager"], "errors": [{"status": 403, "body": "none", "contentType": "text/plain", "answerStatus": 404}]}"#
            )
        }
        let missing = try fixture.ask("GET", "/plain")
        #expect(missing.status == 401 && missing.text == "401 for /plain")
        #expect(missing.values("WWW-Authenticate").count == 1)
        let hidden = try fixture.ask("GET", "/hidden", Self.bob)
        #expect(hidden.status == 404 && hidden.text == "none")
        #expect(try fixture.ask("GET", "/nowhere").text == "404 for /nowhere")
        // What is wrong with the question is for the proxy's operator.
        let malformed = try fixture.ask(fields: [])
        #expect(malformed.status == 400 && JSONText(malformed.text)["code"].string == "forward_auth_malformed")
    }
}
