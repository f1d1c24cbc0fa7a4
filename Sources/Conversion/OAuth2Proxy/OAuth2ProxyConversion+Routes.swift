import Bytes
import Model

extension OAuth2ProxyConversion {
    /// One of `upstreams`: which paths it serves, and how a route reaches it.
    private struct Target {
        var shapes: [PathShape]
        /// Members of its routes; empty where there is no equivalent.
        var members: [(name: String, value: JSONNode)]
        /// A comment for routes without an equivalent.
        var problem: String?
    }

    /// Paths that need no login.
    private struct Exemption {
        /// Empty for all methods.
        var method: String
        var shapes: [PathShape]
        /// Whether all other paths are exempt instead.
        var isNegated: Bool
    }

    private static let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

    /// Upstreams and routes.
    mutating func convertRoutes() {
        let targets = convertUpstreams()
        let exemptions = convertExemptions()
        let members = accessMembers()
        let shapes = targets.flatMap(\.shapes) + exemptions.flatMap(\.shapes)
        guard let cells = PathShape.cells(shapes) else {
            attention(nil, "skip_auth_routes", "there are too many paths; all of them need a login")
            return addRoutes(targets.flatMap(\.shapes), targets, [], members)
        }
        addRoutes(cells, targets, exemptions, members)
        if let (path, place) = text("ping_path") ?? Optional(("/ping", "")), !path.isEmpty,
            let pattern = try? PathPattern(path), !result.routes.contains(where: { $0.value["path"]?.string == path })
        {
            result.routes.append(
                .init(
                    value: .object([
                        ("path", .text(pattern.text)), ("public", .flag(true)),
                        ("response", .object([("body", .text("OK"))])),
                    ])))
            if !place.isEmpty { translated(place, "ping_path", "a route with a fixed response") }
        }
    }

    // MARK: Upstreams

    private mutating func convertUpstreams() -> [Target] {
        let upstreams = take("upstreams")
        let keepsHost = flag("pass_host_header", true)
        let timeout = duration("upstream_timeout")
        let webSockets = flag("proxy_websockets", true)
        translated(keepsHost.place, "pass_host_header", "hostHeader of the upstreams")
        translated(timeout?.place, "upstream_timeout", "responseTimeout of the upstreams")
        translated(webSockets.place, "proxy_websockets", "upgrades of the routes")
        var entries: [(name: String, value: JSONNode)] = []
        var targets: [Target] = []
        for text in upstreams?.elements ?? [] {
            if text.hasPrefix("static://") {
                let status = Int64(text.dropFirst("static://".count)).flatMap { (200...599).contains($0) ? $0 : nil }
                let answer: JSONNode = .object([
                    ("status", .number(status ?? 200)), ("body", .text("Authenticated")),
                ])
                targets.append(Target(shapes: [.all], members: [("response", answer)]))
                translated(upstreams?.place, "upstreams", "\(text) is a route with a fixed response")
                continue
            }
            guard let (url, path) = Self.upstream(text) else {
                let path = text.split(separator: "#").dropFirst().first.map(String.init) ?? "/"
                let shapes = Self.shapes(path.hasPrefix("/") ? path : "/" + path)
                targets.append(Target(shapes: shapes, members: [], problem: "\(text) has no equivalent"))
                attention(
                    upstreams?.place, "upstreams",
                    "\(text) is not served, and its paths are refused; files need a web server as upstream")
                continue
            }
            let name = "upstream-\(entries.count + 1)"
            var entry: [(name: String, value: JSONNode)] = [("url", .text(url))]
            if !keepsHost.value { entry.append(ConvertedConfiguration.upstreamHost) }
            if let timeout { entry.append(("responseTimeout", .text(timeout.text))) }
            entries.append((name, .object(entry)))
            let upgrades: [(name: String, value: JSONNode)] = webSockets.value ? [] : [("upgrades", .texts([]))]
            targets.append(Target(shapes: Self.shapes(path), members: [("upstream", .text(name))] + upgrades))
            translated(upstreams?.place, "upstreams", "\(text) is \(name)")
        }
        if targets.isEmpty { open(upstreams?.place, "upstreams", "there is no upstream; write upstreams and routes") }
        if !entries.isEmpty { section("upstreams", .object(entries)) }
        return targets
    }

    /// The URL of an upstream without its path, and the path.
    private static func upstream(_ text: String) -> (url: String, path: String)? {
        if text.hasPrefix("unix:") {
            let path = text.dropFirst(5)
            return ("unix:" + (path.hasPrefix("//") ? path.dropFirst(2) : path), "/")
        }
        guard let url = try? WebURL(text) else { return nil }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).prefix(3).map(String.init)
        let path = url.target.prefix { $0 != "?" }
        return (parts.joined(separator: "/").prefix { $0 != "?" }.description, String(path))
    }

    /// The paths of an upstream: below it if it ends in a slash, otherwise the path alone.
    private static func shapes(_ path: String) -> [PathShape] {
        if path == "/" { return [.all] }
        return PathLanguage(PathToken.literal(path) + (path.hasSuffix("/") ? [.any] : []), isAnchoredAtEnd: true).served
    }

    // MARK: Exemptions

    private mutating func convertExemptions() -> [Exemption] {
        var exemptions: [Exemption] = []
        for name in ["skip_auth_regex", "skip_auth_routes"] {
            guard let setting = take(name) else { continue }
            for text in setting.elements {
                exemptions += exemption(text, setting, hasMethod: name == "skip_auth_routes").map { [$0] } ?? []
            }
        }
        return exemptions
    }

    private mutating func exemption(
        _ text: String, _ setting: SettingsText.Setting, hasMethod: Bool
    ) -> Exemption? {
        var (method, expression, isNegated) = ("", text, false)
        if hasMethod, let sign = text.firstIndex(of: "=") {
            isNegated = text.contains("!=")
            method = text[..<sign].uppercased()
            if method.hasSuffix("!") { method.removeLast() }
            expression = String(text[text.index(after: sign)...])
        }
        let language = PathLanguage(searched: expression)
        // A route for GET takes HEAD with it, and there is none for HEAD alone.
        let isMethod = method.isEmpty || Self.methods.contains(method)
        guard isMethod, !language.served.isEmpty, language.isExact || !isNegated else {
            attention(
                setting.place, setting.name,
                "\"\(text)\" is not translated, and its paths need a login; write a route with \"public\" for each path"
            )
            return nil
        }
        let patterns = language.served.map(\.pattern).joined(separator: ", ")
        if language.isExact {
            translated(
                setting.place, setting.name, "\"\(text)\" is \(isNegated ? "all but " : "")\(patterns) with \"public\"")
        } else {
            attention(
                setting.place, setting.name,
                "of \"\(text)\" only \(patterns) goes without a login; write a route with \"public\" for each other path"
            )
        }
        return Exemption(method: method, shapes: language.served, isNegated: isNegated)
    }

    // MARK: Routes

    private mutating func addRoutes(
        _ cells: [PathShape], _ targets: [Target], _ exemptions: [Exemption],
        _ access: [(name: String, value: JSONNode)]
    ) {
        for cell in cells {
            // The longest path, as oauth2-proxy chooses.
            // Shapes of one path contain each other: the smallest is that of the longest path, as oauth2-proxy chooses.
            let fitting = targets.compactMap { target in
                target.shapes.first { $0.covers(cell) }.map { (target: target, shape: $0) }
            }
            guard let target = fitting.max(by: { $0.shape.covers($1.shape) })?.target else { continue }
            let isExempt = { (method: String) in
                exemptions.contains { exemption in
                    (exemption.method.isEmpty || exemption.method == method)
                        && exemption.shapes.contains { $0.covers(cell) } != exemption.isNegated
                }
            }
            // One more than the known methods, for all others.
            let exempt = Self.methods.filter(isExempt)
            let path: [(name: String, value: JSONNode)] = [("path", .text(cell.pattern))]
            if exempt.count == Self.methods.count, isExempt("") {
                add(path, target, [("public", .flag(true))], isProtected: false)
            } else if exempt.isEmpty {
                add(path, target, access, isProtected: true)
            } else {
                let others = Self.methods.filter { !exempt.contains($0) }
                let listed = exempt.joined(separator: " ")
                add(
                    path + [("name", .text("\(listed) \(cell.pattern)")), ("methods", .texts(exempt))], target,
                    [("public", .flag(true))], isProtected: false)
                if !others.isEmpty { add(path + [("methods", .texts(others))], target, access, isProtected: true) }
            }
        }
    }

    private mutating func add(
        _ path: [(name: String, value: JSONNode)], _ target: Target, _ access: [(name: String, value: JSONNode)],
        isProtected: Bool
    ) {
        let intended = path + target.members + access
        let reasons = (target.problem.map { [$0] } ?? []) + (isProtected ? denials : [])
        guard !reasons.isEmpty else {
            result.routes.append(.init(value: .object(intended)))
            return
        }
        let pattern = path.first?.value.string ?? ""
        let methods = path.filter { $0.name == "methods" }
        let words = methods.flatMap { $0.value.array?.compactMap(\.string) ?? [] }
        let name = (["denied"] + words + [pattern]).joined(separator: " ")
        let intent = JSONNode.object(intended).onOneLine
        result.routes.append(
            .init(
                value: ConvertedConfiguration.denial(pattern, name: name, methods),
                comment: "Refused because of \(reasons.joined(separator: ", ")). Without that it would be:\n\(intent)"))
    }

    /// Members of routes that need a login.
    private mutating func accessMembers() -> [(name: String, value: JSONNode)] {
        guard hasProvider else {
            if denials.isEmpty { denials.append("the provider") }
            return []
        }
        var login: [(name: String, value: JSONNode)] = [("providers", .text(Self.providerName))]
        let expiry = duration("cookie_expire")
        let refresh = duration("cookie_refresh")
        var lifetime = expiry.map(\.milliseconds) ?? 168 * 3_600_000
        translated(expiry?.place, "cookie_expire", "sessionLifetime of the login")
        if let refresh, refresh.milliseconds > 0 {
            lifetime = min(lifetime, refresh.milliseconds)
            attention(
                refresh.place, "cookie_refresh",
                "sessions last \(refresh.text), then the provider is asked by a redirect; \"recheck\" asks without one")
        }
        if lifetime == 0 {
            attention(expiry?.place, "cookie_expire", "sessions that end with the browser last 8h")
            lifetime = 8 * 3_600_000
        }
        login += [("sessionLifetime", .text(GoDuration.text(lifetime))), ("idleTimeout", .text("0s"))]
        var members: [(name: String, value: JSONNode)] = [
            ("login", .object(login)), ("authenticators", .texts(["session"])),
        ]
        var roles: [(name: String, value: JSONNode)] = []
        if !allRoles.isEmpty { roles.append(("all", .texts(allRoles))) }
        if !anyRoles.isEmpty { roles.append(("any", .texts(anyRoles))) }
        if !roles.isEmpty { members.append(("roles", .object(roles))) }
        return members + identityFields()
    }

    /// The fields by which the upstream learns who calls.
    private mutating func identityFields() -> [(name: String, value: JSONNode)] {
        let (basic, user) = (flag("pass_basic_auth", true), flag("pass_user_headers", true))
        let prefersEmail = flag("prefer_email_to_user", false)
        let claim = text("user_id_claim")
        translated(basic.place, "pass_basic_auth", "requestHeaders of the routes")
        translated(user.place, "pass_user_headers", "requestHeaders of the routes")
        translated(prefersEmail.place, "prefer_email_to_user", "X-Forwarded-User has the e-mail address")
        guard basic.value || user.value else { return [] }
        var fields: [(name: String, value: JSONNode)] = [
            ("X-Forwarded-User", .text("${user}"))
        ]
        // The role of allowed addresses is no group, and would be one for the upstream.
        let hasGroups = allRoles.isEmpty
        if hasGroups { fields.append(("X-Forwarded-Groups", .text("${roles}"))) }
        if !prefersEmail.value { fields.append(("X-Forwarded-Email", .text("${user}"))) }
        if !prefersEmail.value, claim?.text != emailClaim {
            attention(
                claim?.place, "pass_user_headers",
                "X-Forwarded-User is the e-mail address, not the \(claim?.text ?? "sub") of the provider; an upstream that keeps users by it has to know the address"
            )
        } else {
            translated(claim?.place, "user_id_claim", "X-Forwarded-User has the e-mail address")
        }
        attention(
            nil, "pass_user_headers",
            hasGroups
                ? "X-Forwarded-Groups has the groups that `roles` lists, and X-Forwarded-Preferred-Username is not sent; list further groups in `roles`, and their claim in rolesClaim"
                : "X-Forwarded-Groups and X-Forwarded-Preferred-Username are not sent: among the roles is \(Self.emailRole), which is no group"
        )
        return [("requestHeaders", .object([("set", .object(fields))]))]
    }
}
