import Bytes
import Crypto
import Testing

/// The look and the languages of pages in the running gateway.
@Suite struct PageSettingTests {
    private static let login = "/mobile/platform/sso/exchange-token?clientID=inv-client"
    private static let hostile = #"<b>\"'&</b>"#

    private func fixture(_ pages: String = #""productName": "Example Suite""#, _ files: [String: String] = [:]) throws
        -> Fixture
    {
        let prepare = { (settings: inout FixtureSettings) in
            AuthorizationFixture.prepare(&settings)
            settings["backends"] = settings["backends"]?.replacing(
                #""clientId": "inv-client","#, with: #""clientId": "inv-client", "enableSso": true,"#)
            settings["passwords"] = #"{"throttle": {"failuresPerUser": 2, "per": "10m"}}"#
        }
        let fixture = try Fixture { prepare(&$0) }
        for (name, text) in files { try fixture.gateway.configuration.write(name, text) }
        try fixture.reload {
            prepare(&$0)
            $0["pages"] = "{\(pages)}"
        }
        return fixture
    }

    private func page(_ jar: CookieJar, _ link: String, _ fields: [Field]) throws -> Response {
        let fields = BrowserFixture.navigation + fields
        return try jar.send("GET", #require(try jar.send("GET", link, fields).only("Location")), fields)
    }

    @Test(
        "RFC 9110, RFC 4647: the language is chosen by Accept-Language, and English is the fallback",
        arguments: [
            ("de-AT,en;q=0.5", "de", "ltr", "Anmelden"), ("fr, de;q=0.1", "de", "ltr", "Anmelden"),
            ("he-IL", "he", "rtl", "Password"), ("fr", "en", "ltr", "Password"),
            ("de;q=0, en", "en", "ltr", "Password"), ("../../secret, \"", "en", "ltr", "Password"),
        ])
    func languages(_ accept: String, _ language: String, _ direction: String, _ word: String) throws {
        let fixture = try fixture(
            #""texts": {"he": "texts/he.json"}"#, ["texts/he.json": #"{"signInTo": "כניסה אל {service}"}"#])
        let page = try page(CookieJar(fixture.gateway), Self.login, ["Accept-Language: \(accept)"])
        #expect(page.status == 200 && page.only("Content-Language") == language)
        #expect(page.head.values("Vary").contains { $0.contains("Accept-Language") })
        #expect(page.text.contains("<html lang=\"\(language)\" dir=\"\(direction)\">") && page.text.contains(word))
        if language == "he" { #expect(page.text.contains("<h1>כניסה אל <bdi>inventory</bdi></h1>")) }
        let missing = try fixture.request(
            "GET", "/nowhere", ["Accept: text/html", "Accept-Language: \(accept)"])
        #expect(missing.status == 404 && missing.only("Content-Language") == language)
        // Several fields are one list (RFC 9110 section 5.3).
        let several = try fixture.request(
            "GET", "/nowhere", ["Accept: text/html", "Accept-Language: xx", "Accept-Language: \(accept)"])
        #expect(several.status == 404 && several.only("Content-Language") == language)
    }

    @Test("OpenID Connect: ui_locales come before the languages of the browser, through the whole login")
    func locales() throws {
        let fixture = try fixture()
        let jar = CookieJar(fixture.gateway)
        let english: [Field] = ["Accept-Language: en"]
        let link = AuthorizationFixture.link() + "&ui_locales=xx%20de-CH%20en"
        let form = try #require(jar.send("GET", link, BrowserFixture.navigation + english).only("Location"))
        let page = try jar.send("GET", form, BrowserFixture.navigation + english)
        #expect(page.only("Content-Language") == "de" && page.text.contains("Passwort"))
        let loggedIn = try jar.fill(page, form, "username=joe&password=Welcome1", english)
        let consent = try jar.send(
            "GET", #require(loggedIn.only("Location")), BrowserFixture.navigation + english)
        #expect(consent.only("Content-Language") == "de" && consent.text.contains("Ablehnen"))
        let changed = consent.text.replacing(/name="ticket" value="[^"]*"/, with: #"name="ticket" value="a""#)
        let hidden = changed.matches(of: /type="hidden" name="([^"]*)" value="([^"]*)"/).map { "\($0.1)=\($0.2)&" }
        let fields = BrowserFixture.navigation + english + ["Content-Type: application/x-www-form-urlencoded"]
        let body = hidden.joined() + "decision=approve"
        for answer in try [
            jar.send("POST", AuthorizationFixture.path, fields, body: body),
            fixture.request("POST", AuthorizationFixture.path, fields, body: body),
        ] { #expect([400, 403].contains(answer.status) && answer.only("Content-Language") == "de", "\(answer.text)") }
        let refused = try jar.send(
            "GET", "/oauth2/authorize?client_id=none&ui_locales=de", BrowserFixture.navigation + english)
        #expect(refused.status == 400 && refused.only("Content-Language") == "de")
        let document = try fixture.request("GET", "/.well-known/openid-configuration")
        #expect(JSONText(document.text)["ui_locales_supported"].list.map(\.string) == ["en", "de"], "\(document.text)")
        let logout = try jar.send("GET", "/oauth2/logout?ui_locales=de", BrowserFixture.navigation + english)
        #expect(logout.only("Content-Language") == "de", "\(logout.status) \(logout.text)")
        let foreign = try jar.send(
            "GET", "/oauth2/logout?client_id=none&ui_locales=de-CH%20en", BrowserFixture.navigation + english)
        #expect(foreign.status == 400 && foreign.only("Content-Language") == "de")
        let signOut = try #require(foreign.text.firstMatch(of: /<a href="([^"]*)"/)).1
        let asked = try jar.send("GET", String(signOut), BrowserFixture.navigation + english)
        #expect(asked.status == 200 && asked.only("Content-Language") == "de" && asked.text.contains("<form"))
    }

    @Test("name, colour and links are escaped, and images are let in only where there is a logo")
    func look() throws {
        let fixture = try fixture(
            """
            "productName": "\(Self.hostile)", "logo": "logo.svg", "accent": "#7b1fa2", "helpUrl": "/help?a=1&b=2",
            "texts": {"en": "en.json"}
            """,
            [
                "logo.svg": Vectors.text("Tests/Fixtures/pages/logo.svg"),
                "en.json": #"{"password": "<script>alert(1)</script>"}"#,
            ])
        let page = try page(CookieJar(fixture.gateway), Self.login, [])
        #expect(page.text.contains("alt=\"&lt;b&gt;&quot;&#39;&amp;&lt;/b&gt;\""), "\(page.text)")
        #expect(!page.text.contains("<script") && !page.text.contains("<b>"))
        #expect(page.text.contains("<a href=\"/help?a=1&amp;b=2\">Help</a>") && page.text.contains("--accent: #7b1fa2"))
        let policy = try #require(page.only("Content-Security-Policy"))
        #expect(policy.contains("img-src data:") && policy.contains("default-src 'none'"))
        let missing = try fixture.request("GET", "/nowhere", ["Accept: text/html"])
        #expect(missing.text.contains("&lt;b&gt;") && !missing.text.contains("<img"))
        #expect(missing.only("Content-Security-Policy")?.contains("img-src") == false)
        for shown in [page, missing] {
            // Browsers apply the style only with its own digest in the policy.
            let style = try #require(shown.text.firstMatch(of: /(?s)<style>(.*?)<\/style>/)).1
            let digest = DigestAlgorithm.sha256.digest(Array(style.utf8).span)
            let source = String(decoding: Base64.encode(digest.span, .standard), as: UTF8.self)
            let policy = shown.only("Content-Security-Policy") ?? ""
            #expect(style.contains("#7b1fa2") && policy.contains("style-src 'sha256-\(source)';"), "\(policy)")
        }
        let failed = try fixture.request("GET", "/oauth2/authorize?client_id=none", ["Accept: text/html"])
        #expect(failed.status == 400 && failed.text.contains("&lt;b&gt;") && !failed.text.contains("<img"))
        #expect(failed.only("Content-Security-Policy")?.contains("img-src") == false)
    }

    @Test("the wait is the same for names with and without an account, and no number of attempts is shown")
    func attempts() throws {
        let fixture = try fixture()
        let texts = try ["joe", "nobody-here"].map { user in
            let jar = CookieJar(fixture.gateway)
            let sent = try jar.send("GET", Self.login)
            let form = try #require(sent.only("Location"))
            var last: Response?
            for attempt in 0..<3 {
                let answer = try jar.fill(jar.send("GET", form), form, "username=\(user)&password=wrong")
                #expect(answer.status == (attempt < 2 ? 401 : 429), "\(user)")
                last = answer
            }
            let page = try #require(last)
            let seconds = try #require(page.only("Retry-After").flatMap { Int($0) })
            #expect(page.text.contains("Try again in \((seconds + 59) / 60) minutes."), "\(page.text)")
            return page.text.firstMatch(of: /role="alert"[^>]*>([^<]*)</).map { String($0.1) }
        }
        #expect(texts[0] == texts[1])
    }

    @Test("the visible field counts if it was chosen, and no page repeats a password")
    func shownPassword() throws {
        let fixture = try fixture()
        func send(_ typed: String) throws -> Response {
            let jar = CookieJar(fixture.gateway)
            let form = try #require(jar.send("GET", Self.login).only("Location"))
            return try jar.fill(jar.send("GET", form), form, "username=joe&\(typed)")
        }
        #expect(try send("password=&show=1&shownPassword=Welcome1").status == 303)
        #expect(try send("password=Welcome1&show=1&shownPassword=").status == 303)
        let empty = try send("password=")
        #expect(empty.status == 401 && empty.text.contains(#"value="joe""#), "\(empty.text)")
        let wrong = try send("password=Welcome1&show=1&shownPassword=S3cret-shown")
        #expect(wrong.status == 401 && !wrong.text.contains("S3cret-shown") && !wrong.text.contains("Welcome1"))
        let hidden = try send("password=S3cret-typed&shownPassword=Welcome1")
        #expect(hidden.status == 401 && !hidden.text.contains("S3cret-typed") && !hidden.text.contains("Welcome1"))
    }
}
