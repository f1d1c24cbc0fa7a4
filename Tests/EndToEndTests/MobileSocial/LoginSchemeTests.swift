import Foundation
import Model
import Testing

/// Sessions are of the way in which their user has logged in: a scheme whose form offers another one asks for a login of its
/// own (CACHE-11). Skipped without `PORTCULLIS_PYTHON`.
@Suite(.enabled(if: LoginProvider.python != nil)) struct LoginSchemeTests {
    /// Two forms: one for passwords, one for the provider. The webgate `PlainWG` has no scheme.
    private func gateway(_ provider: LoginProvider) throws -> Fixture {
        let entry = """
            "issuer": "\(provider.issuer)", "allowHttp": true, "clientId": "gateway", "clientSecret": "s3cret",
            "usernameAttribute": "email"
            """
        return try LoginProvider.gateway(entry) { settings in
            settings["serviceDomains"] = """
                {"MobileServiceDomain": {"applications": {"DemoApp": {"backend": "inventory/1.0"}}},
                 "Social": {"authentication": {"type": "relyingParty", "level": 2, "provider": "outside"},
                   "applications": {"SocialApp": {"backend": "inventory/1.0", "urlScheme": "socialapp"}}}}
                """
            settings["authenticationSchemes"] = """
                [{"name": "FormScheme", "authenticationLevel": 2, "challengeMethod": "FORM",
                  "challengeUrl": "/mobilesso?serviceDomain=MobileServiceDomain"},
                 {"name": "SocialScheme", "authenticationLevel": 2, "challengeMethod": "FORM",
                  "challengeUrl": "/socialsso?serviceDomain=Social"}]
                """
            settings["webgates"] = """
                [{"name": "MobileWG", "authenticationScheme": "FormScheme",
                  "userDefinedParameters": {"User-Agent": "OAMMS-Agent"}, "userAgentMismatch": "redirect"},
                 {"name": "SocialWG", "authenticationScheme": "SocialScheme",
                  "userDefinedParameters": {"User-Agent": "OAMMS-Agent"}, "userAgentMismatch": "redirect"},
                 {"name": "PlainWG", "level": 2}]
                """
            settings["routes"] = FixtureSettings.list([
                #"{"path": "/mobileapp", "upstream": "stub", "webgate": "MobileWG"}"#,
                #"{"path": "/social", "upstream": "stub", "webgate": "SocialWG"}"#,
                #"{"path": "/plain", "upstream": "stub", "webgate": "PlainWG"}"#,
            ])
        }
    }

    /// What `/access` answers to a session of a domain about a resource.
    private func access(_ fixture: Fixture, _ domain: String, _ token: String, _ target: String) throws -> Response {
        let refused = try fixture.request("GET", target, ["User-Agent: OAMMS-Agent"])
        let challenge = try #require(refused.only("WWW-Authenticate"))
        let context = try #require(challenge.firstMatch(of: /request-ctx="([^"]+)"/)).1
        return try fixture.request(
            "POST", "/oic_rest/rest/\(domain)/access", ["Content-Type: application/json"],
            body: #"{"requestContext": "\#(context)", "userToken": "\#(token)"}"#)
    }

    private func session(_ fixture: Fixture, _ domain: String, _ body: String) throws -> String {
        let reply = try fixture.request(
            "POST", "/oic_rest/rest/\(domain)/authenticate", ["Content-Type: application/json"], body: body)
        return try #require(JSONText(reply.text)["userToken"].string, "\(reply.status) \(reply.text)")
    }

    @Test("a provider's session gets no token for a webgate with password login, and vice versa")
    func tokens() throws {
        let provider = try LoginProvider(.mock)
        let fixture = try gateway(provider)
        let start = "/oic_rest/relyingparty?serviceDomain=Social&appName=SocialApp"
        let answer = try provider.logIn(CookieJar(fixture.gateway), start, typing: "sub=ann").answer
        let location = try #require(answer.only("Location"), "\(answer.status) \(answer.text)")
        let code = try #require(location.firstMatch(of: /code=([^&]+)/)).1
        let social = try session(fixture, "Social", #"{"appName": "SocialApp", "code": "\#(code)"}"#)
        let password = try session(
            fixture, "MobileServiceDomain", #"{"appName": "DemoApp", "username": "joe", "password": "Welcome1"}"#)
        let refused = try access(fixture, "Social", social, "/mobileapp")
        #expect(
            refused.status == 401 && fixture.gateway.waitForAccess { $0["reason"].string == "oic_scheme_wrong" } != nil)
        #expect(try access(fixture, "MobileServiceDomain", password, "/social").status == 401)
        for (domain, token, target) in [
            ("Social", social, "/social"), ("Social", social, "/plain"),
            ("MobileServiceDomain", password, "/mobileapp"), ("MobileServiceDomain", password, "/plain"),
        ] {
            let reply = try access(fixture, domain, token, target)
            let token = try #require(JSONText(reply.text)["access_token"].string, "\(domain) \(target) \(reply.text)")
            #expect(try fixture.request("GET", target, [.bearer(token)]).status == 200, "\(domain) \(target)")
        }
    }

    @Test("a cookie of one login form is redirected to the other form, and stays valid for its own")
    func cookies() throws {
        let provider = try LoginProvider(.mock)
        let fixture = try gateway(provider)
        let jar = CookieJar(fixture.gateway)
        #expect(try provider.logIn(jar, "/social", typing: "sub=ann").answer.status == 303)
        #expect(try jar.send("GET", "/social").status == 200)
        let sent = try jar.send("GET", "/mobileapp")
        #expect(sent.status == 302 && sent.only("Location")?.hasPrefix("/oic_rest/mobilesso?") == true)
        #expect(fixture.gateway.waitForAccess { $0["reason"].string == "wrong_scheme" } != nil)
        #expect(try jar.logIn("/mobileapp").status == 303)
        #expect(try jar.send("GET", "/mobileapp").status == 200)
    }
}
