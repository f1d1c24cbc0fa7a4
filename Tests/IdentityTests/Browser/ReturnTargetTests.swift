import Testing

@testable import Identity

@Suite struct ReturnTargetTests {
    @Test(
        "SCH-02: a path of this gateway is accepted",
        arguments: ["/", "/mobileapp", "/mobileapp?x=1&y=%20", "/a//b", "/a/../b", "/?https://evil.example/"])
    func accepted(_ text: String) { #expect(ReturnTarget(text)?.text == text) }

    @Test(
        "SCH-02: other targets are refused",
        arguments: [
            "", "mobileapp", "//evil.example/", "/\\evil.example/", "\\\\evil.example", "https://evil.example/", "/a b",
            "/a\r\nSet-Cookie: x=1", "/a\tb", "/\t/evil.example", "/ä", "/a\\b", "javascript:alert(1)", " /a",
            "/" + String(repeating: "a", count: 4096),
        ])
    func refused(_ text: String) { #expect(ReturnTarget(text) == nil) }

    @Test("a target that is too long loses its query first")
    func tooLong() {
        let long = String(repeating: "a", count: 4090)
        for (target, kept) in [
            ("/app?\(long)", "/app?\(long)"), ("/app?\(long)b?c", "/app"), ("/deeper/\(long)?x", "/"),
            ("//x?\(long)b", "/"),
        ] {
            #expect(ReturnTarget(ofRequest: target).text == kept)
        }
    }
}
