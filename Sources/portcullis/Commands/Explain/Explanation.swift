import Bytes
import Configuration
import Endpoints
import Gateway
import HTTP
import Identity
import Model
import Policy
import Reactor

/// How the gateway would handle one request: the steps of its decision, each with the outcome, up to the one that ends it.
struct Explanation {
    /// A line for each step and one for the response.
    private(set) var lines: [String] = []
    private(set) var isRefused = false

    /// Whether a step ends the decision that only a running gateway can take.
    private var isOpen = false

    private let configuration: GatewayConfiguration
    private let snapshot: GatewaySnapshot
    private var policy: PolicySnapshot { snapshot.policy }
    let isEncrypted: Bool
    /// Whether policy servers are asked.
    let asksPolicy: Bool

    /// - Parameter text: head of an HTTP/1.1 request, including the empty line.
    init(_ text: [UInt8], _ reading: Assembly.Reading, isEncrypted: Bool, asksPolicy: Bool = false) {
        configuration = reading.configuration
        snapshot = reading.snapshot
        self.isEncrypted = isEncrypted
        self.asksPolicy = asksPolicy
        do throws(HTTPParseError) {
            decide(try BufferedRequest(text))
        } catch {
            refuse("syntax", "\(error.reason)", status: error.status)
        }
    }

    private mutating func decide(_ request: BufferedRequest) {
        if !isEncrypted, let redirect = snapshot.plainRedirect, !precedesRedirect(request) {
            return show(redirect, of: request)
        }
        do throws(PathAmbiguity) {
            var run = try DecisionRun(policy, request, now: Clock.wallSeconds)
            showTarget(&run)
            do throws(Reason) {
                switch try run.finish({ (step, run) throws(Reason) in try take(step, &run) }) {
                case .preflight: pass("answer", "a preflight, answered by the gateway: the origin is allowed")
                case .icon: pass("answer", "204: no route has this icon")
                case .admitted: admit(run)
                }
            } catch {
                if !isRefused, !isOpen { deny(run, error) }
            }
        } catch {
            refuse("path", .ambiguousPath, Evidence([error.text]))
        }
    }

    /// Whether a listener that redirects to `https` answers the request itself.
    private func precedesRedirect(_ request: BufferedRequest) -> Bool {
        guard let run = try? DecisionRun(policy, request, now: Clock.wallSeconds) else { return false }
        return policy.routes.answersBeforeRedirect(run.path.span)
    }

    private mutating func show(_ redirect: HTTPSRedirect, of request: BufferedRequest) {
        let (location, bytes) = (Chunk(capacity: 256), request.bytes)
        guard HTTPSLocation.append(request.head, bytes.span, port: redirect.port, to: location) else {
            return refuse("route", .noRoute)
        }
        guard snapshot.redirects(request.head, bytes.span) else { return refuse("listener", .unknownHost) }
        pass("listener", "redirects to https")
        pass("answer", "\(redirect.status) to \(String(copying: location.readable))")
    }

    private mutating func showTarget(_ run: inout DecisionRun) {
        pass("path", String(decoding: run.path, as: UTF8.self))
        if let route = run.decision.route {
            pass("route", text(of: route))
            let path = run.path
            let values = route.pattern.variableNames.map { name in
                let value = route.pattern.value(of: name, in: path.span)
                return
                    "\(name)=\(value.map { String(decoding: $0, as: UTF8.self) } ?? "none, as the segment has a parameter")"
            }
            if !values.isEmpty { pass("variables", values.joined(separator: ", ")) }
            if let login = route.entry.login {
                pass("login", text(of: login))
            }
        }
        if let endpoint = run.decision.endpoint?.descriptor {
            pass("endpoint", "\(endpoint.name), \(String(decoding: endpoint.methods, as: UTF8.self))")
            run.decision.isConfidential = isEncrypted || snapshot.listeners.contains { $0.takesClearCredentials }
        }
        if run.decision.readsOrigin, run.decision.screening.denial == nil,
            run.decision.route != nil || run.decision.endpoint != nil
        {
            pass("origin", run.decision.screening.isAllowed ? "allowed" : "none")
        }
    }

    /// Performs a step that needs more than the policy.
    private mutating func take(_ step: Decision.Step, _ run: inout DecisionRun) throws(Reason) {
        let route = run.decision.route
        switch step {
        case .address: leaveOpen("address", Explanation.text(of: route?.entry.options.addresses))
        case .rate: show(route.map(snapshot.rateLimits.of) ?? snapshot.rateLimits.endpoints)
        case .certificate: leaveOpen("certificate", text(of: route?.certificateRule))
        case .body: guard hasRoom(snapshot.bodyLimit(of: route), run.request.head) else { throw .bodyTooLarge }
        case .credential:
            run.decision.principal = try Explanation.holder(policy, route, run.request, isEncrypted: isEncrypted)
            if let principal = run.decision.principal {
                pass("credential", Explanation.text(of: principal))
            } else if route?.entry.options.takesCertificates == true {
                leaveOpen("credential", "none was sent; the user of a client certificate is not looked for here")
                isOpen = true
                throw .missingCredential
            } else if route != nil {
                pass("credential", "none that applies here")
            }
        case .trial:
            guard let denial = run.decision.trialDenial else { break }
            let details = run.evidence(for: denial, onTrial: true)
            leaveOpen("trial", Explanation.text("would be refused: \(denial.code)", details))
        case .policy, .trialPolicy: try showPolicy(run)
        case .message: show(route?.entry.options.mcp)
        case .proof: leaveOpen("proof", "the token is bound to a key or certificate; proofs are not checked here")
        case .principalRate: show(snapshot.rateLimits.of(run.decision.principal), by: "consumer")
        // `rate` shows limits of the route by principal too.
        case .origin, .preflight, .method, .secondReading, .tunnel, .endpointRules, .caller, .claims,
            .rights, .answer:
            break
        }
    }

    private mutating func admit(_ run: borrowing DecisionRun) {
        if let route = run.decision.route {
            pass("rights", route.isPublic ? "none required" : "enough")
            if let answer = route.entry.answer {
                return pass("answer", Explanation.text(of: answer, route, run))
            }
            pass("token", token(route, run.decision.principal))
            return pass("answer", forwarding(route, run.path))
        }
        guard let endpoint = run.decision.endpoint?.descriptor, hasRoom(endpoint.largestBody, run.request.head) else {
            return
        }
        pass("answer", "by an endpoint of the gateway's own (\(endpoint)); its handler is not run")
    }

    /// What a route without an upstream answers.
    private static func text(of answer: RouteAnswer, _ route: Route, _ run: borrowing DecisionRun) -> String {
        switch answer {
        case .redirect(let redirect):
            let (location, path, bytes) = (Chunk(capacity: 256), run.path, run.request.bytes)
            redirect.append(
                path: path.span, query: run.request.head.query, of: bytes.span, rewrite: route.rewrite, to: location)
            return "\(redirect.status) to \(String(copying: location.readable))"
        case .response(let response):
            let body = response.body.isEmpty ? "no body" : "\(response.contentType), \(response.body.utf8.count) bytes"
            return "\(response.status) by the route, \(body)"
        }
    }

    /// Where an admitted request goes, with the path and `Host` that differ from the client's.
    private func forwarding(_ route: Route, _ path: [UInt8]) -> String {
        var text = "forwarded to \(configuration.upstreams[route.upstream].name)"
        if let rewrite = route.rewrite { text += " as \(String(decoding: rewrite.path(path), as: UTF8.self))" }
        if !route.host.isEmpty { text += " with Host \(String(decoding: route.host, as: UTF8.self))" }
        return text
    }

    /// A refusal by the policy, with the missing rights, or a redirect to the login form.
    private mutating func deny(_ run: borrowing DecisionRun, _ reason: Reason) {
        let (label, details) = (run.decision.label, run.evidence(for: reason))
        guard let route = run.decision.route, label == "rights", reason.status == 401,
            let location = run.loginLocation(for: reason)
        else { return refuse(label, reason, details) }
        Explanation.append("NO", "rights", Explanation.text(reason.code, details), to: &lines)
        let (path, bytes, head) = (run.path, run.request.bytes, run.request.head)
        let host = String(copying: bytes.span.slice(head.authority))
        if let home = snapshot.names.home(of: host),
            let isThere = policy.routes.hasLogin(
                of: route, at: home.authority, path: path.span, bytes: bytes.span, head: head,
                headers: run.request.headers)
        {
            if snapshot.loginHome(of: route, at: host, secure: home.isSecure) != nil {
                return pass("answer", "302 to the login at \(home), and back to \(host) by a code")
            }
            let target = ReturnTarget(of: head, bytes.span).text
            let move = LoginMove(from: host, to: home, target: target, held: [], isThere: isThere)
            guard move.isSent else {
                return refuse("login", "\(Reason.loginHostForeign.code); leads to \(move.url)", status: move.status)
            }
            return pass("answer", "302 to \(move.url): browsers log in at baseUrl")
        }
        let form = location.prefix { $0 != UInt8(ascii: "?") }
        pass("answer", "302 to the login form, \(String(decoding: form, as: UTF8.self))")
    }

    /// The principal of the credential of a request; nil without an applicable one.
    private static func holder(
        _ policy: PolicySnapshot, _ route: Route?, _ request: BufferedRequest, isEncrypted: Bool
    ) throws(Reason) -> Principal? {
        let bytes = request.bytes
        let outcome = policy.authenticate(
            route, bytes: bytes.span, head: request.head, headers: request.headers, secure: isEncrypted,
            now: Clock.wallSeconds, cache: VerifiedTokenCache(capacity: 1))
        switch outcome {
        case .none: return nil
        case .principal(let known): return known
        case .rejected(let reason), .malformed(let reason): throw reason
        case .resolve(let effect): return try effect.waited().get()
        }
    }

    /// The principal of a bearer token, on any route.
    static func principal(of token: [UInt8], _ policy: PolicySnapshot) throws(Reason) -> Principal {
        let head =
            Array("GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ".utf8) + token
            + Array("\r\n\r\n".utf8)
        guard let request = try? BufferedRequest(head),
            let principal = try holder(policy, nil, request, isEncrypted: true)
        else { throw .malformedToken }
        return principal
    }

    // MARK: Limits

    /// Rate limits, for which only a running gateway counts requests.
    private mutating func show(_ limiters: [RateLimiter], by key: String? = nil) {
        for limiter in limiters {
            let limit = limiter.limit
            let time =
                limit.perMilliseconds % 1000 == 0 ? "\(limit.perMilliseconds / 1000) s" : "\(limit.perMilliseconds) ms"
            leaveOpen(
                "rate",
                "\(limit.requests) requests in \(time), \(limit.burst) at once, by \(key ?? limit.key.rawValue); not counted here"
            )
        }
    }

    /// Refuses a request with a declared body above the limit; returns false then.
    private mutating func hasRoom(_ limit: Int?, _ head: RequestHead) -> Bool {
        if let limit, case .length(let count) = head.framing, count > limit {
            refuse("body", .bodyTooLarge, Evidence(["\(count) bytes, and not more than \(limit)"]))
            return false
        }
        pass("body", limit.map { "at most \($0) bytes" } ?? "of any length")
        return true
    }

    // MARK: Texts

    private func text(of rule: CertificateRule?) -> String {
        guard let rule else { return "used if the client presents one; not checked here" }
        let wanted = rule.patterns.isEmpty ? "any" : rule.patterns.map(\.description).joined(separator: " or ")
        return "\(wanted) is required; not checked here"
    }

    private static func text(of rule: AddressRule?) -> String {
        func list(_ word: String, _ ranges: [IPAddressRange]) -> String? {
            ranges.isEmpty ? nil : "\(word) \(ranges.map { "\($0)" }.joined(separator: ", "))"
        }
        let parts = [list("from", rule?.allowed ?? []), list("not from", rule?.denied ?? [])].compactMap(\.self)
        return "\(parts.joined(separator: "; ")); not checked here"
    }

    /// The tokens for the upstream.
    private func token(_ route: Route, _ principal: Principal?) -> String {
        if route.injections.isEmpty {
            return route.passesCredential ? "none; the credential of the request is forwarded" : "none"
        }
        let tokens = route.injections.map {
            let source = $0.issuer == InjectionEntry.login ? "of the login's provider" : "of the issuer \($0.issuer)"
            return "\(source) in \(String(decoding: $0.headerName, as: UTF8.self))"
        }
        .joined(separator: ", ")
        if route.entry.options.challengeRule != nil { return "\(tokens), once the upstream's webgate challenges" }
        return principal == nil ? "none, since no caller is known" : tokens
    }

    /// Whole hours, minutes or seconds.
    static func text(of duration: Duration) -> String {
        let seconds = duration.components.seconds
        let (size, unit) =
            [(3600, "hour"), (60, "minute")].first { seconds % $0.0 == 0 && seconds >= $0.0 } ?? (1, "second")
        return "\(seconds / size) \(unit)" + (seconds == size ? "" : "s")
    }

    /// The login of browsers, with what the configuration leaves out.
    private func text(of login: RouteLoginEntry) -> String {
        let idle = login.idleTimeout ?? configuration.sessions.idleTimeout
        let lifetime = login.lifetime ?? configuration.sessions.lifetime
        let session =
            "a session lasts \(Explanation.text(of: lifetime))"
            + (idle == .zero ? "" : ", at most \(Explanation.text(of: idle)) unused")
        let providers = login.ways.compactMap { name in
            configuration.identityProviders.first { $0.name == name && $0.kind != .local }
        }
        let users = providers.map { provider in
            let identity = provider.users.identity
            let roles = identity.roleMapping.sources.map(\.path.text)
            return (providers.count > 1 ? "\(provider.name): " : "")
                + (identity.virtualUserEnabled
                    ? "users need no account and are named \(identity.usernamePrefix)NAME" : "users need an account")
                + "; roles from " + (roles.isEmpty ? "no claim" : roles.joined(separator: ", "))
        }
        return (["browsers at \(login.ways.joined(separator: ", "))", session] + users).joined(separator: "; ")
    }

    private func text(of route: Route) -> String {
        guard let place = place(of: route) else { return route.name }
        var parts = ["\(route.name), /routes/\(place)"]
        if !route.conditions.isEmpty { parts.append("for \(route.conditions)") }
        let clients = route.entry.clients
        if !clients.isEmpty { parts.append("of \(clients.joined(separator: ", "))") }
        if let webgate = route.webgate { parts.append("webgate \(webgate.name)") }
        if route.isPublic { parts.append("public") }
        if route.isOptional { parts.append("identity optional") }
        if let list = route.entry.options.authenticators {
            parts.append("by \(list.map(Explanation.text).joined(separator: ", "))")
        }
        if route.level > 0 { parts.append("level \(route.level)") }
        return parts.joined(separator: ", ")
    }

    /// The entry of a route. Methods with rules of their own make several routes of one entry, which bear its name.
    private func place(of route: Route) -> Int? {
        let entries = configuration.routes
        return entries.firstIndex { $0.name == route.name }
            ?? entries.firstIndex { entry in
                entry.path == route.pattern && entry.hosts == route.hosts && entry.conditions == route.conditions
                    && route.name.hasPrefix("\(entry.name) ")
            }
    }

    mutating func pass(_ label: String, _ answer: String) {
        Explanation.append("ok", label, answer, to: &lines)
    }

    /// A step that only a running gateway can decide.
    mutating func leaveOpen(_ label: String, _ answer: String) {
        Explanation.append("?", label, answer, to: &lines)
    }

    mutating func refuse(_ label: String, _ denial: Reason, _ details: Evidence = .none) {
        refuse(label, Explanation.text(denial.code, details), status: denial.status)
    }

    /// What is refused, with what was compared.
    private static func text(_ refusal: String, _ details: Evidence) -> String {
        details.isEmpty ? refusal : "\(refusal); \(details.text)"
    }

    /// The lines of a refusal that a running gateway remembers: those of this command.
    static func lines(of refusal: String, _ details: String, at label: String, status: Int) -> [String] {
        var lines: [String] = []
        append("NO", label, details.isEmpty ? refusal : "\(refusal); \(details)", to: &lines)
        append("NO", "answer", "\(status)", to: &lines)
        return lines
    }

    mutating func refuse(_ label: String, _ why: String, status: Int) {
        isRefused = true
        Explanation.append("NO", label, why, to: &lines)
        Explanation.append("NO", "answer", "\(status)", to: &lines)
    }

    private static func append(_ mark: String, _ label: String, _ answer: String, to lines: inout [String]) {
        func padded(_ text: String, to width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        lines.append("\(padded(mark, to: 3))\(padded(label, to: 12))\(answer)")
    }
}
