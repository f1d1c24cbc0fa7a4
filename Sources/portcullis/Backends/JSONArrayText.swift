import Bytes

/// The text of a JSON array that people edit. An element is added without a change to anything that is there, in the
/// form of the last one.
struct JSONArrayText {
    private(set) var text: [UInt8]
    private let elements: [JSONNode]
    /// Between the elements and the closing bracket: behind the last element, or behind the opening bracket.
    private let end: Int
    private let closingBracket: Int

    /// Nil where the text is no JSON array.
    init?(_ text: [UInt8]) {
        guard let elements = try? JSONNode.parse(text.span).array,
            let closingBracket = text.lastIndex(where: { $0 > ASCII.space }),
            let last = text[..<closingBracket].lastIndex(where: { $0 > ASCII.space })
        else { return nil }
        self.text = text
        self.elements = elements
        self.closingBracket = closingBracket
        end = last + 1
    }

    /// Adds an object with these members.
    mutating func append(_ members: [(name: String, value: String)]) {
        let members = members.map { JSONArrayText.quoted($0.name) + ": " + JSONArrayText.quoted($0.value) }
        let onOneLine = "{" + members.joined(separator: ", ") + "}"
        let lineBreak = text.contains(ASCII.carriageReturn) ? "\r\n" : "\n"
        func onLines(_ indent: String, _ memberIndent: String) -> String {
            let lines = members.map { memberIndent + $0 }.joined(separator: "," + lineBreak)
            return "{" + lineBreak + lines + lineBreak + indent + "}"
        }
        guard let last = elements.last else {
            let object = lineBreak + "  " + onLines("  ", "    ") + lineBreak
            text.replaceSubrange(end..<closingBracket, with: object.utf8)
            return
        }
        guard let indent = indent(before: last.offset) else {
            text.insert(contentsOf: (", " + onOneLine).utf8, at: end)
            return
        }
        let memberIndent = (last.members?.first).flatMap { self.indent(before: $0.nameOffset) }
        let object =
            text[last.offset..<end].contains(ASCII.lineFeed)
            ? onLines(indent, memberIndent ?? indent + "  ") : onOneLine
        text.insert(contentsOf: ("," + lineBreak + indent + object).utf8, at: end)
    }

    /// The blanks between the start of the line and this place; nil where there is something else.
    private func indent(before offset: Int) -> String? {
        let start = text[..<offset].lastIndex(of: ASCII.lineFeed).map { $0 + 1 } ?? 0
        let before = text[start..<offset]
        guard start > 0, before.allSatisfy({ $0 == ASCII.space || $0 == ASCII.tab }) else { return nil }
        return String(decoding: before, as: UTF8.self)
    }

    private static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.value(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
