import Foundation
import Glibc
import Testing

/// Cookies of sessions whose store ends with the process, and of those whose does not (DEC-10, DEC-12).
@Suite struct RestartedSessionTests {
    @Test(
        "a logout persists across a restart; other sessions live as long as the store",
        arguments: [("memory", 302), ("sqlite", 200)])
    func restart(_ kind: String, _ status: Int) throws {
        let fixture = try Fixture {
            BrowserFixture.prepare(&$0)
            $0["store"] = #"{"kind": "\#(kind)"}"#
        }
        let (leaving, staying) = (CookieJar(fixture.gateway), CookieJar(fixture.gateway))
        try leaving.logIn()
        try staying.logIn()
        let copy = try #require(leaving["portcullis-form"])
        let page = try leaving.send("GET", "/oam/server/logout")
        #expect(try leaving.fill(page, "/oam/server/logout", "").status == 200)
        // A reload changes nothing of it.
        try fixture.reload {
            BrowserFixture.prepare(&$0)
            $0["store"] = #"{"kind": "\#(kind)"}"#
        }
        #expect(try staying.send("GET", "/mobileapp").status == 200)
        fixture.gateway.program.signal(SIGTERM)
        _ = fixture.gateway.program.waitForEnd()
        let second = try GatewayProcess(fixture.gateway.configuration)
        func visit(_ cookie: String?) throws -> Int {
            let jar = CookieJar(second)
            jar["portcullis-form"] = cookie
            return try jar.send("GET", "/mobileapp").status
        }
        #expect(try visit(copy) == 302)
        #expect(try visit(staying["portcullis-form"]) == status)
    }
}
