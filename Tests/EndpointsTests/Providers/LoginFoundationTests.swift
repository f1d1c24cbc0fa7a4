import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import Model
import Outbound
import SingleSignOn
import TestSupport
import Testing
import TokenStorage

@testable import Authorization
@testable import LoginPages
@testable import MobileSocial
@testable import OAuthServer

/// What logins at providers leave in the store, and for how long (SSO-07, RP-02).
@Suite struct LoginFoundationTests {
    private let idp = StubProvider()
    private let store = MemoryTokenStore()

    /// The records of logins at providers, or of another kind.
    private func records(_ kind: TokenRecord.Kind = .provided) -> [TokenRecord] {
        let list = StoreOperation.list(application: nil, subject: nil, limit: .max)
        let records: Effect<[TokenRecord]> = store.ask(list, now: Mobile.start) { answer in
            if case .success(.records(let records)) = answer { .done(records) } else { .done([]) }
        }
        return records.settled().filter { $0.kind == kind }
    }

    private func clean(at seconds: Int64) {
        let cleaned: Effect<Void> = store.ask(.clean(limit: 1000), now: Mobile.start + seconds) { _ in .done(()) }
        cleaned.settled()
    }

    private func mobile(_ change: (inout ServiceDomain) -> Void = { _ in }) -> Mobile {
        Mobile.withProvider([idp], store: store) {
            $0.isMobile = false
            change(&$0)
        }
    }

    private func code(_ mobile: Mobile, at seconds: Int64 = 0) -> String {
        let browser = Browser(mobile)
        let sent = browser.get(
            Browser.application, query: "serviceDomain=MobileServiceDomain&appName=DemoApp",
            endpoint: .applicationLogin, at: seconds)
        let url = browser.callback(browser.state(sent), at: seconds).field("Location") ?? ""
        return url.firstMatch(of: /code=([^&]*)/).map { String($0.1) } ?? ""
    }

    private func redeem(_ code: String, _ mobile: Mobile, at seconds: Int64 = 0) -> EndpointResponse {
        mobile.post("\(Mobile.path)/authenticate", #"{"appName":"DemoApp","code":"\#(code)"}"#, at: seconds)
    }

    @Test("a login whose session is not fetched expires in a minute")
    func unredeemed() {
        _ = code(mobile())
        #expect(records().count == 2)
        clean(at: 60)
        #expect(records().isEmpty && records(.code).isEmpty)
    }

    @Test("a login whose session is fetched lasts as long as the session")
    func redeemed() throws {
        let mobile = mobile { $0.applications[0].sessionTimeout = 600 }
        let code = code(mobile)
        let token = try #require(redeem(code, mobile, at: 59).json?["userToken"]?.string)
        clean(at: 60)
        #expect(records().map(\.accessExpiresAt) == [Mobile.start + 660, Mobile.start + 660])
        let access = mobile.post(
            "\(Mobile.path)/access",
            #"{"appName":"DemoApp","userToken":"\#(token)","requestContext":"\#(StubContexts.inventory)"}"#, at: 600)
        #expect(access.status == 200)
    }

    @Test("a logout at the provider before redemption invalidates the code")
    func loggedOutBefore() throws {
        let mobile = mobile()
        let code = code(mobile)
        idp.say(.success(LogoutNotice(scope: .session("s-1"), tokenID: "j", issuedAt: Mobile.start)))
        let notice = EndpointRequest(
            method: .post, path: "/oauth2/backchannel-logout/idp",
            contentType: "application/x-www-form-urlencoded", body: Array("logout_token=x".utf8), secure: true)
        #expect(mobile.service.handle(notice, endpoint: .providerLogout, now: Mobile.start).settled().status == 200)
        #expect(records().isEmpty)
        let answer = redeem(code, mobile)
        #expect(answer.status == 400 && answer.reason.code == "oic_code_invalid")
        #expect(records(.session).isEmpty)
    }

    @Test("of two concurrent redemptions of a code one succeeds")
    func twice() throws {
        let mobile = mobile()
        let code = code(mobile)
        let request = #"{"appName":"DemoApp","code":"\#(code)"}"#
        // Neither has been answered when the other begins.
        let effects = [0, 1].map { _ in mobile.begin("\(Mobile.path)/authenticate", request) }
        #expect(effects.map { $0.settled().status }.sorted() == [200, 400])
        #expect(records(.session).count == 1 && records().count == 2)
    }

    @Test("logout, another login and an idle timeout remove the login's record")
    func ended() throws {
        let mobile = mobile { $0.applications[0].idleTimeout = 60 }
        let browser = Browser(mobile)
        browser.logInAtProvider()
        #expect(records().count == 2)
        browser.logInAtProvider()
        #expect(records().count == 2 && records(.session).count == 1)
        let fields = [(name: "accept", value: "text/html")]
        browser.get("/oam/server/logout", query: "", endpoint: .mobileLogout, fields: fields)
        #expect(browser.submit([], endpoint: .mobileLogout).status == 200)
        #expect(records().isEmpty)

        browser.logInAtProvider()
        let value = Array(try #require(browser.session).utf8)
        let session = try Mobile.seals.session(value.span, ofDomain: true, now: Mobile.start)
        let activity = mobile.sessions.activity(
            of: session.id, idleSeconds: 60, usedAt: Mobile.start, endsAt: session.expiresAt)
        #expect(mobile.sessions.confirm(activity, now: Mobile.start + 60).settled() == .ended)
        #expect(records().isEmpty)
    }

    @Test("a surplus session removes its login; a derived session does not remove another's")
    func surplus() throws {
        let mobile = mobile {
            $0.limits.sessions = 2
            $0.limits.sessionsPerDevice = 2
        }
        for i in 0..<4 { #expect(redeem(code(mobile, at: Int64(i)), mobile, at: Int64(i)).status == 200) }
        #expect(records(.session).count == 2 && records().count == 4)
        var child = try #require(records(.session).compactMap(MobileSession.init).first)
        #expect(child.remains.count == 3)
        var facts = child.facts
        facts.parent = child.id
        child = MobileSession(facts, subject: "x", backend: Service.clients.clients[0], limit: nil, now: 0)
        #expect(child.remains == [child.id])
    }

    @Test("the logins of a provider's user are limited; the oldest end")
    func perUser() {
        let mobile = mobile {
            $0.limits.sessions = 1000
            $0.limits.sessionsPerDevice = 1000
        }
        for i in 0..<(ProviderLogin.mostLogins + 3) { Browser(mobile).logInAtProvider(at: Int64(i)) }
        let kept = records()
        #expect(kept.count == 2 * ProviderLogin.mostLogins)
        #expect(kept.map(\.issuedAt).min() == Mobile.start + 3)
        idp.answer("other")
        Browser(mobile).logInAtProvider()
        #expect(records().count == kept.count + 2)
    }

    @Test("a single sign-on logout removes the login, and sessions per user are limited")
    func signOn() {
        let signOn = SignOn(store: store) { settings in
            var list = SignOn.clients.clients
            for i in list.indices where list[i].name == "inventory" { list[i].loginChoices = [LoginChoice("idp")] }
            settings.clients = Clients(list)
            settings.providerLogin = ProviderLogin(
                [idp], seals: Mobile.seals, store: store, revocations: settings.revocations, baseURL: Service.baseURL)
        }
        func logIn(at seconds: Int64) {
            let browser = signOn.browser
            browser.cookies = [:]
            signOn.follow(browser.callback(browser.state(signOn.ask(at: seconds)), at: seconds), at: seconds)
        }
        logIn(at: 0)
        #expect(records().count == 2 && records(.signOn).count == 1)
        signOn.browser.get(SingleSignOnEndpoints.logoutPath, query: "", endpoint: .singleSignOnLogout)
        #expect(signOn.browser.submit([], endpoint: .singleSignOnLogout).status == 200)
        #expect(records().isEmpty && records(.signOn).isEmpty)
        for i in 0..<(OwnLogins.maximumSessions + 3) { logIn(at: Int64(i)) }
        #expect(records(.signOn).count == OwnLogins.maximumSessions)
        #expect(records(.signOn).map(\.issuedAt).min() == Service.now + 3)
    }
}
