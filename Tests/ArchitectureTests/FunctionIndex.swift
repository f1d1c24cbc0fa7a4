/// The functions, initializers and subscripts of a file. Where one ends is read from the indentation, which
/// `swift format` keeps.
struct FunctionIndex {
    /// One declaration.
    struct Function {
        let name: String
        /// The first line, from 1.
        let line: Int
        /// From the line of the name to the closing brace.
        let lineCount: Int
        /// Parameters whose arguments have no label.
        let unlabelled: Int
    }

    let functions: [Function]

    init(_ file: SourceFile) {
        let lines = file.codeLines
        functions = lines.indices.flatMap { index -> [Function] in
            guard let (name, start) = Self.declaration(lines[index]) else { return [] }
            let end = Self.end(lines, index)
            let text = lines[index][start...] + "\n" + lines[(index + 1)..<(end + 1)].joined(separator: "\n")
            return [
                Function(
                    name: name, line: index + 1, lineCount: end - index + 1, unlabelled: Self.unlabelled(text))
            ]
        }
    }

    /// The name that a line declares, and the rest of the line.
    private static func declaration(_ line: Substring) -> (String, Substring.Index)? {
        guard let open = line.firstIndex(of: "(") else { return nil }
        let words = line[..<open].split { $0 == " " || $0 == "<" || $0 == "?" || $0 == "!" }
        if let keyword = words.firstIndex(of: "func"), keyword + 1 < words.endIndex {
            return (String(words[keyword + 1]), open)
        }
        // The label of a closure parameter has a colon, and a call a dot.
        guard let keyword = words.first(where: { $0 == "init" || $0 == "subscript" }) else { return nil }
        return (String(keyword), open)
    }

    /// The last line of the declaration that begins in a line.
    private static func end(_ lines: [Substring], _ start: Int) -> Int {
        let indentation = lines[start].prefix { $0 == " " }.count
        for index in lines.indices.dropFirst(start + 1) {
            let text = lines[index].drop { $0 == " " }
            guard !text.isEmpty, lines[index].count - text.count <= indentation else { continue }
            let isSame = lines[index].count - text.count == indentation
            if isSame, text.hasPrefix(")") || text.hasPrefix("where") || text == "{" { continue }
            return isSame && text.hasPrefix("}") ? index : index - 1
        }
        return start
    }

    /// Counts the parameters without labels of a list that begins with its parenthesis.
    private static func unlabelled(_ text: Substring) -> Int {
        var (depth, count, isStart) = (0, 0, false)
        for (byte, next) in zip(text.utf8, text.utf8.dropFirst()) {
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: " "), UInt8(ascii: "\n"): continue
            case UInt8(ascii: "_") where isStart && next == UInt8(ascii: " "): count += 1
            default: break
            }
            if depth == 0 { break }
            isStart = depth == 1 && (byte == UInt8(ascii: "(") || byte == UInt8(ascii: ","))
        }
        return count
    }
}
