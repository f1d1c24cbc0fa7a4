import Model
import Testing

/// Redirect URIs of clients (RFC 6749 section 3.1.2, RFC 8252 section 7).
@Suite struct ClientRedirectURITests {
    @Test(
        "https, loopback addresses and schemes of applications are accepted",
        arguments: [
            ("https://app.example.com/cb", ClientRedirectURI.Kind.web), ("https://app.example.com", .web),
            ("https://app.example.com:8443/cb?a=b", .web), ("http://127.0.0.1/cb", .loopback),
            ("http://127.0.0.1:8000/cb", .loopback), ("http://[::1]/cb", .loopback), ("http://[::1]:1/", .loopback),
            ("http://127.0.0.1", .loopback), ("http://localhost:3000/cb", .loopback),
            ("com.example.app:/cb", .application),
            ("com.example.app://host/cb", .application), ("COM.example-2.app:/", .application),
        ])
    func good(_ text: String, _ kind: ClientRedirectURI.Kind) throws {
        #expect(try ClientRedirectURI(text).kind == kind)
    }

    @Test(
        "others are refused for their reason",
        arguments: [
            ("https://app.example.com/cb#x", ClientRedirectURI.Problem.fragment), ("com.example.app:/cb#", .fragment),
            ("https://joe@app.example.com/", .userInformation), ("com.example.app://joe@x/", .userInformation),
            ("http://localhost.example.com/cb", .clear), ("http://LOCALHOST/cb", .clear),
            ("http://app.example.com/cb", .clear), ("http://127.0.0.2/cb", .clear),
            ("http://127.0.0.1.example.com/", .clear), ("HTTP://127.0.0.1/", .clear), ("http://[0::1]/", .clear),
            ("https://app.example.com:0/", .port), ("http://127.0.0.1:65536/", .port), ("https:///cb", .host),
            ("https://*.example.com/cb", .host), ("https://a/b/../c", .path), ("https://a/%2e%2e/c", .path),
            ("https://a/b c", .characters), ("https://a/%zz", .characters), ("com.example.app:/a b", .characters),
            ("com.example.app:/a/../b", .path), ("javascript:/alert(1)", .scheme), ("myapp:/cb", .scheme),
            ("app.:/cb", .scheme), (".app:/cb", .scheme), ("/cb", .scheme), ("", .scheme), ("urn:ietf:wg", .scheme),
            ("com.example.app:cb", .noPath), ("com.example.app:", .noPath),
            ("https://a/" + String(repeating: "x", count: 1024), .tooLong),
        ])
    func bad(_ text: String, _ problem: ClientRedirectURI.Problem) {
        #expect(throws: problem) { try ClientRedirectURI(text) }
    }

    @Test("texts are compared as they are, except for the port on loopback")
    func comparison() throws {
        let web = try ClientRedirectURI("https://app.example.com/cb")
        #expect(web.destination("https://app.example.com/cb") != nil)
        for other in ["https://app.example.com:443/cb", "https://app.example.com/cb/", "https://app.example.com/c"] {
            #expect(web.destination(other) == nil)
        }
        let loopback = try ClientRedirectURI("http://[::1]:7/cb?a")
        for port in ["", ":1", ":65535"] { #expect(loopback.destination("http://[::1]\(port)/cb?a") != nil) }
        for other in ["http://[::1]:01/cb?a", "http://[::1]:/cb?a", "http://[::1]/cb", "http://[::1]:1@x/cb?a", ""] {
            #expect(loopback.destination(other) == nil)
        }
        #expect(try ClientRedirectURI("http://127.0.0.1").destination("http://127.0.0.1:80") != nil)
        let named = try ClientRedirectURI("http://localhost/cb")
        #expect(named.isLocalhost && !loopback.isLocalhost)
        #expect(named.destination("http://localhost:3000/cb") != nil)
        for other in ["http://127.0.0.1/cb", "http://localhost.evil.net/cb", "http://localhost@evil.net/cb"] {
            #expect(named.destination(other) == nil)
        }
    }

    @Test("the destination names its place, its form action and its parameters")
    func destination() throws {
        func at(_ text: String) throws -> RedirectDestination {
            try #require(ClientRedirectURI(text).destination(text))
        }
        let web = try at("https://app.example.com:8443/cb?a=b")
        #expect(web.place == "app.example.com:8443" && web.formAction == "https://app.example.com:8443/cb")
        #expect(web.adding([("code", "a b")]) == "https://app.example.com:8443/cb?a=b&code=a%20b")
        let app = try at("com.example.app:/cb")
        #expect(app.place == "com.example.app" && app.formAction == "com.example.app:")
        #expect(app.adding([("code", "x")]) == "com.example.app:/cb?code=x")
        #expect(try at("http://127.0.0.1/").place == nil)
    }
}
