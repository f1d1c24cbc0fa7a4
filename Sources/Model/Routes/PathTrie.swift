import Bytes

/// A trie of path patterns. A search visits each node at most once and allocates nothing.
///
/// Literal segments take precedence over `*`, and the end of a pattern and `*` over `**`.
package struct PathTrie: Sendable {
    private struct Node: Sendable {
        /// Children by literal segment.
        var literals = SortedNames([], ignoringCase: false)
        /// Child for `*`, or -1.
        var one: Int32 = -1
        /// Leaf of the patterns that end here, or -1.
        var end: Int32 = -1
        /// Leaf of the patterns with `**` here, or -1.
        var deep: Int32 = -1
    }

    private struct Entry {
        let pattern: PathPattern
        let number: Int
        /// The remaining segments at a node.
        var rest: ArraySlice<PathPattern.Segment>
    }

    private var nodes: [Node] = []
    /// The numbers of each pattern, in order; a leaf is an index.
    package private(set) var leaves: [[Int]] = []

    package init() {}

    /// Adds a tree and returns its root.
    ///
    /// - Parameter patterns: patterns with numbers of the caller.
    package mutating func grow(_ patterns: [(pattern: PathPattern, number: Int)]) -> Int32 {
        grow(patterns.map { Entry(pattern: $0, number: $1, rest: $0.segments[...]) })
    }

    private mutating func grow(_ entries: [Entry]) -> Int32 {
        let index = nodes.count
        nodes.append(Node())
        var node = Node()
        var ending: (end: [Int], deep: [Int]) = ([], [])
        var starred: [Entry] = []
        var named: [[UInt8]: [Entry]] = [:]
        for var entry in entries {
            switch entry.rest.popFirst() {
            case nil where entry.pattern.isDeep: ending.deep.append(entry.number)
            case nil: ending.end.append(entry.number)
            case .one: starred.append(entry)
            case .literal(let name): named[name, default: []].append(entry)
            }
        }
        (node.end, node.deep) = (addLeaf(ending.end), addLeaf(ending.deep))
        if !starred.isEmpty { node.one = grow(starred) }
        node.literals = SortedNames(named.map { ($0, grow($1)) }, ignoringCase: false)
        nodes[index] = node
        return Int32(index)
    }

    private mutating func addLeaf(_ numbers: [Int]) -> Int32 {
        if numbers.isEmpty { return -1 }
        leaves.append(numbers)
        return Int32(leaves.count - 1)
    }

    /// The leaf of the most specific matching pattern, or -1.
    ///
    /// - Parameter path: begins with `/`.
    package func leaf(of path: Span<UInt8>, under root: Int32) -> Int32 { search(Int(root), path, 1) }

    /// - Parameter start: offset of the next segment; beyond the end of the path for none.
    private func search(_ node: Int, _ path: Span<UInt8>, _ start: Int) -> Int32 {
        guard start <= path.count else { return nodes[node].end >= 0 ? nodes[node].end : nodes[node].deep }
        var end = start
        while end < path.count, path[end] != ASCII.slash { end += 1 }
        let literal = nodes[node].literals.value(of: path.extracting(start..<end))
        if literal >= 0 {
            let found = search(Int(literal), path, end + 1)
            if found >= 0 { return found }
        }
        if nodes[node].one >= 0, end > start {
            let found = search(Int(nodes[node].one), path, end + 1)
            if found >= 0 { return found }
        }
        return nodes[node].deep
    }
}
