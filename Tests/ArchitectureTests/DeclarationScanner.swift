/// Finds the declarations in code without comments and strings.
struct DeclarationScanner {
    /// What braces enclose: a type or an extension, whose declarations are as private as itself.
    private struct Scope {
        let name: String
        let isPrivate: Bool
    }

    private let tokens: [Substring]
    /// By qualified name, extensions included.
    private(set) var members: [String: Int] = [:]
    /// Qualified names of the types that are declared, and not only extended.
    private(set) var declared: Set<String> = []
    /// What other files can name: qualified names of types, and those of functions and properties of no type.
    private(set) var visible: Set<String> = []
    /// Names of the types that are extended at the top of the file.
    private(set) var extended: Set<String> = []

    private var scopes: [Scope?] = []
    private var pending: Scope?
    private var parentheses = 0

    private init(_ code: String) { tokens = DeclarationScanner.tokens(code) }

    static func scan(_ code: String) -> DeclarationScanner {
        var scanner = DeclarationScanner(code)
        for index in scanner.tokens.indices { scanner.take(index) }
        return scanner
    }

    private static func tokens(_ code: String) -> [Substring] {
        var tokens: [Substring] = []
        let text = code.utf8
        var start = text.startIndex
        func isWord(_ byte: UInt8) -> Bool {
            (byte | 32) &- 97 < 26 || byte &- 48 < 10 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "`")
        }
        while start < text.endIndex {
            let byte = text[start]
            if isWord(byte) {
                let end = text[start...].firstIndex { !isWord($0) } ?? text.endIndex
                tokens.append(code[start..<end])
                start = end
                continue
            }
            let next = text.index(after: start)
            if "{}()[].:".utf8.contains(byte) { tokens.append(code[start..<next]) }
            start = next
        }
        return tokens
    }

    private static let kinds: Set<Substring> = [
        "struct", "class", "enum", "actor", "protocol", "extension", "typealias",
    ]
    private static let memberWords: Set<Substring> = ["func", "var", "let", "init", "subscript"]

    private mutating func take(_ index: Int) {
        let token = tokens[index]
        switch token {
        case "{":
            scopes.append(pending)
            pending = nil
        case "}": _ = scopes.popLast()
        case "(", "[": parentheses += 1
        case ")", "]": parentheses -= 1
        default:
            guard parentheses == 0, index + 1 < tokens.count, index == 0 || tokens[index - 1] != "." else { return }
            if Self.kinds.contains(token) { type(index) }
            if Self.memberWords.contains(token) { member(index) }
        }
    }

    private mutating func type(_ index: Int) {
        guard !Self.memberWords.contains(tokens[index + 1]), tokens[index + 1] != "{", tokens[index + 1] != ":" else {
            return
        }
        var path = [tokens[index + 1]]
        var next = index + 2
        while next + 1 < tokens.count, tokens[next] == "." {
            path.append(tokens[next + 1])
            next += 2
        }
        guard path.allSatisfy({ $0.first?.isUppercase == true }) else { return }
        let scope = scopes.last ?? nil
        let qualified = (scope.map { "\($0.name)." } ?? "") + path.joined(separator: ".")
        let hidden = isPrivate(index)
        if tokens[index] != "typealias" {
            pending = Scope(name: qualified, isPrivate: hidden)
            members[qualified, default: 0] += 0
        }
        if tokens[index] == "extension" {
            extended.insert(String(path[0]))
        } else {
            if !hidden { visible.insert(qualified) }
            if tokens[index] != "typealias" { declared.insert(qualified) }
        }
    }

    private mutating func member(_ index: Int) {
        if let scope = scopes.last ?? nil {
            members[scope.name, default: 0] += 1
        } else if scopes.isEmpty, tokens[index] != "init", !isPrivate(index) {
            visible.insert(String(tokens[index + 1]))
        }
    }

    /// Whether the declaration here is, or stands in one that is, of this file alone.
    private func isPrivate(_ index: Int) -> Bool {
        let modifiers = tokens[max(0, index - 2)..<index]
        return modifiers.contains("private") || modifiers.contains("fileprivate")
            || (scopes.last ?? nil)?.isPrivate == true
    }
}
