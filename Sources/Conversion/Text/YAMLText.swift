import Bytes

/// A strict reader for the YAML that configurations are written in: mappings and lists by indentation or in brackets, plain and
/// quoted texts, blocks (`|`, `>`) and comments. Anchors, aliases, tags, merge keys, several documents, complex keys and plain
/// texts of several lines are refused, and so are words that readers of YAML take differently (`yes`, `on`). JSON is YAML,
/// and is read by the reader for JSON.
package struct YAMLText {
    private struct Line {
        var number: Int
        var indent: Int
        /// Without indentation and comment; empty for a line with nothing else.
        var text: Substring
        /// As it stands, for blocks.
        var whole: Substring
        /// Offset of `text` in the file.
        var offset: Int
    }

    private let file: String
    private var lines: [Line] = []
    private var index = 0
    private var depth = 0

    /// The value of a text in JSON or YAML; offsets are those of the text.
    /// - Parameter file: name for messages.
    package static func node(_ text: String, file: String) throws(ConversionFailure) -> JSONNode {
        try ConversionText.check(text, file: file)
        if let first = text.first(where: { !$0.isWhitespace }), first == "{" || first == "[" {
            do throws(JSONError) {
                return try JSONNode.parse(text.utf8.span)
            } catch {
                // A list in brackets may still be YAML; the message of the reader for JSON is the better one.
                throw ConversionFailure(
                    place: "\(file):\(line(of: error.offset, in: text))",
                    message: "no valid JSON: \(error.kind.rawValue)")
            }
        }
        var reader = try YAMLText(text, file: file)
        guard reader.next != nil else { throw ConversionFailure(place: file, message: "the file is empty") }
        let node = try reader.block(minimum: 0)
        if let rest = reader.next { throw reader.failure(rest.number, "the indentation fits no line above") }
        return node
    }

    /// Number of the line of an offset, from 1.
    package static func line(of offset: Int, in text: String) -> Int {
        text.utf8.prefix(offset).count { $0 == ASCII.lineFeed } + 1
    }

    private init(_ text: String, file: String) throws(ConversionFailure) {
        self.file = file
        var offset = 0
        var seenText = false
        // By bytes, since CRLF is one character.
        for (index, line) in text.utf8.split(separator: ASCII.lineFeed, omittingEmptySubsequences: false).enumerated() {
            let raw = Substring(line)
            let start = offset
            offset += raw.utf8.count + 1
            let whole = raw.last == "\r" ? raw.dropLast() : raw
            let indent = whole.prefix { $0 == " " }.count
            var body = whole.dropFirst(indent)
            if body == "---", !seenText { body = "" }
            if body.hasPrefix("---") || body.hasPrefix("%") || body == "..." {
                throw failure(index + 1, "only one document is read, without directives")
            }
            if !body.isEmpty, !body.hasPrefix("#") { seenText = true }
            lines.append(
                Line(
                    number: index + 1, indent: indent, text: Self.withoutComment(body), whole: whole,
                    offset: start + indent))
        }
    }

    /// Without a comment and blanks at the end; a `#` in quotes is none.
    private static func withoutComment(_ text: Substring) -> Substring {
        var quote: Character?
        var end = text.endIndex
        var previous: Character = " "
        var place = text.startIndex
        while place < text.endIndex {
            let character = text[place]
            if let open = quote {
                if open == "\"", character == "\\" {
                    place = text.index(after: place)
                    if place == text.endIndex { break }
                } else if character == open {
                    quote = nil
                }
            } else if character == "#", previous == " " || previous == "\t" {
                end = place
                break
            } else if character == "\"" || character == "'", " \t[{,:".contains(previous) {
                quote = character
            }
            previous = character
            place = text.index(after: place)
        }
        var result = text[..<end]
        while result.last == " " || result.last == "\t" { result.removeLast() }
        return result
    }

    /// The next line with text.
    private var next: Line? { lines[index...].first { !$0.text.isEmpty } }

    /// The same, as the one at `index`.
    private mutating func advance() -> Line? {
        while index < lines.count, lines[index].text.isEmpty { index += 1 }
        return index < lines.count ? lines[index] : nil
    }

    // MARK: Blocks

    /// The value whose lines begin with at least this indentation.
    private mutating func block(minimum: Int) throws(ConversionFailure) -> JSONNode {
        guard let line = advance() else { return JSONNode(.null) }
        depth += 1
        defer { depth -= 1 }
        guard depth <= 32 else { throw failure(line.number, "there are more than 32 levels") }
        if line.text.hasPrefix("\t") { throw failure(line.number, "indentation is made of blanks, not of tabs") }
        guard line.indent >= minimum else { return JSONNode(.null) }
        if line.text == "-" || line.text.hasPrefix("- ") { return try list(line.indent) }
        if try key(of: line) != nil { return try mapping(line.indent) }
        index += 1
        return try scalar(line.text, line, indent: line.indent - 1)
    }

    private mutating func list(_ indent: Int) throws(ConversionFailure) -> JSONNode {
        var elements: [JSONNode] = []
        let offset = lines[index].offset
        while let line = advance(), line.indent == indent, line.text == "-" || line.text.hasPrefix("- ") {
            let rest = line.text.dropFirst().drop { $0 == " " }
            if rest.isEmpty {
                index += 1
                elements.append(try block(minimum: indent + 1))
                continue
            }
            // What follows the dash is a block of its own, as if it were indented to there.
            let shift = line.text.utf8.count - rest.utf8.count
            lines[index].indent += shift
            lines[index].offset += shift
            lines[index].text = rest
            elements.append(try block(minimum: indent + 1))
        }
        if let line = next, line.indent > indent { throw failure(line.number, "the indentation fits no line above") }
        return JSONNode(.array(elements), offset: offset)
    }

    private mutating func mapping(_ indent: Int) throws(ConversionFailure) -> JSONNode {
        var members: [JSONMember] = []
        let offset = lines[index].offset
        while let line = advance(), line.indent == indent {
            guard let (name, rest) = try key(of: line) else {
                throw failure(line.number, "a line `name: value` is expected")
            }
            guard name != "<<" else { throw failure(line.number, "merge keys are not read; write the members out") }
            guard !members.contains(where: { $0.name == name }) else {
                throw failure(line.number, "\"\(name)\" is given twice")
            }
            index += 1
            let node: JSONNode
            if rest.isEmpty {
                // A list may stand as far left as its name.
                let isList = next.map { $0.indent == indent && ($0.text == "-" || $0.text.hasPrefix("- ")) } ?? false
                node = try block(minimum: isList ? indent : indent + 1)
            } else {
                node = try scalar(rest, line, indent: indent)
            }
            let place = line.offset + line.text.utf8.count - rest.utf8.count
            let isInline = !rest.isEmpty
            members.append(
                JSONMember(
                    name: name, nameOffset: line.offset,
                    node: JSONNode(node.value, offset: isInline || node.isNull ? place : node.offset)))
        }
        if let line = next, line.indent > indent { throw failure(line.number, "the indentation fits no line above") }
        return JSONNode(.object(members), offset: offset)
    }

    /// The name in front of a colon, and what follows it; nil for a line that is no member.
    private func key(of line: Line) throws(ConversionFailure) -> (name: String, rest: Substring)? {
        let text = line.text
        if let quote = text.first, quote == "\"" || quote == "'" {
            var flow = YAMLFlow(text, line: line.number, file: file)
            let name = try flow.quoted()
            guard flow.rest.first == ":", flow.rest.dropFirst().first ?? " " == " " else { return nil }
            return (name, flow.rest.dropFirst().drop { $0 == " " })
        }
        if text.hasPrefix("? ") { throw failure(line.number, "complex keys are not read") }
        if let first = text.first, "[{".contains(first) { return nil }
        let colon = text.indices.first { place in
            let after = text.index(after: place)
            return text[place] == ":" && (after == text.endIndex || text[after] == " ")
        }
        guard let colon else { return nil }
        let name = String(text[..<colon])
        if let first = name.first, "&*!|>%@`".contains(first) {
            throw failure(line.number, "anchors, aliases and tags are not read; write the value out")
        }
        return (name, text[text.index(after: colon)...].drop { $0 == " " })
    }

    // MARK: Values

    /// The value that stands on a line, or begins there.
    /// - Parameter indent: of the line; what belongs to the value is indented further.
    private mutating func scalar(_ text: Substring, _ line: Line, indent: Int) throws(ConversionFailure) -> JSONNode {
        if text.hasPrefix("|") || text.hasPrefix(">") { return try literal(text, line, indent) }
        var whole = text
        var joined = ""
        if let first = text.first, "[{".contains(first) {
            // A value in brackets goes on until they are closed.
            joined = String(text)
            while !YAMLFlow.isClosed(joined), let more = advance(), more.indent > indent {
                joined += "\n" + more.text
                index += 1
            }
            whole = Substring(joined)
        } else if let more = next, more.indent > indent {
            throw failure(more.number, "values of several lines need \"|\" or \">\"")
        }
        var flow = YAMLFlow(whole, line: line.number, file: file)
        let node = try flow.value(isInBrackets: false)
        guard flow.rest.allSatisfy({ $0.isWhitespace }) else {
            throw failure(line.number, "the end of the line is expected behind the value")
        }
        return JSONNode(node.value, offset: line.offset)
    }

    /// A block behind `|` or `>`.
    private mutating func literal(
        _ header: Substring, _ line: Line, _ indent: Int
    ) throws(ConversionFailure) -> JSONNode {
        guard ["|", "|-", ">", ">-"].contains(header) else {
            throw failure(line.number, "of blocks only |, |-, > and >- are read")
        }
        var texts: [Substring] = []
        var own: Int?
        while index < lines.count {
            let line = lines[index]
            let isBlank = line.whole.allSatisfy { $0 == " " }
            if !isBlank {
                guard line.indent > indent else { break }
                if own == nil { own = line.indent }
                guard line.indent >= own ?? 0 else { throw failure(line.number, "the indentation fits no line above") }
            }
            texts.append(isBlank ? "" : line.whole.dropFirst(own ?? 0))
            index += 1
        }
        while texts.last == "" { texts.removeLast() }
        if header.hasPrefix(">"), texts.contains(where: { $0.isEmpty || $0.hasPrefix(" ") }) {
            throw failure(line.number, "empty or indented lines in a block behind > are not read; use |")
        }
        let text = texts.joined(separator: header.hasPrefix(">") ? " " : "\n")
        return JSONNode(.string(header.hasSuffix("-") || text.isEmpty ? text : text + "\n"), offset: line.offset)
    }

    private func failure(_ line: Int, _ message: String) -> ConversionFailure {
        ConversionFailure(place: "\(file):\(line)", message: "\(message); `yq -o json FILE` makes JSON of other YAML")
    }
}
