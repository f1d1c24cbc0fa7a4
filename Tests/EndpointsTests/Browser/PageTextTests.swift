import Bytes
import Model
import Testing

@testable import LoginPages

@Suite struct PageTextTests {
    /// The members of a file of texts.
    private static func members(_ place: Int) throws -> [JSONMember] {
        let file = PageLanguage.builtIn[place].text
        return try JSONNode.parse(file.span).members ?? []
    }

    @Test("each file has all texts in the order of their names in the source, and no other", arguments: [0, 1])
    func files(_ place: Int) throws {
        #expect(try Self.members(place).map(\.name) == PageText.allCases.map(\.rawValue))
        for member in try Self.members(place) {
            let words = try #require(member.node.string, "\(member.name)")
            #expect(throws: Never.self, "\(member.name)") { try PageTemplate(words) }
            #expect(words.utf8.count <= 250 && !words.hasPrefix(" ") && !words.hasSuffix(" "), "\(member.name)")
        }
    }

    @Test("texts in German have the values of those in English", arguments: PageText.allCases)
    func values(_ text: PageText) {
        let english = PageLanguage.english[text]
        #expect(PageLanguage.german[text].values == english.values)
        #expect(
            PageLanguage.german[text].parts != english.parts || ["code", "deviceCode", "token"].contains(text.rawValue))
    }

    @Test func templates() throws {
        #expect(
            try PageTemplate("a {user}{client} b").parts
                == [.literal("a "), .value(.user), .value(.client), .literal(" b")])
        // A joiner or an accent makes one character with the brace before it.
        #expect(
            try PageTemplate("{service}\u{200C}ha {user}\u{301}").parts
                == [.value(.service), .literal("\u{200C}ha "), .value(.user), .literal("\u{301}")])
        #expect(try PageTemplate("\u{D}{user}").parts == [.literal("\u{D}"), .value(.user)])
        #expect(throws: PageTemplate.Problem.unknown("\u{200D}user")) { try PageTemplate("{\u{200D}user}") }
        #expect(throws: PageTemplate.Problem.brace) { try PageTemplate("a }\u{301} b") }
        #expect(throws: PageTemplate.Problem.brace) { try PageTemplate("a } b") }
        #expect(throws: PageTemplate.Problem.brace) { try PageTemplate("a {user") }
        #expect(throws: PageTemplate.Problem.unknown("x")) { try PageTemplate("{x}") }
    }

    @Test(
        "RFC 4647: lookup shortens a range until a language matches",
        arguments: [
            (["de-AT"], "de"), (["zh-Hant-TW"], "zh-Hant"), (["zh-Hans"], "en"), (["zh-Hant-x-private"], "zh-Hant"),
            (["fr", "de"], "de"), ([], "en"), (["pt"], "en"), (["PT-br"], "pt-BR"),
        ])
    func lookup(_ preferences: [String], _ found: String) throws {
        let further = try ["zh-Hant", "pt-BR"].map { try #require(LanguageTag($0)) }
        let languages = PageLanguages(Dictionary(uniqueKeysWithValues: further.map { ($0, [:]) }))
        #expect(languages.language(for: preferences.compactMap { LanguageTag($0) }).tag.description == found)
    }

    @Test(
        "languages from the right",
        arguments: [
            ("ar", true), ("he-IL", true), ("fa-AF", true), ("ku-Arab", true), ("az-Latn", false), ("ar-Latn", false),
            ("de", false),
        ])
    func directions(_ tag: String, _ isRightToLeft: Bool) throws {
        #expect(try #require(LanguageTag(tag)).isRightToLeft == isRightToLeft)
    }

    @Test(arguments: ["", "e", "de_AT", "de-", "../en", "toolonglanguage", "de-ünder", "en\u{0}"])
    func noTags(_ text: String) { #expect(LanguageTag(text) == nil) }
}
