import Foundation
import Testing

/// Logins of browsers at a SAML identity provider that others wrote, pysaml2 (SSO-07, RP-01), and what attackers do with
/// them. Skipped without `PORTCULLIS_PYTHON`. One after the other, since the library takes seconds to start.
@Suite(.enabled(if: LoginProvider.python != nil), .serialized) struct SAMLLoginTests {
    @Test("a login gives the provider's name and roles, and nothing of the answer is logged")
    func login() throws {
        let provider = try SAMLLoginProvider()
        let fixture = try provider.gateway()
        let known = try provider.introduce(fixture)
        let own = "http://127.0.0.1:\(try fixture.gateway.port())"
        #expect(known["entity"].string == "\(own)/oauth2/saml/outside/metadata")
        #expect(known["consumer"].string == "\(own)\(SAMLLoginProvider.consumer)" && known["index"].string == "0")
        let jar = CookieJar(fixture.gateway)
        let form = try provider.answer(provider.begin(jar, "/mobileapp?a=b"))
        #expect(form.action == "\(own)\(SAMLLoginProvider.consumer)")
        let posted = try provider.post(form, fixture)
        #expect(posted.only("Access-Control-Allow-Origin") == nil && posted.only("Set-Cookie") == nil)
        let answer = try provider.follow(jar, posted)
        #expect(answer.status == 303 && answer.only("Location") == "/mobileapp?a=b", "\(answer.text)")
        #expect(try jar.send("GET", "/mobileapp?a=b").status == 200)
        let seen = try fixture.lastRequest("/mobileapp")
        #expect(seen.head.only("X-Gateway-User") == "outside:ann" && seen.head.only("X-Gateway-Roles") == "Clerk")
        #expect(jar.loginsUnderWay.isEmpty)
        let written = fixture.gateway.everythingWritten
        for secret in [try #require(form["SAMLResponse"]), try #require(form["RelayState"])] {
            #expect(!written.contains(secret))
        }
        let cookie = try #require(jar["portcullis-form"])
        #expect(!written.contains("answer=") && !written.contains(cookie))
        #expect(seen.head.values("Cookie").isEmpty)
    }

    @Test("a response signed as a whole is accepted; a configured attribute names the user")
    func whole() throws {
        let provider = try SAMLLoginProvider()
        let fixture = try provider.gateway(#""usernameAttribute": "mail", "usernamePrefix": """#)
        let jar = CookieJar(fixture.gateway)
        #expect(try provider.logIn(jar, fixture, wrong: "whole").status == 303)
        #expect(try jar.send("GET", "/mobileapp").status == 200)
        #expect(try fixture.lastRequest("/mobileapp").head.only("X-Gateway-User") == "ann@example.com")
        // A user with a new name id at every login is named by an attribute.
        let other = CookieJar(fixture.gateway)
        #expect(try provider.logIn(other, fixture, wrong: "transient").status == 303)
    }

    private static let wrong: [(wrong: String, status: Int, reason: String, detail: String)] = [
        ("stranger", 400, "provider_assertion_invalid", "saml_signature_invalid"),
        ("tampered", 400, "provider_assertion_invalid", "saml_signature_invalid"),
        ("unsigned", 400, "provider_assertion_invalid", "saml_unsigned"),
        ("broken", 400, "provider_assertion_invalid", "saml_malformed"),
        ("encrypted", 400, "provider_assertion_invalid", "saml_encrypted"),
        ("issuer", 400, "provider_answer_foreign", ""),
        ("request", 400, "provider_assertion_invalid", "InResponseTo"),
        ("unsolicited", 400, "provider_assertion_invalid", "unsolicited"),
        ("unsolicited-inside", 400, "provider_assertion_invalid", "saml_not_confirmed"),
        ("audience", 400, "provider_assertion_invalid", "saml_audience_wrong"),
        ("destination", 400, "provider_assertion_invalid", "destination"),
        ("recipient", 400, "provider_assertion_invalid", "saml_recipient_wrong"),
        ("expired", 400, "provider_assertion_invalid", "saml_expired"),
        ("early", 400, "provider_assertion_invalid", "saml_not_yet_valid"),
        ("ended", 400, "provider_assertion_invalid", "SessionNotOnOrAfter"),
        ("transient", 400, "provider_assertion_invalid", "transient NameID"),
        ("status", 403, "provider_denied", "saml_status_not_success"),
    ]

    @Test("each invalid answer is refused; the log states the reason, the page does not")
    func refusals() throws {
        let provider = try SAMLLoginProvider()
        let fixture = try provider.gateway()
        for (index, known) in Self.wrong.enumerated() {
            let jar = CookieJar(fixture.gateway)
            let answer = try provider.logIn(jar, fixture, wrong: known.wrong)
            #expect(answer.status == known.status && answer.text.contains("Try again"), "\(known.wrong) \(answer.text)")
            #expect(answer.text.contains(#"role="alert""#) && !answer.text.contains("saml"), "\(known.wrong)")
            #expect(jar["portcullis-form"] == nil && !jar.loginsUnderWay.isEmpty, "\(known.wrong)")
            #expect(try jar.send("GET", "/mobileapp").status == 302, "\(known.wrong)")
            let event = try #require(fixture.gateway.waitForEvent("provider_login_failed", skipping: index))
            #expect(
                event["reason"].string == known.reason && event["detail"].string ?? "" == known.detail,
                "\(known.wrong): \(event)")
        }
        // The same browser, after all of that.
        #expect(try provider.logIn(CookieJar(fixture.gateway), fixture).status == 303)
    }

    @Test("after a wrong answer the right one is still accepted")
    func wrongThenRight() throws {
        let provider = try SAMLLoginProvider()
        let fixture = try provider.gateway()
        let jar = CookieJar(fixture.gateway)
        let location = try provider.begin(jar)
        for wrong in ["tampered", "request", "status"] {
            let answer = try provider.follow(jar, provider.post(provider.answer(location, wrong: wrong), fixture))
            #expect(answer.status >= 400 && jar["portcullis-form"] == nil, "\(wrong)")
        }
        let right = try provider.follow(jar, provider.post(provider.answer(location), fixture))
        #expect(right.status == 303, "\(right.text)")
        #expect(try jar.send("GET", "/mobileapp").status == 200)
    }

    @Test("login CSRF: an attacker's answer is refused in another browser")
    func loginCSRF() throws {
        let provider = try SAMLLoginProvider()
        let fixture = try provider.gateway()
        let (attacker, victim) = (CookieJar(fixture.gateway), CookieJar(fixture.gateway))
        let form = try provider.answer(provider.begin(attacker), user: "mallory")
        // Without any cookie; the attacker has used the answer up by that.
        let stray = try provider.follow(victim, provider.post(form, fixture))
        #expect(stray.status == 403 && victim["portcullis-form"] == nil, "\(stray.text)")
        // With a login of the attacker's own under way, by its RelayState.
        let own = try provider.answer(provider.begin(victim), user: "ann")
        var mixed = try provider.answer(provider.begin(attacker), user: "mallory")
        mixed.fields[1].value = try #require(own["RelayState"])
        #expect(mixed.fields[1].name == "RelayState")
        let answer = try provider.follow(victim, provider.post(mixed, fixture))
        #expect(answer.status == 400 && victim["portcullis-form"] == nil)
        #expect(fixture.gateway.waitForEvent("provider_login_failed")?["detail"].string == "InResponseTo")
    }

    @Test("unsolicited answers are refused: without RelayState, with an unknown one, or a URL")
    func unsolicited() throws {
        let provider = try SAMLLoginProvider()
        let fixture = try provider.gateway()
        let jar = CookieJar(fixture.gateway)
        let stateless = try provider.post(provider.answer(provider.begin(jar), wrong: "stateless"), fixture)
        #expect(stateless.status == 400 && stateless.only("Location") == nil)
        var form = try provider.answer(provider.begin(jar))
        form.fields[1].value = "https://evil.example/"
        let astray = try provider.post(form, fixture)
        #expect(astray.status == 400 && astray.only("Location") == nil)
        form.fields[1].value = String(repeating: "A", count: 22)
        #expect(try provider.follow(jar, provider.post(form, fixture)).status == 403)
        #expect(jar["portcullis-form"] == nil)
    }

    @Test("a replayed form, address or assertion opens no session")
    func replay() throws {
        let provider = try SAMLLoginProvider()
        let fixture = try provider.gateway()
        let jar = CookieJar(fixture.gateway)
        let form = try provider.answer(provider.begin(jar))
        let kept = jar.cookies
        let posted = try provider.post(form, fixture)
        #expect(try provider.follow(jar, posted).status == 303)
        let session = try #require(jar["portcullis-form"])
        for cookie in kept { jar[cookie.name] = cookie.value }
        #expect(try provider.follow(jar, posted).status == 303 && jar["portcullis-form"] == session, "the address")
        jar["portcullis-form"] = nil
        for cookie in kept { jar[cookie.name] = cookie.value }
        let again = try provider.post(form, fixture)
        let anew = try provider.follow(jar, again)
        #expect(anew.status == 302 && jar["portcullis-form"] == nil, "the form")
        #expect(fixture.gateway.waitForEvent("provider_login_failed")?["detail"].string == "replayed")
    }

    @Test("SSO-01, SSO-07: a backend with provider users supports single sign-on")
    func relay() throws {
        let provider = try SAMLLoginProvider()
        let fixture = try provider.gateway { settings in
            settings["backends"] = settings["backends"]?.replacing(
                #""name": "inventory","#, with: #""name": "inventory", "identityProvider": "outside","#)
        }
        let jar = CookieJar(fixture.gateway)
        let page = try provider.logIn(jar, fixture, "\(SignOnFixture.path)?clientID=inv-client")
        let token = try jar.send("GET", try #require(page.only("Location"), "\(page.status) \(page.text)"))
        let value = try #require(SignOnFixture.field("access_token", token.text), "\(token.text)")
        let answer = try fixture.request("GET", "/mobile/platform/users/~", ["Authorization: Bearer \(value)"])
        #expect(answer.status == 200 && answer.text.contains("outside:ann"), "\(answer.text)")
    }

    @Test("RP-01 to RP-03: an application gets a code by its own scheme, and its session once")
    func application() throws {
        let provider = try SAMLLoginProvider()
        let fixture = try provider.gateway(domain: #", "usernameFrom": "subject""#)
        let jar = CookieJar(fixture.gateway)
        let start = "/oic_rest/relyingparty?serviceDomain=MobileServiceDomain&appName=DemoApp&state=7"
        let location = try #require(provider.logIn(jar, fixture, start).only("Location"))
        let code = try #require(location.wholeMatch(of: /demoapp:\/\/login\?code=([^&]+)&state=7/), "\(location)").1
        let reply = try fixture.request(
            "POST", "/oic_rest/rest/MobileServiceDomain/authenticate", ["Content-Type: application/json"],
            body: #"{"appName": "DemoApp", "code": "\#(code)"}"#)
        #expect(JSONText(reply.text)["userName"].string == "ann", "\(reply.text)")
        let denied = try #require(provider.logIn(jar, fixture, start, user: "nobody").only("Location"))
        #expect(denied == "demoapp://login?error=access_denied&state=7")
    }

    @Test("forms up to 256 KiB are accepted; longer ones, other methods and providers are not")
    func limits() throws {
        let provider = try SAMLLoginProvider()
        let fixture = try provider.gateway()
        func post(_ count: Int, _ path: String = SAMLLoginProvider.consumer) throws -> Response {
            try fixture.request(
                "POST", path, ["Content-Type: application/x-www-form-urlencoded", "Origin: null"],
                body:
                    "RelayState=\(String(repeating: "A", count: 22))&SAMLResponse=\(String(repeating: "A", count: count))"
            )
        }
        #expect(try post(200_000).status == 303)
        #expect(try post(262_144).status == 413)
        #expect(try post(10, "/oauth2/saml/local/acs").status == 404)
        #expect(try fixture.request("PUT", SAMLLoginProvider.consumer).status == 405)
        #expect(try post(10, SAMLLoginProvider.callback).status == 403, "a form of another site is for one place only")
        // The environment's rules of origins are for everything else.
        let foreign = try fixture.request(
            "POST", "/oauth2/token", ["Content-Type: application/x-www-form-urlencoded", "Origin: \(provider.base)"],
            body: "a=b")
        #expect(foreign.status == 403)
    }
}
