/// The place in a page or an XML text that a template has come to. Values whose markup is escaped are safe in text and in
/// quoted attributes, except for those that browsers run or follow.
struct MarkupContext {
    private enum State: Equatable {
        case text
        /// Behind `<`, in the name of a tag.
        case tagName
        /// Inside a tag, between attributes or in the name of one.
        case tag
        /// Behind `=`, in front of a value.
        case beforeValue
        case quoted(UInt8)
        case unquoted
        case comment
        /// Inside an element whose content is a language of its own.
        case raw
    }

    private var state = State.text
    /// Name of the tag, in lower case, with the slash of an end tag.
    private var tag = ""
    /// Name of the attribute, in lower case.
    private var attribute = ""
    /// Whether a blank has come since that name.
    private var isNamed = false
    private var value = ""
    /// The last bytes of a comment or a raw element, in lower case.
    private var tail = ""

    /// Elements whose content is no text.
    private static let rawElements: Set = [
        "script", "style", "xmp", "iframe", "noembed", "noframes", "noscript", "plaintext",
    ]
    /// Attributes with URLs.
    private static let links: Set = [
        "href", "src", "action", "formaction", "data", "poster", "background", "cite", "ping", "manifest", "xlink:href",
        "content",
    ]

    /// Whether an escaped value stays a value here.
    var takesValues: Bool {
        switch state {
        case .text: true
        case .tagName, .tag, .beforeValue, .unquoted, .comment, .raw: false
        case .quoted:
            if attribute.hasPrefix("on") || attribute == "style" || attribute == "srcdoc" || attribute == "srcset" {
                false
            } else {
                // In the query of a link no value changes its scheme or its host.
                !MarkupContext.links.contains(attribute)
                    || value.contains("?") && !value.contains("script:") && !value.contains("data:")
            }
        }
    }

    mutating func advance(over text: String) {
        for scalar in text.unicodeScalars { advance(over: scalar) }
    }

    private mutating func advance(over scalar: Unicode.Scalar) {
        let isBlank = scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r" || scalar == "\u{c}"
        let letter = String(scalar).lowercased()
        switch state {
        case .text:
            if scalar == "<" {
                state = .tagName
                tag = ""
            }
        case .tagName:
            if scalar == ">" {
                endTag()
            } else if isBlank {
                // `< ` begins no tag.
                state = tag.isEmpty ? .text : .tag
                attribute = ""
            } else {
                tag += letter
                if tag == "!--" { (state, tail) = (.comment, "") }
            }
        case .tag:
            if scalar == ">" {
                endTag()
            } else if scalar == "=", !attribute.isEmpty {
                (state, value, isNamed) = (.beforeValue, "", false)
            } else if isBlank || scalar == "/" {
                isNamed = true
            } else {
                attribute = isNamed ? letter : attribute + letter
                isNamed = false
            }
        case .beforeValue:
            if scalar == "\"" || scalar == "'" {
                state = .quoted(UInt8(ascii: scalar))
            } else if scalar == ">" {
                endTag()
            } else if !isBlank {
                state = .unquoted
            }
        case .quoted(let quote):
            if scalar == Unicode.Scalar(quote) { (state, attribute) = (.tag, "") } else { value += letter }
        case .unquoted:
            if scalar == ">" { endTag() } else if isBlank { (state, attribute) = (.tag, "") }
        case .comment:
            tail = String((tail + letter).suffix(3))
            if tail == "-->" { state = .text }
        case .raw:
            tail = String((tail + letter).suffix(2 + tag.count))
            if tail == "</\(tag)" { (state, tag) = (.tagName, "/" + tag) }
        }
    }

    private mutating func endTag() {
        let name = tag.hasSuffix("/") ? String(tag.dropLast()) : tag
        tail = ""
        state = MarkupContext.rawElements.contains(name) ? .raw : .text
        if state == .raw { tag = name }
    }
}
