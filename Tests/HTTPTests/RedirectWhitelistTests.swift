import Foundation
import Testing

@testable import Model

/// One case of `redirect.json`.
private struct RedirectVector: CustomTestStringConvertible, Sendable {
    let id: String
    let policy: String?
    let target: String
    let allow: Bool
    var testDescription: String { id }

    static let all: [RedirectVector] =
        (Fixtures.json("redirect/redirect.json") as? [[String: Any]] ?? []).map {
            RedirectVector(
                id: $0["id"] as? String ?? "", policy: $0["policy"] as? String,
                target: $0["redirect_uri"] as? String ?? "", allow: $0["allow"] as? Bool == true)
        }
}

@Suite("SSO-03 to SSO-05: Security_SsoRedirectWhitelist")
struct RedirectWhitelistTests {
    @Test("every vector of section 4.2 is there")
    func vectorsAreComplete() {
        #expect(RedirectVector.all.map(\.id) == (1...38).map { "W" + ($0 < 10 ? "0" : "") + "\($0)" })
    }

    @Test("section 4.2", arguments: RedirectVector.all)
    fileprivate func vector(_ vector: RedirectVector) {
        #expect((RedirectWhitelist(vector.policy).target(vector.target) != nil) == vector.allow)
    }

    @Test(
        "what servers or browsers could read in another way is refused, wherever it leads",
        arguments: [
            "https://www.example.com/path1/..;/other", "https://www.example.com/path1/.;x=1",
            "https://www.example.com/path1/%2E%2e", "https://www.example.com/path1/%252e%252e/other",
            "https://www.example.com/path1/%5cother", "https://www.example.com/path1/%00", "https://www.example.com/%",
            "https://www.example.com/%4", "https://www.example.com/%zz", "https://www.example.com/a b",
            "https://www.example.com/\u{9}", "https://www.example.com/\u{e4}", "https://www.example.com/\"onclick=",
            "https://www.example.com/<x>", "https://user@www.example.com/", "https://user:x@www.example.com/",
            "https://www.example.com:x/", "https://www.example.com:/", "https:www.example.com/", "https:///path",
            "https://www.example.com\\@evil.net/", "https://www.example.com.evil.net/",
            "https://evil.net/www.example.com",
            "https://www.example.com%2eevil.net/", "https://www.example.com./", " https://www.example.com/",
            "javascript://www.example.com/%0aalert(1)", "DATA://www.example.com/x", "www.example.com", "/path1", "",
            "?x",
            "https://www.example.com/" + String(repeating: "a", count: 1024),
        ])
    func ambiguous(_ text: String) {
        let list = RedirectWhitelist(
            "https://www.example.com, javascript://www.example.com, data://www.example.com, https://*.example.com:*")
        #expect(list.target(text) == nil)
    }

    @Test(
        "what is meant to work does",
        arguments: [
            ("https://www.example.com/cb", "https://www.example.com/cb/"),
            ("https://www.example.com/cb", "https://www.example.com/cb?a=/../b&c=%2e%2e"),
            ("https://www.example.com", "https://www.example.com?a"),
            ("https://www.example.com", "https://www.example.com/a%20b/c;d=1"),
            ("http://127.0.0.1:*", "http://127.0.0.1:51234/callback"), ("http://[::1]:8080", "http://[::1]:8080/x"),
            ("https://www.example.com/a//b", "https://www.example.com/a//b/c"),
        ])
    func works(_ policy: String, _ text: String) {
        #expect(RedirectWhitelist(policy).target(text)?.text == text)
    }

    @Test(
        "the policy of the page lets its form go there and nowhere else (CSP 3 section 2.3.1)",
        arguments: [
            ("https://www.example.com/cb?a=b", "https://www.example.com/cb"),
            ("https://www.example.com/", "https://www.example.com"),
            ("https://www.example.com", "https://www.example.com"),
            ("https://www.example.com:8443/a;b,c", "https://www.example.com:8443/a%3Bb%2Cc"),
            ("http://[::1]:8080/x", "http:"), ("myapp://callback", "myapp:"), ("MyApp+1://x/y", "MyApp+1:"),
        ])
    func formAction(_ text: String, _ source: String) {
        #expect(RedirectTarget(text)?.formAction == source)
    }

    @Test("oddities are named")
    func problems() {
        let list = RedirectWhitelist(
            "www.example.com, https://a.*, http://a.example, http://127.0.0.1:*, https://a.b/c")
        #expect(list.problems.count == 3)
        #expect(list.problems[0].contains("www.example.com") && list.problems[0].contains("scheme"))
        #expect(list.problems[1].contains("last label"))
        #expect(list.problems[2].contains("http://a.example"))
        #expect(RedirectWhitelist(nil).problems.isEmpty)
    }
}
