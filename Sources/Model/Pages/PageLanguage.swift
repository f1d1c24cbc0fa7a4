/// The texts of the pages in one language. A missing text is in English.
package struct PageLanguage: Sendable {
    package let tag: LanguageTag
    private let texts: [PageText: PageTemplate]

    package init(_ tag: LanguageTag, _ texts: [PageText: PageTemplate]) {
        self.tag = tag
        self.texts = texts
    }

    package subscript(_ text: PageText) -> PageTemplate { texts[text] ?? PageTemplate(builtIn: text.english) }

    package func has(_ text: PageText) -> Bool { texts[text] != nil }

    /// The language with some texts replaced.
    package func replacing(_ others: [PageText: PageTemplate]) -> PageLanguage {
        PageLanguage(tag, texts.merging(others) { $1 })
    }

    package static let english = PageLanguage(
        .english, Dictionary(uniqueKeysWithValues: PageText.allCases.map { ($0, PageTemplate(builtIn: $0.english)) }))
    package static let german = PageLanguage(
        .german, Dictionary(uniqueKeysWithValues: PageText.allCases.map { ($0, PageTemplate(builtIn: $0.german)) }))
}
