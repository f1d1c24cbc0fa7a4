import Bytes
import Testing

@testable import HTTP

/// What an `Accept` field asks for (RFC 9110 section 12.5.1).
@Suite struct AcceptFieldTests {
    @Test(arguments: [
        ("text/html", true), ("TEXT/HTML", true), ("*/*", false), ("", false), ("text/*", false),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true),
        ("application/json", false), ("application/json, text/html", false), ("text/html, application/json", true),
        ("application/json;q=0.5, text/html", true), ("text/html;q=0.5, application/json", false),
        ("text/html;q=0.9, application/json;q=0.9", true), ("application/json;q=0.9, text/html;q=0.9", false),
        ("text/html;q=0", false), ("text/html; q=0.000", false), ("text/html; q=0.001", true),
        ("text/html;level=1;q=0.4, application/json;q=0.45", false), ("text/html;seq=0", true),
        ("text/html;q=", true), ("text/html;q=1.000, application/json;q=0.999", true), ("text/htmlx", false),
    ])
    func preference(_ value: String, _ isHTML: Bool) {
        let bytes = value.bytes
        #expect(AcceptField.prefersHTML(ByteRange(0..<bytes.count), bytes.span) == isHTML)
    }
}
