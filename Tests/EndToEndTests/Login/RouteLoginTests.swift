import Foundation
import Testing

/// Logins of browsers that a route names. Skipped without `PORTCULLIS_PYTHON`.
@Suite(.tags(.core), .enabled(if: LoginProvider.python != nil)) struct RouteLoginTests {
    /// A gateway whose routes log in at `staff` and at `partners`, which are the same provider under two names.
    private func gateway(
        _ provider: LoginProvider, staff: String = "", _ change: @escaping (inout FixtureSettings) -> Void = { _ in }
    ) throws -> Fixture {
        try LoginProvider.plainGateway(#""issuer": "https://unused", "clientId": "unused", "clientSecret": "s""#) {
            func entry(_ name: String, _ more: String) -> String {
                """
                {"name": "\(name)", "issuer": "\(provider.issuer)", "allowHttp": true, "clientId": "gateway",
                 "clientSecret": "s3cret", "usernamePrefix": "\(name):", "roleAttributes": ["groups"],
                 "roleMappings": [{"tokenRole": "clerks", "mappedRoles": ["Clerk"]}]\(more)}
                """
            }
            $0["identityProviders"] = FixtureSettings.list([
                #"{"name": "local", "kind": "local"}"#, entry("staff", staff), entry("partners", ""),
            ])
            $0["routes"] = FixtureSettings.list([
                #"{"path": "/app/**", "upstream": "stub", "login": {"providers": "staff", "idleTimeout": "0s"}}"#,
                #"{"path": "/more", "upstream": "stub", "login": "staff", "roles": ["Clerk"]}"#,
                #"{"path": "/shop", "upstream": "stub", "login": "partners"}"#,
                #"{"path": "/limited", "upstream": "stub", "login": "staff", "backends": ["inventory/1.0"]}"#,
                #"{"path": "/plain", "upstream": "stub"}"#,
                #"{"path": "/secret", "upstream": "stub", "login": "staff", "roles": ["Manager"]}"#,
                #"{"path": "/any", "upstream": "stub", "login": ["partners", "staff", "local"]}"#,
                #"{"path": "/own", "upstream": "stub", "login": "local", "roles": ["Manager"]}"#,
            ])
            change(&$0)
        }
    }

    @Test("one word lets browsers log in at a provider, for all routes that name it and no other")
    func login() throws {
        let provider = try LoginProvider(.mock)
        let fixture = try gateway(provider)
        let jar = CookieJar(fixture.gateway)
        let sent = try jar.send("GET", "/app/x?a=b")
        #expect(sent.status == 302 && sent.only("Location")?.hasPrefix("/oauth2/login?target=") == true)
        let answer = try provider.logIn(jar, "/app/x?a=b", typing: "sub=ann").answer
        #expect(answer.status == 303 && answer.only("Location") == "/app/x?a=b", "\(answer.text)")
        #expect(try jar.send("GET", "/app/x?a=b").status == 200)
        let seen = try fixture.lastRequest("/app/x")
        #expect(seen.head.only("X-Gateway-User") == "staff:ann" && seen.head.only("X-Gateway-Roles") == "Clerk")
        #expect(seen.head.only("Cookie") == nil && seen.head.only("X-Gateway-Backend") == nil)
        #expect(try jar.send("GET", "/more").status == 200, "one session for one provider")
        #expect(try jar.send("GET", "/limited").status == 200)
        #expect(try jar.send("GET", "/plain").status == 401, "a route without a login takes no cookie")

        // The other provider's route asks for a login there, which takes the place of the first.
        let other = try jar.send("GET", "/shop")
        #expect(other.status == 302)
        #expect(fixture.gateway.waitForAccess { $0["path"].string == "/shop" }?["reason"].string == "wrong_scheme")
        #expect(try provider.logIn(jar, "/shop", typing: "sub=ann").answer.status == 303)
        #expect(try jar.send("GET", "/shop").status == 200)
        #expect(try fixture.lastRequest("/shop").head.only("X-Gateway-User") == "partners:ann")
        #expect(try jar.send("GET", "/more").status == 302)
    }

    @Test("programs get 401, tokens and passwords count as elsewhere, and a bad token is refused beside a good cookie")
    func others() throws {
        let provider = try LoginProvider(.mock)
        let fixture = try gateway(provider)
        let program = try fixture.request("GET", "/app/x", ["Accept: application/json"])
        #expect(program.status == 401 && program.only("WWW-Authenticate") == #"Bearer realm="portcullis""#)
        #expect(try fixture.request("POST", "/app/x", BrowserFixture.navigation, body: "a").status == 401)
        let token = try fixture.mint("joe")
        #expect(try fixture.request("GET", "/app/x", [.bearer(token)]).status == 200)
        #expect(try fixture.lastRequest("/app/x").head.only("X-Gateway-User") == "joe")
        #expect(try fixture.request("GET", "/limited", [.bearer(token)]).status == 200)
        let jar = CookieJar(fixture.gateway)
        #expect(try provider.logIn(jar, "/app/x", typing: "sub=ann").answer.status == 303)
        #expect(try jar.send("GET", "/app/x").status == 200)
        #expect(try jar.send("GET", "/app/x", BrowserFixture.navigation + [.bearer("bad")]).status == 401)
        #expect(try jar.send("GET", "/app/x", BrowserFixture.navigation + [.bearer(token)]).status == 200)
        #expect(try fixture.lastRequest("/app/x").head.only("X-Gateway-User") == "joe")
    }

    @Test("attacks: the wanted place is a path here, changes need a page of the gateway, and a logout is for good")
    func attacks() throws {
        let provider = try LoginProvider(.mock)
        let fixture = try gateway(provider)
        let own = "http://127.0.0.1:\(try fixture.gateway.port())"
        let jar = CookieJar(fixture.gateway)
        for target in ["//evil.example/x", "/app//evil.example", "/app/%0d%0aLocation:%20x"] {
            let sent = try jar.send("GET", target)
            guard sent.status == 302 else { continue }
            let answer = try provider.logIn(CookieJar(fixture.gateway), target, typing: "sub=ann").answer
            let place = try #require(answer.only("Location"))
            #expect(place.hasPrefix("/") && !place.hasPrefix("//"), "\(place)")
        }
        // A place that was not sealed by the gateway begins no login.
        #expect(try jar.send("GET", "/oauth2/login?target=%2F%2Fevil.example").status == 403)
        #expect(try provider.logIn(jar, "/app/x", typing: "sub=ann").answer.status == 303)

        func post(_ fields: Field...) throws -> Int { try jar.send("POST", "/app/x", fields, body: "a=b").status }
        #expect(try post() == 403 && post(.origin("https://evil.example")) == 403)
        #expect(try post("Sec-Fetch-Site: cross-site") == 403)
        #expect(try post(.origin(own)) == 200 && post("Sec-Fetch-Site: same-origin") == 200)

        let session = jar["portcullis"]
        let page = try jar.send("GET", "/oauth2/logout")
        #expect(page.status == 200)
        let done = try jar.fill(page, "/oauth2/logout", "")
        #expect(done.status == 200 && jar["portcullis"] == nil)
        jar["portcullis"] = session
        #expect(try jar.send("GET", "/app/x").status == 302)
    }

    @Test("of several ways users choose one, and each counts; the gateway's own form is one of them")
    func choice() throws {
        let provider = try LoginProvider(.mock)
        let fixture = try gateway(provider)
        let jar = CookieJar(fixture.gateway)
        let place = try #require(try jar.send("GET", "/any?q=1").only("Location"))
        let page = try jar.send("GET", place)
        let links = page.text.matches(of: /href="(\/oauth2\/login[^"]*)"/).map {
            String($0.1).replacing("&amp;", with: "&")
        }
        #expect(page.status == 200 && links.count == 3, "\(page.text)")
        func logIn(_ link: Int) throws -> Response {
            let authorize = try #require(try jar.send("GET", links[link]).only("Location"))
            let back = try #require(URL(string: try provider.visit(authorize, typing: "sub=ann")))
            return try jar.send("GET", "\(back.path)?\(back.query ?? "")")
        }
        for (link, user) in [(1, "staff:ann"), (0, "partners:ann")] {
            let answer = try logIn(link)
            #expect(answer.status == 303 && answer.only("Location") == "/any?q=1", "\(answer.text)")
            #expect(try jar.send("GET", "/any?q=1").status == 200)
            #expect(try fixture.lastRequest("/any").head.only("X-Gateway-User") == user)
        }
        // The form says what was wrong, and then lets the same session into all routes that name it.
        let wrong = try jar.fill(jar.send("GET", links[2]), links[2], "username=joe&password=wrong")
        #expect(wrong.status == 401)
        let right = try jar.fill(wrong, links[2], "username=joe&password=Welcome1")
        #expect(right.status == 303 && right.only("Location") == "/any?q=1", "\(right.text)")
        #expect(try jar.send("GET", "/any").status == 200 && jar.send("GET", "/own").status == 200)
        #expect(try fixture.lastRequest("/own").head.only("X-Gateway-User") == "joe")
        #expect(try jar.send("GET", "/more").status == 302, "the form is no login at the provider")
        // A route with one way needs no choice.
        let own = try #require(try CookieJar(fixture.gateway).send("GET", "/own").only("Location"))
        #expect(try CookieJar(fixture.gateway).send("GET", own).text.contains("name=\"username\""))
    }

    @Test("the page for a user who may not see it names the user, and leads to a login of another")
    func forbidden() throws {
        let provider = try LoginProvider(.mock)
        let fixture = try gateway(provider)
        let jar = CookieJar(fixture.gateway)
        #expect(try provider.logIn(jar, "/app/x", typing: "sub=ann").answer.status == 303)
        let page = try jar.send("GET", "/secret?a=b")
        #expect(page.status == 403 && page.text.contains("staff:ann") && page.text.contains("<code"), "\(page.text)")
        let link = try #require(page.text.firstMatch(of: /href="(\/oauth2\/login[^"]*)"/)).1
        let sent = try jar.send("GET", String(link).replacing("&amp;", with: "&"))
        #expect(sent.only("Location")?.contains("prompt=login") == true, "\(sent.status) \(sent.text)")
        // Programs, and callers by token, read nothing of it.
        let program = try jar.send("GET", "/secret", ["Accept: application/json"])
        #expect(program.status == 403 && !program.text.contains("ann"))
        let token = try fixture.mint("ann")
        let other = try fixture.request("GET", "/secret", BrowserFixture.navigation + [.bearer(token)])
        #expect(other.status == 403 && !other.text.contains("/oauth2/login"))
    }

    @Test("a cookie that a later login has replaced counts no more, nor does one of a service domain")
    func replaced() throws {
        let provider = try LoginProvider(.mock)
        let fixture = try gateway(provider)
        let jar = CookieJar(fixture.gateway)
        #expect(try provider.logIn(jar, "/app/x", typing: "sub=ann").answer.status == 303)
        #expect(try jar.send("GET", "/app/x").status == 200)
        let (first, name) = (jar["portcullis"], "portcullis-form")
        #expect(try provider.logIn(jar, "/shop", typing: "sub=ann").answer.status == 303)
        let second = jar["portcullis"]
        jar["portcullis"] = first
        #expect(try jar.send("GET", "/app/x").status == 302)
        (jar["portcullis"], jar[name]) = (nil, second)
        #expect(try jar.send("GET", "/shop").status == 302)
        (jar["portcullis"], jar[name]) = (second, nil)
        #expect(try jar.send("GET", "/shop").status == 200)
    }

    @Test("a login that would not count on the page gets a page, and no browser goes around in a circle")
    func uncounted() throws {
        let provider = try LoginProvider(.mock)
        let fixture = try gateway(provider) {
            $0["users"] = """
                [{"username": "joe", "password": "{PlainText}Welcome1", "tokensNotBefore": 4000000000},
                 {"username": "eve", "password": "{PlainText}Welcome6", "realm": "Other"}]
                """
            $0["realms"] = #"["Default", "Other"]"#
        }
        for (user, password, reason) in [
            ("joe", "Welcome1", "login_forbidden"), ("eve", "Welcome6", "sso_wrong_realm"),
        ] {
            let jar = CookieJar(fixture.gateway)
            let answer = try jar.logIn("/own", user: user, password: password)
            #expect(answer.status == 403 && jar["portcullis"] == nil, "\(user) \(answer.status)")
            #expect(answer.text.contains("prompt=login") && answer.text.contains("<code"), "\(answer.text)")
            #expect(fixture.gateway.waitForAccess { $0["reason"].string == reason } != nil, "\(user)")
        }
    }

    @Test("a session that was not used for its time ends")
    func idle() throws {
        let provider = try LoginProvider(.mock)
        let fixture = try gateway(provider) {
            $0["sessions"] = #"{"idleTimeout": "2s"}"#
            $0["routes"] = FixtureSettings.list([
                #"{"path": "/shop", "upstream": "stub", "login": "partners"}"#
            ])
        }
        let jar = CookieJar(fixture.gateway)
        #expect(try provider.logIn(jar, "/shop", typing: "sub=ann").answer.status == 303)
        #expect(try jar.send("GET", "/shop").status == 200)
        // What is refused is no use of it, so that asking does not keep it alive.
        let deadline = Deadline.usual
        while try jar.send("POST", "/shop", [], body: "a").status == 403 { try #require(!deadline.isPast) }
        #expect(try jar.send("GET", "/shop").status == 302)
        #expect(fixture.gateway.waitForAccess { $0["reason"].string == "session_idle" } != nil)
    }

    @Test("a provider that is no longer named ends its sessions")
    func reload() throws {
        let provider = try LoginProvider(.mock)
        let fixture = try gateway(provider)
        let own = "http://127.0.0.1:\(try fixture.gateway.port())"
        let jar = CookieJar(fixture.gateway)
        #expect(try provider.logIn(jar, "/app/x", typing: "sub=ann").answer.status == 303)
        #expect(try jar.send("GET", "/app/x").status == 200)
        try fixture.reload {
            BrowserFixture.prepare(&$0)
            for section in ["serviceDomains", "webgates", "authenticationSchemes"] { $0[section] = nil }
            $0["backends"] = FixtureSettings.backends.replacing(#", "enableSso": true"#, with: "")
            $0["baseUrl"] = "\"\(own)\""
            $0["identityProviders"] = """
                [{"name": "local", "kind": "local"},
                 {"name": "staff", "issuer": "\(provider.issuer)", "allowHttp": true, "clientId": "gateway",
                  "clientSecret": "s"},
                 {"name": "other", "issuer": "\(provider.issuer)", "allowHttp": true, "clientId": "gateway",
                  "clientSecret": "s", "usernamePrefix": "o:"}]
                """
            $0["routes"] = FixtureSettings.list([#"{"path": "/app/**", "upstream": "stub", "login": "other"}"#])
        }
        #expect(try jar.send("GET", "/app/x").status == 302)
    }

    @Test("a session of a user without an account ends where the provider requires accounts")
    func accounts() throws {
        let provider = try LoginProvider(.mock)
        let fixture = try gateway(provider)
        let own = "http://127.0.0.1:\(try fixture.gateway.port())"
        let jars = [CookieJar(fixture.gateway), CookieJar(fixture.gateway)]
        for (jar, path) in zip(jars, ["/app/x", "/shop"]) {
            #expect(try provider.logIn(jar, path, typing: "sub=zoe").answer.status == 303)
            #expect(try jar.send("GET", path).status == 200)
        }
        try fixture.reload {
            BrowserFixture.prepare(&$0)
            for section in ["serviceDomains", "webgates", "authenticationSchemes"] { $0[section] = nil }
            $0["backends"] = FixtureSettings.backends.replacing(#", "enableSso": true"#, with: "")
            $0["baseUrl"] = "\"\(own)\""
            func entry(_ name: String, _ more: String) -> String {
                """
                {"name": "\(name)", "issuer": "\(provider.issuer)", "allowHttp": true, "clientId": "gateway",
                 "clientSecret": "s3cret", "usernamePrefix": "\(name):"\(more)}
                """
            }
            $0["identityProviders"] = FixtureSettings.list([
                entry("staff", #", "virtualUserEnabled": false"#), entry("partners", ""),
            ])
            $0["routes"] = FixtureSettings.list([
                #"{"path": "/app/**", "upstream": "stub", "login": "staff"}"#,
                #"{"path": "/shop", "upstream": "stub", "login": "partners"}"#,
            ])
        }
        #expect(try jars[0].send("GET", "/app/x").status == 302)
        #expect(fixture.gateway.waitForAccess { $0["reason"].string == "unknown_subject" } != nil)
        #expect(try jars[1].send("GET", "/shop").status == 200)
        let again = try provider.logIn(jars[0], "/app/x", typing: "sub=zoe").answer
        #expect(again.status == 403 && again.only("Location") == nil, "\(again.status) \(again.text)")
    }

    @Test("explain says where browsers log in, with the limits that are left out")
    func explain() throws {
        let provider = try LoginProvider(.mock)
        let fixture = try gateway(provider, staff: #", "virtualUserEnabled": false"#)
        let directory = fixture.gateway.configuration
        try directory.write("headers", "Accept: text/html\n")
        func explained(_ path: String) throws -> String {
            try Program.run(
                GatewayProcess.binary,
                ["explain", "GET", path, "--config", directory.path, "--headers", "\(directory.path)/headers"]
            ).output
        }
        let shop = try explained("/shop")
        #expect(
            shop.contains(
                "login       browsers at partners; a session lasts 8 hours, at most 1 hour unused; users need no account and are named partners:NAME; roles from groups\n"
            ), "\(shop)")
        #expect(shop.contains("302 to the login form"), "\(shop)")
        let more = try explained("/more")
        #expect(
            more.contains(
                "login       browsers at staff; a session lasts 8 hours; users need an account; roles from groups\n"),
            "\(more)")
    }
}
