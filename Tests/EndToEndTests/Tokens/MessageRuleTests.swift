import Foundation
import Testing

/// Rules by tool of an MCP server: the gateway judges messages, filters lists and asks for more scopes.
@Suite struct MessageRuleTests {
    private static let rules = #"""
        {"tools": {"search": {}, "write": {"scopes": ["write"]}, "admin_*": {"roles": ["Manager"]},
                   "beta": {"claims": {"tier": "gold"}}},
         "resources": {"file:///docs/*": {}, "file:///secret": {"roles": ["Manager"]}}, "prompts": {"hello": {}}}
        """#

    private func fixture(_ rules: String = rules, _ more: String = "", _ issuer: StubIssuer? = nil) throws -> Fixture {
        let fixture = try Fixture {
            if let issuer { $0["trustedIssuers"] = "[\(issuer.entry())]" }
            $0.addRoutes(
                #"{"path": "/mcp", "upstream": "stub", "protectedResource": true\#(more), "mcp": \#(rules)}"#)
        }
        if issuer != nil {
            _ = try #require(fixture.gateway.waitForEvent("keys_fetched"), "\(fixture.gateway.everythingWritten)")
        }
        fixture.upstream.on("/mcp") { request in
            [.reply("200 OK", ["Content-Type: application/json"], body: Self.answer(to: request.body))]
        }
        return fixture
    }

    private static func answer(to body: [UInt8]) -> String {
        let text = String(decoding: body, as: UTF8.self)
        let result =
            switch true {
            case text.contains("tools/list"):
                #"{"tools": [{"name": "search"}, {"name": "write"}, {"name": "admin_users"}, {"name": "other"}], "nextCursor": "x"}"#
            case text.contains("resources/list"):
                #"{"resources": [{"uri": "file:///docs/a"}, {"uri": "file:///secret"}, {"uri": "file:///docs/../x"}]}"#
            default: #"{"content": []}"#
            }
        return #"{"jsonrpc": "2.0", "id": 1, "result": \#(result)}"#
    }

    private static func call(_ tool: String, id: String = "1", method: String = "tools/call") -> String {
        #"{"jsonrpc": "2.0", "id": \#(id), "method": "\#(method)", "params": {"name": "\#(tool)", "arguments": {"a": 1}}}"#
    }

    private func post(
        _ fixture: Fixture, _ body: String, as token: String, _ fields: [Field] = []
    ) throws -> Response {
        try fixture.request("POST", "/mcp", [.bearer(token), "Content-Type: application/json"] + fields, body: body)
    }

    @Test("calls are judged by the name in the body, and sent on unchanged")
    func calls() throws {
        let fixture = try fixture()
        let (joe, bob) = (try fixture.token("joe"), try fixture.token("bob"))
        for (tool, token, status) in [
            ("search", bob, 200), ("admin_users", joe, 200), ("admin_users", bob, 403), ("other", joe, 403),
            ("Search", joe, 403), ("search ", joe, 403), ("beta", joe, 403),
        ] {
            let before = fixture.upstream.requests("/mcp").count
            let response = try post(fixture, Self.call(tool, id: #""7""#), as: token)
            #expect(response.status == status, "\(tool): \(response.text)")
            #expect(fixture.upstream.requests("/mcp").count == before + (status == 200 ? 1 : 0), "\(tool)")
            if status == 403 {
                #expect(response.only("Content-Type") == "application/json")
                let error = JSONText(response.text)
                #expect(error["id"].string == "7" && error["error"]["code"].number == -32003, "\(response.text)")
            } else {
                #expect(
                    String(decoding: try fixture.lastRequest("/mcp").body, as: UTF8.self)
                        == Self.call(tool, id: #""7""#))
            }
        }
        // The credential comes first.
        let unknown = try fixture.request("POST", "/mcp", ["Content-Type: application/json"], body: Self.call("search"))
        #expect(unknown.status == 401 && unknown.only("WWW-Authenticate")?.contains("resource_metadata") == true)
        #expect(try fixture.request("GET", "/mcp", [.bearer(bob)]).status == 200)
        #expect(try fixture.request("DELETE", "/mcp", [.bearer(bob)]).status == 200)
        #expect(try fixture.request("GET", "/mcp").status == 401)
    }

    @Test("a scope that is missing leads to a challenge with all scopes that a client has to ask for")
    func stepUp() throws {
        let issuer = try StubIssuer(keys: "a")
        let fixture = try fixture(Self.rules, #", "scopes": {"any": ["read", "other"]}"#, issuer)
        let refused = try post(
            fixture, Self.call("write"), as: issuer.token("a", more: #", "scope": "read unknown""#))
        #expect(refused.status == 403)
        let challenge = try #require(refused.only("WWW-Authenticate"))
        #expect(
            challenge.contains(#"error="insufficient_scope""#) && challenge.contains(#"scope="read write""#),
            "\(challenge)")
        #expect(challenge.contains("resource_metadata="), "\(challenge)")
        #expect(JSONText(refused.text)["error"]["message"].string == "a required scope is missing")
        let admitted = try post(
            fixture, Self.call("write"), as: issuer.token("a", more: #", "scope": "read write""#))
        #expect(admitted.status == 200)
        let gold = issuer.token("a", more: #", "scope": "read", "tier": "gold""#)
        #expect(try post(fixture, Self.call("beta"), as: gold).status == 200)
        let url = try #require(challenge.range(of: "resource_metadata=\"http://gw.example.com"))
        let path = String(challenge[url.upperBound...].prefix { $0 != "\"" })
        let document = JSONText(try fixture.request("GET", path).text)
        #expect(document["scopes_supported"].list.map(\.string) == ["read", "other", "write"])
    }

    @Test("resources and prompts are judged by the same rules, also where a completion names them")
    func resources() throws {
        let fixture = try fixture()
        let bob = try fixture.token("bob")
        func status(_ method: String, _ params: String) throws -> Int {
            try post(
                fixture, #"{"jsonrpc": "2.0", "id": 1, "method": "\#(method)", "params": \#(params)}"#, as: bob
            ).status
        }
        for (uri, expected) in [
            ("file:///docs/a", 200), ("file:///docs/../secret", 403), ("file:///docs/%2e%2e/secret", 403),
            ("file:///docs/a%20b", 200), ("file:///secret", 403), ("file:///x", 403),
            // Other spellings of what has a rule of its own, and of what is outside.
            ("file:///docs/./a", 403), ("file:///docs//a", 403), ("file:///docs/%61", 403), ("file:///docs/a\\t", 403),
            ("file:///docs/a ", 403), ("file:///docs/.\\t./secret", 403), ("file:///docs/a#b", 403),
            ("file:///docs/a?b=c", 200), ("file:///docs/a?b/../c", 200), ("file:///docs/%zz", 403),
            ("file:///docs/a\\u00e9", 403), ("File:///docs/a", 403), ("file:///docs/a/", 200),
        ] {
            for method in ["resources/read", "resources/subscribe", "Resources/Read"] {
                #expect(try status(method, #"{"uri": "\#(uri)"}"#) == expected, "\(method) \(uri)")
            }
            #expect(
                try status("completion/complete", #"{"ref": {"type": "ref/resource", "uri": "\#(uri)"}}"#) == expected)
        }
        let streams = ["file:///docs/a", "file:///secret"]
        for (uris, expected) in [([streams[0]], 200), (streams, 403), ([streams[1]], 403)] {
            let list = uris.map { "\"\($0)\"" }.joined(separator: ", ")
            #expect(try status("subscriptions/listen", #"{"resourceSubscriptions": [\#(list)]}"#) == expected)
            #expect(
                try status("subscriptions/listen", #"{"notifications": {"resourceSubscriptions": [\#(list)]}}"#)
                    == expected)
        }
        #expect(try status("subscriptions/listen", #"{"resourceSubscriptions": [1]}"#) == 400)
        #expect(try status("prompts/get", #"{"name": "hello"}"#) == 200)
        #expect(try status("prompts/get", #"{"name": "search"}"#) == 403)
        #expect(try status("completion/complete", #"{"ref": {"type": "ref/prompt", "name": "other"}}"#) == 403)
        #expect(try status("completion/complete", #"{"ref": {"type": "other", "name": "hello"}}"#) == 400)
        for method in ["initialize", "ping", "tools/list", "notifications/initialized", "logging/setLevel"] {
            #expect(try status(method, "{}") == 200, "\(method)")
        }
        #expect(try post(fixture, #"{"jsonrpc": "2.0", "id": 1, "result": {}}"#, as: bob).status == 200)
    }

    @Test(
        "what two readers could take for different messages is refused",
        arguments: [
            ("", -32700), ("{", -32700),
            (#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "sear"#, -32700),
            ("[]", -32600), (#"[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]"#, -32600), ("null", -32600),
            ("{}", -32600),
            (#"{"jsonrpc": "2.0", "id": 1, "method": "ping", "method": "tools/call"}"#, -32700),
            (
                #"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search", "name": "other"}}"#,
                -32700
            ),
            (
                #"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search", "n\u0061me": "other"}}"#,
                -32700
            ),
            (
                #"{"jsonrpc": "2.0", "id": 1, "method": "ping", "Method": "tools/call", "params": {"name": "other"}}"#,
                -32600
            ),
            (#"{"jsonrpc": "2.0", "id": 1, "method": "ping", "paramſ": {"name": "other"}}"#, -32600),
            (
                #"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search", "NAME": "other"}}"#,
                -32602
            ),
            (#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": ["search"]}}"#, -32602),
            (#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": ["search"]}"#, -32602),
            (#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}"#, -32602),
            (#"{"jsonrpc": "2.0", "id": 1, "method": 7}"#, -32600),
            (#"{"jsonrpc": "2.0", "id": {}, "method": "ping"}"#, -32600),
            (#"{"jsonrpc": "1.0", "id": 1, "method": "ping"}"#, -32600), (#"{"id": 1, "method": "ping"}"#, -32600),
            (#"{"jsonrpc": "2.0", "id": 1, "method": "ping", "result": {}}"#, -32600),
            (#"{"jsonrpc": "2.0"} {}"#, -32700),
            (#"{"jsonrpc": "2.0", "id": null, "method": "tools/call", "params": {"name": "search"}}"#, -32600),
        ])
    func malformed(_ body: String, _ code: Int) throws {
        let fixture = try fixture(#"{"default": "allow", "tools": {"none": {"roles": ["Manager"]}}}"#)
        let response = try post(fixture, body, as: fixture.token("joe"))
        #expect(
            response.status == 400 && JSONText(response.text)["error"]["code"].number == Double(code),
            "\(response.text)")
        #expect(fixture.upstream.requests("/mcp").isEmpty)
    }

    @Test("Mcp-Method and Mcp-Name say what the body says")
    func fields() throws {
        let fixture = try fixture()
        let joe = try fixture.token("joe")
        let cases: [([Field], Int)] = [
            (["Mcp-Method: tools/call", "Mcp-Name: search"], 200), (["mcp-name: =?base64?c2VhcmNo?="], 200),
            (["Mcp-Method: tools/list"], 400), (["Mcp-Name: other"], 400), (["Mcp-Name: =?base64?b3RoZXI=?="], 400),
            (["Mcp-Name: =?base64?c2VhcmNo"], 400), (["Mcp-Name: search", "Mcp-Name: other"], 400),
            (["Mcp_Name: other"], 400), (["Mcp-Method: Tools/call"], 400),
        ]
        for (fields, status) in cases {
            let response = try post(fixture, Self.call("search"), as: joe, fields)
            #expect(response.status == status, "\(fields): \(response.text)")
            if status == 400 { #expect(JSONText(response.text)["error"]["code"].number == -32020) }
        }
        // A resource has its name by its URI alone.
        let read =
            #"{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "file:///docs/a", "name": "x"}}"#
        #expect(try post(fixture, read, as: joe, ["Mcp-Name: file:///docs/a"]).status == 200)
        #expect(try post(fixture, read, as: joe, ["Mcp-Name: x"]).status == 400)
        let ping = #"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#
        #expect(try post(fixture, ping, as: joe, ["Mcp-Name: x"]).status == 400)
        let types: [[Field]] = [
            ["Content-Type: \"application/json\""], ["Content-Type: app lication/json"],
            ["Content-Type: application/\"json\""], ["Content-Type: text/plain"],
            ["Content-Type: application/json; charset=utf-16"], [],
            ["Content-Type: application/json", "Content-Encoding: gzip"],
            ["Content-Type: application/json", "Content-Type: application/json"],
        ]
        for fields in types {
            let response = try fixture.request("POST", "/mcp", [.bearer(joe)] + fields, body: Self.call("search"))
            #expect(response.status == 400, "\(fields): \(response.text)")
        }
        // A GET with a message would pass unjudged otherwise.
        let smuggled = try fixture.request(
            "GET", "/mcp", [.bearer(joe), "Content-Type: application/json"], body: Self.call("other"))
        #expect(smuggled.status == 403)
    }

    @Test("lists show what the caller may use, in a document or in events")
    func lists() throws {
        let fixture = try fixture()
        let (joe, bob) = (try fixture.token("joe"), try fixture.token("bob"))
        func names(_ text: String, _ list: String = "tools", _ key: String = "name") -> [String?] {
            JSONText(text)["result"][list].list.map { $0[key].string }
        }
        let list = #"{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}"#
        let seen = try post(fixture, list, as: joe, ["Accept-Encoding: gzip"])
        #expect(
            names(seen.text) == ["search", "admin_users"] && JSONText(seen.text)["result"]["nextCursor"].string == "x")
        #expect(try fixture.lastRequest("/mcp").values("Accept-Encoding") == ["identity"])
        #expect(names(try post(fixture, list, as: bob).text) == ["search"])
        let resources = try post(fixture, #"{"jsonrpc": "2.0", "id": 1, "method": "resources/list"}"#, as: bob)
        #expect(names(resources.text, "resources", "uri") == ["file:///docs/a"])
        let tools = Self.answer(to: Array("tools/list".utf8))
        let events =
            ": hello\r\nid: 1\r\ndata:\r\n\r\nevent: message\nid: 2\ndata: {\"jsonrpc\": \"2.0\", \"method\": \"x\"}\n\ndata: \(tools)\n\n"
        fixture.upstream.on("/mcp") { _ in
            // In pieces that end anywhere.
            [.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")]
                + events.utf8.map { .sendBytes(Array("1\r\n".utf8) + [$0] + Array("\r\n".utf8)) } + [.send("0\r\n\r\n")]
        }
        for (method, body) in [("POST", list), ("GET", nil)] {
            let stream = try fixture.request(
                method, "/mcp", [.bearer(bob), "Content-Type: application/json"], body: body)
            let data = stream.text.split(separator: "\n").compactMap { $0.hasPrefix("data: ") ? $0.dropFirst(6) : nil }
            #expect(stream.status == 200 && data.count == 2, "\(stream.text)")
            #expect(names(data.last.map(String.init) ?? "") == ["search"], "\(stream.text)")
            #expect(stream.text.hasPrefix(": hello\r\nid: 1\r\n") && stream.text.contains("event: message\nid: 2\n"))
        }
        // A stream may begin with a mark, which clients leave out.
        fixture.upstream.on("/mcp") { _ in
            [.reply("200 OK", ["Content-Type: text/event-stream"], body: "\u{FEFF}data: \(tools)\n\n")]
        }
        #expect(try names(String(post(fixture, list, as: bob).text.dropFirst("data: ".count))) == ["search"])
        for reply in [
            StubUpstream.Step.reply("200 OK", ["Content-Type: application/json", "Content-Encoding: gzip"], body: "x"),
            .reply("200 OK", ["Content-Type: text/plain"], body: tools),
            .reply("200 OK", ["Content-Type: application/json"], body: "{"),
        ] {
            fixture.upstream.on("/mcp") { _ in [reply] }
            let answer = try post(fixture, list, as: bob)
            #expect(answer.status == 502 || answer.status == 200 && !answer.text.contains("write"), "\(answer.text)")
        }
        fixture.upstream.on("/mcp") { _ in [.reply("404 Not Found", body: "no session")] }
        #expect(try post(fixture, list, as: bob).text == "no session")
    }

    @Test("a message over the limit is refused, chunked ones as well; one that is cut off never arrives")
    func sizes() throws {
        let fixture = try fixture(#"{"tools": {"search": {}}, "maxMessageBytes": 1024}"#)
        let joe = try fixture.token("joe")
        let long = Self.call("search").dropLast() + #", "x": "\#(String(repeating: "a", count: 1024))"}"#
        #expect(try post(fixture, String(long), as: joe).status == 413)
        func send(_ body: String) throws -> RawConnection {
            let connection = try fixture.connect()
            try connection.send(
                "POST /mcp HTTP/1.1\r\nHost: gw.example.com\r\nAuthorization: Bearer \(joe)\r\nContent-Type: application/json\r\n\(body)"
            )
            return connection
        }
        let chunk = "\(String(long.utf8.count, radix: 16))\r\n\(long)\r\n0\r\n\r\n"
        #expect(try send("Transfer-Encoding: chunked\r\n\r\n\(chunk)").readResponse().status == 413)
        let call = Self.call("search")
        let pieces = call.utf8.map { "1\r\n\(String(UnicodeScalar($0)))\r\n" }.joined() + "0\r\n\r\n"
        #expect(try send("Transfer-Encoding: chunked\r\n\r\n\(pieces)").readResponse().status == 200)
        let request = try fixture.lastRequest("/mcp")
        #expect(
            String(decoding: request.body, as: UTF8.self) == call
                && request.only("Content-Length") == "\(call.utf8.count)")
        let before = fixture.upstream.requests("/mcp").count
        let cut = try send("Content-Length: \(call.utf8.count + 1)\r\n\r\n\(call)")
        cut.socket.close()
        #expect(try post(fixture, call, as: joe).status == 200)
        #expect(fixture.upstream.requests("/mcp").count == before + 1)
        // A connection serves the next request, and does not change its protocol.
        let connection = try send("Content-Length: \(Self.call("x").utf8.count)\r\n\r\n\(Self.call("x"))")
        #expect(try connection.readResponse().status == 403)
        try connection.send(
            "GET /mcp HTTP/1.1\r\nHost: gw.example.com\r\nAuthorization: Bearer \(joe)\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
        )
        #expect(try connection.readResponse().status == 200)
        #expect(try fixture.lastRequest("/mcp").values("Upgrade").isEmpty)
    }

    @Test("what no rule names is admitted where the default says so; lists may show what more scopes open")
    func defaults() throws {
        let issuer = try StubIssuer(keys: "a")
        let rules = #"""
            {"default": "allow", "listed": "obtainable", "resources": {"file:///docs/*": {"roles": ["Manager"]}},
             "tools": {"write": {"scopes": ["write"]}, "admin_users": {"roles": ["Manager"]}}}
            """#
        let fixture = try fixture(rules, #", "identity": "optional""#, issuer)
        let token = issuer.token("a", more: #", "scope": "x""#)
        let list = try post(fixture, #"{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}"#, as: token)
        let names = JSONText(list.text)["result"]["tools"].list.map { $0["name"].string }
        #expect(names == ["search", "write", "other"], "\(list.text)")
        for (tool, status) in [("other", 200), ("write", 403), ("admin_users", 403)] {
            #expect(try post(fixture, Self.call(tool), as: token).status == status, "\(tool)")
        }
        let climbing =
            #"{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "file:///x/../docs/a"}}"#
        #expect(try post(fixture, climbing, as: token).status == 403)
        // Callers without a credential may have one.
        for (tool, status) in [("other", 200), ("write", 401)] {
            let answer = try fixture.request(
                "POST", "/mcp", ["Content-Type: application/json"], body: Self.call(tool))
            #expect(answer.status == status, "\(tool)")
            #expect(status == 200 || answer.only("WWW-Authenticate")?.contains("resource_metadata") == true)
        }
    }

    @Test("another proxy that asks has no message to judge: what may have one is refused")
    func forwardAuth() throws {
        let fixture = try ForwardAuthFixture.make {
            $0.addRoutes(#"{"path": "/mcp", "upstream": "stub", "mcp": {"tools": {"search": {}}}}"#)
        }
        let joe = try fixture.token("joe")
        for (method, status) in [("GET", 200), ("DELETE", 200), ("POST", 501), ("PUT", 501)] {
            #expect(try fixture.ask(method, "/mcp", [.bearer(joe)]).status == status, "\(method)")
        }
    }
}
