import Bytes

/// Path patterns as a tree of segments. A search visits each node at most once and allocates nothing.
///
/// A literal segment goes before `*`, and the end of the pattern and `*` before `**`.
package struct PathTrie: Sendable {
    private struct Node: Sendable {
        /// Children by literal segment.
        var literals = SortedNames([], ignoringCase: false)
        /// Child for `*`, -1 where there is none.
        var one: Int32 = -1
        /// Leaf of the patterns that end here, -1 where there are none.
        var end: Int32 = -1
        /// Leaf of the patterns with `**` here, -1 where there are none.
        var deep: Int32 = -1
    }

    private struct Entry {
        let pattern: PathPattern
        let number: Int
        /// The segments that are left at a node.
        var rest: ArraySlice<PathPattern.Segment>
    }

    private var nodes: [Node] = []
    /// The numbers of each pattern, in the order they were given; a leaf is an index into it.
    package private(set) var leaves: [[Int]] = []

    package init() {}

    /// A further tree; the answer is its root.
    ///
    /// - Parameter patterns: each with a number of the caller's.
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

    /// The leaf of the most specific pattern that has the path, -1 where none has.
    ///
    /// - Parameter path: begins with `/`.
    package func leaf(of path: Span<UInt8>, under root: Int32) -> Int32 { search(Int(root), path, 1) }

    /// - Parameter start: offset of the next segment; beyond the end of the path where there is none.
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
