import Bytes
import Model

extension OathkeeperConversion {
    /// What the authenticators of a rule have in common: a route has one list of scopes, audiences and places.
    private struct TokenRules: Equatable {
        var scopes: [String] = []
        var audience: [String] = []
        var source: JSONNode?
    }

    /// Members of routes about credentials, by the authenticators in their order.
    mutating func authentication(_ rule: OathkeeperRule) -> Outcome {
        var kinds: [String] = []
        var tokens: TokenRules?
        var isOptional = false
        loop: for handler in rule.authenticators {
            switch handler.name {
            case "noop":
                isOptional = true
                note(
                    .translated, rule, "authenticators",
                    kinds.isEmpty ? "noop is \"public\"" : "noop is \"identity\": \"optional\"")
                // It takes every request.
                break loop
            case "anonymous":
                isOptional = true
                note(
                    .translated, rule, "authenticators",
                    "anonymous is \"public\", or \"identity\": \"optional\" beside others")
            case "unauthorized": break loop
            case "jwt", "oauth2_introspection":
                let (name, rules): (String, TokenRules)
                switch handler.name == "jwt" ? issuer(ofTokens: handler, rule) : issuer(introspecting: handler, rule) {
                case .success(let entry): (name, rules) = entry
                case .failure(let problem): return refused(rule, "authenticators", "\(handler.name): \(problem.text)")
                }
                guard tokens == nil || tokens == rules else {
                    return refused(
                        rule, "authenticators", "scopes, audiences or places of tokens of its authenticators differ")
                }
                tokens = rules
                kinds += name.split(separator: " ").map { "bearer:\($0)" }
                note(
                    .translated, rule, "authenticators",
                    "\(handler.name) is trustedIssuers, and bearer in authenticators")
            case "cookie_session":
                drop(rule, handler, "a route with \"login\" lets browsers log in at an OpenID Connect provider")
            case "bearer_token":
                drop(
                    rule, handler, "a server of opaque tokens is asked by trustedIssuers with introspection (RFC 7662)")
            case "oauth2_client_credentials":
                drop(rule, handler, "clients get a token first, or are users or consumers of the gateway")
            default: drop(rule, handler, "the handler is not known")
            }
        }
        if kinds.isEmpty, !isOptional { return withoutAuthenticator(rule) }
        return .served(members(of: rule, kinds: kinds, tokens: tokens, isOptional: isOptional))
    }

    /// What requests get where no authenticator of a rule is translated.
    private mutating func withoutAuthenticator(_ rule: OathkeeperRule) -> Outcome {
        guard rule.authenticators.first?.name == "unauthorized" else {
            return refused(rule, "authenticators", "no authenticator is translated", status: 401)
        }
        note(.translated, rule, "authenticators", "unauthorized is a response of 401")
        return .denied(status: 401, cause: "Authenticator unauthorized")
    }

    /// - Parameters:
    ///   - kinds: the kinds of credentials that the route takes; empty for a public one.
    ///   - isOptional: whether requests without a credential pass as well.
    private mutating func members(
        of rule: OathkeeperRule, kinds: [String], tokens: TokenRules?, isOptional: Bool
    ) -> [(name: String, value: JSONNode)] {
        var members: [(name: String, value: JSONNode)] = []
        if kinds.isEmpty {
            members.append(("public", .flag(true)))
        } else {
            if isOptional, tokens?.scopes.isEmpty == false {
                note(
                    .attention, rule, "authenticators",
                    "requests without a token are refused, since the route asks for scopes; write a route for them")
            } else if isOptional {
                members.append(("identity", .text("optional")))
            }
            members.append(("authenticators", .texts(kinds)))
        }
        if let tokens {
            if !tokens.scopes.isEmpty { members.append(("scopes", .texts(tokens.scopes))) }
            if !tokens.audience.isEmpty { members.append(("audience", .texts(tokens.audience))) }
            if let source = tokens.source { members.append(("tokenSources", JSONNode(.array([source])))) }
        }
        return members
    }

    private mutating func drop(_ rule: OathkeeperRule, _ handler: OathkeeperRule.Handler, _ text: String) {
        note(
            .attention, rule, "authenticators",
            "\(handler.name) has no equivalent, and its credentials are refused; \(text)")
    }

    private struct Problem: Error { var text: String }

    // MARK: Tokens

    /// The trusted issuers of `jwt`; their names are separated by blanks.
    private mutating func issuer(
        ofTokens handler: OathkeeperRule.Handler, _ rule: OathkeeperRule
    ) -> Result<(String, TokenRules), Problem> {
        let (keys, issuers) = (handler.texts("jwks_urls"), handler.texts("trusted_issuers"))
        guard !keys.isEmpty else { return .failure(Problem(text: "jwks_urls is missing; give --config")) }
        guard !issuers.isEmpty else {
            return .failure(Problem(text: "trusted_issuers is missing; tokens of any issuer are not accepted"))
        }
        guard keys.count == 1 else {
            return .failure(Problem(text: "one of several jwks_urls belongs to each issuer; write trustedIssuers"))
        }
        guard issuers.allSatisfy({ !$0.isEmpty && !$0.contains(" ") }) else {
            return .failure(Problem(text: "trusted_issuers has a name with a blank"))
        }
        let algorithms = handler.texts("allowed_algorithms").isEmpty ? ["RS256"] : handler.texts("allowed_algorithms")
        guard algorithms.allSatisfy({ SignatureAlgorithm(rawValue: $0) != nil && !$0.hasPrefix("HS") }) else {
            return .failure(Problem(text: "of allowed_algorithms only those of public keys are accepted"))
        }
        let place: [(name: String, value: JSONNode)]
        if keys[0].hasPrefix("file://") {
            place = [("jwksFile", .text(String(keys[0].dropFirst("file://".count))))]
        } else if let url = try? WebURL(keys[0]) {
            place = [("jwksUri", .text(keys[0]))] + (url.origin.isSecure ? [] : [("allowHttp", .flag(true))])
        } else {
            return .failure(Problem(text: "jwks_urls has no file:// or http(s):// URL"))
        }
        var names: [String] = []
        for issuer in issuers {
            // Oathkeeper does not tell ID tokens from access tokens.
            let members: [(name: String, value: JSONNode)] =
                [("issuer", .text(issuer)), ("requireAudience", .flag(false)), ("acceptIdTokens", .flag(true))]
                + place + [("algorithms", .texts(algorithms))]
            guard let name = trusted(members, issuer) else {
                return .failure(Problem(text: "another rule has other keys or algorithms for the issuer \(issuer)"))
            }
            names.append(name)
        }
        return rules(handler, rule).map { (names.joined(separator: " "), $0) }
    }

    /// The trusted issuer whose server `oauth2_introspection` asks.
    private mutating func issuer(
        introspecting handler: OathkeeperRule.Handler, _ rule: OathkeeperRule
    ) -> Result<(String, TokenRules), Problem> {
        guard let text = handler.text("introspection_url"), let url = try? WebURL(text) else {
            return .failure(Problem(text: "introspection_url is missing, or no URL; give --config"))
        }
        let issuers = handler.texts("trusted_issuers")
        guard issuers.count < 2 else { return .failure(Problem(text: "there is more than one of trusted_issuers")) }
        let issuer =
            issuers.first
            ?? text.split(separator: "/", omittingEmptySubsequences: false).prefix(3)
            .joined(separator: "/")
        if issuers.isEmpty {
            note(
                .open, rule, "authenticators",
                "set `issuer` of trustedIssuers to the \"iss\" of the answers of \(text); answers with another are refused"
            )
        }
        let client = handler["pre_authorization"]?["client_id"]?.string
        let variable = "OATHKEEPER_INTROSPECTION_SECRET"
        if !result.variables.contains(variable) { result.variables.append(variable) }
        note(
            .open, rule, "authenticators",
            client == nil
                ? "the server gets a client id and the secret \(variable) by Basic; set both, or any if it does not look at them"
                : "the gateway shows client id and secret to the introspection endpoint itself; set \(variable)")
        for name in ["introspection_request_headers", "preserve_host"] where handler[name] != nil {
            note(.attention, rule, "authenticators", "\(name) has no effect on what the introspection endpoint gets")
        }
        noteQuery(text, rule, "authenticators")
        var introspection: [(name: String, value: JSONNode)] = [
            ("url", .text(text)), ("clientId", .text(client ?? "oathkeeper")),
            ("clientSecret", .text("env:\(variable)")),
        ]
        if !url.origin.isSecure { introspection.append(("allowHttp", .flag(true))) }
        if let prefix = handler.text("prefix") { introspection.append(("tokenPrefix", .text(prefix))) }
        let cache = handler["cache"]
        var time = 0
        if cache?["enabled"]?.bool == true {
            time = 60_000
            if let ttl = cache?["ttl"] {
                guard let read = ttl.string.flatMap(GoDuration.milliseconds) else {
                    return .failure(Problem(text: "ttl of cache is no duration such as 60s"))
                }
                time = read
            }
        }
        introspection.append(("cache", .text(GoDuration.text(max(time, 1)))))
        let members: [(name: String, value: JSONNode)] = [
            ("issuer", .text(issuer)), ("requireAudience", .flag(false)), ("introspection", .object(introspection)),
        ]
        guard let name = trusted(members, issuer) else {
            return .failure(Problem(text: "another rule has other settings for the issuer \(issuer)"))
        }
        return rules(handler, rule).map { (name, $0) }
    }

    /// The name of an entry of `trustedIssuers`; nil if the issuer has another entry already.
    private mutating func trusted(_ members: [(name: String, value: JSONNode)], _ issuer: String) -> String? {
        for (name, value) in trustedIssuers where value["issuer"]?.string == issuer {
            let known = (value.members ?? []).dropFirst().map { $0.node }
            return known == members.map(\.value) ? name : nil
        }
        let name = "issuer-\(trustedIssuers.count + 1)"
        trustedIssuers.append((name, .object([("name", .text(name))] + members)))
        return name
    }

    private mutating func rules(
        _ handler: OathkeeperRule.Handler, _ rule: OathkeeperRule
    ) -> Result<TokenRules, Problem> {
        var rules = TokenRules(scopes: handler.texts("required_scope"), audience: handler.texts("target_audience"))
        guard rules.audience.count < 2 else {
            return .failure(
                Problem(text: "a token must have each of several target_audience; a route asks for one of them"))
        }
        if !rules.scopes.isEmpty, handler.text("scope_strategy") != "exact" {
            guard handler.name != "jwt" || handler.text("scope_strategy").map({ $0 != "none" }) == true else {
                return .failure(Problem(text: "required_scope with the strategy none refuses every token"))
            }
            note(
                .attention, rule, "authenticators",
                "a token needs the required_scope literally; a wider scope does not count")
        }
        if let source = handler["token_from"] {
            guard source.members?.count == 1 else { return .failure(Problem(text: "token_from names not one place")) }
            if let header = source["header"]?.string {
                let isUsual = header.lowercased() == "authorization"
                rules.source = .object(
                    [("header", .text(header))] + (isUsual ? [("scheme", .text("Bearer"))] : []))
            } else if let name = source["query_parameter"]?.string {
                rules.source = .object([("query", .text(name))])
            } else if let name = source["cookie"]?.string {
                rules.source = .object([("cookie", .text(name))])
            } else {
                return .failure(Problem(text: "token_from names no place"))
            }
        }
        return .success(rules)
    }
}
