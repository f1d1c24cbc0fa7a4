import Crypto
import Foundation
import JOSE
import Model
import TestSupport
import Testing

/// Clients whose ids are the URLs of their metadata, in the running gateway.
@Suite(.tags(.core)) struct ClientDocumentTests {
    private static let form: Field = "Content-Type: application/x-www-form-urlencoded"
    private static let redirect = "http://127.0.0.1:4711/cb"

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    private static func link(
        _ id: String, _ redirect: String = redirect, _ more: String = "&state=s&scope=openid%20orders"
    ) -> String {
        AuthorizationFixture.link(encoded(id), redirect, more)
    }

    private static func redeem(
        _ gateway: GatewayProcess, _ code: String, _ id: String, _ more: String = "", redirect: String = redirect
    ) throws -> Response {
        try gateway.request(
            "POST", "/oauth2/token", [form],
            body: "grant_type=authorization_code&code=\(code)&redirect_uri=\(encoded(redirect))"
                + "&code_verifier=\(AuthorizationFixture.verifier)&client_id=\(encoded(id))\(more)")
    }

    private static func refresh(
        _ gateway: GatewayProcess, _ token: String, _ id: String, _ more: String = ""
    ) throws -> Response {
        try gateway.request(
            "POST", "/oauth2/token", [form],
            body: "grant_type=refresh_token&refresh_token=\(token)&client_id=\(encoded(id))\(more)")
    }

    /// The reason of a page, with what was compared.
    private static func reason(_ gateway: GatewayProcess, status: Int) throws -> (code: String, detail: String) {
        let line = try #require(
            gateway.waitForAccess {
                $0["path"].string == AuthorizationFixture.path && $0["status"].number == Double(status)
            }
        )
        return (line["reason"].string ?? "", line["detail"].string ?? "")
    }

    @Test("a client that was never registered logs users in, gets tokens and loses them")
    func flow() throws {
        let server = try DocumentServer()
        try server.serve()
        let fixture = try Fixture { server.prepare(&$0, registration: #", "deviceGrant": true"#) }
        let metadata = JSONText(try fixture.request("GET", "/.well-known/oauth-authorization-server").text)
        #expect(metadata["client_id_metadata_document_supported"].bool == true)
        #expect(metadata["registration_endpoint"].string == nil)
        #expect(metadata["token_endpoint_auth_methods_supported"].strings.contains("private_key_jwt"))
        let id = try server.id()
        let host = "localhost:\(try server.secure.gateway.port("secure"))"
        let jar = CookieJar(fixture.gateway)
        let asked = try jar.send("GET", Self.link(id))
        let login = try #require(asked.only("Location"), "\(asked.text)")
        #expect(try jar.send("GET", login).text.contains(host))
        #expect(server.fetches() == 0, "before the login")
        let page = try jar.askForConsent(Self.link(id))
        #expect(server.fetches() == 1)
        #expect(page.text.contains("Notes asks for access") && page.text.contains("is from \(host)"), "\(page.text)")
        let code = try #require(AuthorizationFixture.parameter("code", try jar.decide(page)))
        let tokens = JSONText(try Self.redeem(fixture.gateway, code, id).text)
        let bearer = try #require(tokens["access_token"].string, "\(tokens)")
        #expect(tokens["id_token"].string != nil && JSONWebToken(bearer).claims["client_id"].string == id)
        #expect(try fixture.request("GET", "/plain", [.bearer(bearer)]).status == 200)
        let renewed = JSONText(
            try Self.refresh(fixture.gateway, #require(tokens["refresh_token"].string), id).text)
        let next = try #require(renewed["access_token"].string, "\(renewed)")
        #expect(try fixture.request("GET", "/plain", [.bearer(next)]).status == 200)
        // The consent is asked each time, by the document that is known.
        #expect(try jar.send("GET", Self.link(id)).text.contains("asks for access"))
        #expect(server.fetches() == 1)
        #expect(try jar.send("GET", Self.link(id, "http://127.0.0.1/other")).status == 400)
        let known = JSONText(try fixture.admin("GET", "/admin/tokens?client=\(Self.encoded(id))").text)
        #expect(known[0]["application"].string == id, "\(known)")
        let revoked = try fixture.request(
            "POST", "/oauth2/revoke", [Self.form],
            body: "token=\(#require(renewed["refresh_token"].string))&client_id=\(Self.encoded(id))")
        #expect(revoked.status == 200)
        #expect(try fixture.request("GET", "/plain", [.bearer(next)]).status == 401)
        let device = try fixture.request(
            "POST", "/oauth2/device_authorization", [Self.form], body: "client_id=\(Self.encoded(id))")
        #expect(
            device.status == 400 && JSONText(device.text)["error"].string == "unauthorized_client", "\(device.text)")
        let admin = "http://127.0.0.1:\(try fixture.gateway.port("admin"))"
        let ended = try CommandLine.run(
            "tokens", "revoke", id, "--admin", admin, environment: ["PORTCULLIS_ADMIN_TOKEN": "admin-secret"])
        #expect(ended.ending == .exit(0), "\(ended.errors)")
        #expect(try Self.refresh(fixture.gateway, "x", id).status == 401)
    }

    @Test("a document that is wrong is refused with its cause on no redirect, and not remembered")
    func refused() throws {
        let server = try DocumentServer()
        let json: Field = "Content-Type: application/json"
        let fixture = try Fixture { server.prepare(&$0) }
        let jar = CookieJar(fixture.gateway)
        func symmetric(_ name: String, _ method: String) throws -> String {
            try server.document(name, #", "token_endpoint_auth_method": "\#(method)""#)
        }
        let secret = try server.document("secret", #", "client_secret": "x""#)
        let remote = #", "token_endpoint_auth_method": "private_key_jwt", "jwks_uri": "https://localhost/keys""#
        let cases: [(name: String, text: String, status: String, fields: [Field], cause: String)] = [
            ("missing", "", "404 Not Found", [json], "status 404"),
            ("moved", "", "302 Found", [json, "Location: /open/client.json"], "status 302"),
            ("text", try server.document("text"), "200 OK", ["Content-Type: text/plain"], "not JSON"),
            ("broken", "{", "200 OK", [json], "not JSON"),
            (
                "large", try server.document("large", #", "x": "\#(String(repeating: "x", count: 5200))""#), "200 OK",
                [json], "too long"
            ),
            ("other", try server.document(), "200 OK", [json], "client_id is not the URL"),
            ("secret", secret, "200 OK", [json], "no client_secret"),
            ("basic", try symmetric("basic", "client_secret_basic"), "200 OK", [json], "none or private_key_jwt"),
            ("jwt", try symmetric("jwt", "client_secret_jwt"), "200 OK", [json], "none or private_key_jwt"),
            (
                "private", try server.document("private", #", "jwks": {"keys": [{"kty": "EC", "d": "x"}]}"#), "200 OK",
                [json],
                "public keys alone"
            ),
            ("remote", try server.document("remote", remote), "200 OK", [json], "jwks_uri is not read"),
            (
                "nowhere", try server.document("nowhere", redirect: "http://foreign.example/"), "200 OK", [json],
                "redirect_uris is missing"
            ),
        ]
        var first = true
        for (name, text, status, fields, cause) in cases {
            try server.serve(name, text, status: status, fields)
            let link = Self.link(try server.id(name))
            let page = try first ? jar.askForConsent(link) : jar.send("GET", link)
            first = false
            #expect(page.status >= 400 && page.only("Location") == nil, "\(name): \(page.status)")
            #expect(page.text.contains("description of the application"), "\(name)")
            let line = try #require(
                fixture.gateway.waitForAccess { $0["detail"].string?.contains(cause) == true },
                "\(name): \(fixture.gateway.everythingWritten)")
            let code = status == "200 OK" ? "client_document_invalid" : "client_document_unavailable"
            #expect(line["reason"].string == code, "\(name): \(line)")
            #expect(server.fetches(name) == 1, "\(name)")
        }
        // What was wrong is looked at again.
        try server.serve("secret")
        #expect(try jar.send("GET", Self.link(server.id("secret"))).text.contains("Notes asks for access"))
        // One user makes the gateway fetch only so much.
        var statuses: [Int] = []
        for _ in 0..<20 { statuses.append(try jar.send("GET", Self.link(server.id("broken"))).status) }
        #expect(statuses.last == 429 && server.fetches("broken") < 12, "\(statuses)")
        #expect(fixture.gateway.events("audit").contains { $0["action"].string == "sso.document" })
    }

    @Test("nothing is fetched for other hosts and URLs, before a login, or at an address that is not public")
    func unfetched() throws {
        let server = try DocumentServer()
        try server.serve()
        let fixture = try Fixture { server.prepare(&$0, server.section("")) }
        let (gateway, id) = (fixture.gateway, try server.id())
        let jar = CookieJar(gateway)
        for (id, reason) in [
            (id.replacing("localhost", with: "127.0.0.1"), "client_document_foreign"),
            ("https://elsewhere.example/client.json", "client_document_foreign"),
            ("https://localhost", "client_document_invalid"),
            ("https://localhost?x", "client_document_invalid"), (id + "#x", "client_document_invalid"),
            ("https://user@localhost/x", "client_document_invalid"), (id + "/../x", "client_document_invalid"),
            (id + "/%2E/x", "client_document_invalid"),
            (id.replacing("https", with: "http"), "authorization_client_unknown"),
        ] {
            let page = try jar.send("GET", Self.link(id))
            #expect(page.status == 400 && page.only("Location") == nil, "\(id): \(page.status)")
            _ = try #require(gateway.waitForAccess { $0["reason"].string == reason })
        }
        // No refusal sends a browser where nothing is proven.
        for more in ["&state=s&prompt=none", "&scope=nothing", "&code_challenge=x"] {
            let page = try jar.send("GET", Self.link(id, Self.redirect, more))
            #expect(page.status == 400 && page.only("Location") == nil, "\(more): \(page.head)")
        }
        let page = try jar.askForConsent(Self.link(id))
        #expect(page.status == 503)
        let line = try #require(gateway.waitForAccess { $0["reason"].string == "client_document_unavailable" })
        #expect(line["detail"].string?.contains("the address is not public") == true, "\(line)")
        #expect(gateway.waitForEvent("connection_failed") != nil)
        let distrusting = try Fixture {
            server.prepare(&$0, #"{"allowedDomains": ["*"], "allowedAddresses": ["127.0.0.1"]}"#)
        }
        #expect(try CookieJar(distrusting.gateway).askForConsent(Self.link(id)).status == 503)
        let distrust = distrusting.gateway.waitForAccess { $0["reason"].string == "client_document_unavailable" }
        #expect(try #require(distrust)["detail"].string?.contains(": tls: ") == true)
        #expect(server.secure.upstream.requests.isEmpty)
    }

    @Test("requests that come at the same time share one fetch")
    func shared() throws {
        let (server, gate) = (try DocumentServer(), Gate())
        try server.serve()
        let fixture = try Fixture { server.prepare(&$0) }
        let jar = CookieJar(fixture.gateway)
        #expect(try jar.askForConsent(Self.link(server.id())).status == 200)
        let text = try server.document("slow")
        server.secure.upstream.on("/open/slow") { _ in
            [.wait(gate), .reply("200 OK", ["Content-Type: application/json"], body: text)]
        }
        let (fields, link) = (jar.field + BrowserFixture.navigation, Self.link(try server.id("slow")))
        let (statuses, all) = (Monitor<[Int]>([]), 4)
        for _ in 0..<all {
            Thread.detachNewThread {
                let status = try? fixture.request("GET", link, fields).status
                statuses.withLock { $0.append(status ?? 0) }
            }
        }
        let deadline = Deadline.usual
        while try fixture.gateway.metrics().sum("portcullis_requests_in_flight") ?? 0 < Double(all), !deadline.isPast {}
        server.secure.upstream.waitForRequests(1, "/open/slow")
        gate.open()
        #expect(statuses.wait { $0.count == all ? $0 : nil } == [Int](repeating: 200, count: all))
        #expect(server.fetches("slow") == 1)
    }

    @Test("a document counts as its Cache-Control says, and with its new redirect URIs only")
    func cached() throws {
        let (server, clock) = (try DocumentServer(), try SteppedClock())
        let json: Field = "Content-Type: application/json"
        func serve(_ redirect: String, _ rule: String) throws {
            try server.serve(
                "client.json", server.document(redirect: redirect), [json, Field(name: "Cache-Control", value: rule)])
        }
        let fixture = try Fixture(environment: clock.environment) { server.prepare(&$0) }
        let (jar, id) = (CookieJar(fixture.gateway), try server.id())
        let (old, new) = ("https://old.example/cb", "https://new.example/cb")
        try serve(old, "max-age=600")
        #expect(try jar.askForConsent(Self.link(id, old)).text.contains("sent to old.example"))
        try serve(new, "no-store")
        try clock.step(to: 590)
        #expect(try jar.send("GET", Self.link(id, old)).status == 200)
        #expect(server.fetches() == 1)
        // The document is fetched again, and does not have the redirect URI any more.
        try clock.step(to: 610)
        let page = try jar.send("GET", Self.link(id, old))
        #expect(page.status == 400 && page.only("Location") == nil && server.fetches() == 2)
        #expect(try jar.send("GET", Self.link(id, new)).text.contains("sent to new.example"))
        // However short, it counts for a minute.
        #expect(server.fetches() == 2)
        try clock.step(to: 680)
        let asked = try jar.send("GET", Self.link(id, new))
        #expect(asked.status == 200 && server.fetches() == 3)
        #expect(try jar.send("GET", Self.link(id, old)).status == 400)
        // The answer to an earlier question does not bring it back.
        try serve(old, "no-store")
        try clock.step(to: 750)
        #expect(try jar.send("GET", Self.link(id, old)).text.contains("sent to old.example"))
        let late = try jar.decide(asked)
        #expect(late.status == 400 && late.only("Location") == nil, "\(late.status)")
    }

    @Test("a client with keys in its document shows that it has them")
    func keys() throws {
        let (server, signer) = (try DocumentServer(), JWTSigner(key: SigningKey.generate(.es256), keyID: "a"))
        func serve(_ signer: JWTSigner, status: String = "200 OK") throws {
            let jwks = String(decoding: KeySet(keys: [signer.publishedKey]).jwks(), as: UTF8.self)
            let more = #", "token_endpoint_auth_method": "private_key_jwt", "jwks": \#(jwks)"#
            try server.serve("client.json", server.document("client.json", more), status: status)
        }
        try serve(signer)
        let clock = try SteppedClock()
        var offset: Int64 = 0
        let fixture = try Fixture(environment: clock.environment) { server.prepare(&$0) }
        let (jar, id) = (CookieJar(fixture.gateway), try server.id())
        func assertion(_ signer: JWTSigner, _ number: Int) -> String {
            let end = Int64(Date().timeIntervalSince1970) + 60 + offset
            let claims =
                #"{"iss":"\#(id)","sub":"\#(id)","aud":"http://gw.example.com","exp":\#(end),"jti":"\#(number)"}"#
            return "&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"
                + "&client_assertion=\(String(decoding: signer.sign(claims: Array(claims.utf8), type: "JWT"), as: UTF8.self))"
        }
        let page = try jar.askForConsent(Self.link(id))
        let code = try #require(AuthorizationFixture.parameter("code", jar.decide(page)), "\(page.text)")
        let foreign = JWTSigner(key: SigningKey.generate(.es256), keyID: "a")
        for wrong in ["", "&client_secret=", assertion(foreign, 1)] {
            #expect(try Self.redeem(fixture.gateway, code, id, wrong).status == 401, "\(wrong)")
        }
        let tokens = JSONText(try Self.redeem(fixture.gateway, code, id, assertion(signer, 2)).text)
        let refresh = try #require(tokens["refresh_token"].string, "\(tokens)")
        #expect(try Self.refresh(fixture.gateway, refresh, id).status == 401)
        // The assertion names the client alone as well.
        let renewed = try fixture.request(
            "POST", "/oauth2/token", [Self.form],
            body: "grant_type=refresh_token&refresh_token=\(refresh)" + assertion(signer, 3))
        #expect(renewed.status == 200, "\(renewed.text)")
        // A key counts until the document that had it is over, and another one from then on.
        var next = JSONText(renewed.text)
        func renew(_ signer: JWTSigner, _ number: Int) throws -> Int {
            let token = try #require(next["refresh_token"].string)
            let answer = try Self.refresh(fixture.gateway, token, id, assertion(signer, number))
            if answer.status == 200 { next = JSONText(answer.text) }
            return answer.status
        }
        try serve(foreign)
        #expect(try renew(foreign, 4) == 401 && renew(signer, 5) == 200 && server.fetches() == 1)
        offset = 3700
        try clock.step(to: offset)
        #expect(try renew(signer, 6) == 401 && renew(foreign, 7) == 200 && server.fetches() == 2)
        // An outage of its server ends a client after a day.
        try serve(foreign, status: "503 Service Unavailable")
        offset += 4000
        try clock.step(to: offset)
        #expect(try renew(foreign, 8) == 200 && server.fetches() == 3)
        offset += 86_400
        try clock.step(to: offset)
        #expect(try renew(foreign, 9) == 401)
    }

    @Test("a request is pushed by a client that the gateway does not know yet")
    func pushed() throws {
        let server = try DocumentServer()
        try server.serve()
        let fixture = try Fixture { server.prepare(&$0) }
        let (jar, id) = (CookieJar(fixture.gateway), try server.id())
        func push(_ redirect: String) throws -> String {
            let body = Self.link(id, redirect).split(separator: "?", maxSplits: 1)[1]
            let reply = try fixture.request("POST", "/oauth2/par", [Self.form], body: String(body))
            let uri = try #require(JSONText(reply.text)["request_uri"].string, "\(reply.text)")
            return "\(AuthorizationFixture.path)?client_id=\(Self.encoded(id))&request_uri=\(Self.encoded(uri))"
        }
        let (right, wrong) = (try push(Self.redirect), try push("https://evil.example/cb"))
        #expect(server.fetches() == 0)
        let page = try jar.askForConsent(right)
        #expect(AuthorizationFixture.parameter("code", try jar.decide(page)) != nil, "\(page.text)")
        let refused = try jar.send("GET", wrong)
        #expect(refused.status == 400 && refused.only("Location") == nil && server.fetches() == 1)
    }

    @Test("gateways of a store share the client, which ends where its domain is not allowed any more")
    func fleet() throws {
        let server = try DocumentServer()
        try server.serve()
        let redis = try RedisProcess()
        func prepare(_ settings: inout FixtureSettings, _ section: String? = nil) {
            server.prepare(&settings, section)
            settings["store"] = #"{"kind": "redis", "url": "unix:\#(redis.socketPath)"}"#
        }
        let fixture = try Fixture { prepare(&$0) }
        let other = try GatewayProcess(fixture.gateway.configuration)
        let (jar, id) = (CookieJar(fixture.gateway), try server.id())
        let page = try jar.askForConsent(Self.link(id))
        let code = try #require(AuthorizationFixture.parameter("code", jar.decide(page)), "\(page.text)")
        let tokens = JSONText(try Self.redeem(other, code, id).text)
        let refresh = try #require(tokens["refresh_token"].string, "\(tokens)")
        #expect(try CookieJar(other).askForConsent(Self.link(id)).text.contains("Notes asks for access"))
        #expect(server.fetches() == 1)
        try fixture.reload { prepare(&$0, #"{"allowedDomains": ["elsewhere.example"]}"#) }
        #expect(try Self.refresh(fixture.gateway, refresh, id).status == 401)
        #expect(try CookieJar(fixture.gateway).send("GET", Self.link(id)).status == 400)
        // The other gateway still has the setting, and learns of it.
        _ = try #require(other.waitForEvent("account_withdrawn"), "\(other.everythingWritten)")
        #expect(try Self.refresh(other, refresh, id).status == 401)
    }

    @Test("without the setting a URL names no client, and one of the configuration keeps its id")
    func configured() throws {
        let server = try DocumentServer()
        try server.serve()
        let off = try Fixture { ClientRegistrationTests.prepare(&$0) }
        #expect(try off.request("GET", Self.link(server.id())).status == 400)
        let metadata = JSONText(try off.request("GET", "/.well-known/oauth-authorization-server").text)
        #expect(metadata["client_id_metadata_document_supported"].bool == nil)
        let id = try server.id()
        let fixture = try Fixture {
            server.prepare(&$0)
            $0["clients"] = #"[{"clientId": "\#(id)", "public": true, "redirectUris": ["https://own.example/cb"]}]"#
        }
        let jar = CookieJar(fixture.gateway)
        #expect(try jar.send("GET", Self.link(id)).status == 400)
        #expect(try jar.askForConsent(Self.link(id, "https://own.example/cb")).text.contains("own.example"))
        #expect(server.fetches() == 0)
    }
}
