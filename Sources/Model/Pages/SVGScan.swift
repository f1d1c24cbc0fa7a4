import Bytes

/// Looks through the text of an SVG image for parts that run or load something, and for mistakes because of which browsers
/// would not draw it. It is stricter than needed: text that only looks like such a part is refused too.
struct SVGScan {
    private typealias Attribute = (name: String, value: ArraySlice<UInt8>)

    private struct Element {
        let name: String
        /// The prefixes with a namespace.
        let prefixes: Set<String>
        let isStyle: Bool
    }

    private static let namespace = "http://www.w3.org/2000/svg"

    private let text: [UInt8]
    private var place = 0
    private var hasRoot = false
    /// The open elements, the root first.
    private var open: [Element] = []

    init(_ text: String) {
        // A byte order mark is no part of the document.
        self.text = Array(Array(text.utf8).withoutByteOrderMark)
    }

    /// Elements that run something, contain other documents, or change the image after it was drawn.
    private static let elements: Set<String> = [
        "script", "foreignobject", "iframe", "embed", "object", "audio", "video", "animate", "animatecolor",
        "animatemotion", "animatetransform", "set", "discard", "handler", "listener", "image", "feimage", "a",
    ]

    /// Prefixes of what editors note in images.
    private static let prefixes: Set<String> = ["sodipodi", "inkscape", "rdf", "cc", "dc"]

    mutating func check() throws(PageLogo.Problem) {
        guard text.allSatisfy({ $0 >= 0x20 || isBlank($0) }) else { throw .undrawable("it has control characters") }
        while place < text.count {
            if has("<") { try markup() } else { try characters() }
        }
        guard hasRoot else { throw .unknownFormat }
        if let element = open.last { throw .undrawable("the element \"\(element.name)\" has no end") }
        try checkStyles()
    }

    // MARK: The document

    private mutating func characters() throws(PageLogo.Problem) {
        let end = text[place...].firstIndex(of: UInt8(ascii: "<")) ?? text.count
        let run = text[place..<end]
        place = end
        guard open.isEmpty else { return try checkReferences(run) }
        guard run.allSatisfy(isBlank) else {
            throw hasRoot ? .undrawable("it has text outside of its root") : .unknownFormat
        }
    }

    private mutating func markup() throws(PageLogo.Problem) {
        if has("<!--") {
            try comment()
        } else if has("<!") {
            throw .active("a document type or a CDATA section")
        } else if has("<?") {
            guard place == 0, has("<?xml"), place + 5 < text.count, isBlank(text[place + 5]) else {
                throw .active("a processing instruction, or an XML declaration that is not at its beginning")
            }
            try declaration()
        } else if has("</") {
            try endTag()
        } else {
            try startTag()
        }
    }

    private mutating func comment() throws(PageLogo.Problem) {
        // The text around it is one text: it could hide a word from the check of styles.
        if open.last?.isStyle == true { throw .active("a comment within a style") }
        guard let end = find("--", in: text, from: place + 4) else { throw .undrawable("a comment has no end") }
        place = end + 2
        guard has(">") else { throw .undrawable("a comment contains \"--\"") }
        place += 1
    }

    private mutating func declaration() throws(PageLogo.Problem) {
        place += 5
        let attributes = try attributes()
        guard attributes.first?.name == "version", has("?>") else {
            throw .undrawable("its XML declaration is malformed")
        }
        place += 2
        let encoding = attributes.first { $0.name == "encoding" }?.value
        guard encoding?.map(ASCII.lowercased).elementsEqual("utf-8".utf8) ?? true else {
            throw .undrawable("its encoding is not UTF-8")
        }
    }

    private mutating func startTag() throws(PageLogo.Problem) {
        place += 1
        let name = try name()
        let parts = SVGScan.parts(name)
        if open.isEmpty {
            guard !hasRoot else { throw .undrawable("it has more than one root") }
            guard name.isExactly("svg") else { throw .unknownFormat }
        }
        try check(name, parts)
        let attributes = try attributes()
        for attribute in attributes { try check(attribute) }
        let prefixes = try declared(name, attributes)
        if !hasRoot {
            guard attributes.contains(where: { $0.name.isExactly("xmlns") && isNamespace($0.value) }) else {
                throw .undrawable("its root has no xmlns=\"\(SVGScan.namespace)\"")
            }
            hasRoot = true
        }
        if has("/>") {
            place += 2
            return
        }
        guard has(">") else { throw .undrawable("the tag of \"\(name)\" is malformed") }
        place += 1
        open.append(Element(name: name, prefixes: prefixes, isStyle: parts.local == "style"))
    }

    private mutating func endTag() throws(PageLogo.Problem) {
        place += 2
        let name = try name()
        skipBlanks()
        guard has(">"), let element = open.popLast(), element.name.isExactly(name) else {
            throw .undrawable("the end of \"\(name)\" has no beginning")
        }
        place += 1
    }

    /// Attributes up to the end of the tag.
    private mutating func attributes() throws(PageLogo.Problem) -> [Attribute] {
        var found: [Attribute] = []
        while true {
            let isSeparate = skipBlanks()
            guard isSeparate, place < text.count, !has(">"), !has("/"), !has("?") else { return found }
            let name = try name()
            skipBlanks()
            guard has("=") else { throw .undrawable("the attribute \"\(name)\" has no value") }
            place += 1
            skipBlanks()
            guard has("\"") || has("'"), let close = text[(place + 1)...].firstIndex(of: text[place]) else {
                throw .undrawable("the value of the attribute \"\(name)\" is not in quotes")
            }
            let value = text[(place + 1)..<close]
            place = close + 1
            guard !value.contains(UInt8(ascii: "<")) else {
                throw .undrawable("the attribute \"\(name)\" contains \"<\"")
            }
            try checkReferences(value)
            guard !found.contains(where: { $0.name.isExactly(name) }) else {
                throw .undrawable("an element has the attribute \"\(name)\" twice")
            }
            found.append((name, value))
        }
    }

    /// The prefixes that have a namespace within an element; its own have one (Namespaces in XML 1.0 section 5).
    private func declared(_ name: String, _ attributes: [Attribute]) throws(PageLogo.Problem) -> Set<String> {
        var prefixes = open.last?.prefixes ?? ["xml", "xmlns"]
        let names = attributes.map(\.name)
        for name in names where SVGScan.parts(name).prefix == "xmlns" {
            prefixes.insert(String(decoding: name.utf8.dropFirst(6), as: UTF8.self))
        }
        for prefix in ([name] + names).compactMap({ SVGScan.parts($0).prefix }) where !prefixes.contains(prefix) {
            throw .undrawable("the prefix \"\(prefix)\" has no namespace")
        }
        return prefixes
    }

    // MARK: What is refused

    private func check(_ name: String, _ parts: (prefix: String?, local: String)) throws(PageLogo.Problem) {
        // A prefix may stand for any namespace, also for that of SVG.
        if let prefix = parts.prefix, !SVGScan.prefixes.contains(prefix) { throw .active("the element \"\(name)\"") }
        if SVGScan.elements.contains(parts.local) { throw .active("the element \"\(name)\"") }
        // The text around it is one text, as with comments.
        if open.last?.isStyle == true { throw .active("an element within a style") }
    }

    private func check(_ attribute: Attribute) throws(PageLogo.Problem) {
        let (name, value) = attribute
        let (prefix, local) = SVGScan.parts(name)
        if prefix == "xmlns" || name == "xmlns" {
            if find("xhtml", in: value.map(ASCII.lowercased), from: 0) != nil { throw .active("parts in HTML") }
            return
        }
        if local.utf8.starts(with: "on".utf8) || local == "base" || local == "src" {
            throw .active("the attribute \"\(name)\"")
        }
        // A reference within the image, such as to a gradient.
        if local == "href", value.first != UInt8(ascii: "#") { throw .active("a link in \"\(name)\"") }
    }

    /// References to characters could hide a word. Without a document type there are no other entities than these.
    private func checkReferences(_ run: ArraySlice<UInt8>) throws(PageLogo.Problem) {
        for i in run.indices where run[i] == UInt8(ascii: "&") {
            let rest = run[(i + 1)...]
            if rest.first == UInt8(ascii: "#") { throw .active("the character reference \"&#\"") }
            guard ["amp;", "lt;", "gt;", "quot;", "apos;"].contains(where: { rest.starts(with: $0.utf8) }) else {
                throw .undrawable("an \"&\" begins no known entity")
            }
        }
    }

    /// Styles may refer to parts of the image alone, and load no other style. Escapes could hide a reference.
    private func checkStyles() throws(PageLogo.Problem) {
        let lower = text.map(ASCII.lowercased)
        var i = 0
        while let start = find("url(", in: lower, from: i) {
            i = start + 4
            while i < lower.count, isBlank(lower[i]) || lower[i] == ASCII.quote || lower[i] == UInt8(ascii: "'") {
                i += 1
            }
            guard i < lower.count, lower[i] == UInt8(ascii: "#") else { throw .active("a reference in \"url()\"") }
        }
        for word in ["@import", "@namespace", "@font-face", "image-set", "image(", "src(", "javascript:", "\\"]
        where find(word, in: lower, from: 0) != nil {
            throw .active("\"\(word)\"")
        }
    }

    // MARK: Text

    /// The prefix of a name, and its local part in lower case.
    private static func parts(_ name: String) -> (prefix: String?, local: String) {
        let bytes = Array(name.utf8)
        let colon = bytes.firstIndex(of: ASCII.colon)
        let local = bytes[(colon.map { $0 + 1 } ?? 0)...]
        return (
            colon.map { String(decoding: bytes[..<$0], as: UTF8.self) },
            String(decoding: local.map(ASCII.lowercased), as: UTF8.self)
        )
    }

    /// Reads a name with at most one prefix (Namespaces in XML 1.0 section 4).
    private mutating func name() throws(PageLogo.Problem) -> String {
        let bytes = text[place...].prefix {
            ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == ASCII.colon || "-_.".utf8.contains($0) || $0 >= 0x80
        }
        let parts = bytes.split(separator: ASCII.colon, omittingEmptySubsequences: false)
        guard parts.count <= 2,
            parts.allSatisfy({ part in
                part.first.map { ASCII.isLetter($0) || $0 == UInt8(ascii: "_") || $0 >= 0x80 } ?? false
            })
        else { throw .undrawable("a tag has a malformed name") }
        place += bytes.count
        return String(decoding: bytes, as: UTF8.self)
    }

    private func isNamespace(_ value: ArraySlice<UInt8>) -> Bool { value.elementsEqual(SVGScan.namespace.utf8) }

    private func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    /// - Returns: whether there was a blank.
    @discardableResult
    private mutating func skipBlanks() -> Bool {
        let start = place
        while place < text.count, isBlank(text[place]) { place += 1 }
        return place > start
    }

    private func has(_ word: String) -> Bool { text[place...].starts(with: word.utf8) }

    private func find(_ word: String, in bytes: [UInt8], from place: Int) -> Int? {
        let word = Array(word.utf8)
        guard let first = word.first else { return nil }
        var i = place
        while i + word.count <= bytes.count {
            if bytes[i] == first, bytes[i..<(i + word.count)].elementsEqual(word) { return i }
            i += 1
        }
        return nil
    }
}
