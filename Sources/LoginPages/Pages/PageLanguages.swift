import Model

/// The languages of the pages.
package struct PageLanguages: Sendable {
    package private(set) var all: [PageLanguage]
    /// For browsers whose languages are not among them.
    package let standard: PageLanguage

    /// English and German, with texts replaced, and further languages.
    ///
    /// - Parameter standard: the language without a preference; English unless it is among the languages.
    package init(_ texts: [LanguageTag: [PageText: PageTemplate]] = [:], standard: LanguageTag = .english) {
        var all = [PageLanguage.english, .german].map { $0.replacing(texts[$0.tag] ?? [:]) }
        let further = texts.filter { tag, _ in tag != .english && tag != .german }
        all += further.map { PageLanguage($0, $1) }.sorted { $0.tag.description < $1.tag.description }
        self.all = all
        self.standard = all.first { $0.tag == standard } ?? all[0]
    }

    /// The best language by the lookup of RFC 4647 section 3.4.
    /// - Parameter preferences: most preferred first.
    package func language(for preferences: [LanguageTag]) -> PageLanguage {
        for preference in preferences {
            var range: LanguageTag? = preference
            while let wanted = range {
                if let found = all.first(where: { $0.tag == wanted }) { return found }
                range = wanted.shortened
            }
        }
        return standard
    }
}
