import Bytes
import Model
import TestSupport
import Testing

private func allows(_ policy: String?, _ origin: String) -> Bool {
    let bytes = Array(origin.utf8)
    return AllowOriginPolicy(policy ?? "").allows(bytes.span)
}

/// One case of `cors.json`.
private struct OriginVector: CustomTestStringConvertible, Sendable {
    let id: String
    let policy: String?
    let origin: String
    let allow: Bool
    var testDescription: String { id }

    static let all: [OriginVector] = (Fixtures.json("cors/cors.json").array ?? []).map {
        OriginVector(
            id: $0.text("id"), policy: $0["policy"]?.string, origin: $0.text("origin"), allow: $0["allow"]?.bool == true
        )
    }
}

@Suite("CORS-01 to CORS-05: Security_AllowOrigin")
struct AllowOriginPolicyTests {
    @Test("every vector of section 4.1 is there")
    func vectorsAreComplete() {
        #expect(OriginVector.all.map(\.id) == (1...44).map { "C" + ($0 < 10 ? "0" : "") + "\($0)" })
    }

    @Test("section 4.1", arguments: OriginVector.all)
    fileprivate func vector(_ vector: OriginVector) {
        #expect(allows(vector.policy, vector.origin) == vector.allow)
    }

    @Test(
        "what is no serialised origin is refused (CORS-08)",
        arguments: [
            "", "null", "https://", "https://www.example.com:", "https://www.example.com:0",
            "https://www.example.com:00443",
            "https://www.example.com:65536", "https://www.example.com?x", "https://www.example.com#x",
            "https://www.example.com,https://www.example.com", "https://www.example.com\\", "https://www.example.com.",
            "https://www..example.com", " https://www.example.com", "https://www.example.com\t",
            "https:/www.example.com",
            "https://www.example%2ecom", "https://[::1", "https://[]", "https://[::1]x", "https://[::1%25lo]",
            "https://www.exämple.com", "://www.example.com", "1https://www.example.com",
        ])
    func malformedOrigin(_ origin: String) {
        #expect(!allows("https://www.example.com, https://*.example.com:*, https://*:*", origin))
    }

    @Test(
        "hosts are anchored at label borders (peers: open redirect and suffix match)",
        arguments: [
            ("https://*.example.com", "https://evil-example.com"),
            ("https://*.example.com", "https://a.example.com.evil.net"),
            ("https://*.example.com", "https://a.example.comx"), ("https://a*.example.com", "https://a.b.example.com"),
            ("https://*", "https://a.b"), ("https://*.example.com", "https://a:b.example.com"),
            ("https://ex*ple.com", "https://ex.ple.com"), ("https://[::1]", "https://[::2]"),
            ("http://[*]", "http://[::1]"), ("https://example.com:80*", "https://example.com:443"),
        ])
    func anchored(_ policy: String, _ origin: String) { #expect(!allows(policy, origin)) }

    @Test(
        "wildcards inside a label",
        arguments: [
            ("https://ex*ple.com", "https://example.com"), ("https://*a*.example.com", "https://bab.example.com"),
            ("https://*a*a.example.com", "https://aXaYa.example.com"),
            ("https://**.example.com", "https://x.example.com"),
            ("https://a.*.com", "https://a.example.com"), ("http://[::1]:*", "http://[::1]:3000"),
            ("custom://host", "custom://host"), ("custom://host:7", "custom://host:7"),
        ])
    func wildcards(_ policy: String, _ origin: String) { #expect(allows(policy, origin)) }

    @Test("problems are reported by entry (CORS-04, AMB-13, AMB-14, AMB-16)")
    func problems() {
        let policy = AllowOriginPolicy(
            "https://ok.example.com, www.example.com, *://a.example.com, https://a.example.com/, disallow, https://*.example.com*,"
                + "https://user@a.example.com, https://a..example.com, https://a.example.com:x, https://a.example.com?q"
        )
        #expect(
            policy.problems.map(\.kind) == [
                .invalid(.noScheme), .invalid(.schemePattern), .path, .keywordInList, .wildcardInLastLabel,
                .invalid(.userInformation), .invalid(.invalidHost), .invalid(.invalidPort), .invalid(.queryOrFragment),
            ])
        #expect(policy.problems[0].pattern == "www.example.com")
        #expect(AllowOriginPolicy("disallow").problems.isEmpty)
        #expect(AllowOriginPolicy("").problems.isEmpty)
    }
}
