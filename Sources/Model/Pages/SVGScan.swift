import Bytes

/// Looks through the text of an SVG image for parts that run or load something. It is stricter than needed: text that
/// only looks like such a part is refused too.
struct SVGScan {
    private let text: [UInt8]

    init(_ text: String) {
        // A byte order mark is no part of the document.
        let bytes = Array(text.utf8)
        self.text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    }

    /// Elements that run something, contain other documents, or change attributes after the image was drawn.
    private static let elements: Set<String> = [
        "script", "foreignobject", "iframe", "embed", "object", "audio", "video", "animate", "animatemotion",
        "animatetransform", "set", "handler", "listener", "image", "feimage", "a",
    ]

    func check() throws(PageLogo.Problem) {
        var root: String?
        var i = 0
        while let open = text[i...].firstIndex(of: UInt8(ascii: "<")) {
            i = open + 1
            if has("!--", at: i) {
                i = end(of: "-->", from: i + 3)
                continue
            }
            if has("!", at: i) { throw .active("a document type or a CDATA section") }
            if has("?", at: i) {
                guard root == nil, has("?xml ", at: i) else { throw .active("a processing instruction") }
                i = end(of: "?>", from: i)
                continue
            }
            if has("/", at: i) { continue }
            let name = name(at: i)
            if root == nil {
                guard name == "svg" else { throw .unknownFormat }
                root = name
            }
            // A prefix may stand for any namespace.
            if name.utf8.contains(ASCII.colon), !["sodipodi", "inkscape", "rdf", "cc", "dc"].contains(prefix(name)) {
                throw .active("the element \"\(name)\"")
            }
            if SVGScan.elements.contains(name) { throw .active("the element \"\(name)\"") }
            i = try tag(from: i + name.utf8.count)
        }
        guard root != nil else { throw .unknownFormat }
        try checkStyles()
    }

    /// Checks the attributes of a tag.
    /// - Returns: the place after the tag.
    private func tag(from start: Int) throws(PageLogo.Problem) -> Int {
        var i = start
        while i < text.count, text[i] != UInt8(ascii: ">") {
            guard ASCII.isLetter(text[i]) else {
                i += 1
                continue
            }
            let name = name(at: i)
            i += name.utf8.count
            while i < text.count, isBlank(text[i]) { i += 1 }
            guard i < text.count, text[i] == UInt8(ascii: "=") else { continue }
            i += 1
            while i < text.count, isBlank(text[i]) { i += 1 }
            guard i < text.count, text[i] == ASCII.quote || text[i] == UInt8(ascii: "'"),
                let close = text[(i + 1)...].firstIndex(of: text[i])
            else { throw .unknownFormat }
            try check(name, text[(i + 1)..<close])
            i = close + 1
        }
        return i
    }

    private func check(_ name: String, _ value: ArraySlice<UInt8>) throws(PageLogo.Problem) {
        let local = name.split(separator: ":").last.map(String.init) ?? name
        if local.hasPrefix("on") { throw .active("the attribute \"\(name)\"") }
        if local == "base" || local == "src" { throw .active("the attribute \"\(name)\"") }
        // A reference within the image, such as to a gradient.
        if local == "href", value.first != UInt8(ascii: "#") { throw .active("a link in \"\(name)\"") }
    }

    /// Styles may refer to parts of the image alone, and load no other style. Entities and escapes could hide a reference.
    private func checkStyles() throws(PageLogo.Problem) {
        let lower = text.map(ASCII.lowercased)
        var i = 0
        while let place = find("url(", in: lower, from: i) {
            i = place + 4
            while i < lower.count, isBlank(lower[i]) || lower[i] == ASCII.quote || lower[i] == UInt8(ascii: "'") {
                i += 1
            }
            guard i < lower.count, lower[i] == UInt8(ascii: "#") else { throw .active("a reference in \"url()\"") }
        }
        for word in ["@import", "@namespace", "@font-face", "image-set", "javascript:", "\\"]
        where find(word, in: lower, from: 0) != nil {
            throw .active("\"\(word)\"")
        }
        for word in ["&#", "&colon;", "&lpar;"] where find(word, in: lower, from: 0) != nil {
            throw .active("the character reference \"\(word)\"")
        }
    }

    private func prefix(_ name: String) -> String { String(name.prefix { $0 != ":" }) }

    private func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    /// The name at a place, in lower case.
    private func name(at start: Int) -> String {
        let bytes = text[start...].prefix {
            ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == ASCII.colon || "-_.".utf8.contains($0) || $0 >= 0x80
        }
        return String(decoding: bytes.map(ASCII.lowercased), as: UTF8.self)
    }

    private func has(_ word: String, at place: Int) -> Bool { text[place...].starts(with: word.utf8) }

    /// The place after a word, or the end.
    private func end(of word: String, from place: Int) -> Int {
        find(word, in: text, from: place).map { $0 + word.utf8.count } ?? text.count
    }

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
