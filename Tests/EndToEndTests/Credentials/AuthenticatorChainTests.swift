import Foundation
import Testing

/// Routes that list the kinds of credentials that count, against the real gateway.
@Suite struct AuthenticatorChainTests {
    private static let navigation = BrowserFixture.navigation

    private func fixture(_ issuer: StubIssuer) throws -> Fixture {
        let fixture = try Fixture {
            BrowserFixture.prepare(&$0)
            $0["trustedIssuers"] = "[\(issuer.entry())]"
            func route(_ path: String, _ list: String, _ more: String = "") -> String {
                #"{"path": "\#(path)", "upstream": "stub", "authenticators": [\#(list)]\#(more)}"#
            }
            $0["routes"] = FixtureSettings.list([
                route("/tokens", #""bearer:idp", "basic""#),
                route("/strict", #""bearer", "session""#, #", "authenticationScheme": "FormScheme""#),
                route(
                    "/lenient", #"{"type": "bearer", "onFailure": "next"}, "session""#,
                    #", "authenticationScheme": "FormScheme""#),
            ])
        }
        _ = try #require(fixture.gateway.waitForEvent("keys_fetched"), "\(fixture.gateway.everythingWritten)")
        return fixture
    }

    private func reason(_ fixture: Fixture, _ path: String, _ reason: String) -> Bool {
        fixture.gateway.waitForAccess { $0["path"].string == path && $0["reason"].string == reason } != nil
    }

    @Test("the listed kinds count in their order, others do not, and a bad one is passed over only where that is said")
    func chain() throws {
        let issuer = try StubIssuer(keys: "a")
        let fixture = try fixture(issuer)
        let backend: Field = "Oracle-Mobile-Backend-ID: mbe-inv-1"
        let (outside, own) = (Field.bearer(issuer.token("a")), Field.bearer(try fixture.mint("joe")))
        #expect(try fixture.request("GET", "/tokens", [outside]).status == 200)
        #expect(try fixture.request("GET", "/tokens", [.basic("ann:Welcome2"), backend]).status == 200)
        #expect(try fixture.request("GET", "/tokens", [own]).status == 401)
        #expect(reason(fixture, "/tokens", "issuer_not_allowed"))
        let none = try fixture.request("GET", "/tokens")
        #expect(
            none.values("WWW-Authenticate") == [
                #"Bearer realm="portcullis""#, #"Basic realm="portcullis", charset="UTF-8""#,
            ])
        #expect(try fixture.request("GET", "/strict", [.basic("ann:Welcome2"), backend]).status == 401)
        #expect(reason(fixture, "/strict", "authenticator_not_listed"))

        let ann = Field.bearer(try fixture.mint("ann"))
        let jar = CookieJar(fixture.gateway)
        #expect(try jar.logIn("/strict").status == 303)
        for path in ["/strict", "/lenient"] {
            #expect(try jar.send("GET", path).status == 200)
            #expect(try fixture.lastRequest(path).head.only("X-Gateway-User") == "joe")
            #expect(try jar.send("GET", path, Self.navigation + [ann]).status == 200)
            #expect(try fixture.lastRequest(path).head.only("X-Gateway-User") == "ann")
            #expect(try fixture.lastRequest(path).head.only("Cookie") == nil)
        }
        let forged = Field.bearer(issuer.token("a") + "x")
        #expect(try jar.send("GET", "/strict", Self.navigation + [forged]).status == 401)
        #expect(try jar.send("GET", "/lenient", Self.navigation + [forged]).status == 200)
        #expect(try fixture.lastRequest("/lenient").head.only("X-Gateway-User") == "joe")
        #expect(try fixture.lastRequest("/lenient").head.only("Authorization") == nil)
        // The session counts then, with what holds for sessions.
        #expect(try jar.send("POST", "/lenient", [forged], body: "a").status == 403)
        #expect(try jar.send("POST", "/lenient", [ann], body: "a").status == 200)
        #expect(try fixture.request("GET", "/lenient", [forged]).status == 401)
    }

    @Test("explain tells the kinds of a route")
    func explain() throws {
        let issuer = try StubIssuer(keys: "a")
        let fixture = try fixture(issuer)
        let said = try Program.run(
            GatewayProcess.binary, ["explain", "GET", "/lenient", "--config", fixture.gateway.configuration.path]
        ).output
        #expect(said.contains("by bearer or the next, session"), "\(said)")
    }
}
