/// Which files of a target need which, by the names that they declare and mention. The files of a type, those that only
/// extend it included, are one part: what a type needs does not depend on how it is spread over files.
struct FileGraph {
    /// By the first file of each part: the first files of the parts that it mentions.
    private var edges: [String: Set<String>] = [:]

    /// Groups of parts of which each needs the others, directly or not; those of one part are left out.
    var cycles: [[String]] { Cycles(edges).groups }

    /// - Parameter files: those of one target.
    init(_ files: [SourceFile]) {
        let scans = files.map { ($0, $0.declarations) }
        var declaring: [String: Set<String>] = [:]
        for (file, scan) in scans { for name in scan.visible { declaring[name, default: []].insert(file.path) } }

        var parts: [String: String] = [:]
        for (file, scan) in scans {
            let extended = scan.extended.count == 1 ? scan.extended.first.flatMap { declaring[$0] } ?? [] : []
            let isExtension = extended.count == 1 && !scan.visible.contains { !$0.contains(".") }
            parts[file.path] = isExtension ? extended.first : file.path
        }
        var needs: [Substring: [(name: [Substring], files: Set<String>)]] = [:]
        for (name, files) in declaring {
            let words = name.split(separator: ".")
            if let last = words.last { needs[last, default: []].append((words, files)) }
        }
        for file in files {
            guard let part = parts[file.path] else { continue }
            // A nested type is meant where its outer ones are mentioned too.
            for word in file.words {
                for (name, files) in needs[word] ?? [] where name.allSatisfy(file.words.contains) {
                    edges[part, default: []].formUnion(files.compactMap { parts[$0] })
                }
            }
            edges[part]?.remove(part)
        }
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
