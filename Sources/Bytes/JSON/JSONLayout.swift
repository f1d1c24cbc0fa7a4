/// Changes the white space of JSON texts and nothing else.
package enum JSONLayout {
    /// The text on one line, with a blank behind commas and colons.
    package static func flattened(_ text: [UInt8]) throws(JSONError) -> [UInt8] {
        try rewritten(text, indent: nil)
    }

    /// The text with each member and element on a line of its own; empty objects and arrays on one line.
    /// - Parameter indent: blanks for each level.
    package static func indented(_ text: [UInt8], by indent: Int = 4) throws(JSONError) -> [UInt8] {
        try rewritten(text, indent: indent)
    }

    private static func rewritten(_ text: [UInt8], indent: Int?) throws(JSONError) -> [UInt8] {
        _ = try JSONNode.parse(text.span)
        var writer = Writer(indent: indent)
        var place = 0
        while place < text.count {
            let byte = text[place]
            if byte == ASCII.quote {
                let end = endOfString(text, from: place)
                writer.bytes += text[place..<end]
                place = end
                continue
            }
            writer.take(byte, next: text[(place + 1)...].first { !isBlank($0) })
            place += 1
        }
        return writer.bytes
    }

    /// The text is valid JSON, so that the string ends.
    private static func endOfString(_ text: [UInt8], from start: Int) -> Int {
        var place = start + 1
        while text[place] != ASCII.quote { place += text[place] == ASCII.backslash ? 2 : 1 }
        return place + 1
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == ASCII.space || byte == ASCII.tab || byte == ASCII.lineFeed || byte == ASCII.carriageReturn
    }

    private struct Writer {
        let indent: Int?
        var bytes: [UInt8] = []
        private var depth = 0
        /// Whether the open object or array is empty so far.
        private var isEmpty = false

        init(indent: Int?) { self.indent = indent }

        /// - Parameter next: the next character that is not white space.
        mutating func take(_ byte: UInt8, next: UInt8?) {
            switch byte {
            case _ where JSONLayout.isBlank(byte): break
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                bytes.append(byte)
                isEmpty = next == byte + 2
                depth += 1
                if !isEmpty { breakLine() }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if !isEmpty { breakLine() }
                isEmpty = false
                bytes.append(byte)
            case ASCII.comma:
                bytes.append(byte)
                if indent == nil { bytes.append(ASCII.space) } else { breakLine() }
            case ASCII.colon: bytes += [byte, ASCII.space]
            default: bytes.append(byte)
            }
        }

        private mutating func breakLine() {
            guard let indent else { return }
            bytes.append(ASCII.lineFeed)
            bytes += [UInt8](repeating: ASCII.space, count: depth * indent)
        }
    }
}
