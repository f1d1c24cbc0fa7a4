/// Writes compact JSON, with commas and escapes.
package struct JSONWriter: Sendable {
    /// The output so far.
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init() {}

    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    package mutating func endObject() { close(UInt8(ascii: "}")) }
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    /// The text of one object.
    /// - Parameter members: writes its members.
    package static func object(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.object(members)
        return writer.bytes
    }

    /// An object as the next value.
    package mutating func object(_ members: (inout JSONWriter) -> Void) {
        beginObject()
        members(&self)
        endObject()
    }

    /// A member whose value is an object.
    package mutating func member(_ name: String, _ members: (inout JSONWriter) -> Void) {
        self.name(name)
        object(members)
    }

    /// The name of the member whose value comes next.
    package mutating func name(_ name: String) {
        separate()
        append(quoted: name)
        bytes.append(ASCII.colon)
        needsComma = false
    }

    package mutating func value(_ text: String) {
        separate()
        append(quoted: text)
    }

    package mutating func value(_ number: Int) {
        separate()
        bytes.append(contentsOf: String(number).utf8)
    }

    package mutating func value(_ number: Int64) { value(Int(number)) }

    package mutating func value(_ flag: Bool) {
        separate()
        bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    }

    package mutating func value(_ texts: [String]) {
        beginArray()
        for text in texts { value(text) }
        endArray()
    }

    package mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    /// A parsed value, with the literals of its numbers.
    package mutating func value(_ node: JSONNode) {
        switch node.value {
        case .null: null()
        case .bool(let flag): value(flag)
        case .string(let text): value(text)
        case .number(let literal):
            separate()
            bytes.append(contentsOf: literal.utf8)
        case .array(let elements):
            beginArray()
            for element in elements { value(element) }
            endArray()
        case .object(let members):
            beginObject()
            for member in members {
                name(member.name)
                value(member.node)
            }
            endObject()
        }
    }

    /// A value that is JSON already.
    package mutating func value(json: Span<UInt8>) {
        separate()
        bytes.append(copying: json)
    }

    package mutating func member(_ name: String, _ text: String) {
        self.name(name)
        value(text)
    }

    /// A member whose value is a text without characters that need an escape.
    package mutating func member(_ name: String, word: Span<UInt8>) {
        self.name(name)
        separate()
        bytes.append(ASCII.quote)
        bytes.append(copying: word)
        bytes.append(ASCII.quote)
    }

    package mutating func member(_ name: String, _ number: Int) {
        self.name(name)
        value(number)
    }

    package mutating func member(_ name: String, _ number: Int64) {
        self.name(name)
        value(number)
    }

    /// A time in seconds with three decimals.
    package mutating func member(_ name: String, seconds milliseconds: Int64) {
        member(name, milliseconds / 1000)
        let rest = UInt8(milliseconds % 1000 / 10)
        bytes.append(UInt8(ascii: "."))
        bytes.append(UInt8(ascii: "0") + rest / 10)
        bytes.append(UInt8(ascii: "0") + rest % 10)
        bytes.append(UInt8(ascii: "0") + UInt8(milliseconds % 10))
    }

    package mutating func member(_ name: String, _ flag: Bool) {
        self.name(name)
        value(flag)
    }

    package mutating func member(_ name: String, _ texts: [String]) {
        self.name(name)
        value(texts)
    }

    package mutating func member(_ name: String, _ node: JSONNode) {
        self.name(name)
        value(node)
    }

    /// Ends a line of a log; the next value begins a new text.
    package mutating func endLine() {
        bytes.append(ASCII.lineFeed)
        needsComma = false
    }

    /// Removes the output and keeps the capacity.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    package mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

    /// A member whose value is a text in bytes; invalid UTF-8 is replaced.
    package mutating func member(_ name: String, text: Span<UInt8>) {
        self.name(name)
        value(String(copying: text))
    }

    private mutating func separate() {
        if needsComma { bytes.append(ASCII.comma) }
        needsComma = true
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func append(quoted text: String) {
        bytes.append(ASCII.quote)
        // Nearly all text needs no escapes and is copied at once.
        if JSONWriter.needsEscapes(text.utf8.span) {
            append(escaped: text)
        } else {
            bytes.append(contentsOf: text.utf8)
        }
        bytes.append(ASCII.quote)
    }

    /// Without a branch in the loop, so that the compiler vectorises it.
    private static func needsEscapes(_ text: Span<UInt8>) -> Bool {
        var found: UInt8 = 0
        for i in text.indices {
            let byte = text[i]
            found |= (byte < 32 ? 1 : 0) | (byte == ASCII.quote ? 1 : 0) | (byte == ASCII.backslash ? 1 : 0)
        }
        return found != 0
    }

    private mutating func append(escaped text: String) {
        for byte in text.utf8 {
            switch byte {
            case ASCII.quote, ASCII.backslash: bytes.append(contentsOf: [ASCII.backslash, byte])
            case ASCII.lineFeed: bytes.append(contentsOf: [ASCII.backslash, UInt8(ascii: "n")])
            case ASCII.carriageReturn: bytes.append(contentsOf: [ASCII.backslash, UInt8(ascii: "r")])
            case ASCII.tab: bytes.append(contentsOf: [ASCII.backslash, UInt8(ascii: "t")])
            case 0..<32:
                bytes.append(contentsOf: "\\u00".utf8)
                for digit in [byte >> 4, byte & 15] { bytes.append(digit < 10 ? 48 &+ digit : 87 &+ digit) }
            default: bytes.append(byte)
            }
        }
    }
}
