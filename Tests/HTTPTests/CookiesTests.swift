import Bytes
import Model
import Testing

@testable import HTTP

@Suite struct CookiesTests {
    private static let names = ["__Host-sid", "sid"].map { Array($0.utf8) }

    /// The value of the cookie `sid` in a request with these fields.
    private func value(_ fields: [String]) throws -> String? {
        let table = HeaderTable()
        let lines = fields.map { "\($0)\r\n" }.joined()
        let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n".utf8)
        var parser = RequestParser(limits: HTTPLimits())
        guard case .head = parser.parse(bytes.span, into: table) else { return "not parsed" }
        let range = Cookies.value(of: Array("sid".utf8), table, bytes.span)
        return range.map { String(decoding: bytes[$0.range], as: UTF8.self) }
    }

    @Test(
        "RFC 6265 5.4: the value of the cookie of that name",
        arguments: [
            (["Cookie: sid=abc"], "abc"), (["Cookie: a=b; sid=abc; c=d"], "abc"), (["Cookie: a=b;sid=abc"], "abc"),
            (["Cookie: a=b", "Cookie: sid=abc"], "abc"), (["Cookie: sid="], ""), (["Cookie: sid=a=b"], "a=b"),
            (["Cookie:  sid=abc ; x=y"], "abc"), (["Cookie: ;; sid = abc"], "abc"),
        ])
    func found(_ fields: [String], _ expected: String) throws {
        #expect(try value(fields) == expected)
        if fields.count == 1 {
            let field = String(fields[0].dropFirst("Cookie: ".count))
            #expect(Cookies.values(of: Array("sid".utf8), in: field) == [expected])
        }
    }

    @Test(
        "none of the name, or more than one: of two, another site may have set one",
        arguments: [
            [], ["Cookie: "], ["Cookie: sid"], ["Cookie: SID=abc"], ["Cookie: xsid=abc"], ["Cookie: sidx=abc"],
            ["Cookie: a=sid=abc"], ["Cookie: sid=a; sid=b"], ["Cookie: sid=a", "Cookie: sid=a"], ["X: sid=abc"],
            ["Cookie: sid=a; sid =a"],
        ])
    func notFound(_ fields: [String]) throws { #expect(try value(fields) == nil) }

    /// What is left of a `Cookie` field for others; nil for nothing.
    private func others(_ field: String) -> String? {
        let bytes = Array(field.utf8)
        let chunk = Chunk(capacity: 256)
        let range = ByteRange(0..<bytes.count)
        guard Cookies.append(range, without: Self.names, bytes.span, to: chunk) else { return nil }
        let left = chunk.readable
        return String(decoding: left.indices.map { left[$0] }, as: UTF8.self)
    }

    @Test(
        "GW-09: of several cookies ours are taken out, the others stay as they were",
        arguments: [
            ("a=b; sid=x; c=d", "a=b; c=d"), ("sid=x; a=b", "a=b"), ("a=b;  sid=x", "a=b"),
            ("a=\"b c\" ;c=d=e; __Host-sid=y;sid=z", "a=\"b c\" ;c=d=e"), ("sid=x", nil), ("sid=x; __Host-sid=y;", nil),
            ("sid =x; a=b", "a=b"), ("sidx=1; xsid=2; SID=3; sid", "sidx=1; xsid=2; SID=3; sid"),
            ("a=b; sid=x; ; c", "a=b; ; c"),
        ] as [(String, String?)])
    func stripped(_ field: String, _ left: String?) { #expect(others(field) == left) }

    private func sets(_ field: String) -> Bool {
        let bytes = Array(field.utf8)
        return Cookies.sets(Self.names, ByteRange(0..<bytes.count), bytes.span)
    }

    @Test("RFC 6265bis 5.7: what browsers would take for a cookie of ours, also one without a name that passes for it")
    func setting() {
        for field in ["sid=x", "sid=; Max-Age=0", " sid = x", "__Host-sid=x; Path=/; Secure", "=sid=x", " = sid=x"] {
            #expect(sets(field), "\(field)")
        }
        for field in ["", "a=sid=x", "sidx=1", "sid", "SID=1", "a=b; sid=x", "a=1; Path=/sid="] {
            #expect(!sets(field), "\(field)")
        }
    }
}
