import Endpoints
import HTTP
import Identity
import MobileSocial
import Model
import Synchronization
import TestSupport
import Testing
import TokenStorage

@testable import LoginPages

/// Browsers that come back from a provider without having logged in there, with others at the same time, or too often
/// (SSO-07).
@Suite struct ProviderCallbackTests {
    private static func mobile(
        _ idp: StubProvider, store: any TokenStore = MemoryTokenStore(), failuresPerNetwork: Int = 0
    ) -> Mobile {
        var settings = LoginThrottle.Settings()
        settings.failuresPerNetwork = failuresPerNetwork
        return Mobile.withProvider([idp], store: store, throttle: LoginThrottle(settings))
    }

    @Test(
        "an unfinished login leaves nothing in the store", arguments: ["", "code=x", "error=x"])
    func unfinished(query: String) {
        let idp = StubProvider()
        let browser = Browser(Self.mobile(idp, store: MemoryTokenStore(capacity: 8)))
        idp.answer(.failure(.codeRefused("invalid_grant")))
        for _ in 0..<20 { #expect(browser.callback(browser.state(browser.get()), query).status == 400) }
        idp.answer("248289")
        #expect(browser.logInAtProvider().status == 303)
    }

    @Test("refused codes count against the network, but only for callbacks; logins do not count")
    func throttled() {
        let idp = StubProvider()
        let mobile = Self.mobile(idp, failuresPerNetwork: 3)
        let (guesser, other) = (Browser(mobile), Browser(mobile))
        guesser.address = IPAddress(text: Array("192.0.2.1".utf8).span)
        other.address = IPAddress(text: Array("192.0.2.2".utf8).span)
        for _ in 0..<10 { #expect(guesser.logInAtProvider().status == 303) }
        for failure in [ProviderFailure.denied("access_denied"), .unavailable("token: timeout")] {
            idp.answer(.failure(failure))
            for _ in 0..<4 { #expect(guesser.logInAtProvider().status == failure.status) }
        }
        idp.answer(.failure(.codeRefused("invalid_grant")))
        for _ in 0..<2 { #expect(guesser.logInAtProvider().status == 400) }
        idp.answer(.failure(.misconfigured("invalid_request")))
        #expect(guesser.logInAtProvider().status == 502, "some providers say so of a code that they cannot read")
        let asked = idp.finished.count
        let answer = guesser.logInAtProvider()
        #expect(answer.status == 429 && answer.reason.code == "login_throttled")
        #expect(answer.field("Retry-After") == "100" && idp.finished.count == asked)
        idp.answer("248289")
        #expect(other.logInAtProvider().status == 303)
        #expect(guesser.logInAtProvider(at: 100).status == 303, "what was used up comes back")
    }

    @Test("of two concurrent callbacks with one state one continues, and the code is redeemed once")
    func atTheSameTime() {
        let idp = StubProvider()
        let browser = Browser(Self.mobile(idp))
        let state = browser.state(browser.get())
        let second = Twin(browser)
        idp.meanwhile.withLock { $0 = { second.callback(state) } }
        #expect(browser.callback(state).status == 303)
        #expect(second.status == 302 && idp.finished.count == 1)
    }

    @Test("across two processes the first callback to log in continues")
    func inTwoProcesses() {
        let (idp, there) = (StubProvider(), StubProvider())
        let store = MemoryTokenStore()
        let browser = Browser(Self.mobile(idp, store: store))
        let state = browser.state(browser.get())
        let second = Twin(Browser(Self.mobile(there, store: store)), cookies: browser.cookies)
        idp.meanwhile.withLock { $0 = { second.callback(state) } }
        let answer = browser.callback(state)
        #expect(second.status == 303)
        #expect(answer.status == 302 && answer.reason == .loginAtProvider && browser.session == nil)
    }

    @Test("the callback accepts GET only, as does an application's start")
    func methods() {
        let idp = StubProvider()
        let mobile = Self.mobile(idp)
        let browser = Browser(mobile)
        let state = browser.state(browser.get())
        func ask(
            _ method: HTTP.Method, _ path: String, _ query: String, _ endpoint: EndpointDescriptor
        ) -> EndpointResponse {
            let cookie = browser.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
            let request = EndpointRequest(
                method: method, path: path, query: Array(query.utf8),
                contentType: "application/x-www-form-urlencoded", body: Array(query.utf8), secure: true,
                fields: [(name: "cookie", value: cookie)])
            return mobile.service.handle(request, endpoint: endpoint, now: Mobile.start).settled()
        }
        let callback = "/oauth2/callback/idp"
        for method in [HTTP.Method.post, .put, .delete, .head] {
            let answer = ask(method, callback, "code=c&state=\(state)", .providerCallback)
            #expect(answer.status == 405 && answer.field("Allow") == "GET", "\(method)")
        }
        for method in [HTTP.Method.post, .put, .delete] {
            let answer = ask(method, Browser.application, "appName=DemoApp", .applicationLogin)
            #expect(answer.status == 405 && answer.field("Allow") == "GET, HEAD", "\(method)")
        }
        #expect(idp.finished.isEmpty)
        let head = ask(
            .head, Browser.application, "serviceDomain=MobileServiceDomain&appName=DemoApp", .applicationLogin)
        #expect(head.status == 302)
        #expect(browser.callback(state).status == 303, "none of these has used it up")
    }

    /// The same browser once more, in the middle of something.
    private final class Twin: @unchecked Sendable {
        private let browser: Browser
        private(set) var status = 0

        init(_ browser: Browser, cookies: [String: String]? = nil) {
            self.browser = Browser(browser.service)
            self.browser.cookies = cookies ?? browser.cookies
        }

        func callback(_ state: String) { status = browser.callback(state).status }
    }
}
