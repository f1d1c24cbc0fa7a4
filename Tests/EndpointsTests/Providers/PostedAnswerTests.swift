import Bytes
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

/// Answers that a provider's page has the browser post (SSO-07, SAML bindings section 3.5), and those who attack that.
@Suite struct PostedAnswerTests {
    private static let path = "/oauth2/callback/idp"
    private static let consumer = "/oauth2/saml/idp/acs"
    private let idp = StubProvider(answersByForm: true)

    private func browser(_ more: [StubProvider] = []) -> Browser { Browser(Mobile.withProvider([idp] + more)) }

    /// Begins a login: `RelayState` and the id of its request.
    private func begin(_ browser: Browser, at seconds: Int64 = 0) throws -> (state: String, request: String) {
        let state = browser.state(browser.get(query: Browser.query(at: seconds), at: seconds))
        return (state, StubProvider.requestID(try #require(idp.begun.last).secrets))
    }

    private func post(
        _ browser: Browser, _ state: String, _ request: String, assertion: String = "a-1", provider: String = "idp",
        at seconds: Int64 = 0
    ) -> EndpointResponse {
        browser.postFromElsewhere(
            "/oauth2/saml/\(provider)/acs",
            [("SAMLResponse", "\(request) \(assertion)"), ("RelayState", state)],
            endpoint: .serviceProvider, at: seconds)
    }

    /// Goes where a form was answered with.
    private func follow(_ browser: Browser, _ posted: EndpointResponse, at seconds: Int64 = 0) throws
        -> EndpointResponse
    {
        let location = try #require(posted.field("Location"), "\(posted.status) \(posted.text)")
        let parts = location.split(separator: "?", maxSplits: 1).map(String.init)
        return browser.get(parts[0], query: parts[1], endpoint: .providerCallback, at: seconds)
    }

    @Test("a form posted without a cookie continues with the browser's cookie to the original target")
    func login() throws {
        let browser = browser()
        let (state, request) = try begin(browser)
        #expect(state.utf8.count == 22, "80 bytes are what RelayState may have")
        let posted = post(browser, state, request)
        #expect(posted.status == 303 && posted.reason.code == "provider_answer_taken")
        #expect(posted.field("Location")?.hasPrefix("\(Self.path)?state=\(state)&answer=") == true)
        #expect(posted.field("Cache-Control") == "no-store" && posted.field("Referrer-Policy") == "no-referrer")
        #expect(posted.field("Set-Cookie") == nil, "nobody is logged in by a form of another site")
        let answer = try follow(browser, posted)
        #expect(answer.status == 303 && answer.field("Location") == "/mobileapp?a=b")
        let value = Array(try #require(browser.session).utf8)
        #expect(try Mobile.seals.session(value.span, ofDomain: true, now: Mobile.start).subject == "idp:248289")
        #expect(underWay(browser).isEmpty && idp.finished.isEmpty)
    }

    /// The tickets in the cookies of a browser.
    private func underWay(_ browser: Browser) -> [String] {
        browser.cookies.filter { $0.key.hasPrefix(browser.name("portcullis-to-")) }.map(\.value)
    }

    @Test("the cookie is __Host-, HttpOnly, SameSite=Lax, expires with the login, and hides the verifier")
    func cookie() throws {
        let browser = browser()
        let sent = browser.get()
        let field = try #require(sent.headers.first { $0.value.hasPrefix("__Host-portcullis-to-") })
        #expect(field.value.hasSuffix("; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=600"))
        let secrets = try #require(idp.begun.first).secrets
        for (_, value) in sent.headers { #expect(!value.contains(secrets.verifier)) }
    }

    @Test("login CSRF: an attacker's login and answer are refused in another browser")
    func loginCSRF() throws {
        let mobile = Mobile.withProvider([idp])
        let (attacker, victim) = (Browser(mobile), Browser(mobile))
        let (state, request) = try begin(attacker)
        // The victim's browser is made to post it; it has no login under way, then one of its own.
        for assertion in ["a-1", "a-2"] {
            let answer = try follow(victim, post(victim, state, request, assertion: assertion))
            #expect(answer.status == 403 && answer.reason.code == "login_form_foreign")
            #expect(victim.session == nil)
            victim.get()
        }
        // The attacker's answer with the victim's own state: it answers another request.
        let (own, _) = try begin(victim)
        let mixed = try follow(victim, post(victim, own, request, assertion: "a-3"))
        #expect(mixed.status == 400 && mixed.reason.code == "provider_assertion_invalid")
        #expect(victim.session == nil)
        // And the sealed word of the attacker's beside the victim's state.
        let (other, _) = try begin(victim)
        let posted = try #require(post(victim, state, request, assertion: "a-4").field("Location"))
        let word = posted.split(separator: "answer=")[1]
        let planted = victim.get(Self.path, query: "state=\(other)&answer=\(word)", endpoint: .providerCallback)
        #expect(planted.status == 400 && planted.reason.code == "provider_callback_malformed")
        #expect(victim.session == nil)
    }

    @Test("a stolen answer is useless in a browser without its login")
    func theft() throws {
        let mobile = Mobile.withProvider([idp])
        let (victim, thief) = (Browser(mobile), Browser(mobile))
        let (state, request) = try begin(victim)
        _ = try begin(thief)
        let answer = try follow(thief, post(thief, state, request))
        #expect(answer.status == 403 && thief.session == nil)
    }

    @Test("replay: form, redirect address and assertion are each accepted once")
    func replay() throws {
        let browser = browser()
        let (state, request) = try begin(browser)
        let cookies = browser.cookies
        let posted = post(browser, state, request)
        #expect(try follow(browser, posted).status == 303)
        browser.cookies = cookies
        #expect(try follow(browser, posted).reason == .loginAtProvider && browser.session == nil)
        browser.cookies = cookies
        let again = post(browser, state, request)
        #expect(again.reason.code == "provider_assertion_invalid")
        #expect(try follow(browser, again).reason == .loginAtProvider && browser.session == nil)
        let (other, fresh) = try begin(browser)
        #expect(try follow(browser, post(browser, other, fresh)).reason.code == "provider_assertion_invalid")
        #expect(browser.session == nil)
    }

    @Test("after any number of wrong answers the right one is still accepted, once")
    func wrongAnswers() throws {
        let browser = browser()
        let (state, request) = try begin(browser)
        for (index, failure) in [ProviderFailure.assertion("saml_expired"), .denied("status"), .foreignAnswer]
            .enumerated()
        {
            idp.answer(.failure(failure))
            let answer = try follow(browser, post(browser, state, request), at: Int64(index))
            #expect(answer.reason.code == "\(failure.reason)" && browser.session == nil)
        }
        idp.answer(.success(StubProvider.identity()))
        let foreign = try follow(browser, post(browser, state, "another", assertion: "a-2"))
        #expect(foreign.status == 400 && browser.session == nil)
        let cookies = browser.cookies
        #expect(try follow(browser, post(browser, state, request, assertion: "a-3")).status == 303)
        #expect(browser.session != nil)
        browser.cookies = cookies
        let again = try follow(browser, post(browser, state, request, assertion: "a-4"))
        #expect(again.reason == .loginAtProvider && browser.session == nil)
    }

    @Test("a login takes at most ten minutes, and the redirect after the form at most one")
    func times() throws {
        let browser = browser()
        let (state, request) = try begin(browser)
        let posted = post(browser, state, request, at: 10)
        let late = try follow(browser, posted, at: 70)
        #expect(late.status == 400 && late.reason.code == "provider_callback_malformed")
        let (other, fresh) = try begin(browser, at: 100)
        #expect(try follow(browser, post(browser, other, fresh, assertion: "a-2", at: 695), at: 699).status == 303)
        let (last, final) = try begin(browser, at: 1000)
        #expect(try follow(browser, post(browser, last, final, assertion: "a-3", at: 1600), at: 1600).status == 403)
    }

    @Test("a form without a valid RelayState is refused")
    func unsolicited() {
        let browser = browser()
        for state in ["", "https://evil.example/", "x", String(repeating: "a", count: 23), "a&answer=b"] {
            let answer = post(browser, state, "r")
            #expect(answer.status == 400 && answer.field("Location") == nil, "\(state)")
            #expect(answer.reason.code == "provider_assertion_invalid")
        }
        #expect(idp.read.isEmpty)
        // One that looks like one belongs to no login.
        let invented = post(browser, String(repeating: "a", count: 22), "r")
        #expect((try? follow(browser, invented))?.status == 403)
    }

    @Test("mix-up: an answer posted to another provider's path is refused")
    func mixUp() throws {
        let other = StubProvider("other", answersByForm: true)
        let browser = browser([other])
        let (state, request) = try begin(browser)
        let answer = try follow(browser, post(browser, state, request, provider: "other"))
        #expect(answer.status == 400 && answer.reason.code == "provider_answer_foreign")
        #expect(browser.session == nil)
        #expect(post(browser, state, request, provider: "nobody").status == 404)
    }

    @Test("code providers accept no forms, and form providers no codes")
    func kinds() throws {
        let codes = StubProvider("codes")
        let browser = browser([codes])
        #expect(post(browser, String(repeating: "a", count: 22), "r", provider: "codes").status == 404)
        let (state, _) = try begin(browser)
        let answer = browser.callback(state)
        #expect(answer.status == 400 && idp.finished.isEmpty && browser.session == nil)
    }

    @Test(
        "logins in several windows may end in any order; those beyond the limits are dropped, oldest first"
    )
    func windows() throws {
        let browser = browser()
        let logins = try (0..<3).map { _ in try begin(browser) }
        #expect(underWay(browser).count == 3)
        #expect(try follow(browser, post(browser, logins[1].state, logins[1].request)).status == 303)
        #expect(try follow(browser, post(browser, logins[0].state, logins[0].request, assertion: "a-2")).status == 303)
        for _ in 0..<20 {
            _ = try begin(browser)
            let sum = underWay(browser).reduce(0) { $0 + $1.utf8.count }
            #expect(underWay(browser).count <= 8 && sum <= 8000, "heads of requests have a limit")
        }
        let last = try begin(browser)
        #expect(try follow(browser, post(browser, last.state, last.request, assertion: "a-3")).status == 303)
    }

    @Test("the longest return target fits into the cookie")
    func longest() throws {
        let browser = browser()
        let target = "/mobileapp?" + String(repeating: "a", count: 2048 - 11)
        let sent = browser.get(query: Browser.query(target: target))
        let request = StubProvider.requestID(try #require(idp.begun.last).secrets)
        let answer = try follow(browser, post(browser, browser.state(sent), request))
        #expect(answer.status == 303 && answer.field("Location") == target)
    }

    @Test("failures are reported where the login started, in plain words")
    func failures() throws {
        let browser = browser()
        for (failure, status) in [
            (ProviderFailure.denied("saml_status_not_success"), 403), (.assertion("saml_expired"), 400),
            (.foreignAnswer, 400), (.malformedCallback, 400), (.unavailable("saml_unavailable"), 503),
        ] {
            idp.answer(.failure(failure))
            let (state, request) = try begin(browser)
            let posted = post(browser, state, request)
            #expect(posted.status == 303 && posted.reason.code == "\(failure.reason)")
            let answer = try follow(browser, posted)
            #expect(answer.status == status && answer.reason.code == "\(failure.reason)", "\(failure)")
            #expect(answer.text.contains(">Try again</a>") && answer.text.contains("role=\"alert\""))
            #expect(!answer.text.contains("saml_") && browser.session == nil)
        }
    }

    @Test("SessionNotOnOrAfter ends the login here")
    func end() throws {
        let identity = ProvidedIdentity(
            provider: "idp", subject: "248289", sessionID: "s", claims: StubProvider.identity().claims,
            accessToken: nil,
            endsAt: Mobile.start + 100)
        idp.answer(.success(identity))
        let mobile = Mobile.withProvider([idp])
        let browser = Browser(mobile)
        let (state, request) = try begin(browser)
        _ = try follow(browser, post(browser, state, request))
        let value = Array(try #require(browser.session).utf8)
        let session = try Mobile.seals.session(value.span, ofDomain: true, now: Mobile.start)
        let foundation = try #require(session.foundations.first)
        let ends: Effect<Int64?> = mobile.store.ask(.find(.id(foundation)), now: Mobile.start) {
            if case .success(.record(let record)) = $0 { .done(record?.accessExpiresAt) } else { .done(nil) }
        }
        #expect(ends.settled() == Mobile.start + 100)
    }

    @Test("malformed, oversized and ambiguous forms are refused")
    func forms() {
        let browser = browser()
        let state = String(repeating: "a", count: 22)
        for fields in [
            [("RelayState", state)], [("SAMLResponse", "a b"), ("SAMLResponse", "a b"), ("RelayState", state)],
            [("SAMLResponse", String(repeating: "a", count: 300_000)), ("RelayState", state)],
        ] {
            let answer = browser.postFromElsewhere(Self.consumer, fields, endpoint: .serviceProvider)
            #expect([400, 413].contains(answer.status))
        }
        #expect(idp.read.isEmpty)
    }

    @Test("the stored answer is sealed, and large enough for typical providers")
    func record() throws {
        let groups = JSONNode(.array((0..<500).map { JSONNode(.string("group number \($0)")) }))
        let posted = PostedIdentity(
            identity: StubProvider.identity("zoe", [("groups", groups), ("mail", .init(.string("zoe@example.com")))]),
            requestID: "r", assertionID: "a")
        let record = try #require(posted.record(Mobile.seals, now: Mobile.start))
        // Long enough not to turn up by chance in what is sealed.
        let decoded = Base64.decode(record.sealed.span, .url)
        let sealed = [record.sealed, try #require(decoded)]
        for text in ["\(record)"] + sealed.map({ String(decoding: $0, as: UTF8.self) }) {
            #expect(!text.contains("zoe@example.com") && !text.contains("group number 1"))
        }
        let opened = try #require(PostedIdentity(record, provider: "idp", Mobile.seals, now: Mobile.start + 59))
        #expect(text(opened.identity.claims) == text(posted.identity.claims) && opened.identity.subject == "zoe")
        #expect(opened.requestID == "r" && opened.identity.sessionID == "s-1")
        #expect(PostedIdentity(record, provider: "idp", Mobile.seals, now: Mobile.start + 60) == nil)
        #expect(PostedIdentity(record, provider: "other", Mobile.seals, now: Mobile.start) == nil)
        let long = JSONNode(.string(String(repeating: "x", count: 60_000)))
        let tooMuch = PostedIdentity(
            identity: StubProvider.identity("zoe", [("x", long)]), requestID: "r", assertionID: "a")
        #expect(tooMuch.record(Mobile.seals, now: Mobile.start) == nil)
    }

    private func text(_ claims: JSONNode) -> String {
        var writer = JSONWriter()
        writer.value(claims)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("a SAML provider has metadata and an assertion consumer service, which takes forms only")
    func service() {
        let codes = StubProvider("codes")
        let browser = browser([codes])
        let answer = browser.get("/oauth2/saml/idp/metadata", query: "", endpoint: .serviceProvider)
        #expect(answer.status == 200 && answer.field("Content-Type") == "application/samlmetadata+xml")
        for rest in [
            "codes/metadata", "codes/acs", "unknown/metadata", "unknown/acs", "idp/x/metadata", "idp", "idp/", "idp/x",
            "idp/metadata/", "idp/acs/",
        ] {
            #expect(browser.get("/oauth2/saml/\(rest)", query: "", endpoint: .serviceProvider).status == 404, "\(rest)")
            let posted = browser.postFromElsewhere("/oauth2/saml/\(rest)", [], endpoint: .serviceProvider)
            #expect(posted.status == 404, "\(rest)")
        }
        let read = browser.get(Self.consumer, query: "SAMLResponse=a", endpoint: .serviceProvider)
        #expect(read.status == 405 && read.field("Allow") == "POST")
        let written = browser.postFromElsewhere("/oauth2/saml/idp/metadata", [], endpoint: .serviceProvider)
        #expect(written.status == 405 && written.field("Allow") == "GET, HEAD")
        let former = browser.postFromElsewhere(Self.path, [("SAMLResponse", "a b")], endpoint: .providerCallback)
        #expect(former.status == 405 && former.field("Allow") == "GET")
        #expect(idp.read.isEmpty)
    }
}
