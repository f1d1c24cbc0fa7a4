import Bytes

/// JSON with comments and with commas before closing brackets, in files whose name ends in `.jsonc`.
package enum JSONC {
    package static func isName(_ file: String) -> Bool { file.hasSuffix(".jsonc") }

    /// Replaces comments, and commas before a closing bracket, with blanks, so that offsets stay the same. An
    /// unterminated comment is left unchanged.
    package static func plain(_ text: [UInt8]) -> [UInt8] {
        var walk = Walk(text)
        while walk.step() {}
        return walk.text
    }

    private struct Walk {
        var text: [UInt8]
        private var place = 0
        /// The last byte outside white space and comments.
        private var lastByte: UInt8 = 0
        /// Offset of a comma after a value, until something other than white space follows.
        private var comma: Int?

        init(_ text: [UInt8]) { self.text = text }

        mutating func step() -> Bool {
            guard place < text.count else { return false }
            let byte = text[place]
            switch byte {
            case ASCII.quote: skipString()
            case ASCII.slash where isComment(): blankComment()
            case ASCII.space, ASCII.tab, ASCII.lineFeed, ASCII.carriageReturn: place += 1
            case ASCII.comma:
                let openings = [UInt8(ascii: "["), UInt8(ascii: "{"), ASCII.comma, ASCII.colon, 0]
                let isBehindValue = !openings.contains(lastByte)
                comma = isBehindValue ? place : nil
                take(byte)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if let comma { text[comma] = ASCII.space }
                comma = nil
                take(byte)
            default:
                comma = nil
                take(byte)
            }
            return true
        }

        private mutating func take(_ byte: UInt8) {
            lastByte = byte
            place += 1
        }

        private mutating func skipString() {
            comma = nil
            lastByte = ASCII.quote
            place += 1
            while place < text.count, text[place] != ASCII.quote { place += text[place] == ASCII.backslash ? 2 : 1 }
            place += 1
        }

        private func isComment() -> Bool {
            guard place + 1 < text.count else { return false }
            if text[place + 1] == ASCII.slash { return true }
            return text[place + 1] == UInt8(ascii: "*") && commentEnd() != nil
        }

        /// The end of a comment `/* */`; nil without one.
        private func commentEnd() -> Int? {
            var next = place + 2
            while next + 1 < text.count {
                if text[next] == UInt8(ascii: "*"), text[next + 1] == ASCII.slash { return next + 2 }
                next += 1
            }
            return nil
        }

        private mutating func blankComment() {
            let isLine = text[place + 1] == ASCII.slash
            let end = isLine ? text[place...].firstIndex(of: ASCII.lineFeed) ?? text.count : commentEnd() ?? text.count
            for i in place..<end where text[i] != ASCII.lineFeed && text[i] != ASCII.carriageReturn {
                text[i] = ASCII.space
            }
            place = end
        }
    }
}

extension JSONNode {
    /// Parses a file of the configuration. The extension `.jsonc` allows for comments.
    package static func parse(_ text: [UInt8], file: String) throws(JSONError) -> JSONNode {
        let plain = JSONC.isName(file) ? JSONC.plain(text) : text
        return try parse(plain.span)
    }
}

/// A syntax error of a JSON text, for its author.
package struct JSONProblem {
    /// From 1.
    package let line: Int
    package let column: Int
    package let message: String
    package let expected: String

    package var text: String { "line \(line), column \(column): \(message)" }

    package init(_ error: JSONError, in text: [UInt8], file: String) {
        line = SourceFile.line(at: error.offset, in: text)
        column = SourceFile.column(at: error.offset, in: text)
        let (words, remedy) = JSONProblem.words(error, text, isJSONC: JSONC.isName(file))
        message = words
        expected = remedy ?? "RFC 8259 JSON"
    }

    private static func words(_ error: JSONError, _ text: [UInt8], isJSONC: Bool) -> (String, remedy: String?) {
        let rest = text[min(error.offset, text.count)...]
        let remedy = "JSON without it, or a file whose name ends in .jsonc"
        switch error.kind {
        case .byteOrderMark: return (error.kind.rawValue, "UTF-8 without a byte order mark")
        case .duplicateName:
            // The name is well-formed, since it was parsed before the comparison.
            let name = String(decoding: rest.dropFirst().prefix { $0 != ASCII.quote }, as: UTF8.self)
            return ("the object has the member \"\(name)\" already", "each member once")
        case .unexpectedCharacter, .expectedName, .expectedCommaOrEnd, .expectedColon, .trailingCharacters:
            if rest.starts(with: "/*".utf8), isJSONC { return ("the comment has no end", "*/") }
            if rest.starts(with: "//".utf8) || rest.starts(with: "/*".utf8) || rest.starts(with: "#".utf8) {
                return isJSONC ? ("a comment begins with // or /*", nil) : ("JSON has no comments", remedy)
            }
            let before = text[..<rest.startIndex].last { $0 > ASCII.space }
            if let bracket = rest.first, [UInt8(ascii: "}"), UInt8(ascii: "]")].contains(bracket), before == ASCII.comma
            {
                return ("a comma precedes the closing bracket", isJSONC ? nil : remedy)
            }
            return (error.kind.rawValue, nil)
        default: return (error.kind.rawValue, nil)
        }
    }
}
