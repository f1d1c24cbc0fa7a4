import Crypto
import Foundation
import JOSE
import Model
import TestSupport
import Testing

/// Routes that require a stronger or newer login of browsers that log in at an identity provider (RFC 9470).
@Suite struct ProviderStepUpTests {
    /// An OpenID Connect provider whose logins are as a test wants them.
    private final class Provider: Sendable {
        struct State: Sendable {
            var nonce = ""
            /// Further claims of ID tokens.
            var claims = ""
        }

        let server: StubUpstream
        let state = Monitor(State())

        init() throws {
            let server = try StubUpstream()
            self.server = server
            let (url, state) = (server.url, state)
            let signer = JWTSigner(key: SigningKey.generate(.es256), keyID: "a")
            let keys = String(decoding: KeySet(keys: [signer.publishedKey]).jwks(), as: UTF8.self)
            server.on("/.well-known/openid-configuration") { _ in
                [
                    .reply(
                        body: """
                            {"issuer": "\(url)", "jwks_uri": "\(url)/keys", "authorization_endpoint": "\(url)/authorize",
                             "token_endpoint": "\(url)/token"}
                            """)
                ]
            }
            server.on("/keys") { _ in [.reply(body: keys)] }
            server.on("/token") { _ in
                let (now, current) = (Int(Date().timeIntervalSince1970), state.current)
                let claims = """
                    {"iss": "\(url)", "aud": "gateway", "sub": "ann", "iat": \(now), "exp": \(now + 60),
                     "nonce": "\(current.nonce)"\(current.claims)}
                    """
                let token = String(decoding: signer.sign(claims: Array(claims.utf8), type: "JWT"), as: UTF8.self)
                return [
                    .reply(
                        "200 OK", ["Content-Type: application/json"],
                        body: #"{"access_token": "at", "token_type": "Bearer", "id_token": "\#(token)"}"#)
                ]
            }
        }

        /// A login that the ID token tells of.
        func login(acr: String? = nil, ago seconds: Int? = nil) {
            let time = seconds.map { #", "auth_time": \#(Int(Date().timeIntervalSince1970) - $0)"# } ?? ""
            let level = acr.map { #", "acr": "\#($0)""# } ?? ""
            state.withLock { $0.claims = level + time }
        }
    }

    private func gateway(_ provider: Provider, _ entry: String = "") throws -> Fixture {
        let own = #""issuer": "\#(provider.server.url)", "allowHttp": true, "clientId": "gateway", "clientSecret": "s""#
        return try LoginProvider.gateway(own + entry) {
            for section in ["serviceDomains", "webgates", "authenticationSchemes"] { $0[section] = nil }
            func route(_ path: String, _ more: String) -> String {
                #"{"path": "\#(path)", "upstream": "stub", "login": "outside"\#(more)}"#
            }
            $0["routes"] = FixtureSettings.list([
                route("/page", ""), route("/strong", #", "acr": ["mfa", "phr"]"#),
                route("/fresh", #", "maxAge": "1m""#), route("/both", #", "acr": "mfa", "maxAge": "1m""#),
            ])
        }
    }

    /// The way of a browser to the provider: what it is asked for there.
    private func go(_ jar: CookieJar, _ target: String, _ provider: Provider) throws -> [String: String] {
        let sent = try jar.send("GET", target)
        #expect(sent.status == 302, "\(sent.status) \(sent.text)")
        let asked = try jar.send("GET", try #require(sent.only("Location")))
        let location = try #require(asked.only("Location"), "\(asked.status) \(asked.text)")
        let items = URLComponents(string: location)?.queryItems ?? []
        let fields = Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in "\(first), twice" }
        provider.state.withLock { $0.nonce = fields["nonce"] ?? "" }
        return fields
    }

    private func back(_ jar: CookieJar, _ fields: [String: String]) throws -> Response {
        try jar.send(
            "GET", "/oauth2/callback/outside?code=c&state=\(try #require(fields["state"]))")
    }

    @Test("a session of a lower level is sent to the provider for a higher one, which the session then has")
    func level() throws {
        let provider = try Provider()
        let fixture = try gateway(provider, #", "parameters": {"acr_values": "usual", "ui": "x"}"#)
        let jar = CookieJar(fixture.gateway)
        provider.login(acr: "pwd")
        let first = try go(jar, "/page", provider)
        #expect(first["acr_values"] == "usual" && first["max_age"] == nil && first["ui"] == "x")
        #expect(try back(jar, first).status == 303)
        #expect(try jar.send("GET", "/page").status == 200)

        let asked = try go(jar, "/strong?a=b", provider)
        #expect(
            fixture.gateway.waitForAccess { $0["path"].string == "/strong" }?["reason"].string
                == "authentication_too_weak")
        #expect(asked["acr_values"] == "mfa phr" && asked["max_age"] == nil && asked["ui"] == "x")
        provider.login(acr: "phr")
        let answer = try back(jar, asked)
        #expect(answer.status == 303 && answer.only("Location") == "/strong?a=b", "\(answer.text)")
        #expect(try jar.send("GET", "/strong?a=b").status == 200)
        #expect(try jar.send("GET", "/page").status == 200)
        // Programs, and forms, get the challenge.
        let program = try CookieJar(fixture.gateway).send("GET", "/strong", ["Accept: application/json"])
        #expect(program.status == 401)
        // A browser without a session is asked for all of it at once.
        #expect(try go(CookieJar(fixture.gateway), "/both", provider)["acr_values"] == "mfa")
    }

    @Test("a provider that does not deliver gets a page, no loop, and the earlier session goes on")
    func undelivered() throws {
        let provider = try Provider()
        let fixture = try gateway(provider)
        let jar = CookieJar(fixture.gateway)
        provider.login(acr: "pwd")
        #expect(try back(jar, go(jar, "/page", provider)).status == 303)
        let session = jar["portcullis"]
        for claims in ["pwd", "mf", nil] as [String?] {
            provider.login(acr: claims)
            let answer = try back(jar, go(jar, "/strong", provider))
            #expect(answer.status == 403 && answer.only("Location") == nil, "\(answer.text)")
            #expect(answer.text.contains("needs a stronger sign-in") && answer.text.contains("Try again"))
        }
        #expect(fixture.gateway.waitForAccess { $0["reason"].string == "login_too_weak" } != nil)
        #expect(jar["portcullis"] == session)
        #expect(try jar.send("GET", "/page").status == 200)
        // `acr` of another one who knows no levels of ours does not reach the upstream either.
        #expect(fixture.upstream.requests("/strong").isEmpty)
    }

    @Test("an old login is asked for anew with max_age, and an answer that is old or says no time is a page")
    func age() throws {
        let provider = try Provider()
        let fixture = try gateway(provider)
        let jar = CookieJar(fixture.gateway)
        provider.login(ago: 3600)
        #expect(try back(jar, go(jar, "/page", provider)).status == 303)
        for old in [3600, 70, nil, -3600] as [Int?] {
            let asked = try go(jar, "/fresh", provider)
            #expect(asked["max_age"] == "60" && asked["acr_values"] == nil)
            provider.login(ago: old)
            let answer = try back(jar, asked)
            #expect(answer.status == 403, "\(String(describing: old)) \(answer.text)")
        }
        #expect(fixture.gateway.waitForAccess { $0["reason"].string == "login_too_old" } != nil)
        let other = CookieJar(fixture.gateway)
        let asked = try go(other, "/fresh", provider)
        provider.login(ago: 1)
        #expect(try back(other, asked).status == 303)
        #expect(try other.send("GET", "/fresh").status == 200)
    }

    @Test("what was asked for is sealed: neither leaving it out nor another page's login opens the route")
    func attacks() throws {
        let provider = try Provider()
        let fixture = try gateway(provider)
        let jar = CookieJar(fixture.gateway)
        provider.login(acr: "pwd", ago: 1)
        // The target of another page leads to the other page, and the strong one asks again.
        let weak = try go(jar, "/page", provider)
        #expect(try back(jar, weak).status == 303)
        let sent = try jar.send("GET", "/strong")
        let form = try #require(sent.only("Location"))
        let stripped = String(form.prefix { $0 != "?" })
        #expect(try jar.send("GET", stripped).status == 403)
        #expect(try jar.send("GET", "/strong").status == 302)
        let forged = try jar.send("GET", form + "x")
        #expect(forged.only("Location")?.contains("acr_values") != true)
        #expect(fixture.upstream.requests("/strong").isEmpty)
    }
}
