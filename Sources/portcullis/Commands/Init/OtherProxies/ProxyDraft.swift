import Configuration
import HTTP
import Model

/// A configuration of another proxy that asks the gateway about each request: its endpoints, and the fields that clients
/// may not send.
struct ProxyDraft {
    enum Kind: String, CaseIterable {
        case nginx, caddy, traefik, envoy
    }

    /// Where the parts are; the ports are examples.
    static let (proxy, gateway, decisions, api) = (8000, 8080, 8081, 9000)

    /// Where the gateway decides, for proxies that describe the request in fields.
    private(set) var path = "/_auth"
    /// The same for Envoy.
    private(set) var prefix = "/_envoy"
    /// Paths of the gateway's endpoints. One that ends in a slash includes everything below it.
    let endpoints: [String]
    /// Fields that the API gets from the answer alone.
    private(set) var answered = ManagedNames.own.filter { !$0.hasSuffix("*") } + ["Authorization", "DPoP", "Cookie"]
    /// Fields with credentials that are for the decision alone.
    private(set) var credentials =
        CallerFields.secrets
        + ["X-API-Key"]
    /// Managed names; `Name-*` for a family.
    private(set) var managed = ManagedNames.groups.flatMap(\.names) + ["X-Forwarded-Uri", "X-Forwarded-Method"]

    /// Fields that the decision refuses, so that they must reach it, and the API must not get.
    static let refused = ["X-HTTP-Method-Override", "X-Method-Override", "X-HTTP-Method", "X-Rewrite-URL"]

    /// With every generic endpoint.
    init() { self.init(EndpointSettings(features: .generic, formPaths: [])) }

    private init(_ settings: EndpointSettings) {
        let routes = GatewayEndpoints.all.routes(settings)
        let below = routes.contains { $0.endpoint.suffix != nil } ? ["\(settings.paths.prefix)/"] : []
        let all = below + routes.map(\.path)
        var known: Set<String> = []
        // Schemes may share a form.
        endpoints = all.filter { one in
            known.insert(one).inserted && !all.contains { $0 != one && $0.hasSuffix("/") && one.hasPrefix($0) }
        }
    }

    /// With what a configuration adds.
    init(_ configuration: GatewayConfiguration) {
        self.init(configuration.endpointSettings)
        let asked = configuration.listeners.compactMap(\.rules.forwardAuth)
        path = asked.first { !$0.path.isEmpty }.map { String(decoding: $0.path, as: UTF8.self) } ?? path
        prefix = asked.first { !$0.pathPrefix.isEmpty }.map { String(decoding: $0.pathPrefix, as: UTF8.self) } ?? prefix
        var added: [String] = []
        for route in configuration.routes {
            added += route.options.requestFields?.lines.map(\.name) ?? []
            if route.options.requestFields?.signsIdentity == true { added.append(FieldRules.identityAssertion) }
            added += route.injections(configuration.webgates).map(\.header)
            for case .header(let name, _) in route.options.tokenSources ?? [] { credentials.append(name) }
        }
        added += configuration.policies.servers.flatMap(\.rules.answerHeaders)
        answered = ProxyDraft.unique(answered + added)
        credentials = ProxyDraft.unique(credentials).filter { !has(answered, $0) }
        managed = ProxyDraft.unique(managed + configuration.managedHeaders)
    }

    func text(_ kind: Kind) -> String {
        switch kind {
        case .nginx: nginx
        case .caddy: caddy
        case .traefik: traefik
        case .envoy: envoy
        }
    }

    // MARK: Fields

    /// The client's fields to remove before the decision: each name for which `isOther` is false.
    func removed(but isOther: (String) -> Bool) -> [String] {
        managed.filter { !$0.hasSuffix("*") && !has(ProxyDraft.refused, $0) && !isOther($0) }
    }

    /// The same with prefixes of names, which end with `*`, for proxies that know such.
    var removedByPrefix: [String] {
        let prefixes = ProxyDraft.unique(managed.filter { $0.hasSuffix("*") } + ProxyDraft.wide)
        func isCovered(_ name: String) -> Bool {
            prefixes.contains { $0 != name && name.lowercased().hasPrefix($0.dropLast().lowercased()) }
        }
        return prefixes.filter { !isCovered($0) } + removed { isCovered($0) || has(answered, $0) }
    }

    /// Prefixes that are shorter than the names of the list, and that applications do not use.
    private static let wide = [
        "Remote-*", "X-Remote-*", "CF-Connecting-*", "X-Envoy-*", "X-Proxy-*", "X-WebAuth-*", "X-Auth-User*",
        "X-Auth-Group*", "X-Auth-Role*", "X-Consumer-*", "X-Credential-*", "X-JWT-*", "X-MS-Client-Principal*",
        "Cf-Access-*", "SM-*", "IV-*", "X-SSL-*", "X-ARR-*",
    ]

    /// Whether a list has the name, in any case.
    func has(_ names: [String], _ name: String) -> Bool { names.contains { $0.lowercased() == name.lowercased() } }

    private static func unique(_ names: [String]) -> [String] {
        names.reduce(into: []) { list, name in
            if !list.contains(where: { $0.lowercased() == name.lowercased() }) { list.append(name) }
        }
    }

    // MARK: Text

    /// Items side by side in lines of at most 128 characters.
    static func lines(_ items: [String], indent: Int) -> String {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        for item in items {
            if let last = lines.last, last.utf8.count + item.utf8.count < 128 {
                lines[lines.count - 1] = "\(last) \(item)"
            } else {
                lines.append(margin + item)
            }
        }
        return lines.joined(separator: "\n")
    }

    /// One item a line.
    static func column(_ items: [String], indent: Int) -> String {
        items.map { String(repeating: " ", count: indent) + $0 }.joined(separator: "\n")
    }

    /// With a comma behind each item but the last.
    static func commas(_ items: [String]) -> [String] {
        items.enumerated().map { $0.offset < items.count - 1 ? "\($0.element)," : $0.element }
    }
}
