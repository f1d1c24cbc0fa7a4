import Bytes
import HTTP

/// Path patterns as a tree of segments. A search visits each node at most once and allocates nothing.
struct RouteTrie: Sendable {
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

    private var nodes: [Node] = []
    /// The routes of each pattern; a leaf is an index into it.
    private var leaves: [[Route]] = []

    /// A tree of these routes, in which the first route wins of those that take the same requests; the answer is its
    /// root.
    mutating func grow(_ routes: [Route]) -> Int32 { grow(routes.map { ($0, $0.pattern.segments[...]) }) }

    /// - Parameter rest: of each route, the segments that are left at this node.
    private mutating func grow(_ routes: [(route: Route, rest: ArraySlice<PathPattern.Segment>)]) -> Int32 {
        let index = nodes.count
        nodes.append(Node())
        let ending = routes.filter { $0.rest.isEmpty }.map(\.route)
        let (end, deep) = (addLeaf(ending.filter { !$0.pattern.isDeep }), addLeaf(ending.filter(\.pattern.isDeep)))
        let going = routes.filter { !$0.rest.isEmpty }
        let starred = going.filter { $0.rest.first == .one }.map { ($0.route, $0.rest.dropFirst()) }
        let one = starred.isEmpty ? -1 : grow(starred)
        var named: [[UInt8]: [(route: Route, rest: ArraySlice<PathPattern.Segment>)]] = [:]
        for (route, rest) in going {
            if case .literal(let name)? = rest.first { named[name, default: []].append((route, rest.dropFirst())) }
        }
        let literals = named.map { ($0, grow($1)) }
        nodes[index] = Node(literals: SortedNames(literals, ignoringCase: false), one: one, end: end, deep: deep)
        return Int32(index)
    }

    private mutating func addLeaf(_ routes: [Route]) -> Int32 {
        if routes.isEmpty { return -1 }
        leaves.append(routes)
        return Int32(leaves.count - 1)
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
