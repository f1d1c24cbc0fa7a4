import Endpoints
import HTTP
import Identity
import LoginPages
import MobileSocial
import Model
import TestSupport
import Testing

/// A native login that goes on in a web view (AGT-06), on a clock of its own.
@Suite struct WebViewLoginTests {
    private let browser: Browser
    private let mobile: Mobile
    private let handle: String

    init() throws {
        mobile = Mobile { domain in
            domain.applications[0].idleTimeout = 900
            domain.applications[0].sessionTimeout = 3600
        }
        browser = Browser(mobile)
        handle = try mobile.handle()
    }

    private func send(
        _ token: String, handle: String?, level: Int = 2, fields: [(name: String, value: String)] = [],
        at seconds: Int64
    ) -> EndpointResponse {
        browser.submitting(
            [], [("userToken", token)] + (handle.map { [("registrationHandle", $0)] } ?? []),
            to: "\(Browser.form)?\(Browser.query(level: level, at: seconds))", fields: fields, at: seconds)
    }

    private func session(at seconds: Int64) throws -> Session {
        let value = Array(try #require(browser.session).utf8)
        return try Mobile.seals.session(value.span, ofDomain: true, now: Mobile.start + seconds)
    }

    @Test("the session has the time, the level and the end of the native login, and is used now")
    func facts() throws {
        let native = mobile.authenticate(handle)
        let answer = send(try mobile.value(native), handle: handle, at: 600)
        #expect(answer.status == 303)
        let session = try session(at: 600)
        #expect(answer.audit?.tokenID == session.id && answer.audit?.replaces == native.audit?.tokenID)
        #expect(native.audit?.tokenID.isEmpty == false)
        #expect(session.login.authenticatedAt == Mobile.start && session.usedAt == Mobile.start + 600)
        #expect(session.expiresAt == Mobile.start + 3600 && session.idleSeconds == 900)
        #expect(session.subject == "joe" && session.foundations.count == 1)
    }

    @Test("a token stays good where the login could not count")
    func kept() throws {
        let token = try mobile.value(mobile.authenticate(handle))
        let refusals = [
            send(token, handle: handle, level: 9, at: 1), send(token, handle: nil, at: 1),
            send(token, handle: "x", at: 1), send(token, handle: token, at: 1),
            send(token, handle: handle, fields: [(name: "origin", value: "null")], at: 1),
        ]
        #expect(refusals.map(\.status) == [401, 401, 401, 401, 403])
        #expect(browser.session == nil)
        #expect(mobile.access(token, handle, at: 2).status == 200)
        #expect(send(token, handle: handle, at: 3).status == 303)
        #expect(mobile.access(token, handle, at: 4).status == 401)
        #expect(send(token, handle: handle, at: 5).status == 401)
    }

    @Test("over plain HTTP only from the machine itself")
    func clear() throws {
        browser.secure = false
        for (address, status) in [("192.0.2.1", 403), ("127.0.0.1", 303), ("::1", 303)] {
            let token = try mobile.value(mobile.authenticate(handle))
            browser.address = IPAddress(address)
            #expect(send(token, handle: handle, at: 1).status == status, "\(address)")
        }
        browser.address = nil
        #expect(send(try mobile.value(mobile.authenticate(handle)), handle: handle, at: 2).status == 403)
    }
}
