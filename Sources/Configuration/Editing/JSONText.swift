import Bytes
import Declaration

/// A JSON text that people edit. Changes leave the rest of the text as it is, and new values follow the layout of their
/// neighbours.
package struct JSONText: Sendable {
    /// One step from a value to one inside it.
    package enum Step: Equatable, Sendable {
        case member(String)
        case element(Int)
    }

    package private(set) var bytes: [UInt8]
    package private(set) var root: JSONNode
    /// The text without comments, if it is JSONC.
    private var plain: [UInt8]?

    /// - Parameter isJSONC: whether there may be comments and commas before closing brackets.
    package init(_ bytes: [UInt8], isJSONC: Bool = false) throws(JSONError) {
        plain = isJSONC ? JSONC.plain(bytes) : nil
        let text = plain ?? bytes
        root = try JSONNode.parse(text.span)
        self.bytes = bytes
    }

    /// The value at a path; nil if there is none.
    package func node(at path: [Step]) -> JSONNode? {
        var node = root
        for step in path {
            switch step {
            case .member(let name):
                guard let member = node[name] else { return nil }
                node = member
            case .element(let index):
                guard let elements = node.array, elements.indices.contains(index) else { return nil }
                node = elements[index]
            }
        }
        return node
    }

    /// The text of the value at a path; empty if there is none.
    package func text(at path: [Step]) -> ArraySlice<UInt8> {
        guard let node = node(at: path) else { return [] }
        return bytes[node.offset..<end(of: node)]
    }

    // MARK: Changes

    /// Replaces a member, or appends it to the object, which must exist.
    package mutating func set(_ name: String, of path: [Step], to value: JSONNode) {
        guard let object = node(at: path), let members = object.members else { return }
        if let old = object[name] {
            replace(old.offset..<end(of: old), with: JSONForm.onOneLine(value))
            return
        }
        let member = JSONForm.quoted(name) + ": " + JSONForm.onOneLine(value)
        guard let last = members.last else {
            replace(object.offset..<end(of: object), with: path.isEmpty ? alone(member, "{", "}") : "{\(member)}")
            return
        }
        let place = end(of: last.node)
        replace(place..<place, with: separator(before: last.nameOffset) + member)
    }

    /// Replaces a value, which must exist.
    package mutating func replace(_ path: [Step], with value: JSONNode) {
        guard let old = node(at: path) else { return }
        replace(old.offset..<end(of: old), with: JSONForm.onOneLine(value))
    }

    /// Appends elements to an array, which must exist. Objects are laid out like the last element.
    package mutating func append(_ values: [JSONNode], to path: [Step]) {
        guard !values.isEmpty, let array = node(at: path), let elements = array.array else { return }
        guard let last = elements.last else {
            appendFirst(values, to: array)
            return
        }
        let place = end(of: last)
        let separator = separator(before: last.offset)
        let form = form(like: last)
        replace(place..<place, with: values.map { separator + form.text(of: $0) }.joined())
    }

    /// Removes a member or an element with its comma.
    package mutating func remove(_ path: [Step]) {
        guard let step = path.last, let parent = node(at: path.dropLast()) else { return }
        let places: [Range<Int>]
        let index: Int?
        switch step {
        case .member(let name):
            places = (parent.members ?? []).map { $0.nameOffset..<end(of: $0.node) }
            index = parent.members?.firstIndex { $0.name.isExactly(name) }
        case .element(let number):
            places = (parent.array ?? []).map { $0.offset..<end(of: $0) }
            index = places.indices.contains(number) ? number : nil
        }
        guard let index else { return }
        if let plain, places.count > 1 {
            // Keeps comments around the value: only one comma separates two values.
            let before = index + 1 < places.count ? index : index - 1
            let comma = plain[places[before].upperBound...].firstIndex(of: ASCII.comma)
            let isBehind = before == index
            if isBehind, let comma { replace(comma..<comma + 1, with: "") }
            replace(places[index], with: "")
            if !isBehind, let comma { replace(comma..<comma + 1, with: "") }
        } else if index + 1 < places.count {
            replace(places[index].lowerBound..<places[index + 1].lowerBound, with: "")
        } else if index > 0 {
            replace(places[index - 1].upperBound..<places[index].upperBound, with: "")
        } else {
            replace(parent.offset + 1..<end(of: parent) - 1, with: "")
        }
    }

    // MARK: Form

    /// The text between the last value and an appended one.
    private func separator(before offset: Int) -> String {
        indent(before: offset).map { "," + lineBreak + $0 } ?? ", "
    }

    private mutating func appendFirst(_ values: [JSONNode], to array: JSONNode) {
        let place = array.offset..<end(of: array)
        guard values.contains(where: { $0.members != nil }) else {
            replace(place, with: "[" + values.map(JSONForm.onOneLine).joined(separator: ", ") + "]")
            return
        }
        let base = lineIndent(at: array.offset)
        let form = JSONForm(lines: (indent: base + "  ", memberIndent: base + "    "), lineBreak: lineBreak)
        let texts = values.map { lineBreak + base + "  " + form.text(of: $0) }
        replace(place, with: "[" + texts.joined(separator: ",") + lineBreak + base + "]")
    }

    /// The text of an only member: on a line of its own in the root object.
    private func alone(_ text: String, _ opening: String, _ closing: String) -> String {
        opening + lineBreak + "  " + text + lineBreak + closing
    }

    private func form(like element: JSONNode) -> JSONForm {
        let isOnLines = bytes[element.offset..<end(of: element)].contains(ASCII.lineFeed)
        guard isOnLines, let indent = indent(before: element.offset) else {
            return JSONForm(lines: nil, lineBreak: lineBreak)
        }
        let memberIndent = (element.members?.first).flatMap { self.indent(before: $0.nameOffset) }
        return JSONForm(lines: (indent: indent, memberIndent: memberIndent ?? indent + "  "), lineBreak: lineBreak)
    }

    private var lineBreak: String { bytes.contains(ASCII.carriageReturn) ? "\r\n" : "\n" }

    /// The indentation of this place; nil if other text precedes it on its line.
    private func indent(before offset: Int) -> String? {
        let start = bytes[..<offset].lastIndex(of: ASCII.lineFeed).map { $0 + 1 } ?? 0
        let before = bytes[start..<offset]
        guard start > 0, before.allSatisfy({ $0 == ASCII.space || $0 == ASCII.tab }) else { return nil }
        return String(decoding: before, as: UTF8.self)
    }

    /// The indentation of the line of this place.
    private func lineIndent(at offset: Int) -> String {
        let start = bytes[..<offset].lastIndex(of: ASCII.lineFeed).map { $0 + 1 } ?? 0
        let blanks = bytes[start..<offset].prefix { $0 == ASCII.space || $0 == ASCII.tab }
        return String(decoding: blanks, as: UTF8.self)
    }

    private mutating func replace(_ place: Range<Int>, with text: String) {
        bytes.replaceSubrange(place, with: text.utf8)
        if plain != nil { plain = JSONC.plain(bytes) }
        // `JSONForm` writes valid JSON, and whole values are removed with their commas, so that the result is valid.
        let text = plain ?? bytes
        if let root = try? JSONNode.parse(text.span) { self.root = root }
    }

    /// The end of a value. The text is valid, so that counting brackets outside strings suffices.
    private func end(of node: JSONNode) -> Int {
        let bytes = plain ?? self.bytes
        var place = node.offset
        var depth = 0
        while place < bytes.count {
            switch bytes[place] {
            case ASCII.quote:
                place = endOfString(at: place, bytes)
                if depth == 0 { return place }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth <= 0 { return depth < 0 ? place : place + 1 }
            case ASCII.comma, 0...ASCII.space:
                if depth == 0 { return place }
            default: break
            }
            place += 1
        }
        return place
    }

    private func endOfString(at start: Int, _ bytes: [UInt8]) -> Int {
        var place = start + 1
        while place < bytes.count, bytes[place] != ASCII.quote {
            place += bytes[place] == ASCII.backslash ? 2 : 1
        }
        return place + 1
    }
}

/// The layout of new values: objects on several lines like their neighbours, other values on one line.
private struct JSONForm {
    let lines: (indent: String, memberIndent: String)?
    let lineBreak: String

    func text(of value: JSONNode) -> String {
        guard let lines, let members = value.members, !members.isEmpty else { return JSONForm.onOneLine(value) }
        let texts = members.map { lines.memberIndent + JSONForm.member($0) }
        return "{" + lineBreak + texts.joined(separator: "," + lineBreak) + lineBreak + lines.indent + "}"
    }

    static func onOneLine(_ value: JSONNode) -> String {
        switch value.value {
        case .array(let elements): "[" + elements.map(onOneLine).joined(separator: ", ") + "]"
        case .object(let members): "{" + members.map(member).joined(separator: ", ") + "}"
        case .string(let text): quoted(text)
        case .null, .bool, .number:
            value.onOneLine
        }
    }

    private static func member(_ member: JSONMember) -> String { quoted(member.name) + ": " + onOneLine(member.node) }

    static func quoted(_ text: String) -> String {
        String(decoding: JSONNode(.string(text)).serialized, as: UTF8.self)
    }
}
