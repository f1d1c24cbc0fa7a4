import Model

/// An index of routes by host and path pattern, so that checks do not compare each route with all others.
struct RouteIndex {
    private struct Place: Hashable {
        /// Nil for any host.
        let host: HostPattern?
        let path: PathPattern
    }

    private let routes: [RouteEntry]
    private var trie = PathTrie()
    /// Root of the patterns of each host; nil is the key of any host.
    private var roots: [HostPattern?: Int32] = [:]
    private var places: [Place: [Int]] = [:]

    init(_ routes: [RouteEntry]) {
        self.routes = routes
        var patterns: [HostPattern?: [(PathPattern, Int)]] = [:]
        for (i, route) in routes.enumerated() where route.path != .nothing {
            for host in RouteIndex.hosts(of: route) {
                places[Place(host: host, path: route.path), default: []].append(i)
                patterns[host, default: []].append((route.path, i))
            }
        }
        roots = patterns.mapValues { trie.grow($0) }
    }

    /// The routes with the same pattern and a common host, in the order of the file.
    func siblings(of route: RouteEntry) -> [Int] {
        merged(RouteIndex.hosts(of: route).map { places[Place(host: $0, path: route.path)] ?? [] })
    }

    /// The routes of a path at the hosts of the given route, in the order of the file, as Policy's `RouteTable` finds them:
    /// those that name one of its hosts, or else those for any host. They have the same pattern and differ in methods or
    /// conditions.
    func routes(of path: String, likeHostsOf route: RouteEntry) -> [Int] {
        let named = found(path, under: route.hosts.compactMap { roots[$0] })
        return named.isEmpty ? found(path, under: roots[nil].map { [$0] } ?? []) : named
    }

    private static func hosts(of route: RouteEntry) -> [HostPattern?] { route.hosts.isEmpty ? [nil] : route.hosts }

    private func merged(_ lists: [[Int]]) -> [Int] {
        lists.count == 1 ? lists[0].sorted() : Set(lists.joined()).sorted()
    }

    private func found(_ path: String, under roots: [Int32]) -> [Int] {
        let path = Array(path.utf8)
        let leaves = roots.map { trie.leaf(of: path.span, under: $0) }.filter { $0 >= 0 }.map { trie.leaves[Int($0)] }
        let best = leaves.map { routes[$0[0]].path }.min { $0.isMoreSpecific(than: $1) }
        return merged(leaves.filter { routes[$0[0]].path == best })
    }
}

extension PathPattern {
    /// The order in which patterns that match the same path are preferred: segment by segment, a literal before `*`, the
    /// end and `*` before `**`.
    fileprivate func isMoreSpecific(than other: PathPattern) -> Bool {
        zip(ranks, other.ranks).first { $0 != $1 }.map { $0 < $1 } ?? false
    }

    private var ranks: [Int] { segments.map { $0 == .one ? 1 : 0 } + [isDeep ? 2 : 0, 0] }
}
