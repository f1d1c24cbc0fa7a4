import Bytes
import HTTP
import Model

/// Finds the most specific route of a request.
///
/// Hosts take precedence over paths: first routes with the exact host, then those with a matching `*.` pattern, then
/// those for every host; the first group with a matching pattern decides. Within a group, patterns are compared segment
/// by segment: a literal precedes `*`, and both the end of the pattern and `*` precede `**`. The method is not
/// considered: if the most specific pattern does not have it, the request is refused and never falls through to a more
/// general rule (ROLE-05).
package struct RouteTable: Sendable {
    package let routes: [Route]
    /// The gateway's own endpoints, in order of precedence.
    package let endpoints: [EndpointRoute]
    /// How errors are answered where no route matches; nil for the usual form.
    package let errors: ErrorAnswers?
    /// The spellings that any of the routes keeps.
    let keptSpellings: PathSpellings
    private let exactHosts: SortedNames
    private let wildcardHosts: SortedNames
    /// Root for requests that no host group decides; -1 if all routes name hosts.
    private let anyHost: Int32
    private let trie: PathTrie
    /// The routes of all leaves of the tree, and where each leaf's begin; none for leaves that `selections` has.
    private let routesOfLeaves: [Route]
    private let firstOfLeaf: [Int]
    /// The routes of leaves where some have conditions.
    private let selections: [Int: RouteSelection]

    /// - Parameters:
    ///   - routes: no two with the same pattern and a common host and method; the first would win.
    ///   - endpoints: canonical paths that the gateway answers itself, with precedence over all routes. A path that
    ///     ends in a slash includes everything below.
    ///   - errors: answers to errors where no route matches.
    package init(
        routes: [Route], endpoints: [(path: String, endpoint: EndpointDescriptor)] = [], errors: ErrorAnswers? = nil
    ) {
        self.errors = errors
        keptSpellings = routes.reduce([]) { $0.union($1.entry.options.keptSpellings) }
        var trie = PathTrie()
        var anywhere: [(PathPattern, Int)] = []
        var named: [HostPattern: [(PathPattern, Int)]] = [:]
        for (number, route) in routes.enumerated() {
            if route.hosts.isEmpty { anywhere.append((route.pattern, number)) }
            for host in route.hosts { named[host, default: []].append((route.pattern, number)) }
        }
        anyHost = anywhere.isEmpty ? -1 : trie.grow(anywhere)
        let roots = named.map { (host: $0, root: trie.grow($1)) }
        self.routes = routes
        self.endpoints = endpoints.enumerated().map { EndpointRoute($0, $1.path, $1.endpoint) }
        self.trie = trie
        let all = trie.leaves.map { $0.map { routes[$0] } }
        let isPlain = all.map { $0.allSatisfy(\.conditions.isEmpty) }
        let plain = zip(all, isPlain).map { $1 ? $0 : [] }
        routesOfLeaves = plain.flatMap(\.self)
        firstOfLeaf = plain.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
        selections = Dictionary(
            uniqueKeysWithValues: all.indices.filter { !isPlain[$0] }.map { ($0, RouteSelection(all[$0])) })
        exactHosts = SortedNames(
            roots.filter { !$0.host.isWildcard }.map { ($0.host.name, $0.root) }, ignoringCase: true)
        wildcardHosts = SortedNames(
            roots.filter(\.host.isWildcard).map { ($0.host.name, $0.root) }, ignoringCase: true)
    }

    /// The route or endpoint of a request. Allocates nothing.
    ///
    /// - Parameters:
    ///   - host: host and optional port, in any case; empty if absent.
    ///   - path: canonical (`CanonicalPath`); nothing else is safe to match.
    ///   - methodText: name of the method, used for `.extension` only.
    package func match(
        host: Span<UInt8>, path: Span<UInt8>, method: Method, methodText: Span<UInt8>
    ) -> RouteMatch {
        for i in endpoints.indices where endpoints[i].has(path) { return .endpoint(endpoints[i]) }
        guard !path.isEmpty, path[0] == ASCII.slash else { return .notFound }
        var leaf: Int32 = -1
        if !exactHosts.isEmpty || !wildcardHosts.isEmpty {
            let name = host.extracting(RouteTable.host(in: host))
            let exact = exactHosts.value(of: name)
            if exact >= 0 { leaf = trie.leaf(of: path, under: exact) }
            if leaf < 0, let wildcard = wildcardRoot(of: name) { leaf = trie.leaf(of: path, under: wildcard) }
        }
        if leaf < 0, anyHost >= 0 { leaf = trie.leaf(of: path, under: anyHost) }
        return leaf < 0 ? .notFound : choose(Int(leaf), method, methodText)
    }

    /// Whether a listener that redirects to `https` answers a request itself.
    /// - Parameter path: canonical.
    package func answersBeforeRedirect(_ path: Span<UInt8>) -> Bool {
        for endpoint in endpoints where endpoint.has(path) {
            return endpoint.descriptor.traits.contains(.precedesRedirect)
        }
        return false
    }

    /// The first route of a leaf that has the method.
    private func choose(_ leaf: Int, _ method: Method, _ methodText: Span<UInt8>) -> RouteMatch {
        let places = firstOfLeaf[leaf]..<firstOfLeaf[leaf + 1]
        for i in places where routesOfLeaves[i].methods.contains(method, methodText) {
            return .route(routesOfLeaves[i])
        }
        if places.isEmpty, let selection = selections[leaf] { return .selection(selection) }
        return .methodNotAllowed(routesOfLeaves[places.lowerBound])
    }

    /// The range of the host in an authority, without the port and without the final dot of a fully qualified name.
    private static func host(in authority: Span<UInt8>) -> Range<Int> {
        if !authority.isEmpty, authority[0] == UInt8(ascii: "[") {
            return 0..<(SerializedOrigin.endOfAddress(authority, from: 0) ?? authority.count)
        }
        var end = 0
        while end < authority.count, authority[end] != ASCII.colon { end += 1 }
        if end > 1, authority[end - 1] == ASCII.dot { end -= 1 }
        return 0..<end
    }

    private func wildcardRoot(of name: Span<UInt8>) -> Int32? {
        guard !wildcardHosts.isEmpty else { return nil }
        var dot = 0
        while dot < name.count, name[dot] != ASCII.dot { dot += 1 }
        guard dot > 0, dot < name.count else { return nil }
        let root = wildcardHosts.value(of: name.extracting((dot + 1)...))
        return root < 0 ? nil : root
    }
}

extension RouteTable {
    /// The policy servers of all routes, for metrics.
    package var policyServers: [PolicyAsker] {
        var known: [String: PolicyAsker] = [:]
        for route in routes {
            for asker in route.policyServers.askers + (route.trial?.policyServers.askers ?? []) {
                known[asker.server.name] = asker
            }
        }
        return known.values.sorted { $0.server.name < $1.server.name }
    }
}
