import Bytes
import Declaration
import Model

extension EndpointPaths {
    /// Reads `pathPrefix` of `gateway.json`; the aliases of the token endpoint are those of its section.
    static func readPrefix(_ root: inout ObjectReader) -> EndpointPaths {
        EndpointPaths(
            prefix: root.value(
                "pathPrefix", .literalPath, default: standard.prefix,
                """
                Path above the gateway's own [endpoints](reference/endpoints.md) for tokens, logins and clients, such as \
                `/oauth2/token`. Routes cannot have paths below it.
                """))
    }
}

/// Checks that no two endpoints of the gateway have one path.
enum EndpointPathCheck {
    static func check(of endpoints: [EndpointDescriptor], _ settings: EndpointSettings, _ findings: Findings) {
        let prefix = settings.paths.prefix
        guard !prefix.hasSuffix("/") else {
            return findings.error(
                "/pathPrefix", "the prefix ends with a slash", expected: "a path such as \"/oauth2\"",
                found: "\"\(prefix)\"")
        }
        let isPlain = prefix.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || "/-._~".utf8.contains($0) }
        guard isPlain else {
            return findings.error(
                "/pathPrefix", "the prefix has a character that other proxies read otherwise",
                expected: "letters, digits, - . _ ~ and slashes", found: "\"\(prefix)\"")
        }
        guard let below = PathPattern(endpoint: "\(prefix)/") else { return }
        let routes = endpoints.routes(settings).filter { $0.endpoint.suffix == nil }
        // The documents of an issuer with a path may be below the prefix.
        let others = routes.filter { !$0.path.contains("/.well-known/") }.compactMap { PathPattern(endpoint: $0.path) }
        let served = [below] + routes.compactMap { PathPattern(endpoint: $0.path) }
        let documents = PathPattern(endpoint: "/.well-known/")
        if let other = ([documents].compactMap(\.self) + others).first(where: below.overlaps) {
            findings.error(
                "/pathPrefix", "other endpoints are at \"\(other.text)\"", expected: "a path of its own",
                found: "\"\(prefix)\"")
        }
        let aliases = settings.paths.tokenAliases
        for (index, alias) in aliases.enumerated() {
            guard let path = try? PathPattern(alias),
                aliases[..<index].contains(alias) || served.contains(where: { $0.covers(path) })
            else { continue }
            findings.error(
                "/tokenService/tokenPathAliases/\(index)", "\"\(alias)\" is a path of the gateway already",
                expected: "a path of its own")
        }
    }
}
