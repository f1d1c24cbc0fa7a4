import Bytes

/// An XML element as a value: names resolved, comments dropped, texts joined.
///
/// Documents are converted to such trees as a whole, so that all later code handles plain values.
package struct XMLElement: Sendable, Equatable {
    package struct Attribute: Sendable, Equatable {
        /// Local name.
        package let name: String
        /// Nil for an attribute without a prefix.
        package let namespace: String?
        package let value: String
    }

    /// Local name.
    package let name: String
    package let namespace: String?
    /// Without namespace declarations.
    package let attributes: [Attribute]
    package let children: [XMLElement]
    /// The direct text content, with comments and child elements removed. A comment therefore cannot truncate a name.
    package let text: String

    /// The attribute of this name without a namespace.
    package subscript(_ name: String) -> String? {
        attributes.first { $0.namespace == nil && $0.name.isExactly(name) }?.value
    }

    package func has(_ name: String, _ namespace: String) -> Bool {
        self.name.isExactly(name) && self.namespace?.isExactly(namespace) ?? false
    }

    package func children(_ name: String, _ namespace: String) -> [XMLElement] {
        children.filter { $0.has(name, namespace) }
    }

    /// The text as it stands, such as of a name, which with a blank is another name; nil if there are child elements.
    package var exactText: String? { children.isEmpty ? text : nil }

    /// The text without surrounding white space, such as of a URI; nil if there are child elements.
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

/// Size limits of a document. Parsing and canonicalisation partly take quadratic time, so the first three limits are
/// checked on the raw bytes before parsing, and the others before canonicalisation.
package enum XMLBounds {
    /// SAML-03.
    package static let bytes = 524_288
    /// Number of `<`: start tags, end tags, comments.
    package static let brackets = 16_384
    /// Number of quotes of either kind, two per attribute.
    package static let quotes = 16_384
    /// Nesting depth of elements.
    package static let depth = 48
    /// Attributes of one element, and namespaces declared on it.
    package static let attributes = 256
    /// Bytes of the name of a namespace.
    package static let namespaceName = 1024
    /// Inclusive prefixes of a canonicalisation (exclusive canonicalisation section 3).
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
