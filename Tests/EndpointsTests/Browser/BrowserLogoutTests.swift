import Endpoints
import HTTP
import Identity
import MobileSocial
import Model
import Outbound
import SingleSignOn
import TestSupport
import Testing
import TokenStorage

@testable import LoginPages

/// Logouts that come from elsewhere, and those of sessions that the store knows nothing of (OMS-17).
@Suite struct BrowserLogoutTests {
    private func changes(_ mobile: Mobile) -> [DenyEntry] {
        let changes: Effect<[DenyEntry]> = mobile.store.ask(.changes(after: 0, limit: 100), now: Mobile.start) {
            if case .success(.changes(let changes, _)) = $0 { .done(changes.map(\.entry)) } else { .done([]) }
        }
        return changes.settled()
    }

    private func post(_ path: String, _ endpoint: EndpointDescriptor, _ service: Families) -> EndpointResponse {
        let request = EndpointRequest(
            method: .post, path: path, contentType: "application/x-www-form-urlencoded", body: Array("a=b".utf8),
            secure: true)
        return service.handle(request, endpoint: endpoint, now: Mobile.start).settled()
    }

    @Test("another site's form arrives without cookies, and removes none: no one is logged out")
    func fromElsewhere() {
        let mobile = Mobile()
        let signOn = SignOn()
        for answer in [
            post("/oam/server/logout", .mobileLogout, mobile.service),
            post(SingleSignOnEndpoints.logoutPath, .singleSignOnLogout, signOn.browser.service),
        ] {
            #expect(answer.status == 200 && !answer.headers.contains { $0.name == "Set-Cookie" })
        }
        // One that has ended is taken away.
        let browser = Browser(mobile)
        browser.get()
        browser.logIn()
        let answer = browser.get("/oam/server/logout", query: "", endpoint: .mobileLogout, at: 30_000)
        #expect(answer.status == 200 && browser.cookies.isEmpty)
    }

    @Test("a logout denies a session that the store has lost, once")
    func lost() throws {
        let mobile = Mobile()
        let browser = Browser(mobile)
        browser.get()
        browser.logIn()
        let value = Array(try #require(browser.session).utf8)
        let session = try Mobile.seals.session(value.span, ofDomain: true, now: Mobile.start)
        let gone: Effect<Void> = mobile.store.ask(.revoke(.id(session.id)), now: Mobile.start) { _ in .done(()) }
        gone.settled()
        let before = changes(mobile).count
        let cookies = browser.cookies
        for _ in 0..<3 {
            browser.cookies = cookies
            browser.get("/oam/server/logout", query: "", endpoint: .mobileLogout)
            #expect(browser.submit([], endpoint: .mobileLogout).status == 200)
            #expect(
                mobile.revocations.isRevoked(tokenID: session.id, subject: "x", backendID: nil, issuedAt: Mobile.start))
        }
        let added = changes(mobile).dropFirst(before)
        #expect(added.map(\.name) == [session.id] && added.first?.until == session.expiresAt)
    }
}
