import Bytes
import Model

/// The resources that clients may limit access tokens to (RFC 8707). `aud` of such a token has them and nothing else.
package struct ResourceIndicators: Sendable {
    /// May occur several times in a request.
    package static let parameter = "resource"
    /// Most resources of a token.
    private static let maximumCount = 16

    /// Identifiers of routes here.
    private let routes: [String]
    /// Identifiers of other servers.
    private let others: [String]

    package init(routes: [String] = [], others: [String] = []) {
        self.routes = routes.unique()
        self.others = others.filter { !routes.contains($0) }
    }

    var all: [String] { routes + others }

    /// The identifiers that a request of a client names, each once. Throws for one that is not known, is relative or has a
    /// fragment, and for one that the client's own `audience` does not have.
    package func known(_ requested: [String], to client: Client) throws(TokenFailure) -> [String] {
        if requested.isEmpty { return [] }
        // The audience of a token of a module is not chosen here.
        guard requested.count <= ResourceIndicators.maximumCount, client.issuer == nil else { throw .invalidTarget }
        var names: [String] = []
        for text in requested {
            guard let name = ResourceIndicators.identifier(text, in: all),
                client.grants.audience?.contains(where: name.isExactly) ?? true
            else { throw .invalidTarget }
            if !names.contains(name) { names.append(name) }
        }
        return names
    }

    /// What is left of an earlier grant, or the requested subset.
    func narrowed(_ requested: [String], of granted: [String], _ client: Client) throws(TokenFailure) -> [String] {
        let left = granted.filter { (try? known([$0], to: client)) != nil }
        let names = requested.isEmpty ? left : try known(requested, to: client)
        // Without any, the token would be for the gateway as a whole.
        guard names.isEmpty == granted.isEmpty, names.allSatisfy({ name in left.contains(where: name.isExactly) })
        else { throw .invalidTarget }
        return names
    }

    /// The identifier of a route that a text names; nil for none.
    func route(_ text: String) -> String? { ResourceIndicators.identifier(text, in: routes) }

    /// Whether a token of these audiences is for resources alone.
    /// - Parameter own: the audiences of the service.
    func limit(_ audiences: [String], own: [String]) -> Bool {
        func isAny(of names: [String]) -> Bool { audiences.contains { name in names.contains(where: name.isExactly) } }
        return isAny(of: all) && !isAny(of: own)
    }

    /// The known identifier that a text is: as it stands, or as the same URL.
    private static func identifier(_ text: String, in known: [String]) -> String? {
        if let name = known.first(where: text.isExactly) { return name }
        guard let url = try? WebURL(text) else { return nil }
        let name = ProtectedResource.identifier(url)
        return known.first(where: name.isExactly)
    }
}

extension TokenServiceSettings {
    /// The resources that a refused request asks for, beside those that are known.
    func evidence(onResources requested: [String]) -> [String] {
        ["resource \(Evidence.list(requested)), known \(Evidence.list(resources.all))"]
    }
}
