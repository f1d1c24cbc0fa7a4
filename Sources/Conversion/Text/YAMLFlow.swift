import Bytes

/// Reads the values of YAML that stand on a line, or in brackets.
struct YAMLFlow {
    private(set) var rest: Substring
    private let line: Int
    private let file: String

    init(_ text: Substring, line: Int, file: String) { (rest, self.line, self.file) = (text, line, file) }

    /// Whether all brackets outside of quotes are closed.
    static func isClosed(_ text: String) -> Bool {
        var (depth, quote, isEscaped) = (0, Character?.none, false)
        for character in text {
            if let open = quote {
                if isEscaped {
                    isEscaped = false
                } else if character == "\\", open == "\"" {
                    isEscaped = true
                } else if character == open {
                    quote = nil
                }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if "[{".contains(character) {
                depth += 1
            } else if "]}".contains(character) {
                depth -= 1
            }
        }
        return depth <= 0 && quote == nil
    }

    mutating func value(isInBrackets: Bool, depth: Int = 0) throws(ConversionFailure) -> JSONNode {
        guard depth < 32 else { throw failure("too many brackets") }
        skip()
        switch rest.first {
        case "[": return try list(depth)
        case "{": return try mapping(depth)
        case "\"", "'": return JSONNode(.string(try quoted()))
        case nil: return JSONNode(.null)
        case let first?:
            if "&*!|>%@`".contains(first) {
                throw failure("anchors, aliases and tags are not read; write the value out")
            }
            return try plain(isInBrackets)
        }
    }

    private mutating func list(_ depth: Int) throws(ConversionFailure) -> JSONNode {
        rest.removeFirst()
        var elements: [JSONNode] = []
        while true {
            skip()
            if rest.first == "]" { break }
            elements.append(try value(isInBrackets: true, depth: depth + 1))
            skip()
            if rest.first == "," { rest.removeFirst() } else { break }
        }
        guard rest.popFirst() == "]" else { throw failure("\",\" or \"]\" is expected") }
        return JSONNode(.array(elements))
    }

    private mutating func mapping(_ depth: Int) throws(ConversionFailure) -> JSONNode {
        rest.removeFirst()
        var members: [JSONMember] = []
        while true {
            skip()
            guard let first = rest.first, first != "}" else { break }
            var name: String
            if first == "\"" || first == "'" {
                name = try quoted()
            } else {
                name = plainName()
            }
            skip()
            guard rest.popFirst() == ":" else { throw failure("\":\" is expected behind \"\(name)\"") }
            guard !members.contains(where: { $0.name == name }) else { throw failure("\"\(name)\" is given twice") }
            members.append(JSONMember(name: name, node: try value(isInBrackets: true, depth: depth + 1)))
            skip()
            if rest.first == "," { rest.removeFirst() } else { break }
        }
        guard rest.popFirst() == "}" else { throw failure("\",\" or \"}\" is expected") }
        return JSONNode(.object(members))
    }

    /// A name without quotes: a colon ends it where a blank or a bracket follows. `a:b` is one name.
    private mutating func plainName() -> String {
        var end = rest.startIndex
        while end < rest.endIndex, !",{}[]".contains(rest[end]), !rest[end].isNewline {
            let after = rest.index(after: end)
            if rest[end] == ":",
                after == rest.endIndex || rest[after].isWhitespace || ",{}[]".contains(rest[after])
            {
                break
            }
            end = after
        }
        defer { rest = rest[end...] }
        return rest[..<end].trimmingBlanks
    }

    mutating func quoted() throws(ConversionFailure) -> String {
        guard let quote = rest.popFirst() else { throw failure("a text is expected") }
        var text = ""
        while let character = rest.popFirst() {
            if character.isNewline { break }
            if character == quote {
                // Two single quotes are one.
                guard quote == "'", rest.first == "'" else { return text }
                rest.removeFirst()
                text.append("'")
            } else if character == "\\", quote == "\"" {
                let escapes: [Character: Character] = [
                    "\"": "\"", "\\": "\\", "/": "/", "n": "\n", "t": "\t", "r": "\r", " ": " ",
                ]
                guard let next = rest.popFirst(), let plain = escapes[next] else {
                    throw failure("unknown escape; a text in single quotes has none")
                }
                text.append(plain)
            } else {
                text.append(character)
            }
        }
        throw failure("the text has no end on its line")
    }

    private mutating func plain(_ isInBrackets: Bool) throws(ConversionFailure) -> JSONNode {
        let text =
            isInBrackets
            ? String(rest.prefix { !",[]{}".contains($0) && !$0.isNewline }) : String(rest.prefix { !$0.isNewline })
        rest = rest.dropFirst(text.count)
        let word = text.trimmingBlanks
        if word.contains(": ") || word.hasSuffix(":") || word.hasPrefix("- ") {
            throw failure("a text with \": \" needs quotes")
        }
        switch word {
        case "", "~", "null", "Null", "NULL": return JSONNode(.null)
        case "true", "True", "TRUE": return JSONNode(.bool(true))
        case "false", "False", "FALSE": return JSONNode(.bool(false))
        default: break
        }
        if ["yes", "no", "on", "off"].contains(word.lowercased()) {
            throw failure("\(word) is a truth value for some readers; write true, false or a text in quotes")
        }
        if let number = try? JSONNode.parse(word.utf8.span), case .number = number.value {
            return JSONNode(number.value)
        }
        return JSONNode(.string(word))
    }

    private mutating func skip() { rest = rest.drop { $0.isWhitespace } }

    private func failure(_ message: String) -> ConversionFailure {
        ConversionFailure(place: "\(file):\(line)", message: message)
    }
}
