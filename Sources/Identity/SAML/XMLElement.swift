/// An element of an XML document as a value: names resolved, comments dropped, texts joined.
///
/// Documents become such trees as a whole, so that everything behind the parser is plain values.
package struct XMLElement: Sendable, Equatable {
    package struct Attribute: Sendable, Equatable {
        /// Without its prefix.
        package let name: String
        /// Nil for an attribute without a prefix.
        package let namespace: String?
        package let value: String
    }

    /// Without its prefix.
    package let name: String
    package let namespace: String?
    /// Namespace declarations are none of them.
    package let attributes: [Attribute]
    package let children: [XMLElement]
    /// What stands directly in it, as if comments and elements between were not there. A comment thus never cuts a
    /// name short.
    package let text: String

    /// The attribute of this name without a namespace.
    package subscript(_ name: String) -> String? {
        attributes.first { $0.namespace == nil && $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    package func has(_ name: String, _ namespace: String) -> Bool {
        self.name.utf8.elementsEqual(name.utf8) && self.namespace?.utf8.elementsEqual(namespace.utf8) ?? false
    }

    package func children(_ name: String, _ namespace: String) -> [XMLElement] {
        children.filter { $0.has(name, namespace) }
    }

    /// The text without white space at its ends; nil where elements stand in it.
    package var simpleText: String? {
        guard children.isEmpty else { return nil }
        let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
        let bytes = Array(text.utf8)
        guard let first = bytes.firstIndex(where: { !blanks.contains($0) }),
            let last = bytes.lastIndex(where: { !blanks.contains($0) })
        else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }
}

/// What a document may hold at most. Some of what a parser and a canonical form take grows with the square of a number, so
/// the first three are counted on the bytes, before a parser sees them, and the others before anything is canonicalised.
package enum XMLBounds {
    /// SAML-03.
    package static let bytes = 524_288
    /// Characters `<`: start tags, end tags, comments.
    package static let brackets = 16_384
    /// Quotes of either kind, two to an attribute.
    package static let quotes = 16_384
    /// Elements within each other.
    package static let depth = 48
    /// Attributes of one element, and namespaces declared on it.
    package static let attributes = 256
    /// Prefixes that a canonical form is to treat as inclusive (exclusive canonicalisation section 3).
    package static let prefixes = 32

    static func holds(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count <= XMLBounds.bytes else { return false }
        var brackets = 0
        var quotes = 0
        for index in bytes.indices {
            let byte = bytes[index]
            if byte == 0x3C { brackets &+= 1 } else if byte == 0x22 || byte == 0x27 { quotes &+= 1 }
        }
        return brackets <= XMLBounds.brackets && quotes <= XMLBounds.quotes
    }
}
