/// The types of the sources with their members and files, over all extensions.
struct TypeIndex {
    /// One type of a target.
    struct Entry {
        var members = 0
        var files: Set<String> = []
        var isDeclared = false
    }

    /// By target and qualified name: `Gateway.Worker`.
    private(set) var types: [String: Entry] = [:]
    /// By target and name of a type, function or property: the files that declare it.
    private(set) var declarations: [String: Set<String>] = [:]

    static let sources = TypeIndex(SourceTree.sources)

    init(_ files: [SourceFile]) {
        for file in files {
            var scanner = DeclarationScanner(file.code)
            scanner.run()
            for (name, members) in scanner.members {
                types["\(file.module).\(name)", default: Entry()].members += members
                types["\(file.module).\(name)", default: Entry()].files.insert(file.path)
            }
            for name in scanner.declared { types["\(file.module).\(name)", default: Entry()].isDeclared = true }
            for name in scanner.names { declarations["\(file.module).\(name)", default: []].insert(file.path) }
        }
        // Extensions of types of other targets are no types of this one.
        types = types.filter { $0.value.isDeclared }
    }

    /// Groups of files of a folder of which each needs the others, directly or not; those of one file are left out.
    ///
    /// A file needs another one where it mentions a name that only the other one declares in their target.
    func cycles(_ files: [SourceFile]) -> [[String]] {
        let folders = Dictionary(grouping: files) { $0.path.split(separator: "/").dropLast().joined(separator: "/") }
        return folders.values.flatMap { folder -> [[String]] in
            let paths = Set(folder.map(\.path))
            var needs: [String: Set<String>] = [:]
            for file in folder {
                for word in file.words {
                    guard let owners = declarations["\(file.module).\(word)"], owners.count == 1,
                        let owner = owners.first, owner != file.path, paths.contains(owner)
                    else { continue }
                    needs[file.path, default: []].insert(owner)
                }
            }
            return Cycles(needs).groups
        }
    }
}

/// Finds the declarations in code without comments and strings.
private struct DeclarationScanner {
    private enum Scope {
        case type(String)
        case other
    }

    private let tokens: [Substring]
    /// By qualified name, extensions included.
    private(set) var members: [String: Int] = [:]
    /// Qualified names of the types that are declared, and not only extended.
    private(set) var declared: Set<String> = []
    /// Names of types, functions and properties.
    private(set) var names: Set<Substring> = []

    private var scopes: [Scope] = []
    private var pending: String?
    private var parentheses = 0

    init(_ code: String) { tokens = DeclarationScanner.tokens(code) }

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

    private static let kinds: Set<Substring> = ["struct", "class", "enum", "actor", "protocol", "extension"]
    private static let memberWords: Set<Substring> = ["func", "var", "let", "init", "subscript"]

    mutating func run() {
        for index in tokens.indices { take(index) }
    }

    private mutating func take(_ index: Int) {
        let token = tokens[index]
        switch token {
        case "{":
            scopes.append(pending.map { .type($0) } ?? .other)
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
        let name = path.joined(separator: ".")
        let qualified = scope.map { "\($0).\(name)" } ?? name
        pending = qualified
        members[qualified, default: 0] += 0
        guard tokens[index] != "extension" else { return }
        declared.insert(qualified)
        names.insert(path[0])
    }

    private mutating func member(_ index: Int) {
        let isNamed = ["func", "var", "let"].contains(tokens[index])
        if case .type(let name)? = scopes.last {
            members[name, default: 0] += 1
            if isNamed { names.insert(tokens[index + 1]) }
        } else if scopes.isEmpty, isNamed {
            names.insert(tokens[index + 1])
        }
    }

    /// The type that what follows is nested in.
    private var scope: String? {
        if case .type(let name)? = scopes.last { name } else { nil }
    }
}

/// Strongly connected parts of a graph (Tarjan).
private struct Cycles {
    private let edges: [String: Set<String>]
    private var order: [String: (index: Int, low: Int)] = [:]
    private var stack: [String] = []
    private(set) var groups: [[String]] = []

    init(_ edges: [String: Set<String>]) {
        self.edges = edges
        for node in edges.keys.sorted() where order[node] == nil { visit(node) }
    }

    private mutating func visit(_ node: String) {
        let index = order.count
        var low = index
        order[node] = (index, low)
        stack.append(node)
        for next in edges[node, default: []].sorted() {
            if order[next] == nil {
                visit(next)
            } else if !stack.contains(next) {
                continue
            }
            low = min(low, order[next]?.low ?? low)
            order[node] = (index, low)
        }
        guard low == index, let start = stack.firstIndex(of: node) else { return }
        let group = Array(stack[start...])
        stack.removeSubrange(start...)
        if group.count > 1 { groups.append(group.sorted()) }
    }
}
