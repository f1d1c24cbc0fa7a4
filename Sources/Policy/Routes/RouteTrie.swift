import Bytes
import HTTP

/// Path patterns as a tree of segments. Built once; then a search visits each node at most once and allocates nothing.
struct RouteTrie: Sendable {
    private struct Node: Sendable {
        /// Children by literal segment, sorted by `seal`.
        var edges: [(text: [UInt8], node: Int32)] = []
        /// Child for `*`, -1 where there is none.
        var one: Int32 = -1
        /// Leaf of the patterns that end here, -1 where there are none.
        var end: Int32 = -1
        /// Leaf of the patterns with `**` here, -1 where there are none.
        var deep: Int32 = -1
    }

    private var nodes: [Node] = []
    /// The routes of each pattern; a leaf is an index into it.
    private var leaves: [[Route]] = []

    /// A new empty tree; the answer is its root.
    mutating func addRoot() -> Int32 {
        nodes.append(Node())
        return Int32(nodes.count - 1)
    }

    mutating func insert(_ route: Route, under root: Int32) {
        var node = Int(root)
        for segment in route.pattern.segments { node = child(of: node, for: segment) }
        let known = route.pattern.isDeep ? nodes[node].deep : nodes[node].end
        if known >= 0 {
            leaves[Int(known)].append(route)
            return
        }
        let leaf = Int32(leaves.count)
        leaves.append([route])
        if route.pattern.isDeep { nodes[node].deep = leaf } else { nodes[node].end = leaf }
    }

    private mutating func child(of node: Int, for segment: PathPattern.Segment) -> Int {
        switch segment {
        case .one:
            if nodes[node].one < 0 {
                let fresh = addRoot()
                nodes[node].one = fresh
            }
            return Int(nodes[node].one)
        case .literal(let text):
            if let edge = nodes[node].edges.first(where: { $0.text == text }) { return Int(edge.node) }
            let fresh = addRoot()
            nodes[node].edges.append((text, fresh))
            return Int(fresh)
        }
    }

    /// Makes the tree searchable; nothing may be inserted after it.
    mutating func seal() {
        for i in nodes.indices { nodes[i].edges.sort { $0.text.lexicographicallyPrecedes($1.text) } }
    }

    /// The leaf of the most specific pattern that has the path, -1 where none has.
    ///
    /// - Parameter path: begins with `/`.
    func leaf(of path: Span<UInt8>, under root: Int32) -> Int32 { search(Int(root), path, 1) }

    /// The route of a leaf that has the method.
    func choose(_ leaf: Int32, _ method: Method, _ methodText: Span<UInt8>) -> RouteMatch {
        let index = Int(leaf)
        for i in leaves[index].indices where leaves[index][i].methods.contains(method, methodText) {
            return .route(leaves[index][i])
        }
        return .methodNotAllowed(leaves[index][0])
    }

    /// - Parameter start: offset of the next segment; beyond the end of the path where there is none.
    private func search(_ node: Int, _ path: Span<UInt8>, _ start: Int) -> Int32 {
        guard start <= path.count else { return nodes[node].end >= 0 ? nodes[node].end : nodes[node].deep }
        var end = start
        while end < path.count, path[end] != ASCII.slash { end += 1 }
        let literal = edge(of: node, path.extracting(start..<end))
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

    private func edge(of node: Int, _ segment: Span<UInt8>) -> Int32 {
        var low = 0
        var high = nodes[node].edges.count
        while low < high {
            let middle = (low + high) / 2
            let order = RouteTrie.order(segment, nodes[node].edges[middle].text.span)
            if order == 0 { return nodes[node].edges[middle].node }
            if order < 0 { high = middle } else { low = middle + 1 }
        }
        return -1
    }

    private static func order(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int {
        for i in 0..<min(left.count, right.count) where left[i] != right[i] { return Int(left[i]) - Int(right[i]) }
        return left.count - right.count
    }
}
