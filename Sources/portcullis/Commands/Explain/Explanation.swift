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

    private let configuration: GatewayConfiguration
    private let snapshot: GatewaySnapshot
    var policy: PolicySnapshot { snapshot.policy }
    let isEncrypted: Bool
    /// Whether policy servers are asked.
    let asksPolicy: Bool

    /// - Parameter request: head of an HTTP/1.1 request, including the empty line.
    init(_ request: [UInt8], _ reading: Assembly.Reading, isEncrypted: Bool, asksPolicy: Bool = false) {
        configuration = reading.configuration
        snapshot = reading.snapshot
        self.isEncrypted = isEncrypted
        self.asksPolicy = asksPolicy
        let fields = HeaderTable()
        var parser = RequestParser(limits: HTTPLimits())
        switch parser.parse(request.span, into: fields) {
        case .head(let head): decide(request, head, fields)
        case .invalid(let error): refuse("syntax", "\(error.reason)", status: error.status)
        case .needMore: refuse("syntax", "the request has no end", status: 400)
        }
    }

    private mutating func decide(_ request: [UInt8], _ head: RequestHead, _ fields: HeaderTable) {
        if !isEncrypted, let redirect = snapshot.plainRedirect, !precedesRedirect(request, head, with: fields) {
            let location = Chunk(capacity: 256)
            guard HTTPSLocation.append(head, request.span, port: redirect.port, to: location) else {
                return refuse("route", .noRoute)
            }
            guard snapshot.redirects(head, request.span) else { return refuse("listener", .unknownHost) }
            pass("listener", "redirects to https")
            return pass("answer", "\(redirect.status) to \(String(copying: location.readable))")
        }
        guard let path = canonicalPath(request, head, fields) else { return }
        pass("path", String(decoding: path, as: UTF8.self))
        var decision = Decision(
            policy, path: path.span, bytes: request.span, head: head, headers: fields, now: Clock.wallSeconds)
        if let route = decision.route {
            pass("route", text(of: route))
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
        if let endpoint = decision.endpoint?.descriptor {
            pass("endpoint", "\(endpoint.name), \(String(decoding: endpoint.methods, as: UTF8.self))")
            decision.isConfidential = isEncrypted || snapshot.listeners.contains { $0.takesClearCredentials }
        }
        if decision.readsOrigin, decision.screening.denial == nil, decision.route != nil || decision.endpoint != nil {
            pass("origin", decision.screening.isAllowed ? "allowed" : "none")
        }
        while true {
            switch decision.advance(policy, path: path.span, bytes: request.span, head: head, headers: fields) {
            case .ask(let step): guard passes(step, &decision, path, request, head, fields) else { return }
            case .deny(let reason): return deny(decision, reason, path, request, head, fields)
            case .answerPreflight:
                return pass("answer", "a preflight, answered by the gateway: the origin is allowed")
            case .answerIcon: return pass("answer", "204: no route has this icon")
            case .admit: return admit(decision, path, head, request)
            }
        }
    }

    /// Performs a step that needs more than the policy. Returns false for a refused request.
    private mutating func passes(
        _ step: Decision.Step, _ decision: inout Decision, _ path: [UInt8], _ request: [UInt8], _ head: RequestHead,
        _ fields: HeaderTable
    ) -> Bool {
        switch step {
        case .address: leaveOpen("address", Explanation.text(of: decision.route?.entry.options.addresses))
        case .rate: show(decision.route.map(snapshot.rateLimits.of) ?? snapshot.rateLimits.endpoints)
        case .certificate: leaveOpen("certificate", text(of: decision.route?.certificateRule))
        case .body: return hasRoom(snapshot.bodyLimit(of: decision.route), head)
        case .credential:
            do throws(Reason) {
                decision.principal = try Explanation.holder(
                    policy, decision.route, request, head, fields, isEncrypted: isEncrypted)
                if let principal = decision.principal {
                    pass("credential", Explanation.text(of: principal))
                } else if decision.route?.entry.options.takesCertificates == true {
                    leaveOpen("credential", "none was sent; the user of a client certificate is not looked for here")
                    return false
                } else if decision.route != nil {
                    pass("credential", "none that applies here")
                }
            } catch {
                let details = RefusalEvidence(policy).evidence(
                    for: error, on: decision.route, nil, path: path.span, bytes: request.span, head: head,
                    headers: fields, now: Clock.wallSeconds)
                refuse("credential", error, details)
                return false
            }
        case .trial:
            guard let denial = decision.trialDenial else { break }
            let rule = denial == .corsDenied ? decision.route : decision.route?.trial
            let details = RefusalEvidence(policy).evidence(
                for: denial, on: rule, decision.principal, path: path.span, bytes: request.span, head: head,
                headers: fields, now: Clock.wallSeconds)
            leaveOpen("trial", Explanation.text("would be refused: \(denial.code)", details))
        case .policy, .trialPolicy: return showPolicy(decision, path, request, head, fields)
        case .message: show(decision.route?.entry.options.mcp)
        case .proof: leaveOpen("proof", "the token is bound to a key or certificate; proofs are not checked here")
        case .principalRate: show(snapshot.rateLimits.of(decision.principal), by: "consumer")
        // `rate` shows limits of the route by principal too.
        case .origin, .preflight, .method, .secondReading, .tunnel, .endpointRules, .caller, .claims,
            .rights, .answer:
            break
        }
        return true
    }

    private mutating func admit(
        _ decision: borrowing Decision, _ path: [UInt8], _ head: RequestHead, _ request: [UInt8]
    ) {
        if let route = decision.route {
            pass("rights", route.isPublic ? "none required" : "enough")
            if let answer = route.entry.answer {
                return pass("answer", Explanation.text(of: answer, route, path, head, request))
            }
            pass("token", token(route, decision.principal))
            return pass("answer", forwarding(route, path))
        }
        guard let endpoint = decision.endpoint?.descriptor, hasRoom(endpoint.largestBody, head) else { return }
        pass("answer", "by an endpoint of the gateway's own (\(endpoint)); its handler is not run")
    }

    /// What a route without an upstream answers.
    private static func text(
        of answer: RouteAnswer, _ route: Route, _ path: [UInt8], _ head: RequestHead, _ request: [UInt8]
    ) -> String {
        switch answer {
        case .redirect(let redirect):
            let location = Chunk(capacity: 256)
            redirect.append(
                path: path.span, query: head.query, of: request.span, rewrite: route.rewrite, to: location)
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
    private mutating func deny(
        _ decision: borrowing Decision, _ reason: Reason, _ path: [UInt8], _ request: [UInt8], _ head: RequestHead,
        _ fields: HeaderTable
    ) {
        let label = decision.label
        let details = RefusalEvidence(policy).evidence(
            for: reason, on: decision.route, decision.principal, path: path.span, bytes: request.span, head: head,
            headers: fields, now: Clock.wallSeconds)
        guard let route = decision.route, label == "rights" else { return refuse(label, reason, details) }
        let location =
            reason.status != 401
            ? nil
            : policy.loginLocation(
                route, for: reason, of: decision.principal, bytes: request.span, head: head, headers: fields,
                now: Clock.wallSeconds)
        guard let location else { return refuse("rights", reason, details) }
        Explanation.append("NO", "rights", Explanation.text(reason.code, details), to: &lines)
        let host = String(decoding: Explanation.text(head.authority, request), as: UTF8.self)
        if let home = snapshot.names.home(of: host),
            let isThere = policy.routes.hasLogin(
                of: route, at: home.authority, path: path.span, bytes: request.span, head: head, headers: fields)
        {
            if snapshot.loginHome(of: route, at: host, secure: home.isSecure) != nil {
                return pass("answer", "302 to the login at \(home), and back to \(host) by a code")
            }
            let target = ReturnTarget(of: head, request.span).text
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
        _ policy: PolicySnapshot, _ route: Route?, _ request: [UInt8], _ head: RequestHead, _ fields: HeaderTable,
        isEncrypted: Bool
    ) throws(Reason) -> Principal? {
        let outcome = policy.authenticate(
            route, bytes: request.span, head: head, headers: fields, secure: isEncrypted, now: Clock.wallSeconds,
            cache: VerifiedTokenCache(capacity: 1))
        switch outcome {
        case .none: return nil
        case .principal(let known): return known
        case .rejected(let reason), .malformed(let reason): throw reason
        case .resolve(let effect): return try effect.waited().get()
        }
    }

    /// The principal of a bearer token, on any route.
    static func principal(of token: [UInt8], _ policy: PolicySnapshot) throws(Reason) -> Principal {
        let request =
            Array("GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ".utf8) + token
            + Array("\r\n\r\n".utf8)
        let fields = HeaderTable()
        var parser = RequestParser(limits: HTTPLimits())
        guard case .head(let head) = parser.parse(request.span, into: fields),
            let principal = try holder(policy, nil, request, head, fields, isEncrypted: true)
        else { throw .malformedToken }
        return principal
    }

    private static func text(_ slice: ByteRange, _ request: [UInt8]) -> [UInt8] {
        Array(request[Int(slice.start)..<Int(slice.start + slice.count)])
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
