/// A JSON value. Numbers keep their text, so that nothing is rounded prematurely.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// The literal of the text.
    case number(String)
    case string(String)
    case array([JSONNode])
    case object([JSONMember])
}

/// A JSON value and the place it was read from.
package struct JSONNode: Hashable, Sendable {
    package var value: JSONValue
    /// Offset in bytes of its first character from the start of the text.
    package var offset: Int

    package init(_ value: JSONValue, offset: Int = 0) {
        self.value = value
        self.offset = offset
    }
}

/// One member of an object, in the order of the text.
package struct JSONMember: Hashable, Sendable {
    package var name: String
    /// Offset in bytes of the name's opening quote.
    package var nameOffset: Int
    package var node: JSONNode

    package init(name: String, nameOffset: Int = 0, node: JSONNode) {
        self.name = name
        self.nameOffset = nameOffset
        self.node = node
    }
}

extension JSONNode {
    /// Parses a JSON text strictly by RFC 8259: UTF-8 only, no byte order mark, and unique member names, since parsers
    /// differ in which of two equal names they use.
    /// - Parameter maximumDepth: maximum nesting of arrays and objects.
    package static func parse(_ bytes: Span<UInt8>, maximumDepth: Int = 64) throws(JSONError) -> JSONNode {
        var reader = JSONReader(bytes, maximumDepth: maximumDepth)
        return try reader.readText()
    }

    /// The member of an object with this name, compared byte by byte: by Swift's `==` the Kelvin sign equals K.
    package subscript(_ name: String) -> JSONNode? {
        guard case .object(let members) = value else { return nil }
        let name = name.utf8.span
        for i in members.indices where bytesEqual(members[i].name.utf8.span, name) { return members[i].node }
        return nil
    }

    /// The JSON text without white space.
    package var serialized: [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }

    package var string: String? {
        if case .string(let text) = value { text } else { nil }
    }

    /// The number if it is written as an integer and fits; `600.0` and `6e2` are not integers.
    package var integer: Int64? {
        // A JSON number has no plus sign and no blanks, and `Int64` rejects fractions and exponents.
        if case .number(let text) = value { Int64(text) } else { nil }
    }

    /// The number as floating point; nil if it is too large.
    package var number: Double? {
        guard case .number(let text) = value, let number = Double(text), number.isFinite else { return nil }
        return number
    }

    package var bool: Bool? {
        if case .bool(let flag) = value { flag } else { nil }
    }

    package var array: [JSONNode]? {
        if case .array(let elements) = value { elements } else { nil }
    }

    package var members: [JSONMember]? {
        if case .object(let members) = value { members } else { nil }
    }

    package var isNull: Bool { value == .null }
}
