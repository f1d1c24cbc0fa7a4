import Declaration
import Model

extension MCPRules {
    private enum Default: String, CaseIterable, Sendable { case deny, allow }

    /// - Parameter path: of the route, whose variables conditions may name.
    static func shape(_ path: PathPattern) -> Shape<MCPRules> {
        let entries = entries(path)
        return .object("rules of an MCP server: {\"tools\", \"resources\", \"prompts\"}") { object in
            var rules = MCPRules()
            rules.allowsOthers =
                object.value(
                    "default", Shape<Default>.choice, default: .deny,
                    "Whether callers of the route may use what no rule names: `deny` or `allow`.") == .allow
            object.read(
                "listed", Shape<Listing>.choice, into: &rules.listing,
                """
                What callers see in lists: `callable` shows what they may use, `obtainable` also that for which they \
                lack only scopes.
                """)
            object.read(
                "maxMessageBytes", .size(in: 1024...16 * 1_048_576), into: &rules.maximumBytes,
                "Largest message of a client.")
            for kind in Kind.allCases {
                rules.entries[kind] = object.optional(kind.key, entries, kind.meaning)
            }
            if rules.rules.isEmpty {
                object.field.error("no rule", expected: "a rule in \"tools\", \"resources\" or \"prompts\"")
            }
            return rules
        }
    }

    private static func entries(_ path: PathPattern) -> Shape<[Entry]> {
        let rule = Shape<AccessRule>.object("a rule: {\"scopes\", \"roles\", \"claims\"}") { object in
            var access = AccessRule()
            object.read("roles", RoleNames.shape, into: &access.roles, "Roles, as those of a route.")
            object.read("scopes", RoleNames.scopes, into: &access.scopes, "Scopes, as those of a route.")
            object.read("claims", ClaimRule.list(path), into: &access.claims, "Conditions, as those of a route.")
            return access
        }
        .described("What a caller needs; `{}` for any caller of the route.")
        return Shape(.map(rule.form(), minimum: 1)) { field in
            field.object("rules by name").entries.compactMap { name, place in
                if name.isEmpty || name.dropLast().contains("*") {
                    place.error("no name", expected: "a name, or the beginning of names with \"*\" at its end")
                }
                return rule.read(place).map { Entry(name: name, access: $0) }
            }
        }
    }
}

extension MCPRules.Kind {
    fileprivate var meaning: String {
        switch self {
        case .tool: "Rules by the name of a tool; `*` at the end of a name stands for any text."
        case .resource: "Rules by the URI of a resource, for reading, subscriptions and completion."
        case .prompt: "Rules by the name of a prompt."
        }
    }
}

extension RouteEntry {
    /// Reports rules by tool that nothing enforces, or that have no caller to ask about.
    func checkMessages(at pointer: String, _ findings: Findings) {
        guard options.mcp != nil else { return }
        let obstacle: (String, String)? =
            if ([access] + methods.map(\.access)).contains(where: \.isPublic) {
                ("a public route has no caller", "no \"public\" beside it")
            } else if answer != nil {
                ("the route has no upstream", "\"upstream\"")
            } else if options.challengeRule != nil {
                ("messages are not repeated for a Webgate", "no \"upstreamAuth\" beside it")
            } else {
                nil
            }
        if let (message, expected) = obstacle { findings.error("\(pointer)/mcp", message, expected: expected) }
    }
}
