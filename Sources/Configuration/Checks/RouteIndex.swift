/// The routes by what a request says of them, so that checks of each route against the others need not look at all.
struct RouteIndex {
    private struct Node {
        var literals: [Substring: Int] = [:]
        /// Node for `*`.
        var one: Int?
        /// Routes whose pattern ends here.
        var end: [Int] = []
        /// Routes that have `**` here.
        var deep: [Int] = []
    }

    private struct Place: Hashable {
        /// Nil for hosts that no route names.
        let host: String?
        let path: String
    }

    private var nodes: [Node] = []
    /// Node of the patterns of each host, and (nil) of those for any.
    private var roots: [String?: Int] = [:]
    private var places: [Place: [Int]] = [:]

    init(_ routes: [RouteEntry]) {
        for (i, route) in routes.enumerated() where !route.path.isEmpty {
            for host in RouteIndex.hosts(of: route) {
                places[Place(host: host, path: route.path), default: []].append(i)
                insert(i, route.path, under: host)
            }
        }
    }

    /// The routes of the same pattern that one host can mean with equal right, in the order of the file: a route with
    /// hosts goes before one without.
    func siblings(of route: RouteEntry) -> [Int] {
        merged(RouteIndex.hosts(of: route).map { places[Place(host: $0, path: route.path)] ?? [] })
    }

    /// The routes whose pattern has this path, for a host that means the given route too, in the order of the file: those
    /// that name one of its hosts, or where there are none, those for any host.
    func routes(of path: String, likeHostsOf route: RouteEntry) -> [Int] {
        let segments = PathPattern.segments(path)[...]
        let named = merged(route.hosts.map { found(segments, under: roots[$0]) })
        return named.isEmpty ? found(segments, under: roots[String?.none]).sorted() : named
    }

    private static func hosts(of route: RouteEntry) -> [String?] { route.hosts.isEmpty ? [nil] : route.hosts }

    private func merged(_ lists: [[Int]]) -> [Int] {
        lists.count == 1 ? lists[0].sorted() : Set(lists.joined()).sorted()
    }

    private mutating func insert(_ route: Int, _ path: String, under host: String?) {
        var segments = PathPattern.segments(path)[...]
        let isDeep = segments.last == "**"
        if isDeep { segments.removeLast() }
        var node = roots[host] ?? add()
        roots[host] = node
        for segment in segments {
            if segment == "*" {
                let next = nodes[node].one ?? add()
                nodes[node].one = next
                node = next
            } else {
                let next = nodes[node].literals[segment] ?? add()
                nodes[node].literals[segment] = next
                node = next
            }
        }
        if isDeep { nodes[node].deep.append(route) } else { nodes[node].end.append(route) }
    }

    private mutating func add() -> Int {
        nodes.append(Node())
        return nodes.count - 1
    }

    private func found(_ segments: ArraySlice<Substring>, under node: Int?) -> [Int] {
        guard let node else { return [] }
        guard let first = segments.first else { return nodes[node].deep + nodes[node].end }
        let rest = segments.dropFirst()
        return nodes[node].deep + found(rest, under: nodes[node].literals[first])
            + (first.isEmpty ? [] : found(rest, under: nodes[node].one))
    }
}
