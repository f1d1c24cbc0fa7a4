import Testing

/// Errors of the gateway as browsers and as programs get them.
@Suite struct ErrorPageTests {
    /// What a browser sends where it opens a page.
    private static let browser: Field = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

    /// A gateway with a route whose server is not there, and one with a broken one.
    private func fixture() throws -> Fixture {
        let fixture = try Fixture {
            let stub = String(($0["upstreams"] ?? "").dropLast())
            $0["upstreams"] = stub + #", "gone": {"url": "http://127.0.0.1:1"}}"#
            $0.addRoutes(#"{"path": "/gone/**", "upstream": "gone", "public": true}"#)
        }
        fixture.upstream.on("/open/broken") { _ in [.send("rubbish\r\n\r\n"), .close] }
        return fixture
    }

    @Test(
        "errors are pages with the request id if HTML is preferred, otherwise JSON",
        arguments: [
            ("/nowhere", 404, "Page not found"), ("/gone/x", 502, "Not available"),
            ("/open/broken", 502, "Not available"), ("/inventory/me", 401, "Sign in first"),
            ("/open/%2e%2e%2fx", 400, "Something went wrong"),
        ])
    func pages(_ path: String, _ status: Int, _ title: String) throws {
        let fixture = try fixture()
        let connection = try fixture.connect()
        let page = try connection.exchange("GET", path, [Self.browser])
        #expect(page.status == status)
        #expect(page.only("Content-Type") == "text/html; charset=utf-8")
        #expect(page.only("Cache-Control") == "no-store")
        #expect(page.only("Content-Security-Policy")?.contains("default-src 'none'") == true)
        let id = try #require(page.only("X-Request-Id"))
        #expect(
            page.text.contains("<h1>\(title)</h1>") && page.text.contains("<code dir=\"ltr\">\(id)</code>"),
            "\(page.text)")
        #expect(page.text.contains("background: var(--page)"))
        // The access log tells the reason as for any other.
        let line = try #require(fixture.gateway.waitForAccess { $0["request_id"].string == id })
        #expect(line["reason"].string?.isEmpty == false && line["status"].integer == status)
        for accept: [Field] in [[], ["Accept: */*"], ["Accept: application/json, text/html"]] {
            let other = try connection.exchange("GET", path, accept)
            #expect(other.status == status && other.only("Content-Type") == "application/json")
            #expect(JSONText(other.text)["status"].integer == status)
        }
        let head = try connection.exchange("HEAD", path, [Self.browser])
        #expect(head.status == status && head.body.isEmpty)
    }

    @Test("the request id of the client is escaped in the page")
    func escaping() throws {
        let fixture = try Fixture()
        let page = try fixture.request("GET", "/nowhere", [Self.browser, "X-Request-Id: <b>x</b>"])
        #expect(page.status == 404 && !page.text.contains("<b>"))
    }

    @Test("invalid heads and the admin listener get JSON")
    func machines() throws {
        let fixture = try Fixture()
        let connection = try fixture.connect()
        try connection.send("GET / HTTP/1.1\r\nAccept: text/html\r\n\r\n")
        let invalid = try connection.readResponse()
        #expect(invalid.status == 400 && invalid.only("Content-Type") == "application/json")
        let admin = try fixture.gateway.request("GET", "/nothing", [Self.browser], listener: "admin")
        #expect(admin.status == 404 && admin.only("Content-Type") == "application/json")
    }

    @Test("pipelined requests with bodies get the error format of their own heads")
    func pipelined() throws {
        let fixture = try fixture()
        let connection = try fixture.connect()
        let requests: [String] = [
            RawConnection.request("POST", "/gone/x", [Self.browser], body: "Accept: none"),
            RawConnection.request("GET", "/nowhere"),
            RawConnection.request("POST", "/gone/x", [], body: "x\r\nAccept: text/html\r\n\r\n"),
            RawConnection.request("GET", "/nowhere", [Self.browser]),
        ]
        try connection.send(requests.joined())
        let types = try (0..<4).map { _ in try connection.readResponse().only("Content-Type") }
        let (page, json) = ("text/html; charset=utf-8", "application/json")
        #expect(types == [page, json, json, page])
    }

    @Test("/favicon.ico is 204 without a matching route, otherwise the route's response")
    func icon() throws {
        let fixture = try Fixture()
        for method in ["GET", "HEAD"] {
            let response = try fixture.request(method, "/favicon.ico")
            #expect(response.status == 204 && response.body.isEmpty)
            #expect(response.only("Cache-Control") == "max-age=86400")
        }
        #expect(try fixture.request("POST", "/favicon.ico").status == 404)
        #expect(try fixture.request("GET", "/favicon.icon").status == 404)
        #expect(fixture.gateway.waitForAccess { $0["reason"].string == "no_icon" } != nil)
        let own = try Fixture { $0.addRoutes(#"{"path": "/favicon.ico", "upstream": "stub", "public": true}"#) }
        #expect(try own.request("GET", "/favicon.ico").text == "/favicon.ico")
        let guarded = try Fixture { $0.addRoutes(#"{"path": "/favicon.ico", "upstream": "stub"}"#) }
        #expect(try guarded.request("GET", "/favicon.ico").status == 401)
    }
}
