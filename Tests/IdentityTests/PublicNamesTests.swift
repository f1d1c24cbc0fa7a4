import Identity
import Model
import TestSupport
import Testing

/// The names by which a gateway knows itself.
@Suite struct PublicNamesTests {
    private let names = PublicNames(
        origins: ["https://gw.example.com", "http://gw.example.com:8080"],
        hosts: ["API.example.com", "*.shop.example.com"])

    @Test(
        "an origin of the gateway, a route's host and an address are included",
        arguments: [
            ("https://gw.example.com/a", true), ("https://GW.example.com:443", true),
            ("http://gw.example.com:8080", true),
            ("http://gw.example.com", false), ("https://gw.example.com:8080", false), ("https://example.com", false),
            ("http://api.example.com:7", true), ("https://a.shop.example.com", true),
            ("https://shop.example.com", false),
            ("https://a.b.shop.example.com", false), ("https://ashop.example.com", false),
            ("http://10.0.0.1:8080", true),
            ("http://[fe80::1]", true), ("http://localhost", true), ("http://localhost.evil.com", false),
        ])
    func urls(_ text: String, _ isOwn: Bool) throws {
        #expect(names.include(try WebURL(text).origin) == isOwn)
    }

    @Test(
        "authorities are included at any port",
        arguments: [
            ("gw.example.com", true), ("GW.example.com:1", true), ("api.example.com:99", true), ("[::1]:80", true),
            ("127.0.0.1", true), ("gw.example.com.evil.com", false), ("evil.com", false), ("", false), ("a b", false),
            ("joe@gw.example.com", false),
        ])
    func authorities(_ text: String, _ isOwn: Bool) { #expect(names.include(authority: text) == isOwn) }
}
