import Foundation
import Testing

/// Logins of browsers that a route names by one word. Skipped without `PORTCULLIS_PYTHON`.
@Suite(.enabled(if: LoginProvider.python != nil)) struct RouteLoginTests {
    /// A gateway whose routes log in at `staff` and at `partners`, which are the same provider under two names.
    private func gateway(
        _ provider: LoginProvider, staff: String = "", _ change: @escaping (inout FixtureSettings) -> Void = { _ in }
    ) throws -> Fixture {
        try LoginProvider.gateway(#""issuer": "https://unused", "clientId": "unused", "clientSecret": "s""#) {
            for section in ["serviceDomains", "webgates", "authenticationSchemes"] { $0[section] = nil }
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
                #"{"path": "/app/**", "upstream": "stub", "login": {"provider": "staff", "idleTimeout": "0s"}}"#,
                #"{"path": "/more", "upstream": "stub", "login": "staff", "roles": ["Clerk"]}"#,
                #"{"path": "/shop", "upstream": "stub", "login": "partners"}"#,
                #"{"path": "/limited", "upstream": "stub", "login": "staff", "backends": ["inventory/1.0"]}"#,
                #"{"path": "/plain", "upstream": "stub"}"#,
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
        #expect(
            sent.status == 302 && sent.only("Location")?.hasPrefix("/oic_rest/login?serviceDomain=login:staff&") == true
        )
        let answer = try provider.logIn(jar, "/app/x?a=b", typing: "sub=ann").answer
        #expect(answer.status == 303 && answer.only("Location") == "/app/x?a=b", "\(answer.text)")
        #expect(try jar.send("GET", "/app/x?a=b").status == 200)
        let seen = try fixture.lastRequest("/app/x")
        #expect(seen.head.only("X-Gateway-User") == "staff:ann" && seen.head.only("X-Gateway-Roles") == "Clerk")
        #expect(seen.head.only("Cookie") == nil)
        #expect(try jar.send("GET", "/more").status == 200, "one session for one provider")
        #expect(try jar.send("GET", "/limited").status == 200)
        #expect(try jar.send("GET", "/plain").status == 401, "a route without a login takes no cookie")

        // The other provider's route asks for a login there, which takes the place of the first.
        let other = try jar.send("GET", "/shop")
        #expect(other.status == 302 && other.only("Location")?.contains("login:partners") == true)
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
        // The backend behind the login belongs to no client, and takes no password.
        let basic = try fixture.request(
            "GET", "/app/x", [.basic("joe:Welcome1"), "Oracle-Mobile-Backend-ID: login:staff"])
        #expect(basic.status == 401)
        #expect(fixture.gateway.waitForAccess { $0["reason"].string == "basic_disabled" } != nil)
        let form = "grant_type=password&username=joe&password=Welcome1"
        let type: Field = "Content-Type: application/x-www-form-urlencoded"
        #expect(try fixture.request("POST", "/oauth2/token", [type, .basic("login:staff:")], body: form).status == 401)
        // Nor do applications log in there.
        let application = try fixture.request(
            "GET", "/oic_rest/relyingparty?serviceDomain=login:staff&appName=browser&redirect_uri=https://evil.example")
        #expect(application.status == 400)
        let rest = try fixture.request(
            "POST", "/oic_rest/rest/login:staff/authenticate", ["Content-Type: application/json"],
            body: #"{"appName": "browser", "username": "joe", "password": "Welcome1"}"#)
        #expect((400...403).contains(rest.status), "\(rest.status) \(rest.text)")

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
        // A place that was not sealed by the gateway is the root.
        let form = "/oic_rest/login?serviceDomain=login:staff&target=%2F%2Fevil.example"
        let authorize = try #require(try jar.send("GET", form).only("Location"))
        let back = try #require(URL(string: try provider.visit(authorize, typing: "sub=ann")))
        let answer = try jar.send("GET", "\(back.path)?\(back.query ?? "")")
        #expect(answer.status == 303 && answer.only("Location") == "/", "\(answer.status) \(answer.text)")

        func post(_ fields: Field...) throws -> Int { try jar.send("POST", "/app/x", fields, body: "a=b").status }
        #expect(try post() == 403 && post(.origin("https://evil.example")) == 403)
        #expect(try post("Sec-Fetch-Site: cross-site") == 403)
        #expect(try post(.origin(own)) == 200 && post("Sec-Fetch-Site: same-origin") == 200)

        let session = jar["portcullis"]
        let page = try jar.send("GET", "/oam/server/logout")
        #expect(page.status == 200)
        let done = try jar.fill(page, "/oam/server/logout", "")
        #expect(done.status == 200 && jar["portcullis"] == nil)
        jar["portcullis"] = session
        #expect(try jar.send("GET", "/app/x").status == 302)
    }

    @Test("a provider that is no longer named ends its sessions, and the administration does not list its parts")
    func reload() throws {
        let provider = try LoginProvider(.mock)
        let fixture = try gateway(provider)
        let own = "http://127.0.0.1:\(try fixture.gateway.port())"
        let jar = CookieJar(fixture.gateway)
        #expect(try provider.logIn(jar, "/app/x", typing: "sub=ann").answer.status == 303)
        let backends = try fixture.admin("GET", "/admin/backends")
        #expect(backends.status == 200 && !backends.text.contains("login:"), "\(backends.text)")
        #expect(try fixture.admin("GET", "/admin/backends/login:staff").status == 404)
        #expect(try fixture.admin("POST", "/admin/backends/login:staff/1/rotate-secret").status == 404)
        let before = fixture.gateway.events("reloaded").count
        let made = try fixture.admin(
            "POST", "/admin/backends", body: #"{"name": "new", "version": "1", "realm": "Default"}"#)
        #expect(made.status == 201, "the file has the entries that it had: \(made.text)")
        // The change is a reload, too, whose event must not be taken for that of the next one.
        try #require(fixture.gateway.waitForEvent("reloaded", skipping: before) != nil)
        #expect(try jar.send("GET", "/app/x").status == 200)
        try fixture.reload {
            BrowserFixture.prepare(&$0)
            for section in ["serviceDomains", "webgates", "authenticationSchemes"] { $0[section] = nil }
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
                "login       browsers at partners; a session lasts 28800 s, at most 3600 s unused; users need no account and are named partners:NAME; roles from groups\n"
            ), "\(shop)")
        #expect(shop.contains("302 to the login form"), "\(shop)")
        let more = try explained("/more")
        #expect(
            more.contains(
                "login       browsers at staff; a session lasts 28800 s; users need an account; roles from groups\n"),
            "\(more)")
    }
}
