import Authorization
import Bytes
import Endpoints
import HTTP
import Identity
import LoginPages
import Model
import OAuthServer
import TestSupport
import Testing
import TokenStorage

/// Pushed authorization requests (RFC 9126).
@Suite struct PushedRequestTests {
    private static let usual = Authorizing.fields().filter { $0.0 != "client_id" }

    private func push(
        _ app: Authorizing, _ fields: [(String, String)] = usual,
        _ authorization: String? = basic(
            "inv-client", "inv-secret"), at seconds: Int64 = 0
    ) -> EndpointResponse {
        app.signOn.settings.families.answer(
            tokenRequest(Browser.form(fields), authorization), .pushedRequest, at: Mobile.start + seconds)
    }

    private func reference(_ response: EndpointResponse) throws -> [(String, String)] {
        let uri = try #require(response.json?["request_uri"]?.string, "\(response.text)")
        return [("client_id", "inv-client"), ("request_uri", uri)]
    }

    @Test("a pushed request is used once, and other parameters do not count")
    func pushed() throws {
        let app = Authorizing()
        let reply = push(app)
        #expect(reply.status == 201 && reply.json?["expires_in"]?.integer == 90)
        #expect(reply.field("Cache-Control") == "no-store" && reply.reason == .authorizationPushed)
        let link = try reference(reply)
        let page = app.logIn(link + [("state", "other"), ("redirect_uri", "https://evil.net/")])
        #expect(page.reason == .consentAsked)
        let back = app.decide()
        #expect(back.sent["state"] == "s")
        #expect(app.redeem(try #require(back.sent["code"])).status == 200)
        #expect(app.ask(link).reason == .authorizationReferenceUnknown)
    }

    @Test("a reference is its client's, and good for 90 seconds")
    func foreign() throws {
        let app = Authorizing()
        let link = try reference(push(app))
        let other = app.ask([("client_id", "own-client"), link[1]])
        #expect(other.status == 400 && other.field("Location") == nil)
        #expect(app.ask(link, at: 90).reason == .authorizationReferenceUnknown)
        #expect(app.ask([link[0], ("request_uri", link[1].1 + "x")]).reason == .authorizationReferenceUnknown)
        #expect(app.ask(link, at: 89).reason == .ssoLoginAsked)
    }

    @Test(
        "the client must authenticate, and its request be valid",
        arguments: [
            ("redirect_uri", "https://evil.net/cb", "invalid_request"), ("redirect_uri", "", "invalid_request"),
            ("code_challenge_method", "plain", "invalid_request"), ("scope", "admin", "invalid_scope"),
            ("request_uri", "urn:ietf:params:oauth:request_uri:x", "request_uri_not_supported"),
            ("client_id", "own-client", "invalid_request"),
        ])
    func invalid(_ name: String, _ value: String, _ error: String) {
        let app = Authorizing()
        let fields = PushedRequestTests.usual.filter { $0.0 != name } + (value.isEmpty ? [] : [(name, value)])
        let reply = push(app, fields)
        #expect(reply.status == 400 && reply.error == error, "\(reply.text)")
        #expect(push(app, fields, basic("inv-client", "wrong")).error == "invalid_client")
        #expect(push(app, fields, basic("sch-client", "sch-secret")).status == 400)
    }

    @Test("a public client names itself")
    func publicClient() throws {
        let app = Authorizing()
        #expect(push(app, Authorizing.fields("app-client", "com.example.app:/cb"), nil).status == 201)
        #expect(push(app, Authorizing.fields(), nil).error == "invalid_client")
    }

    @Test("requests of public clients take no room in the store, which any client could fill")
    func unstored() throws {
        let store = MemoryTokenStore(capacity: 1)
        let app = Authorizing(store: store) {
            $0.clients = Authorizing.clients {
                var twin = Service.client("twin", "mbe-twin-1", "twin-client", "")
                twin.grants.isPublic = true
                twin.grants.authorization = $0[$0.count - 2].grants.authorization
                $0.append(twin)
            }
        }
        let fields = Authorizing.fields("app-client", Authorizing.redirect)
        let links = try (0..<4).map { _ in
            let reply = push(app, fields, nil)
            #expect(reply.status == 201 && reply.json?["expires_in"]?.integer == 90, "\(reply.text)")
            return try reference(reply)[1]
        }
        let (own, other) = (("client_id", "app-client"), ("client_id", "twin-client"))
        #expect(app.ask([own, links[0]], at: 89).reason == .ssoLoginAsked)
        #expect(app.ask([own, links[0]], at: 90).reason == .authorizationReferenceUnknown)
        #expect(app.ask([other, links[1]]).reason == .authorizationReferenceUnknown)
        #expect(app.ask([own, ("request_uri", links[1].1 + "x")]).reason == .authorizationReferenceUnknown)
        // A reference is neither a link of a login nor the other way round.
        let sealed = String(links[2].1.split(separator: ":").last ?? "")
        #expect(app.get(Authorizing.authorize, Browser.form([("resume", sealed)])).status == 403)
        let login = app.ask([own, links[3]]).field("Location")?.split(separator: "=").last.map(String.init) ?? ""
        let turned = ("request_uri", "urn:ietf:params:oauth:request_uri:\(login)")
        #expect(app.ask([own, turned]).reason == .authorizationReferenceUnknown)
    }

    @Test("requirePushedRequests refuses other requests")
    func required() throws {
        let app = Authorizing {
            $0.clients = Authorizing.clients { $0[0].grants.authorization?.requiresPushedRequests = true }
        }
        #expect(app.ask().reason == .authorizationNotPushed && app.ask().sent["error"] == "invalid_request")
        #expect(app.ask(try reference(push(app))).reason == .ssoLoginAsked)
    }

    @Test("a failing store is reported")
    func failing() {
        let store = UnsteadyStore(MemoryTokenStore())
        let app = Authorizing(store: store)
        store.fails = true
        #expect(push(app).status == 503)
    }
}
