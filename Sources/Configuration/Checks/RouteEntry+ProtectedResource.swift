import Bytes
import Declaration
import Model

/// Routes that describe themselves to OAuth clients (RFC 9728).
extension RouteEntry {
    /// Rules of its methods that a token can satisfy.
    private var tokenRules: [AccessRule] {
        (methods.isEmpty ? [access] : methods.map(\.access)).filter { !$0.isPublic }
    }

    /// The identifiers of the resource: of its own, or one for each base URL that leads to the route.
    ///
    /// - Parameter origins: of the gateway.
    package func resourceIdentifiers(_ origins: [WebOrigin]) -> [WebURL] {
        guard let settings = options.protectedResource else { return [] }
        if let own = settings.resource { return [own] }
        return origins.filter(isAt).map { WebURL($0, target: path.literalPath) }
    }

    /// The scopes that clients may ask for, each once.
    package var resourceScopes: [String] {
        if let scopes = options.protectedResource?.scopes { return scopes }
        return (tokenRules + (options.mcp?.rules ?? [])).flatMap { $0.scopes.all + ($0.scopes.any ?? []) }
            .unique()
    }

    /// Names of the issuers whose tokens count, each once; empty for all.
    package var resourceIssuers: [String] {
        let rules = tokenRules.map(\.issuers)
        let named = rules.contains([]) ? [] : rules.flatMap(\.self)
        let listed = options.authenticators?.filter { $0.kind == .bearer }.map(\.issuer)
        let authenticators = listed?.contains(nil) == false ? listed?.compactMap(\.self) ?? [] : []
        let issuers =
            named.isEmpty || authenticators.isEmpty ? named + authenticators : named.filter(authenticators.contains)
        return issuers.unique()
    }

    /// Whether tokens of the gateway's own service count at the resource.
    fileprivate var takesOwnTokens: Bool {
        resourceIssuers.isEmpty || resourceIssuers.contains(where: TrustedIssuerEntry.ownName.isExactly)
    }

    /// Whether one of the gateway's own tokens is a credential there.
    fileprivate var asksForOwnTokens: Bool {
        takesOwnTokens && !tokenRules.isEmpty && options.authenticators?.contains { $0.kind == .bearer } != false
    }

    func checkProtectedResource(at pointer: String, _ origins: [WebOrigin], _ findings: Findings) {
        guard let settings = options.protectedResource else { return }
        let pointer = "\(pointer)/protectedResource"
        if let list = options.authenticators, !list.contains(where: { $0.kind == .bearer }) {
            return findings.error(
                pointer, "the route takes no tokens", expected: "\"bearer\" in \"authenticators\"")
        }
        if tokenRules.isEmpty {
            return findings.error(pointer, "a public route asks for no token", expected: "no \"protectedResource\"")
        }
        guard let url = settings.resource else {
            if !origins.contains(where: isAt) {
                findings.error(
                    pointer, "neither \"baseUrl\" nor \"additionalBaseUrls\" has a host of the route",
                    expected: "its \"resource\"")
            }
            return
        }
        let place = "\(pointer)/resource"
        // The document is below the same origin, so that this has to lead to the gateway.
        if !origins.contains(url.origin), !hosts.contains(where: { $0.fits(url.host) }) {
            findings.error(
                place, "its origin is not one of the gateway's",
                expected: "the origin of \"baseUrl\" or \"additionalBaseUrls\", or one of the route's \"hosts\"",
                found: "\"\(url.origin)\"")
        } else if !isAt(url.origin) {
            findings.error(
                place, "its host is not one of the route", expected: "one of \"hosts\"", found: "\"\(url.host)\"")
        }
        let (literal, wanted) = (path.literalPath, url.target)
        if wanted != "/", wanted != literal, !literal.hasPrefix("\(wanted)/") {
            findings.error(
                place, "its path does not lead to the route \"\(path.text)\"",
                expected: "\"\(literal)\", or what it begins with", found: "\"\(wanted)\"")
        }
    }

    private func isAt(_ origin: WebOrigin) -> Bool {
        hosts.isEmpty || hosts.contains { $0.fits(origin.host) }
    }
}

extension [RouteEntry] {
    /// Identifiers of the routes that clients may limit tokens of the gateway to (RFC 8707).
    ///
    /// - Parameter origins: of the gateway.
    package func ownResources(_ origins: [WebOrigin]) -> [String] {
        filter(\.takesOwnTokens).flatMap { $0.resourceIdentifiers(origins) }.map(ProtectedResource.identifier)
    }

    /// Warns of a resource whose tokens open other routes, too, since it is the audience of tokens without a resource.
    ///
    /// - Parameter origins: of the gateway.
    func checkResources(of service: TokenServiceSection, at origins: [WebOrigin], _ findings: Findings) {
        func isAudience(_ route: RouteEntry) -> Bool {
            [route].ownResources(origins).contains(where: service.audience.isExactly)
        }
        guard service.isEnabled, let index = firstIndex(where: isAudience),
            contains(where: { $0.asksForOwnTokens && !isAudience($0) })
        else { return }
        findings.warning(
            "/routes/\(index)/protectedResource",
            "tokens for this resource open other routes as well: it is the audience of all tokens of the token service",
            expected: "another \"audience\" of \"tokenService\"")
    }
}
