import HTTP
import Model
import Testing

@Suite struct AcceptLanguageTests {
    @Test(
        "RFC 9110 section 12.5.4: languages by quality, then by order",
        arguments: [
            ("de-CH, de;q=0.9, en;q=0.8, *;q=0.5", ["de-CH", "de", "en"]), ("en;q=0.5, fr, de", ["fr", "de", "en"]),
            ("en;q=0, de;q=0.001", ["de"]), ("", []), ("*", []), ("de ; q=0.3 , en; q=0.4", ["en", "de"]),
            (",,de,,", ["de"]), ("../../etc/passwd, e, de_AT", []), ("\"de, en\"", []),
        ])
    func preferences(_ value: String, _ tags: [String]) {
        #expect(AcceptLanguage.preferences(value).map(\.description) == tags)
    }

    @Test("long fields are read in part")
    func limits() {
        #expect(AcceptLanguage.preferences(String(repeating: "de,", count: 100_000)).count == 32)
        #expect(AcceptLanguage.preferences(String(repeating: " ", count: 2000) + "de").isEmpty)
        #expect(AcceptLanguage.locales(String(repeating: "de ", count: 100_000)).count == 32)
    }

    @Test func locales() {
        #expect(AcceptLanguage.locales("fr-CA  fr xx_y en").map(\.description) == ["fr-CA", "fr", "en"])
    }
}
