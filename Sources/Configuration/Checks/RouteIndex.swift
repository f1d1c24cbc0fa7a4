import Bytes
import Model

/// The routes by what a request says of them, so that checks of each route against the others need not look at all.
struct RouteIndex {
    private struct Place: Hashable {
        /// Nil for hosts that no route names.
        let host: HostPattern?
        let path: PathPattern
    }

    private let routes: [RouteEntry]
    private var trie = PathTrie()
    /// Root of the patterns of each host, and (nil) of those for any.
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

    /// The routes of the same pattern that one host can mean with equal right, in the order of the file: a route with
    /// hosts goes before one without.
    func siblings(of route: RouteEntry) -> [Int] {
        merged(RouteIndex.hosts(of: route).map { places[Place(host: $0, path: route.path)] ?? [] })
    }

    /// The routes that a path has at a host of the given route, as Policy's `RouteTable` finds them, in the order of the
    /// file: those that name one of its hosts, or where there are none, those for any host. They have one pattern and
    /// differ in methods.
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
