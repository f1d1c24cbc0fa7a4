import Bytes
import Testing

@Suite struct FormEncodingTests {
    @Test(arguments: [
        ("", "", true), ("a+b%2Fc", "a b/c", true), ("%61", "a", true), ("%c3%A4", "\u{e4}", true),
        ("%zz", "%zz", true),
        ("%", "%", true), ("%4", "%4", true), ("a", "", false), ("", "a", false), ("a", "A", false), ("ab", "a", false),
        ("a%00", "a", false), ("%2561", "%61", true), ("%2561", "a", false),
    ])
    func matches(_ encoded: String, _ text: String, _ expected: Bool) {
        #expect(FormEncoding.matches(encoded.utf8.span, Array(text.utf8)) == expected)
    }

    @Test(
        "the first field of a name in a query",
        arguments: [
            ("serviceDomain=D", "D"), ("a=1&serviceDomain=D&serviceDomain=E", "D"),
            ("service%44omain=a+b%2Bc%", "a b+c%"),
            ("serviceDomain=", ""), ("serviceDomain=a=b", "a=b"), ("serviceDomain", nil), ("servicedomain=D", nil),
            ("", nil), ("&&xserviceDomain=D", nil), ("serviceDomain&serviceDomain=%C3%BC", "ü"),
        ] as [(String, String?)])
    func value(_ query: String, _ expected: String?) {
        #expect(FormEncoding.value("serviceDomain", in: query) == expected)
    }
}
