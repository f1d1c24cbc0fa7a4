import Model
import Testing

@Suite struct HostPatternTests {
    @Test(arguments: [
        ("a", true), ("a.example", true), ("A-1.ex_ample", true), ("192.0.2.1", true), ("", false), ("a.", false),
        (".a", false), ("a..b", false), ("-a.b", false), ("a.b-", false), ("a b", false), ("a:1", false),
        ("\u{e4}.example", false), (String(repeating: "a", count: 63), true),
        (String(repeating: "a", count: 64), false),
        (String(repeating: "a.", count: 126) + "b", true), (String(repeating: "a.", count: 126) + "bc", false),
    ])
    func names(_ text: String, _ isValid: Bool) {
        #expect(HostName.isValid(text) == isValid)
        #expect((HostPattern(text) != nil) == isValid)
    }

    @Test(arguments: [
        ("API.example.com", "api.example.com", true), ("api.example.com", "api.example.com.evil.com", false),
        ("*.example.com", "a.example.com", true), ("*.example.com", "example.com", false),
        ("*.example.com", "a.b.example.com", false), ("*.example.com", ".example.com", false),
        ("*.example.com", "aexample.com", false), ("[::1]", "[::1]", true),
    ])
    func fits(_ pattern: String, _ host: String, _ fits: Bool) throws {
        let pattern = try #require(HostPattern(pattern))
        #expect(pattern.fits(host) == fits)
        #expect(HostPattern(pattern.description) == pattern)
    }
}
