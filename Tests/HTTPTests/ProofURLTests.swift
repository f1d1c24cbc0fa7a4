import HTTP
import Model
import Testing

/// `htu` of proofs (RFC 9449 section 4.3).
@Suite struct ProofURLTests {
    private static let origins = try? [WebOrigin("https://gw.example.com"), WebOrigin("https://gw.example.com:8443")]

    private func names(_ url: String, _ path: String = "/a/b%C3%A9") throws -> Bool {
        ProofURL.names(url, path: Array(path.utf8), at: try #require(Self.origins))
    }

    @Test(
        "the same URL in another form",
        arguments: [
            "https://gw.example.com/a/b%C3%A9", "HTTPS://GW.Example.COM/a/b%C3%A9",
            "https://gw.example.com:443/a/b%c3%a9",
            "https://gw.example.com/%61/b%C3%A9", "https://gw.example.com/x/../a/./b%C3%A9",
            "https://gw.example.com/a/b%C3%A9?query=1", "https://gw.example.com/a/b%C3%A9#fragment",
            "https://gw.example.com/a/b%C3%A9?x#y", "https://gw.example.com:8443/a/b%C3%A9",
        ])
    func same(_ url: String) throws { #expect(try names(url)) }

    @Test(
        "another URL, or none",
        arguments: [
            "http://gw.example.com/a/b%C3%A9", "https://gw.example.com:80/a/b%C3%A9", "https://gw.example.com/a/b",
            "https://gw.example.com/a%2Fb%C3%A9",
            "https://gw.example.com/A/b%C3%A9", "https://gw.example.com/a/b%25C3%25A9",
            "https://gw.example.com/a/b%C3%A9/",
            "https://gw.example.com.evil.net/a/b%C3%A9", "https://user@gw.example.com/a/b%C3%A9",
            "https://gw.example.com\\@evil.net/a/b%C3%A9", "/a/b%C3%A9", "", "?", "https://", "https://gw.example.com",
            "https://evil.net/a/b%C3%A9", "https://gw.example.com/a/b%C3%A9%", "https://gw.example.com/a/b%C3%A9%00",
            " https://gw.example.com/a/b%C3%A9", "https://gw.example.com/x/%2e%2e%2fa/b%C3%A9",
        ])
    func other(_ url: String) throws { #expect(try !names(url), "\(url)") }

    @Test("kept spellings of the request are kept in the proof, in either case")
    func kept() throws {
        #expect(try names("https://gw.example.com/a%2Fb//c", "/a%2fb//c"))
        #expect(try !names("https://gw.example.com/a/b//c", "/a%2fb//c"))
        #expect(try !names("https://gw.example.com/a%2Fb/c", "/a%2fb//c"))
        #expect(try names("https://gw.example.com/a//b", "/a/b"))
    }

    @Test("a root without a slash")
    func root() throws {
        #expect(try names("https://gw.example.com", "/"))
        #expect(try names("https://gw.example.com?x", "/"))
    }

    private func origins(_ authority: String, secure: Bool = true, route: Bool = false) throws -> [String] {
        let own = try [WebOrigin("https://gw.example.com"), WebOrigin("https://other.example.com")]
        return ProofURL.origins(of: authority, isSecure: secure, isOfRoute: route, own: own).map(\.description)
    }

    @Test("the client's Host chooses among the gateway's own origins, and adds none unless a route is for it")
    func choice() throws {
        #expect(try origins("gw.example.com") == ["https://gw.example.com"])
        #expect(try origins("GW.example.com:443", secure: false) == ["https://gw.example.com"])
        let all = ["https://gw.example.com", "https://other.example.com"]
        for host in ["evil.net", "", "127.0.0.1:8080", "gw.example.com:8443"] { #expect(try origins(host) == all) }
        #expect(try origins("shop.example.com", route: true) == ["https://shop.example.com"])
        #expect(try origins("shop.example.com:8080", secure: false, route: true) == ["http://shop.example.com:8080"])
        #expect(try origins("gw.example.com", secure: false, route: true) == ["https://gw.example.com"])
    }
}
