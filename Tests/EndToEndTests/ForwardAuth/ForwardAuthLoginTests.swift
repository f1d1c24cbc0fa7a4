import Foundation
import Testing

/// Logins of browsers that reach the gateway by another proxy, with the configuration that `init` writes.
@Suite struct ForwardAuthLoginTests {
    /// A browser with its cookies.
    private final class Browser {
        let peer: ForwardAuthPeer
        let origin: String
        private var cookies: [String: String] = [:]

        init(_ peer: ForwardAuthPeer, _ kind: ForwardAuthPeer.Kind) {
            self.peer = peer
            // nginx tells the gateway its port.
            origin = "http://shop.example.com\(kind == .nginx ? ":\(peer.port)" : "")"
        }

        /// - Parameters:
        ///   - place: a path, or a URL of the proxy.
        ///   - form: what is posted; nil for a GET.
        func open(_ place: String, form: String? = nil) throws -> Response {
            let target = place.hasPrefix(origin) ? String(place.dropFirst(origin.count)) : place
            try #require(target.hasPrefix("/"), "\(place) is not at the proxy")
            var fields = BrowserFixture.navigation + [Field(name: "Host", value: String(origin.dropFirst(7)))]
            if form != nil { fields.append("Content-Type: application/x-www-form-urlencoded") }
            let all = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
            if !all.isEmpty { fields.append(Field(name: "Cookie", value: all)) }
            let response = try peer.request(form == nil ? "GET" : "POST", target, fields, body: form)
            for cookie in response.values("Set-Cookie") {
                let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
                cookies[pair[0]] = cookie.contains("Max-Age=0") ? nil : pair.last
            }
            return response
        }

        func follow(_ response: Response) throws -> Response { try open(location(response)) }

        func location(_ response: Response) throws -> String {
            try #require(response.only("Location"), "\(response.status) \(response.text)")
        }

        /// Sends the form of a page to an address.
        func fill(_ page: Response, at place: String, _ typed: String) throws -> Response {
            let hidden = page.text.matches(of: /type="hidden" name="([^"]*)" value="([^"]*)"/)
            return try open(place, form: hidden.map { "\($0.1)=\($0.2)&" }.joined() + typed)
        }
    }

    private static let password = "username=joe&password=Welcome1"

    @Test("by a form of the gateway, whose session opens the route", arguments: ForwardAuthPeer.Kind.installed)
    func form(_ kind: ForwardAuthPeer.Kind) throws {
        let peer = try ForwardAuthPeer(kind) { BrowserFixture.prepare(&$0) }
        let browser = Browser(peer, kind)
        let sent = try browser.open("/mobileapp?page=2")
        #expect(sent.status == 302)
        let form = try browser.location(sent)
        #expect(form.hasPrefix("\(browser.origin)/"), "\(form)")
        let done = try browser.fill(browser.follow(sent), at: form, Self.password)
        #expect(done.status == 303 && done.only("Location")?.hasSuffix("/mobileapp?page=2") == true, "\(done.text)")
        #expect(try browser.follow(done).status == 200)
        let request = try peer.fixture.lastRequest("/mobileapp")
        #expect(request.only("X-Gateway-User") == "joe" && request.values("Cookie").isEmpty)
    }

    @Test(
        "at an identity provider, which sends the browser back to the proxy",
        .enabled(if: LoginProvider.python != nil, "PORTCULLIS_PYTHON has no identity provider"),
        arguments: ForwardAuthPeer.Kind.installed)
    func provider(_ kind: ForwardAuthPeer.Kind) throws {
        let provider = try LoginProvider(.mock)
        let peer = try ForwardAuthPeer(kind) {
            $0["identityProviders"] = """
                [{"name": "local", "kind": "local"},
                 {"name": "outside", "issuer": "\(provider.issuer)", "allowHttp": true, "clientId": "gateway",
                  "clientSecret": "s3cret", "usernamePrefix": ""}]
                """
            $0.addRoutes(#"{"path": "/app", "upstream": "stub", "login": "outside"}"#)
        }
        let browser = Browser(peer, kind)
        var sent = try browser.open("/app?a=b")
        while try browser.location(sent).hasPrefix(browser.origin) || browser.location(sent).hasPrefix("/") {
            sent = try browser.follow(sent)
        }
        let back = try provider.visit(browser.location(sent), typing: "sub=ann")
        #expect(back.hasPrefix("\(browser.origin)/oauth2/callback/outside?"), "\(back)")
        let done = try browser.open(back)
        #expect(done.status == 303 && done.only("Location")?.hasSuffix("/app?a=b") == true, "\(done.text)")
        #expect(try browser.follow(done).status == 200)
        #expect(try peer.fixture.lastRequest("/app").only("X-Gateway-User") == "ann")
    }

    @Test("for an application that asks for a code", arguments: ForwardAuthPeer.Kind.installed)
    func code(_ kind: ForwardAuthPeer.Kind) throws {
        let browser = Browser(try ForwardAuthPeer(kind) { AuthorizationFixture.prepare(&$0) }, kind)
        let asked = try browser.open(AuthorizationFixture.link())
        let form = try browser.location(asked)
        let loggedIn = try browser.fill(browser.follow(asked), at: form, Self.password)
        let consent = try browser.follow(loggedIn)
        #expect(consent.status == 200, "\(consent.text)")
        let back = try browser.fill(consent, at: AuthorizationFixture.path, "decision=approve")
        #expect(AuthorizationFixture.parameter("code", back) != nil, "\(back.status) \(back.text)")
    }
}
