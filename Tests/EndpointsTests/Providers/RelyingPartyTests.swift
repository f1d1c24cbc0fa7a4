import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import JOSE
import Model
import Outbound
import TestSupport
import Testing
import TokenStorage

@testable import LoginPages
@testable import MobileSocial

/// Applications whose users log in at an identity provider (RP-01 to RP-03), and the word of a provider that they have
/// logged out.
@Suite struct RelyingPartyTests {
    private final class Setup {
        let idp: StubProvider
        let mobile: Mobile
        let browser: Browser

        init(_ idp: StubProvider = StubProvider(), _ change: (inout ServiceDomain) -> Void = { _ in }) {
            self.idp = idp
            mobile = Mobile.withProvider([idp]) {
                $0.isMobile = false
                change(&$0)
            }
            browser = Browser(mobile)
        }

        func begin(_ more: String = "", app: String = "DemoApp") -> EndpointResponse {
            browser.get(
                Browser.application, query: "serviceDomain=MobileServiceDomain&appName=\(app)\(more)",
                endpoint: .applicationLogin)
        }

        /// The URL that the browser is sent back to the application by.
        func back(_ more: String = "", at seconds: Int64 = 0) -> String {
            browser.callback(browser.state(begin(more)), at: seconds).field("Location") ?? ""
        }

        func code(_ more: String = "") -> String { Setup.field("code", back(more)) }

        static func field(_ name: String, _ url: String) -> String {
            url.split(separator: "?").last?.split(separator: "&").first { $0.hasPrefix("\(name)=") }
                .map { String($0.dropFirst(name.utf8.count + 1)) } ?? ""
        }

        func redeem(_ code: String, app: String = "DemoApp", _ more: String = "", at seconds: Int64 = 0)
            -> EndpointResponse
        {
            mobile.post(
                "\(Mobile.path)/authenticate", #"{"appName":"\#(app)","code":"\#(code)"\#(more)}"#, at: seconds)
        }
    }

    @Test("RP-02: the browser returns to the application's scheme with code and state, without a token")
    func code() throws {
        let setup = Setup()
        let url = setup.back("&state=a%26b")
        #expect(url.hasPrefix("demoapp://login?code=rc.v1.") && url.hasSuffix("&state=a%26b"))
        let reply = setup.redeem(Setup.field("code", url))
        let json = try #require(reply.json)
        #expect(reply.status == 200 && json["userToken"]?.string?.hasPrefix("ut.v1.") == true)
        #expect(json["user"]?.string == "idp:248289" && json["userName"]?.string == "248289")
        #expect(json["accessTokens"] == nil, "RP-03: not unless it is switched on")
        #expect(!url.contains(json["userToken"]?.string ?? "-"))
    }

    @Test("the redirect to the application is not cached, and sends no referrer")
    func wayBack() {
        let setup = Setup()
        for result in [
            Result<ProvidedIdentity, ProviderFailure>.success(StubProvider.identity()), .failure(.wrongNonce),
        ] {
            setup.idp.answer(result)
            let answer = setup.browser.callback(setup.browser.state(setup.begin()))
            #expect(answer.status == 303 && answer.field("Location")?.hasPrefix("demoapp://login?") == true)
            #expect(answer.field("Cache-Control") == "no-store" && answer.field("Referrer-Policy") == "no-referrer")
            #expect(setup.browser.cookies.isEmpty, "the half of the login is taken back")
        }
    }

    @Test("sessions of a provider that the domain no longer uses are invalid")
    func providerGone() throws {
        let store = MemoryTokenStore()
        let (idp, other) = (StubProvider("idp"), StubProvider("other"))
        let before = Mobile.withProvider([idp, other], store: store) { $0.isMobile = false }
        let browser = Browser(before)
        let sent = browser.get(
            Browser.application, query: "serviceDomain=MobileServiceDomain&appName=DemoApp",
            endpoint: .applicationLogin)
        let code = Setup.field("code", browser.callback(browser.state(sent)).field("Location") ?? "")
        let reply = before.post("\(Mobile.path)/authenticate", #"{"appName":"DemoApp","code":"\#(code)"}"#)
        let token = try #require(reply.json?["userToken"]?.string)
        func status(_ mobile: Mobile) -> Int {
            mobile.post(
                "\(Mobile.path)/access",
                #"{"appName":"DemoApp","userToken":"\#(token)","requestContext":"\#(StubContexts.inventory)"}"#
            ).status
        }
        #expect(status(before) == 200)
        #expect(status(Mobile.withProvider([other, idp], store: store) { $0.isMobile = false }) == 401)
        #expect(status(Mobile(store: store) { $0.isMobile = false }) == 401)
    }

    @Test("if a domain drops passwords, its password sessions and pending logins are invalid")
    func passwordsGone() throws {
        let store = MemoryTokenStore()
        let idp = StubProvider("idp")
        func mobile(hasForm: Bool, _ change: (inout ServiceDomain) -> Void = { _ in }) -> Mobile {
            Mobile.withProvider([idp], store: store) { domain in
                domain.isMobile = false
                if hasForm { domain.loginMethods.append(.form(title: nil)) }
                change(&domain)
            }
        }
        let login = Mobile.login("USERTOKEN")
        let reply = mobile(hasForm: true).post("\(Mobile.path)/authenticate", login)
        let token = try #require(reply.json?["userToken"]?.string, "\(reply.text)")
        func access(_ mobile: Mobile) -> Int {
            mobile.post(
                "\(Mobile.path)/access",
                #"{"appName":"DemoApp","userToken":"\#(token)","requestContext":"\#(StubContexts.inventory)"}"#
            ).status
        }
        #expect(access(mobile(hasForm: true)) == 200)
        #expect(access(mobile(hasForm: false)) == 401)
        let asked = mobile(hasForm: true) { $0.secondStep.question = true }.post("\(Mobile.path)/authenticate", login)
        let challenge = try #require(asked.json?["challengeId"]?.string, "\(asked.text)")
        let answer = #"{"appName":"DemoApp","challengeId":"\#(challenge)","answer":"rex"}"#
        let gone = mobile(hasForm: false) { $0.secondStep.question = true }.post("\(Mobile.path)/authenticate", answer)
        #expect([401, 403].contains(gone.status), "\(gone.status) \(gone.text)")
        let kept = mobile(hasForm: true) { $0.secondStep.question = true }.post("\(Mobile.path)/authenticate", answer)
        #expect(kept.status == 200, "\(kept.text)")
    }

    @Test("RP-02: a code is valid once, for a minute, for its application")
    func codeRules() throws {
        let setup = Setup()
        func refused(_ response: EndpointResponse) -> Bool {
            response.status == 400 && "\(response.reason)" == "oic_code_invalid"
        }
        let code = setup.code()
        #expect(setup.redeem(code, at: 59).status == 200)
        #expect(refused(setup.redeem(code, at: 59)))
        #expect(refused(setup.redeem(setup.code(), at: 60)))
        let foreign = setup.code()
        #expect(refused(setup.redeem(foreign, app: "OtherApp")))
        #expect(refused(setup.redeem(foreign)), "whoever shows it wrongly has used it up")
        #expect(refused(setup.redeem("rc.v1.guess")) && refused(setup.redeem("x")))
        // A code is no user token, and a user token no code: it stays good.
        let unused = setup.code()
        #expect(setup.mobile.post("\(Mobile.path)/logout", #"{"userToken":"\#(unused)"}"#).status == 401)
        let token = try #require(setup.redeem(unused).json?["userToken"]?.string)
        #expect(refused(setup.redeem(token)))
        #expect(isAlive(setup, token))
    }

    @Test("code injection: a code with a challenge needs its verifier, and one without accepts none")
    func proofKey() throws {
        let setup = Setup()
        let secrets = LoginSecrets()
        let challenge = "&code_challenge=\(secrets.challenge)&code_challenge_method=S256"
        let verifier = #","codeVerifier":"\#(secrets.verifier)""#
        #expect(setup.redeem(setup.code(challenge), verifier).status == 200)
        #expect(setup.redeem(setup.code(challenge)).status == 400)
        #expect(setup.redeem(setup.code(challenge), #","codeVerifier":"\#(LoginSecrets().verifier)""#).status == 400)
        #expect(setup.redeem(setup.code(), verifier).status == 400)
        for bad in [
            "&code_challenge=\(secrets.challenge)", "&code_challenge=\(secrets.challenge)&code_challenge_method=plain",
            "&code_challenge=short&code_challenge_method=S256",
        ] {
            #expect(setup.begin(bad).status == 400, "\(bad)")
        }
    }

    @Test("RP-02: redirects go only to the application's scheme or a listed address")
    func redirects() throws {
        let setup = Setup { $0.applications[0].redirectURIs = ["https://app.example.com/back?x=1"] }
        func begin(_ uri: String) -> EndpointResponse {
            setup.begin("&redirect_uri=\(String(decoding: FormEncoding.encode(Array(uri.utf8)), as: UTF8.self))")
        }
        for good in ["demoapp://anywhere/at/all?x=1", "DEMOAPP://x", "demoapp:/x", "https://app.example.com/back?x=1"] {
            #expect(begin(good).status == 302, "\(good)")
        }
        for bad in [
            "otherapp://x", "demoapp2://x", "https://app.example.com/back", "https://app.example.com/back?x=1&y",
            "https://app.example.com.evil.example/back?x=1", "https://evil.example", "//evil.example",
            "javascript:alert(1)",
            "demoapp", "", "demoapp://x#f", "demoapp://x\r\nSet-Cookie: a", "demoapp://x y", "demoapp:\\\\x",
            "demoapp://" + String(repeating: "x", count: 1024),
        ] {
            let answer = begin(bad)
            #expect(answer.status == 400 && "\(answer.reason)" == "login_redirect_foreign", "\(bad)")
            #expect(answer.field("Location") == nil)
        }
        let answer = setup.browser.callback(setup.browser.state(begin("https://app.example.com/back?x=1")))
        #expect(answer.field("Location")?.hasPrefix("https://app.example.com/back?x=1&code=rc.v1.") == true)
        // What all users have identifies none.
        for scheme in ["https", "javascript", "DATA"] {
            let shared = Setup { $0.applications[0].urlScheme = scheme }
            #expect(shared.begin().status == 400, "\(scheme)")
            #expect(shared.begin("&redirect_uri=\(scheme)://evil.example").status == 400, "\(scheme)")
        }
    }

    @Test("a login for one application is invalid for another, and for a browser session")
    func errands() throws {
        let setup = Setup()
        let answer = setup.browser.callback(setup.browser.state(setup.begin()))
        #expect(answer.status == 303 && setup.browser.session == nil, "no cookie comes of an application's login")
        #expect(setup.begin(app: "Nobody").status == 404)
        #expect(
            setup.browser.get(
                Browser.application, query: "serviceDomain=Default&appName=inventory", endpoint: .applicationLogin
            )
            .status == 404, "a domain with passwords")
        #expect(setup.begin("&state=\(String(repeating: "x", count: 513))").status == 400)
        #expect(setup.begin("&appName=OtherApp").status == 400)
    }

    @Test("failures are reported to the application with the codes of RFC 6749")
    func failures() throws {
        let setup = Setup()
        for (failure, code) in [
            (ProviderFailure.denied("access_denied"), "access_denied"), (.unavailable("x"), "temporarily_unavailable"),
            (.answer("x"), "server_error"),
        ] {
            setup.idp.answer(.failure(failure))
            #expect(setup.back("&state=7") == "demoapp://login?error=\(code)&state=7")
        }
        let strict = Setup(StubProvider(rules: StubProvider.rules(virtual: false)))
        #expect(strict.back() == "demoapp://login?error=access_denied")
    }

    @Test("RP-03: the provider's token is exposed if enabled, and the name may be the e-mail")
    func exposure() throws {
        let idp = StubProvider(rules: StubProvider.rules { $0.identity.usernameSources = ["email"] })
        idp.answer(
            "248289",
            [("email", JSONNode(.string("ann@example.com"))), ("email_verified", JSONNode(.bool(true)))])
        let setup = Setup(idp) { domain in
            guard case .provider(var party)? = domain.loginMethods.first else { return }
            party.exposesToken = true
            domain.loginMethods = [.provider(party)]
        }
        let json = try #require(setup.redeem(setup.code()).json)
        #expect(json["userName"]?.string == "ann@example.com")
        #expect(json["accessTokens"]?["idp"]?.string == "provider-at")
        idp.answer("248289", [("email", JSONNode(.string("ann@example.com")))])
        #expect(setup.back() == "demoapp://login?error=access_denied", "an address that nobody has verified is no name")
    }

    @Test("JWT-13: a virtual user has none of the rights of an account of the same name")
    func namesakes() throws {
        let idp = StubProvider(rules: StubProvider.rules { $0.identity.usernamePrefix = "" })
        idp.answer("joe")
        let setup = Setup(idp)
        let token = try #require(setup.redeem(setup.code()).json?["userToken"]?.string)
        let reply = setup.mobile.post(
            "\(Mobile.path)/access",
            #"{"appName":"DemoApp","userToken":"\#(token)","requestContext":"\#(StubContexts.inventory)"}"#)
        let access = try #require(reply.json?["access_token"]?.string)
        let claims = try ReceivedToken(Array(access.utf8).span).claims
        #expect(claims["virtual"]?.bool == true)
        #expect(claims["roles"]?.array?.compactMap(\.string) == ["Guest"])
        // It ends with the login at the provider.
        #expect(claims["exchanged_for"]?.array?.count == 1)
    }

    // MARK: Back-channel logout

    private func post(_ setup: Setup, _ body: String = "logout_token=x", provider: String = "idp") -> EndpointResponse {
        let request = EndpointRequest(
            method: .post, path: "/oauth2/backchannel-logout/\(provider)",
            contentType: "application/x-www-form-urlencoded", body: Array(body.utf8), secure: true)
        return setup.mobile.service.handle(request, endpoint: .providerLogout, now: Mobile.start + 10).settled()
    }

    private func notice(_ scope: LogoutNotice.Scope, at time: Int64 = Mobile.start + 10) -> LogoutNotice {
        LogoutNotice(scope: scope, tokenID: "j", issuedAt: time)
    }

    private func isAlive(_ setup: Setup, _ token: String) -> Bool {
        setup.mobile.post(
            "\(Mobile.path)/access",
            #"{"appName":"DemoApp","userToken":"\#(token)","requestContext":"\#(StubContexts.inventory)"}"#, at: 11
        ).status == 200
    }

    private func token(_ setup: Setup, sid: String?, subject: String = "248289") throws -> String {
        setup.idp.answer(subject, sid: sid)
        return try #require(setup.redeem(setup.code()).json?["userToken"]?.string)
    }

    @Test("a logout notice ends the sessions of its provider session, or all of the user, and no others")
    func backChannel() throws {
        let setup = Setup()
        let (one, two) = (try token(setup, sid: "s-1"), try token(setup, sid: "s-2"))
        let (nameless, other) = (try token(setup, sid: nil), try token(setup, sid: "s-1x", subject: "other"))
        #expect([one, two, nameless, other].allSatisfy { isAlive(setup, $0) })
        setup.idp.say(.success(notice(.session("s-1"))))
        let answer = post(setup)
        #expect(answer.status == 200 && answer.field("Cache-Control") == "no-store")
        // By the user's name here injected tokens are dropped.
        let changes: Effect<[DenyChange]> = setup.mobile.store.ask(.changes(after: 0, limit: 100), now: Mobile.start) {
            if case .success(.changes(let changes, _)) = $0 { .done(changes) } else { .done([]) }
        }
        #expect(changes.settled().map(\.entry.subject) == ["idp:248289"])
        #expect([one, two, nameless, other].map { isAlive(setup, $0) } == [false, true, true, true])
        setup.idp.say(.success(notice(.subject("248289"))))
        #expect(post(setup).status == 200)
        #expect([two, nameless, other].map { isAlive(setup, $0) } == [false, false, true])
        // What ends none is no error.
        #expect(post(setup).status == 200)
    }

    @Test("a notice with session and user also ends the user's logins without a session id")
    func backChannelNameless() throws {
        let setup = Setup()
        let (one, two) = (try token(setup, sid: "s-1"), try token(setup, sid: "s-2"))
        let (nameless, other) = (try token(setup, sid: nil), try token(setup, sid: nil, subject: "other"))
        setup.idp.say(.success(notice(.session("s-1", of: "248289"))))
        #expect(post(setup).status == 200)
        #expect([one, two, nameless, other].map { isAlive(setup, $0) } == [false, true, false, true])
    }

    @Test("a logout notice ends the browser's session too")
    func backChannelCookie() throws {
        let setup = Setup()
        setup.browser.logInAtProvider()
        let value = Array(try #require(setup.browser.session).utf8)
        let foundations = try Mobile.seals.session(value.span, ofDomain: true, now: Mobile.start).foundations
        let origins = foundations.map { TokenOrigin(tokenID: $0, backendID: nil) }
        func isRevoked() -> Bool {
            setup.mobile.revocations.isRevoked(
                tokenID: "t", subject: "s", backendID: nil, issuedAt: Mobile.start, origins: origins)
        }
        #expect(!isRevoked())
        setup.idp.say(.success(notice(.session("s-1"))))
        #expect(post(setup).status == 200)
        #expect(isRevoked())
    }

    @Test("a replayed logout token does not end a later login")
    func replay() throws {
        let setup = Setup()
        setup.idp.say(.success(notice(.subject("248289"), at: Mobile.start - 61)))
        let token = try token(setup, sid: "s-1")
        #expect(post(setup).status == 200)
        #expect(isAlive(setup, token))
    }

    @Test("invalid logout tokens are 400, unavailable keys 503, unknown providers 404")
    func backChannelFailures() throws {
        let setup = Setup()
        setup.idp.say(.failure(.token(.badSignature)))
        #expect(post(setup).status == 400)
        setup.idp.say(.failure(.unavailable("keys")))
        let away = post(setup)
        #expect(away.status == 503 && away.field("Retry-After") != nil)
        setup.idp.say(.success(notice(.session("s-1"))))
        #expect(post(setup, provider: "nobody").status == 404)
        for bad in ["", "token=x", "logout_token=a&logout_token=b"] {
            #expect(post(setup, bad).status == 400, "\(bad)")
        }
    }
}
