import Bytes
import Testing

@testable import HTTP

@Suite struct CookiesTests {
    /// The value of the cookie `sid` in a request with these fields.
    private func value(_ fields: [String]) throws -> String? {
        let head = try Head(fields.joined(separator: "\r\n"))
        return text(Cookies.value(of: "sid".bytes, head.table, head.bytes.span), head.bytes)
    }

    @Test(
        "RFC 6265 5.4: the value of the cookie of that name",
        arguments: [
            (["Cookie: sid=abc"], "abc"), (["Cookie: a=b; sid=abc; c=d"], "abc"), (["Cookie: a=b;sid=abc"], "abc"),
            (["Cookie: a=b", "Cookie: sid=abc"], "abc"), (["Cookie: sid="], ""), (["Cookie: sid=a=b"], "a=b"),
            (["Cookie:  sid=abc ; x=y"], "abc"),
        ])
    func found(_ fields: [String], _ expected: String) throws { #expect(try value(fields) == expected) }

    @Test(
        "none of the name, or more than one: of two, somebody else may have set one",
        arguments: [
            [], ["Cookie: "], ["Cookie: sid"], ["Cookie: SID=abc"], ["Cookie: xsid=abc"], ["Cookie: sidx=abc"],
            ["Cookie: a=sid=abc"], ["Cookie: sid=a; sid=b"], ["Cookie: sid=a", "Cookie: sid=a"], ["X: sid=abc"],
            ["Cookie: sid =abc"],
        ])
    func notFound(_ fields: [String]) throws { #expect(try value(fields) == nil) }
}
