import Foundation

/// Mistakes in the settings of pages.
extension InvalidCase {
    private static func pages(_ members: String, _ files: [String: String] = [:]) -> [String: String] {
        files.merging(["gateway.json": ConfigurationDirectory.gateway("\"pages\": {\(members)}")]) { $1 }
    }

    private static let drawn = #"<svg xmlns="http://www.w3.org/2000/svg"/>"#

    private static func failed(_ text: String) -> String { "gateway.json:5: error: /pages/\(text)" }

    private static func picture(_ id: String, _ text: String, _ message: String) -> InvalidCase {
        InvalidCase(
            "pages-logo-\(id)", pages(#""productName": "A", "logo": "logo.svg""#, ["logo.svg": text]),
            failed(
                "logo: \(message)"
            ))
    }

    private static func texts(_ id: String, _ text: String, _ messages: String...) -> InvalidCase {
        InvalidCase(
            "pages-texts-\(id)", files: pages(#""texts": {"en": "en.json"}"#, ["en.json": text]),
            messages.map { failed("texts/en: \($0)") })
    }

    private static let textRule =
        "expected a text of 1 to 1000 characters, some of them visible, without control characters and changes of direction (U+202A to U+202E)"

    static let pageCases: [InvalidCase] = [
        InvalidCase(
            "pages-contrast", pages(##""accent": "#ffcc00""##),
            failed(
                ##"accent: the contrast with white text is 1.5:1 (WCAG 2.2, 1.4.3) (expected a colour with at least 4.5:1, found "#ffcc00"; did you mean "#8e7200"?)"##
            )),
        InvalidCase(
            "pages-color", pages(#""accent": "red""#),
            failed(##"accent: invalid value (expected a colour such as "#0b57d0", found "red")"##)),
        InvalidCase(
            "pages-links", pages(#""helpUrl": "javascript:alert(1)", "privacyUrl": "//evil.example""#),
            failed(
                #"helpUrl: invalid value (expected an http or https URL, or a path such as "/help", found "javascript:alert(1)")"#
            ),
            failed(
                #"privacyUrl: invalid value (expected an http or https URL, or a path such as "/help", found "//evil.example")"#
            )),
        InvalidCase(
            "pages-link-characters", pages(#""helpUrl": "/help#top", "privacyUrl": "/datenschutz-für-alle""#),
            failed(
                #"helpUrl: invalid value (expected an http or https URL, or a path such as "/help", without a fragment, found "/help#top")"#
            ),
            failed(
                #"privacyUrl: invalid value (expected an http or https URL, or a path such as "/help", in ASCII: hosts in Punycode, other characters percent-encoded, found "/datenschutz-für-alle")"#
            )),
        InvalidCase(
            "pages-name-blank", pages("\"productName\": \" \u{200B}\u{A0}\""),
            failed("productName: the name shows nothing (expected a name with visible characters)")),
        InvalidCase(
            "pages-name-direction", pages("\"productName\": \"A\u{202E}b\""),
            failed("productName: the name has the invisible character U+202E (expected a name of visible characters)")),
        InvalidCase(
            "pages-name-control", pages("\"productName\": \"A\u{85}b\""),
            failed("productName: the name has the invisible character U+0085 (expected a name of visible characters)")),
        InvalidCase(
            "pages-logo-without-name", pages(#""logo": "a.svg""#, ["a.svg": drawn]),
            "gateway.json:5: error: /pages/logo: the logo has no text for users who do not see it (expected \"productName\", the name that it shows)"
        ),
        InvalidCase(
            "pages-logo-elsewhere", pages(#""productName": "A", "logo": "../logo.svg""#),
            failed(
                #"logo: invalid value (expected the name of a file below the directory of the configuration, found "../logo.svg")"#
            )),
        picture(
            "text", "hello",
            #"the file is no PNG or SVG image (expected a PNG or SVG image of at most 32768 bytes, found "logo.svg")"#),
        picture(
            "large", "<svg>" + String(repeating: " ", count: 32_768),
            "the image is too large (expected a PNG or SVG image of at most 32768 bytes, found 32773)"),
        picture(
            "namespace", "<svg/>",
            #"the file is no PNG or SVG image (expected a PNG or SVG image of at most 32768 bytes, found "logo.svg")"#),
        InvalidCase(
            "pages-language", pages(#""language": "fr""#),
            failed(#"language: there are no texts in "fr" (expected one of "en", "de", or a file in "texts")"#)),
        InvalidCase(
            "pages-language-tag", pages(#""language": "french!", "texts": {"_": "a.json"}"#),
            failed(#"language: invalid value (expected a language tag such as "en" or "pt-BR", found "french!")"#),
            failed(#"texts/_: "_" is no language tag (expected a tag such as "fr" or "pt-BR")"#)),
        InvalidCase(
            "pages-language-twice",
            pages(#""texts": {"en": "en.json", "EN": "en.json"}"#, ["en.json": "{}"]),
            failed(#"texts/EN: "en" has two files (expected one file a language)"#)),
        texts(
            "unknown", "{\n\"signin\": \"a\"}",
            #"line 2 of "en.json": unknown text "signin" (expected the name of a text; did you mean "signIn"?)"#),
        texts(
            "values", #"{"signInTo": "Sign in", "signIn": "a {user}"}"#,
            #"line 1 of "en.json": "signInTo" has other values than the text in English (expected the values {service})"#,
            #"line 1 of "en.json": "signIn" has other values than the text in English (expected no values)"#),
        texts(
            "braces", #"{"signIn": "a {b}", "signOut": "{", "next": ""}"#,
            #"line 1 of "en.json": "signIn" has the unknown value {b} (expected no values)"#,
            #"line 1 of "en.json": "signOut" has a brace without its counterpart (expected no values)"#,
            #"line 1 of "en.json": "next" is no text (expected a text of 1 to 1000 characters, some of them visible, without control characters and changes of direction (U+202A to U+202E))"#
        ),
        texts(
            "invisible", "{\"signIn\": \"\u{200B} \", \"signOut\": \"a\u{202E}b\", \"next\": \"a\u{85}b\"}",
            "line 1 of \"en.json\": \"signIn\" is no text (\(textRule))",
            "line 1 of \"en.json\": \"signOut\" is no text (\(textRule))",
            "line 1 of \"en.json\": \"next\" is no text (\(textRule))"),
        texts(
            "malformed", "{",
            #"the file "en.json" is malformed: line 1, column 2: the text ends before the value does (expected RFC 8259 JSON)"#
        ),
        texts(
            "list", "[]",
            #"the file "en.json" holds no object (expected an object of texts by name, of at most 262144 bytes)"#),
    ]
}
