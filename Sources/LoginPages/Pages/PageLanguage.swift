import Bytes
import CTexts
import Model

/// The texts of the pages in one language. A missing text is in English.
package struct PageLanguage: Sendable {
    package let tag: LanguageTag
    private let texts: [PageText: PageTemplate]

    package init(_ tag: LanguageTag, _ texts: [PageText: PageTemplate]) {
        self.tag = tag
        self.texts = texts
    }

    /// - Parameter file: texts by name. A test reads all of them.
    init(_ tag: LanguageTag, file: [UInt8]) {
        let members = (try? JSONNode.parse(file.span))?.members ?? []
        let texts = members.compactMap { member -> (PageText, PageTemplate)? in
            guard let text = PageText(rawValue: member.name), let words = member.node.string,
                let template = try? PageTemplate(words)
            else { return nil }
            return (text, template)
        }
        self.init(tag, Dictionary(texts) { first, _ in first })
    }

    package subscript(_ text: PageText) -> PageTemplate {
        texts[text] ?? PageLanguage.english.texts[text] ?? PageTemplate(literal: text.rawValue)
    }

    package func has(_ text: PageText) -> Bool { texts[text] != nil }

    /// The language with some texts replaced.
    package func replacing(_ others: [PageText: PageTemplate]) -> PageLanguage {
        PageLanguage(tag, texts.merging(others) { $1 })
    }

    package static let english = PageLanguage(.english, file: builtIn[0].text)
    package static let german = PageLanguage(.german, file: builtIn[1].text)

    /// The files that translations begin with.
    package static var builtIn: [(name: String, text: [UInt8])] {
        [
            ("en.json", [UInt8](embedded: page_texts_en)),
            ("de.json", [UInt8](embedded: page_texts_de)),
        ]
    }
}
