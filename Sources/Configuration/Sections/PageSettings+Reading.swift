import Bytes
import Declaration
import Model

extension PageSettings {
    static let shape = Shape<PageSettings>.object(
        "an object with \"productName\", \"logo\", \"accent\", links and \"texts\""
    ) { object in
        var settings = PageSettings()
        settings.productName = object.optional(
            "productName", .text(.text, productName),
            "Name of the product, above the title and in the title of the window.")
        settings.logo = object.optional(
            "logo", image,
            "PNG or SVG image of at most 32 KiB above the title: a file below the directory of the configuration.")
        settings.darkLogo = object.optional(
            "darkLogo", image, "The same for browsers that prefer dark pages; the same image by default.")
        settings.accent = object.optional(
            "accent", color,
            """
            Colour of buttons and links as `#rrggbb`, with a contrast of at least 4.5 with white. Dark pages have a lighter \
            shade.
            """)
        for (name, text, meaning) in linkKeys {
            if let target = object.optional(name, target, meaning) { settings.links.append((text, target)) }
        }
        settings.texts = object.value(
            "texts", texts, default: [:],
            """
            Files of texts by language tag (BCP 47), below the directory of the configuration. They replace texts in English \
            (`en`) and German (`de`), and add languages.
            """)
        settings.language = object.value(
            "language", language, default: .english,
            "Language of pages for browsers whose languages are not among them.")
        let further = settings.texts.keys.filter { $0 != .english && $0 != .german }
        let known = [.english, .german] + further.sorted { $0.description < $1.description }
        if !known.contains(settings.language),
            let field = object.entries.first(where: { $0.name == "language" })
        {
            let names = known.map { "\"\($0)\"" }
            field.field.error(
                "there are no texts in \"\(settings.language)\"",
                expected: "one of \(names.joined(separator: ", ")), or a file in \"texts\"")
        }
        object.rules(
            .only(
                "logo", with: .has("productName"), because: "the logo has no text for users who do not see it",
                expected: "\"productName\", the name that it shows"),
            .only("darkLogo", with: .has("logo")))
        return settings
    }

    private static let linkKeys: [(name: String, text: String, meaning: String)] = [
        (
            "helpUrl", "help",
            "Where the link \"Help\" below all pages leads: an `http` or `https` URL, or a path such as `/help`."
        ),
        ("privacyUrl", "privacy", "The same for \"Privacy\"."),
        ("legalNoticeUrl", "legalNotice", "The same for \"Legal notice\"."),
    ]

    private static let longestName = 64

    @Sendable private static func productName(_ field: Field) -> String? {
        guard let name = field.name("a name without control characters") else { return nil }
        guard !ShownText.isBlank(name) else {
            return field.error("the name shows nothing", expected: "a name with visible characters")
        }
        if let scalar = ShownText.forbidden(inName: name) {
            return field.error(
                "the name has the invisible character \(UserName.codePoint(scalar))",
                expected: "a name of visible characters")
        }
        guard name.count <= longestName else {
            return field.error(
                "the name is too long", expected: "at most \(longestName) characters", found: "\(name.count)")
        }
        return name
    }

    private static let target = Shape<String>(.pattern("^(https?://[^/?#@]|/([^/]|$))")) { field in
        let expected = "an http or https URL, or a path such as \"/help\""
        guard let text = field.text(expected) else { return nil }
        guard RedirectURL(text) == nil else { return text }
        if !text.utf8.allSatisfy({ $0 < 0x80 }) {
            return field.invalid("\(expected), in ASCII: hosts in Punycode, other characters percent-encoded")
        }
        return field.invalid(text.utf8.contains(UInt8(ascii: "#")) ? "\(expected), without a fragment" : expected)
    }

    /// Largest image in bytes. It is in every page, so that a page needs no second request.
    private static let largestImage = 32_768
    private static let signatureOfPNG: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// A `data:` URL of a PNG or SVG image. Browsers run no scripts of images and load nothing for them, and the policy of the
    /// pages forbids both.
    private static let image = Shape<String>(OwnFile.form) { field in
        guard let bytes = OwnFile.contents(field) else { return nil }
        let expected = "a PNG or SVG image of at most \(largestImage) bytes"
        guard bytes.count <= largestImage else {
            return field.error("the image is too large", expected: expected, found: "\(bytes.count)")
        }
        let type: String
        if bytes.starts(with: signatureOfPNG) {
            type = "image/png"
        } else if let text = String(validating: bytes, as: UTF8.self), text.contains("<svg"),
            // Browsers draw no element without its namespace.
            text.contains("http://www.w3.org/2000/svg")
        {
            type = "image/svg+xml"
        } else {
            return field.error("the file is no PNG or SVG image", expected: expected, found: field.summary)
        }
        return "data:\(type);base64,\(String(decoding: Base64.encode(bytes.span, .standard), as: UTF8.self))"
    }

    /// The colour is text on the page, and the background of the page's colour on buttons: both have the same contrast.
    private static let color = Shape<PageColor>(.pattern("^#[0-9A-Fa-f]{6}$")) { field in
        let expected = "a colour such as \"#0b57d0\""
        guard let text = field.text(expected) else { return nil }
        guard let color = PageColor(text) else { return field.invalid(expected) }
        let ratio = color.contrast(with: .white)
        guard ratio >= PageColor.lowestContrast else {
            let darker = color.mixed(with: .black, until: PageColor.lowestContrast, on: .white)
            return field.error(
                "the contrast with white text is \(PageSettings.rounded(ratio)):1 (WCAG 2.2, 1.4.3)",
                expected: "a colour with at least \(PageColor.lowestContrast):1", found: field.summary,
                suggestion: "\(darker)")
        }
        return color
    }

    /// A ratio with one digit, rounded down: what is too low must not look sufficient.
    private static func rounded(_ ratio: Double) -> String {
        let tenths = Int(ratio * 10)
        return "\(tenths / 10).\(tenths % 10)"
    }

    private static let language = Shape<LanguageTag>(
        .pattern(tags), write: { .text($0.description) },
        read: { field in
            let expected = "a language tag such as \"en\" or \"pt-BR\""
            guard let text = field.text(expected) else { return nil }
            return LanguageTag(text) ?? field.invalid(expected)
        })

    static let tags = "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,7}$"

    private static let texts = Shape<[LanguageTag: [String: PageTemplate]]>(
        .map(OwnFile.form, names: tags), write: { $0.isEmpty ? .object([]) : nil }
    ) { field in
        var languages: [LanguageTag: [String: PageTemplate]] = [:]
        for (name, place) in field.object("an object of file names by language tag").entries {
            guard let tag = LanguageTag(name) else {
                place.error("\"\(name)\" is no language tag", expected: "a tag such as \"fr\" or \"pt-BR\"")
                continue
            }
            guard languages[tag] == nil else {
                place.error("\"\(tag)\" has two files", expected: "one file a language")
                continue
            }
            languages[tag] = PageTextFile.read(place, tag) ?? [:]
        }
        return languages
    }
}
