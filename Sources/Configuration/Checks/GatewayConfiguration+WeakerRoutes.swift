import Declaration
import Model

/// Checks for spellings of a path that an upstream treats alike but that match a route with weaker requirements, and for
/// conditions that lead to such a route.
///
/// The gateway distinguishes `/items`, `/items/` and `/Items`; many frameworks do not. If a wider route covers a narrow
/// one, the variants of its path match the wider route and need only meet its requirements.
extension GatewayConfiguration {
    func checkVariants(_ index: RouteIndex, _ findings: Findings) {
        for (i, route) in routes.enumerated()
        where route.path != .nothing && !isOpen(route) && !route.acknowledged.contains(.weakerVariants) {
            // Clients choose the conditions that their requests meet: by leaving a field out or by sending it twice, too.
            let siblings = index.siblings(of: route).filter { routes[$0].differsInConditions(from: route) }
            for sibling in siblings {
                let lacking = demands(of: route, missingIn: routes[sibling], nil)
                if lacking.isEmpty { continue }
                findings.warning(
                    "/routes/\(i)/path",
                    "\"\(route.path.text)\" with \(routes[sibling].conditions) falls under /routes/\(sibling), which requires "
                        + "less: " + lacking.joined(separator: ", "),
                    expected:
                        "the same rule there, or \(acknowledgement) where the upstream tells "
                        + "such requests apart")
                break
            }
            guard let (example, wider, lacking) = weakerNeighbour(of: route, index) else { continue }
            findings.warning(
                "/routes/\(i)/path",
                "\"\(example)\" falls under \"\(routes[wider].path.text)\" (/routes/\(wider)), which requires less: "
                    + lacking.joined(separator: ", "),
                expected: "a route for \"\(example)\" with the same rule, no wider route, or "
                    + acknowledgement + " where the upstream does not take this path for "
                    + "\"\(route.path.text)\"")
        }
    }

    private func weakerNeighbour(
        of route: RouteEntry, _ index: RouteIndex
    ) -> (example: String, wider: Int, lacking: [String])? {
        for path in route.path.variants {
            for wider in index.routes(of: path, likeHostsOf: route) where routes[wider].path != route.path {
                let lacking = demands(of: route, missingIn: routes[wider], index)
                if !lacking.isEmpty { return (path, wider, lacking) }
            }
        }
        return nil
    }

    /// Whether no route can have weaker requirements.
    private func isOpen(_ route: RouteEntry) -> Bool {
        route.options.addresses == nil
            && (route.methods.isEmpty ? route.access.isOpen : route.methods.allSatisfy(\.access.isOpen))
    }

    /// The requirements of the narrow route that the wide route lacks.
    /// - Parameter index: nil if methods that only the wide route accepts are none of the narrow route's business.
    private func demands(of narrow: RouteEntry, missingIn wide: RouteEntry, _ index: RouteIndex?) -> [String] {
        var lacking: [String] = []
        if let rule = narrow.options.addresses, wide.options.addresses != rule { lacking.append("other addresses") }
        if !wide.clients.isSubset(of: narrow.clients) { lacking.append("credentials of other clients") }
        // A method that only the wide route accepts is a gap too.
        let methods = narrow.methods.isEmpty ? wide.methods.map(\.method) : narrow.methods.map(\.method)
        for method in methods.isEmpty ? [""] : methods {
            guard let theirs = wide.access(of: method), let ours = narrow.access(of: method) else { continue }
            let weaker = weakness(of: theirs, in: wide, against: ours, in: narrow)
            for word in weaker where !lacking.contains(word) { lacking.append(word) }
        }
        guard let index else { return lacking }
        let group = index.siblings(of: narrow).map { routes[$0] }.filter { $0.hosts == narrow.hosts }
        if !group.contains(where: \.methods.isEmpty),
            let other = wide.methodBeyond(group.flatMap(\.methods).map(\.method))
        {
            lacking.append(other.isEmpty ? "any method" : "the method \(other)")
        }
        return lacking
    }

    private func weakness(
        of theirs: AccessRule, in wide: RouteEntry, against ours: AccessRule, in narrow: RouteEntry
    ) -> [String] {
        var words: [String] = []
        if let required = ours.clientCertificate {
            if theirs.clientCertificate == nil { words.append("no client certificate") }
            if let other = theirs.clientCertificate, !other.isSubset(of: required) {
                words.append("other client certificates")
            }
        }
        if !Set(ours.policyServers).isSubset(of: theirs.policyServers) {
            words.append("no question to the policy server")
        }
        if ours.isPublic { return words }
        if theirs.isPublic { return words + ["no credential"] }
        if !theirs.issuers.isSubset(of: ours.issuers) { words.append("credentials of other issuers") }
        if wide.options.takesCertificates, !narrow.options.takesCertificates { words.append("users by certificate") }
        if let list = narrow.options.authenticators, !list.includes(wide.options.authenticators) {
            words.append("other kinds of credentials")
        }
        if !theirs.audience.isSubset(of: ours.audience) { words.append("tokens for other audiences") }
        if ours.requiresProof, !theirs.requiresProof { words.append("tokens that are bound to no key") }
        if ours.isOptional { return words }
        if theirs.isOptional { return words + ["no credential"] }
        if ours.loginRequired, !theirs.loginRequired { words.append("no login") }
        if ours.socialLogin, !theirs.socialLogin { words.append("no social login") }
        if level(of: theirs, in: wide) < level(of: ours, in: narrow) {
            words.append("level \(level(of: theirs, in: wide)) and not \(level(of: ours, in: narrow))")
        }
        if !theirs.roles.imply(ours.roles) { words.append(theirs.roles.isEmpty ? "no role" : "other roles") }
        if !theirs.scopes.imply(ours.scopes) { words.append(theirs.scopes.isEmpty ? "no scope" : "other scopes") }
        if !ours.claims.allSatisfy(theirs.claims.contains) { words.append("no condition on claims") }
        if !theirs.contexts.isSubset(of: ours.contexts) { words.append("other levels of the login") }
        if let age = ours.maximumAge, theirs.maximumAge ?? .max > age { words.append("older logins") }
        return words
    }

    private func level(of access: AccessRule, in route: RouteEntry) -> Int {
        if let level = access.level ?? level(ofScheme: route.authenticationScheme) { return level }
        let webgate = webgates.first { $0.name == route.webgate }
        return webgate?.level ?? level(ofScheme: webgate?.authenticationScheme) ?? 0
    }

    private func level(ofScheme name: String?) -> Int? { authenticationSchemes.first { $0.name == name }?.level }
}

extension AccessRule {
    /// Whether there is no requirement at all.
    fileprivate var isOpen: Bool { isPublic && clientCertificate == nil && policyServers.isEmpty }
}

extension Array where Element: Equatable {
    /// Whether a list, of which an empty one means all, allows only what the other allows.
    fileprivate func isSubset(of other: [Element]) -> Bool {
        other.isEmpty || !isEmpty && allSatisfy(other.contains)
    }
}

extension [Authenticator] {
    /// Whether the list has all kinds of another; of none, which means all, only if it has all.
    fileprivate func includes(_ other: [Authenticator]?) -> Bool {
        let usual = CredentialKinds.all.filter { $0.isUsual }.map { Authenticator(Authenticator.Kind($0)) }
        return (other ?? usual).allSatisfy { entry in
            contains {
                $0.kind == entry.kind && ($0.issuer == nil || $0.issuer == entry.issuer)
                    && (entry.needsKey || !$0.needsKey)
            }
        }
    }
}

extension RouteEntry {
    /// Whether a method of this route is also one of the other, for requests that meet other conditions.
    fileprivate func differsInConditions(from other: RouteEntry) -> Bool {
        guard conditions != other.conditions else { return false }
        return methods.isEmpty || other.methods.isEmpty || methods.contains { other.access(of: $0.method) != nil }
            || other.methods.contains { access(of: $0.method) != nil }
    }

    /// A method beyond the given ones that this route accepts; empty if it accepts all.
    fileprivate func methodBeyond(_ others: [String]) -> String? {
        guard !methods.isEmpty else { return "" }
        return methods.map(\.method).first { !others.contains($0) && !($0 == "HEAD" && others.contains("GET")) }
    }
}

extension RoleNames {
    /// Whether these requirements imply the others.
    fileprivate func imply(_ others: RoleNames) -> Bool {
        let (any, wanted) = (any ?? [], others.any ?? [])
        let anyHolds =
            wanted.isEmpty || (!any.isEmpty && any.allSatisfy(wanted.contains)) || all.contains(where: wanted.contains)
        return anyHolds && others.all.allSatisfy { all.contains($0) || any == [$0] }
            && others.none.allSatisfy(none.contains)
    }
}

extension PathPattern {
    /// Paths that many upstreams treat like the pattern: with or without a trailing slash, or with a segment in another case.
    fileprivate var variants: [String] {
        let names = segments.map { segment in
            switch segment {
            case .literal(let name): String(decoding: name, as: UTF8.self)
            case .one: "x"
            }
        }
        var variants: [[String]] = []
        if names.last == "" {
            if names.count > 1 { variants.append(names.dropLast()) }
        } else if !isDeep {
            variants.append(names + [""])
        }
        for i in names.indices.reversed() where segments[i] != .one {
            let swapped = PathPattern.swappingCase(names[i])
            guard swapped != names[i] else { continue }
            var other = names
            other[i] = swapped
            variants.append(other)
        }
        return variants.map { "/" + $0.joined(separator: "/") }
    }

    /// The first letter in the other case; percent-encodings are left alone.
    private static func swappingCase(_ segment: String) -> String {
        guard !segment.contains("%"), let place = segment.firstIndex(where: { $0.isLetter }) else { return segment }
        let letter = segment[place]
        let other = letter.isLowercase ? letter.uppercased() : letter.lowercased()
        return segment[..<place] + other + segment[segment.index(after: place)...]
    }
}

/// What a route says where the warning does not matter.
private let acknowledgement =
    "\"acknowledge\": [\"\(AcknowledgedWarning.weakerVariants.rawValue)\"] in this one"
