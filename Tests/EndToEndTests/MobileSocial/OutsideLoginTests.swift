import Foundation
import Testing

/// Logins by browser at identity providers that others wrote (SSO-07, RP-01 to RP-03). Skipped without
/// `PORTCULLIS_PYTHON`.
@Suite(.enabled(if: LoginProvider.python != nil)) struct OutsideLoginTests {
    private static let secret = #""clientSecret": "s3cret""#
    private static let virtual =
        #""usernameAttribute": "email", "roleAttributes": ["groups"], "roleMappings": [{"tokenRole": "clerks", "mappedRoles": ["Clerk"]}]"#

    @Test(
        "oidc-provider-mock: login gives the provider's name and roles; replays and foreign answers open no session"
    )
    func browser() throws {
        let provider = try LoginProvider(.mock)
        let fixture = try provider.gateway(client: Self.secret, users: Self.virtual)
        let jar = CookieJar(fixture.gateway)
        let (callback, answer) = try provider.logIn(jar, "/mobileapp?a=b", typing: "sub=ann")
        #expect(answer.status == 303 && answer.only("Location") == "/mobileapp?a=b", "\(answer.text)")
        #expect(try jar.send("GET", "/mobileapp?a=b").status == 200)
        let seen = try fixture.lastRequest("/mobileapp")
        #expect(seen.head.only("X-Gateway-User") == "outside:ann@example.com")
        #expect(seen.head.only("X-Gateway-Roles") == "Clerk")
        // The state is used up, and was never another browser's.
        let session = jar["portcullis-form"]
        #expect(try jar.send("GET", callback).only("Location") == "/mobileapp?a=b" && jar["portcullis-form"] == session)
        let other = CookieJar(fixture.gateway)
        #expect(try other.send("GET", callback).status == 302 && other["portcullis-form"] == nil)
        // Nothing of it is in any log.
        let written = fixture.gateway.everythingWritten
        let code = try #require(callback.firstMatch(of: /code=([^&]+)/)).1
        #expect(!written.contains(code) && !written.contains("state="))
        #expect(!written.contains(try #require(jar["portcullis-form"])))
    }

    @Test("oidc-provider-mock: a denied login and an unverified name are refused")
    func refusals() throws {
        let provider = try LoginProvider(.mock)
        let fixture = try provider.gateway(client: Self.secret, users: Self.virtual)
        let jar = CookieJar(fixture.gateway)
        // The mock forgets the state of who says no, against RFC 6749 section 4.1.2.1: that is an answer to nothing.
        let stateless = try provider.logIn(jar, typing: "action=deny").answer
        #expect(stateless.status == 403 && stateless.text.contains(#"<a href="/mobileapp">"#), "\(stateless.text)")
        let page = try #require(try jar.send("GET", "/mobileapp").only("Location"))
        let sent = try #require(try jar.send("GET", page).only("Location"))
        let state = try #require(sent.firstMatch(of: /state=([^&]+)/)).1
        let denied = try jar.send(
            "GET", "/oauth2/callback/outside?error=access_denied&state=\(state)")
        #expect(denied.status == 403 && denied.text.contains("Try again"), "\(denied.status) \(denied.text)")
        let event = try #require(fixture.gateway.waitForEvent("provider_login_failed"))
        #expect(event["provider"].string == "outside" && event["detail"].string == "access_denied")
        // The mock gives any user that is typed in an address, and says nothing of it.
        let unverified = try provider.logIn(jar, typing: "sub=mallory").answer
        #expect(unverified.status == 403 && jar["portcullis-form"] == nil)
        #expect(try jar.send("GET", "/mobileapp").status == 302)
    }

    @Test("RP-01 to RP-03: an application gets a code by its own scheme, and its session once")
    func application() throws {
        let provider = try LoginProvider(.mock)
        let fixture = try provider.gateway(
            client: #""clientSecret": "s3cret", "clientAuthentication": "client_secret_post""#, users: Self.virtual,
            domain: #", "usernameFrom": "subject", "exposeProviderToken": true"#)
        let jar = CookieJar(fixture.gateway)
        let start = "/oic_rest/relyingparty?serviceDomain=MobileServiceDomain&appName=DemoApp&state=7"
        let answer = try provider.logIn(jar, start, typing: "sub=ann").answer
        let location = try #require(answer.only("Location"), "\(answer.status) \(answer.text)")
        let code = try #require(location.wholeMatch(of: /demoapp:\/\/login\?code=([^&]+)&state=7/), "\(location)").1
        func redeem() throws -> Response {
            try fixture.request(
                "POST", "/oic_rest/rest/MobileServiceDomain/authenticate", ["Content-Type: application/json"],
                body: #"{"appName": "DemoApp", "code": "\#(code)"}"#)
        }
        let reply = JSONText(try redeem().text)
        #expect(reply["userToken"].string?.hasPrefix("ut.v1.") == true, "\(reply)")
        #expect(reply["userName"].string == "ann" && reply["accessTokens"]["outside"].string?.isEmpty == false)
        let again = try redeem()
        #expect(again.status == 400 && JSONText(again.text)["code"].string == "oic_code_invalid")
        let foreign = try jar.send("GET", "\(start)&redirect_uri=https%3A%2F%2Fevil.example")
        #expect(foreign.status == 400 && foreign.only("Location") == nil)
    }

    @Test("idpyoidc: PKCE, private_key_jwt, iss and back-channel logout work; an outage is 503")
    func certified() throws {
        let provider = try LoginProvider(.idpyoidc)
        let fixture = try provider.gateway(
            client: #""clientKeyFile": "state/client.pem""#,
            users: #""usernameAttribute": "email", "usernamePrefix": "", "userInfo": "always""#)
        let own = "http://127.0.0.1:\(try fixture.gateway.port())"
        let backChannel = "/oauth2/backchannel-logout/outside"
        try provider.control(
            "client",
            """
            {"redirect_uri": "\(own)/oauth2/callback/outside", "jwks_uri": "\(own)/.well-known/jwks.json",
             "backchannel_logout_uri": "\(own)\(backChannel)"}
            """)
        let jar = CookieJar(fixture.gateway)
        let (callback, answer) = try provider.logIn(jar, typing: nil)
        #expect(answer.status == 303, "\(answer.status) \(answer.text) \(fixture.gateway.everythingWritten)")
        #expect(callback.contains("iss="))
        #expect(try jar.send("GET", "/mobileapp").status == 200)
        #expect(try fixture.lastRequest("/mobileapp").head.only("X-Gateway-User") == "diana@example.org")

        #expect(try jar.send("GET", "/mobileapp").status == 200)
        let calls = try fixture.issuerCalls()
        // Back-channel logout: no other issuer's word counts.
        let form: [Field] = ["Content-Type: application/x-www-form-urlencoded"]
        let forged = try fixture.request("POST", backChannel, form, body: "logout_token=e30.e30.e30")
        #expect(forged.status == 400)
        #expect(try jar.send("GET", "/mobileapp").status == 200)
        let token = try #require(provider.control("logout")["logout_token"].string)
        let told = try fixture.request("POST", backChannel, form, body: "logout_token=\(token)")
        #expect(told.status == 200, "\(told.text)")
        #expect(try jar.send("GET", "/mobileapp").status == 302, "the session has ended")

        #expect(try provider.logIn(jar, typing: nil).answer.status == 303)
        #expect(try jar.send("GET", "/mobileapp").status == 200)
        #expect(try fixture.issuerCalls() == calls + 1, "the injected token went with the session")
        let second = try #require(provider.control("logout")["logout_token"].string)
        #expect(try fixture.request("POST", backChannel, form, body: "logout_token=\(second)").status == 200)

        // Away: a login with the known document fails at the token endpoint.
        let page = try #require(try jar.send("GET", "/mobileapp").only("Location"))
        let sent = try #require(try jar.send("GET", page).only("Location"))
        let state = try #require(sent.firstMatch(of: /state=([^&]+)/)).1
        try provider.control("down")
        let away = try jar.send(
            "GET", "/oauth2/callback/outside?code=c&state=\(state)&iss=\(provider.issuer)")
        #expect(away.status == 503 && away.only("Retry-After") != nil, "\(away.status) \(away.text)")
        try provider.control("up")
        #expect(try provider.logIn(jar, typing: nil).answer.status == 303)
    }
}
