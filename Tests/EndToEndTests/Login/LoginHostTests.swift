import Testing

/// Logins that begin under a host other than those of the gateway: cookies belong to a host, so they go on at `baseUrl`.
@Suite(.tags(.core)) struct LoginHostTests {
    private static let other: Field = "Host: other.example.com"
    private static let base = "http://gw.example.com"

    private func gateway(_ change: @escaping (inout FixtureSettings) -> Void = { _ in }) throws -> Fixture {
        try Fixture {
            AuthorizationFixture.prepare(&$0)
            let device =
                #"{"name": "tv", "version": "1.0", "clientId": "tv-client", "public": true, "deviceGrant": true,"#
                + #" "mobileBackendId": "mbe-tv-1"}, "#
            $0["backends"] = "[\(device)\($0["backends"]?.dropFirst() ?? "")"
            $0["webgates"] = nil
            $0["routes"] = FixtureSettings.list([
                #"{"path": "/app/**", "upstream": "stub", "login": "local"}"#,
                #"{"path": "/shop", "hosts": ["other.example.com"], "upstream": "stub", "login": "local"}"#,
                #"{"path": "/odd", "upstream": "stub", "login": "local"}"#,
                #"{"name": "odd here", "path": "/odd", "hosts": ["gw.example.com"], "upstream": "stub", "public": true}"#,
                #"{"path": "/any", "query": {"a": "b"}, "upstream": "stub", "login": "local"}"#,
            ])
            change(&$0)
        }
    }

    private func visit(
        _ jar: CookieJar, _ target: String, _ host: Field = other, _ more: [Field] = [], method: String = "GET"
    ) throws -> Response {
        try jar.send(method, target, BrowserFixture.navigation + [host] + more)
    }

    @Test("a browser is sent to the same page at baseUrl, and the event names both hosts")
    func page() throws {
        let fixture = try gateway()
        for target in ["/app/x?a=b", "/app/%7Ex", "/any?a=b"] {
            let sent = try visit(CookieJar(fixture.gateway), target)
            #expect(sent.status == 302 && sent.only("Location") == Self.base + target, "\(sent.status) \(sent.text)")
        }
        let event = try #require(fixture.gateway.waitForEvent("login_host_foreign"))
        #expect(event["host"].string == "other.example.com" && event["base_url"].string == Self.base)
        // Any client can name a host: each has one event a minute, wherever its logins begin.
        #expect(try visit(CookieJar(fixture.gateway), AuthorizationFixture.link()).status == 302)
        #expect(try visit(CookieJar(fixture.gateway), "/app/x", "Host: third.example.com").status == 302)
        _ = try #require(
            fixture.gateway.waitForEvent("login_host_foreign") { $0["host"].string == "third.example.com" })
        let written = fixture.gateway.events("login_host_foreign")
        #expect(written.count == 2, "\(written)")
        // No path is taken for a host.
        let path = try visit(CookieJar(fixture.gateway), "/app//evil.example/..;/x")
        #expect(path.only("Location")?.hasPrefix("\(Self.base)/") ?? true)
        for host: Field in ["Host: gw.example.com", "Host: GW.example.com:8443", "Host: 127.0.0.1:9"] {
            let sent = try visit(CookieJar(fixture.gateway), "/app/x", host)
            #expect(sent.status == 302 && sent.only("Location")?.hasPrefix("/oauth2/login?") == true, "\(host)")
        }
    }

    @Test("where baseUrl has no such login, or a proxy changes the host, a page says so and leads there")
    func refused() throws {
        let fixture = try gateway()
        let elsewhere = try visit(CookieJar(fixture.gateway), "/odd")
        #expect(elsewhere.status == 421 && elsewhere.text.contains("cannot sign in at this address"))
        #expect(elsewhere.text.contains(#"<a href="http://gw.example.com/">Continue at gw.example.com</a>"#))
        #expect(elsewhere.text.contains("<code") && elsewhere.only("Location") == nil)
        #expect(
            fixture.gateway.waitForAccess { $0["path"].string == "/odd" }?["reason"].string == "login_host_foreign")
        // The browser follows to baseUrl, and the gateway sees the same host as before.
        let jar = CookieJar(fixture.gateway)
        #expect(try visit(jar, "/app/x?a=b").status == 302)
        let back = try visit(jar, "/app/x?a=b", Self.other, ["Accept-Language: de"])
        #expect(back.status == 421 && back.text.contains("nicht anmelden") && back.text.contains("Weiter bei"))
        #expect(back.text.contains(#"href="http://gw.example.com/app/x?a=b""#))
        // Another tab of the same browser is no loop.
        #expect(try visit(jar, "/app/y").status == 302)
    }

    @Test("explain says where a browser under another host logs in")
    func explained() throws {
        let fixture = try gateway()
        let directory = fixture.gateway.configuration
        try directory.write("fields", "Accept: text/html\nUser-Agent: Mozilla/5.0\n")
        for (target, said, status) in [
            ("/app/x?a=b", "ok answer      302 to \(Self.base)/app/x?a=b: browsers log in at baseUrl", 0),
            ("/shop", "ok answer      302 to the login at \(Self.base), and back to other.example.com by a code", 0),
            ("/odd", "NO login       login_host_foreign; leads to \(Self.base)/\nNO answer      421", 1),
        ] {
            let result = try CommandLine.run(
                "explain", "GET", target, "--host", "other.example.com", "--config", directory.path, "--headers",
                directory.path + "/fields", "--plain")
            #expect(result.output.hasSuffix(said), "\(result.output)\(result.errors)")
            #expect(result.ending == .exit(Int32(status)))
        }
    }

    @Test("requests that are signed in, that are no pages, or that change something are as before")
    func others() throws {
        let fixture = try gateway()
        let jar = CookieJar(fixture.gateway)
        #expect(try jar.logIn("/app/x").status == 303)
        #expect(try visit(jar, "/app/x").status == 200)
        #expect(try visit(jar, AuthorizationFixture.link()).status == 200, "the page that asks for consent")
        let program = try fixture.request("GET", "/app/x", [Self.other, "Accept: application/json"])
        #expect(program.status == 401)
        #expect(try visit(CookieJar(fixture.gateway), "/app/x", method: "POST").status == 401)
        let image = try visit(
            CookieJar(fixture.gateway), AuthorizationFixture.link(), Self.other, ["Sec-Fetch-Dest: image"])
        #expect(image.status == 403)
        #expect(try fixture.request("GET", "/oauth2/jwks", [Self.other]).status == 200)
    }

    @Test("another host's cookie of the same name makes no circle")
    func twoCookies() throws {
        let fixture = try gateway()
        for target in ["/app/x", AuthorizationFixture.link()] {
            let jar = CookieJar(fixture.gateway)
            #expect(try visit(jar, target).status == 302)
            let mark = try #require(jar["portcullis-host"])
            for cookies in ["portcullis-host=x; portcullis-host=\(mark)", "portcullis-host=\(mark); portcullis-host=x"]
            {
                let fields = BrowserFixture.navigation + [Self.other, Field(name: "Cookie", value: cookies)]
                #expect(try fixture.request("GET", target, fields).status == 421, "\(target)")
            }
        }
    }

    @Test("the endpoints where browsers log in and out lead to baseUrl with their query, once")
    func endpoints() throws {
        let fixture = try gateway()
        let login = try #require(try fixture.request("GET", "/app/x", BrowserFixture.navigation).only("Location"))
        for target in [
            AuthorizationFixture.link(), login, "/oauth2/logout?ui_locales=de", "/oauth2/device?user_code=B",
        ] {
            let jar = CookieJar(fixture.gateway)
            let sent = try visit(jar, target)
            #expect(sent.status == 302 && sent.only("Location") == Self.base + target, "\(sent.status) \(target)")
            let back = try visit(jar, target)
            #expect(back.status == 421 && back.text.contains("cannot sign in at this address"), "\(target)")
            #expect(back.text.contains("Continue at gw.example.com") && back.text.contains("<code"), "\(back.text)")
        }
    }
}

/// The same for logins of service domains.
@Suite struct DomainLoginHostTests {
    private static let other: Field = "Host: other.example.com"

    @Test("a login at a provider of a service domain goes on at baseUrl, too")
    func domain() throws {
        let fixture = try LoginProvider.gateway(
            #""issuer": "https://idp.example.com", "clientId": "gateway", "clientSecret": "s""#)
        let own = "http://127.0.0.1:\(try fixture.gateway.port())"
        let jar = CookieJar(fixture.gateway)
        func visit(_ target: String) throws -> String? {
            try jar.send("GET", target, BrowserFixture.navigation + [Self.other]).only("Location")
        }
        let place = try #require(try visit("/mobileapp"))
        #expect(try visit(place) == own + place)
    }
}
