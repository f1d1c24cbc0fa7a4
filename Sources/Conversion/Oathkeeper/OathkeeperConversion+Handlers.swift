import Bytes
import Model

extension OathkeeperConversion {
    // MARK: Authorizers

    /// Members of routes about the authorizer.
    mutating func authorization(_ rule: OathkeeperRule) -> Outcome {
        guard let handler = rule.authorizer else { return refused(rule, "authorizer", "there is none") }
        switch handler.name {
        case "allow": return .served([])
        case "deny":
            note(.translated, rule, "authorizer", "deny is a response of 403")
            return .denied(status: 403, cause: "Authorizer deny")
        case "remote", "remote_json":
            guard let url = handler.text("remote"), let parsed = try? WebURL(url) else {
                return refused(rule, "authorizer", "remote is missing, or no URL without templates")
            }
            var entry: [(name: String, value: JSONNode)] = [("url", .text(url)), ("format", .text("opa"))]
            if !parsed.origin.isSecure { entry.append(("allowHttp", .flag(true))) }
            noteQuery(url, rule, "authorizer")
            let fields = handler.texts("forward_response_headers_to_upstream")
            if !fields.isEmpty { entry.append(("answerHeaders", .texts(fields))) }
            let name = Self.entry(entry, "policy", in: &policyServers)
            note(
                .attention, rule, "authorizer",
                "\(handler.name) is the policy server \(name), which gets the question of Open Policy Agent; let it answer {\"result\": true}, or nothing is admitted"
            )
            return .served([("policy", .text(name))])
        case "keto_engine_acp_ory":
            return refused(rule, "authorizer", "Keto is not asked; write a policy server that asks it")
        default: return refused(rule, "authorizer", "\(handler.name) is not known")
        }
    }

    // MARK: Mutators

    /// Members of routes about what the upstream gets.
    mutating func mutation(_ rule: OathkeeperRule, isPublic: Bool) -> Outcome {
        var members: [(name: String, value: JSONNode)] = []
        var (set, removed): ([(name: String, value: JSONNode)], [String]) = ([], [])
        var keepsCredential = true
        for handler in rule.mutators {
            switch handler.name {
            case "noop": continue
            case "header":
                for field in handler["headers"]?.members ?? [] {
                    let text = field.node.string.flatMap { Self.template($0, rule) }
                    if field.name.lowercased() == "authorization" { keepsCredential = false }
                    if let text, !text.isEmpty {
                        set.removeAll { $0.name == field.name }
                        set.append((field.name, .text(text)))
                        let isLiteral = field.node.string?.contains("{{") == false
                        note(
                            .translated, rule, "mutators",
                            "\(field.name) is in requestHeaders"
                                + (isLiteral ? ", with its value, which is copied" : ""))
                    } else {
                        // What a client sends in its place must not count.
                        removed.append(field.name)
                        note(
                            .attention, rule, "mutators",
                            "the template of \(field.name) has no equivalent; the field is removed. Placeholders are ${user} and ${claim.NAME}"
                        )
                    }
                }
            case "id_token":
                keepsCredential = false
                if isPublic {
                    note(
                        .attention, rule, "mutators",
                        "id_token: there is no caller to sign, and the upstream gets no token")
                } else {
                    guard handler.text("ttl").map({ GoDuration.milliseconds($0) != nil }) ?? true else {
                        return refused(rule, "mutators", "ttl of id_token is no duration such as 60s")
                    }
                    members.append(("injection", .object([("issuer", .text(signer(handler, rule)))])))
                }
            case "cookie", "hydrator":
                return refused(rule, "mutators", "\(handler.name) has no equivalent, and the upstream may rely on it")
            default: return refused(rule, "mutators", "\(handler.name) is not known")
            }
        }
        // The authenticator anonymous refuses requests with an Authorization field.
        if isPublic, keepsCredential, !rule.authenticators.contains(where: { $0.name == "noop" }) {
            keepsCredential = false
            note(
                .attention, rule, "mutators",
                "requests with an Authorization field are not refused; the upstream does not get the field")
        }
        if keepsCredential { members.append(("forwardCredential", .flag(true))) }
        var fields: [(name: String, value: JSONNode)] = []
        if !set.isEmpty { fields.append(("set", .object(set))) }
        if !removed.isEmpty { fields.append(("remove", .texts(removed))) }
        if !fields.isEmpty { members.append(("requestHeaders", .object(fields))) }
        return .served(members)
    }

    /// A note for a URL whose query is copied.
    mutating func noteQuery(_ url: String, _ rule: OathkeeperRule, _ part: String) {
        guard url.contains("?") else { return }
        note(
            .open, rule, part,
            "\(url): the query is copied into gateway.jsonc; if it has a secret, let the server take it in another way")
    }

    /// The issuer that signs the token of `id_token`.
    private mutating func signer(_ handler: OathkeeperRule.Handler, _ rule: OathkeeperRule) -> String {
        var entry: [(name: String, value: JSONNode)] = [("module", .text("embedded"))]
        if let issuer = handler.text("issuer_url") { entry.append(("issuer", .text(issuer))) }
        let seconds = (handler.text("ttl").flatMap(GoDuration.milliseconds) ?? 900_000) / 1000
        entry.append(("lifetimeSeconds", .number(Int64(max(seconds, 1)))))
        if let claims = handler.text("claims") {
            let node = try? JSONNode.parse(claims.utf8.span)
            let audience = node?["aud"]?.string ?? node?["aud"]?.array?.first?.string
            if let audience, node?.members?.count == 1, (node?["aud"]?.array?.count ?? 1) == 1, !claims.contains("{{") {
                entry.append(("audience", .text(audience)))
            } else {
                note(
                    .attention, rule, "mutators",
                    "id_token: the token has no further claims, and no aud; upstreams that need them refuse it")
            }
        }
        let name = Self.entry(entry, "signer", in: &issuers)
        note(
            .attention, rule, "mutators",
            "id_token is the injection of \(name), signed with a new key; give the upstream the keys at /.well-known/jwks.json"
        )
        return name
    }

    /// A template of Go as text with placeholders; nil if it has anything but the subject and claims.
    static func template(_ text: String, _ rule: OathkeeperRule) -> String? {
        let kinds = Set(rule.authenticators.map(\.name)).intersection(["jwt", "oauth2_introspection"])
        var (result, rest) = ("", Substring(text))
        while let start = rest.firstRange(of: "{{") {
            guard let end = rest[start.upperBound...].firstRange(of: "}}") else { return nil }
            result += rest[..<start.lowerBound].replacing("${", with: "$${")
            let inner = String(rest[start.upperBound..<end.lowerBound]).trimmingBlanks
            let name = inner.hasPrefix("print ") ? inner.dropFirst(6).description.trimmingBlanks : inner
            rest = rest[end.upperBound...]
            if name == ".Subject" {
                result += "${user}"
            } else if let match = name.wholeMatch(of: /\.Extra((?:\.[A-Za-z0-9_]+)+)/), kinds.count == 1 {
                let claim = String(match.1.dropFirst())
                let isDirect = kinds == ["jwt"] || ["username", "client_id", "scope", "aud"].contains(claim)
                result += "${claim.\(isDirect ? "" : "ext.")\(claim)}"
            } else {
                return nil
            }
        }
        return result + rest.replacing("${", with: "$${")
    }

    // MARK: Errors

    /// Members of routes about answers to errors.
    mutating func errorAnswers(_ rule: OathkeeperRule) -> [(name: String, value: JSONNode)] {
        var answers: [JSONNode] = []
        for handler in rule.errors {
            switch handler.name {
            case "json": continue
            case "redirect":
                let kinds = (handler["when"]?.array ?? []).flatMap { $0["error"]?.array?.compactMap(\.string) ?? [] }
                let statuses = (kinds.isEmpty ? ["unauthorized", "forbidden"] : kinds).compactMap { kind -> Int64? in
                    ["unauthorized": 401, "forbidden": 403][kind]
                }
                guard let target = handler.text("to"), target.hasPrefix("/") || (try? WebURL(target)) != nil,
                    !target.contains("${"), !statuses.isEmpty
                else {
                    note(
                        .attention, rule, "errors",
                        "redirect is not translated; errors are JSON, or a page for browsers")
                    continue
                }
                answers.append(
                    .object([
                        ("status", JSONNode(.array(statuses.map { .number($0) }))), ("redirect", .text(target)),
                    ]))
                note(
                    .attention, rule, "errors",
                    "redirect is for browsers (GET that asks for HTML), and \(target) gets no return URL")
            default:
                note(
                    .attention, rule, "errors",
                    "\(handler.name) is not translated; a 401 has the challenge of its credentials")
            }
        }
        return answers.isEmpty ? [] : [("errors", JSONNode(.array(answers)))]
    }
}
