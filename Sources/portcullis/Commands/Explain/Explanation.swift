import Bytes
import Configuration
import Foundation
import Gateway
import HTTP
import Identity
import Model
import Policy
import Reactor

/// What a configuration makes of one request: the questions that the gateway asks, in its order (AMB-32), each with the
/// answer, up to the one that ends it.
struct Explanation {
    /// A line for each question, and one for what comes of it.
    private(set) var lines: [String] = []
    private(set) var isRefused = false

    private let configuration: GatewayConfiguration
    private let snapshot: GatewaySnapshot
    private var policy: PolicySnapshot { snapshot.policy }
    private let isEncrypted: Bool

    /// - Parameter request: head of an HTTP/1.1 request, with the empty line behind it.
    init(_ request: [UInt8], _ reading: Assembly.Reading, isEncrypted: Bool) {
        configuration = reading.configuration
        snapshot = reading.snapshot
        self.isEncrypted = isEncrypted
        let fields = HeaderTable()
        var parser = RequestParser(limits: HTTPLimits())
        switch parser.parse(request.span, into: fields) {
        case .head(let head): decide(request, head, fields)
        case .invalid(let error): refuse("syntax", "\(error.reason)", status: error.status)
        case .needMore: refuse("syntax", "the request has no end", status: 400)
        }
    }

    private mutating func decide(_ request: [UInt8], _ head: RequestHead, _ fields: HeaderTable) {
        guard let path = CanonicalPath.canonical(Explanation.text(head.path, request)) else {
            return refuse("path", .ambiguousPath)
        }
        pass("path", String(decoding: path, as: UTF8.self))
        let match = policy.match(path: path.span, bytes: request.span, head: head, headers: fields)
        var route: Route?
        switch match {
        case .route(let found), .methodNotAllowed(let found): route = found
        case .endpoint, .notFound: break
        }
        let verdict = policy.screenOrigin(route, bytes: request.span, head: head, headers: fields)
        if case .endpoint(let endpoint) = match { return enter(endpoint.descriptor, verdict, request, head, fields) }
        guard let route else {
            if verdict.denial == nil, PolicySnapshot.isIcon(path.span, head.method) {
                return pass("answer", "204: no route has this icon")
            }
            return refuse("route", verdict.denial ?? .noRoute)
        }
        pass("route", text(of: route))
        if let denial = verdict.denial { return refuse("origin", denial) }
        switch verdict {
        case .preflight: return pass("answer", "a preflight, answered by the gateway: the origin is allowed")
        case .allowed: pass("origin", "allowed")
        default: pass("origin", "none")
        }
        if case .methodNotAllowed = match { return refuse("method", .methodNotAllowed) }
        if policy.hasSecondReading(route, path: path.span, bytes: request.span, head: head, headers: fields) {
            return refuse("path", .ambiguousPath)
        }
        show(snapshot.rateLimits(of: route))
        if route.readsCertificate { leaveOpen("certificate", text(of: route.certificateRule)) }
        guard hasRoom(snapshot.bodyLimit(of: route), head) else { return }
        let principal: Principal?
        do throws(Reason) {
            principal = try authenticate(route, request, fields)
        } catch {
            return refuse("credential", error)
        }
        let denial = policy.authorize(route, principal: principal, bytes: request.span, head: head, headers: fields)
        guard let denial else {
            pass("rights", route.isPublic ? "none are asked for" : "enough")
            pass("token", token(route, principal))
            return pass("answer", "forwarded to \(configuration.upstreams[route.upstream].name)")
        }
        let method = Explanation.text(head.methodText, request)
        let details = detail(denial, route, principal, head.method, method)
        let location =
            denial.status != 401
            ? nil
            : policy.loginLocation(
                route, bytes: request.span, head: head, headers: fields, now: Clock.wallSeconds)
        guard let location else { return refuse("rights", denial, details) }
        Explanation.append("NO", "rights", ([denial.code] + details).joined(separator: "; "), to: &lines)
        let form = location.prefix { $0 != UInt8(ascii: "?") }
        pass("answer", "302 to the login form, \(String(decoding: form, as: UTF8.self))")
    }

    /// The rules of an endpoint of the gateway's own.
    private mutating func enter(
        _ endpoint: EndpointDescriptor, _ verdict: OriginVerdict, _ request: [UInt8], _ head: RequestHead,
        _ fields: HeaderTable
    ) {
        pass("endpoint", "\(endpoint.name), \(String(decoding: endpoint.methods, as: UTF8.self))")
        let mayComeFromAnywhere = head.method == .post && endpoint.traits.contains(.takesForeignForms)
        if !mayComeFromAnywhere {
            if let denial = verdict.denial { return refuse("origin", denial) }
            if verdict == .preflight {
                return pass("answer", "a preflight, answered by the gateway: the origin is allowed")
            }
            pass("origin", verdict == .allowed ? "allowed" : "none")
        }
        show(snapshot.endpointLimits)
        let isConfidential = isEncrypted || snapshot.listeners.contains { $0.takesClearCredentials }
        let denial = policy.screen(
            endpoint, bytes: request.span, head: head, headers: fields, isConfidential: isConfidential)
        if let denial { return refuse("endpoint", denial) }
        if endpoint.traits.contains(.needsPrincipal) {
            do throws(Reason) {
                guard try authenticate(nil, request, fields) != nil else { throw .missingCredential }
            } catch {
                return refuse("credential", error)
            }
        }
        guard hasRoom(endpoint.largestBody, head) else { return }
        pass("answer", "by an endpoint of the gateway's own (\(endpoint)); its handler is not asked")
    }

    private mutating func authenticate(
        _ route: Route?, _ request: [UInt8], _ fields: HeaderTable
    ) throws(Reason) -> Principal? {
        let principal = try Explanation.holder(
            policy, route, request, fields, isEncrypted: isEncrypted)
        pass("credential", principal.map(Explanation.text(of:)) ?? "none that counts here")
        return principal
    }

    /// Whom the credential of a request stands for; nil where it has none that counts.
    private static func holder(
        _ policy: PolicySnapshot, _ route: Route?, _ request: [UInt8], _ fields: HeaderTable, isEncrypted: Bool
    ) throws(Reason) -> Principal? {
        let outcome = policy.authenticate(
            route, bytes: request.span, headers: fields, secure: isEncrypted, now: Clock.wallSeconds,
            cache: VerifiedTokenCache(capacity: 1))
        switch outcome {
        case .none: return nil
        case .principal(let known): return known
        case .rejected(let reason), .malformed(let reason): throw reason
        case .resolve(let effect): return try effect.waited().get()
        }
    }

    /// Whom a bearer token stands for, on any route.
    static func principal(of token: [UInt8], _ policy: PolicySnapshot) throws(Reason) -> Principal {
        let request =
            Array("GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ".utf8) + token
            + Array("\r\n\r\n".utf8)
        let fields = HeaderTable()
        var parser = RequestParser(limits: HTTPLimits())
        guard case .head = parser.parse(request.span, into: fields),
            let principal = try holder(policy, nil, request, fields, isEncrypted: true)
        else { throw .malformedToken }
        return principal
    }

    private static func text(_ slice: ByteRange, _ request: [UInt8]) -> [UInt8] {
        Array(request[Int(slice.start)..<Int(slice.start + slice.count)])
    }

    // MARK: Limits

    /// Limits of rates, which a running gateway counts.
    private mutating func show(_ limiters: [RateLimiter]) {
        for limiter in limiters {
            let limit = limiter.limit
            let time =
                limit.perMilliseconds % 1000 == 0 ? "\(limit.perMilliseconds / 1000) s" : "\(limit.perMilliseconds) ms"
            leaveOpen(
                "rate",
                "\(limit.requests) requests in \(time), \(limit.burst) at once, by \(limit.key.rawValue); not counted here"
            )
        }
    }

    /// Answers false where the body is said to be too long, and the request is refused.
    private mutating func hasRoom(_ limit: Int?, _ head: RequestHead) -> Bool {
        if let limit, case .length(let count) = head.framing, count > limit {
            refuse("body", .bodyTooLarge, ["\(count) bytes, and not more than \(limit)"])
            return false
        }
        pass("body", limit.map { "at most \($0) bytes" } ?? "of any length")
        return true
    }

    // MARK: Words

    private func text(of rule: CertificateRule?) -> String {
        guard let rule else { return "passed on where the client shows one; not looked at" }
        let wanted = rule.patterns.isEmpty ? "any" : rule.patterns.map(\.description).joined(separator: " or ")
        return "\(wanted) is asked for; not looked at"
    }

    /// The token that the upstream gets.
    private func token(_ route: Route, _ principal: Principal?) -> String {
        guard let rule = route.injection else {
            return route.forwardCredential ? "none; the credential of the request is passed on" : "none"
        }
        let field = String(decoding: rule.headerName, as: UTF8.self)
        if route.challengeRule != nil {
            return "of the issuer \(rule.issuer) in \(field), as soon as the upstream's Webgate asks for it"
        }
        return principal == nil ? "none, for no caller is known" : "of the issuer \(rule.issuer) in \(field)"
    }

    private func text(of route: Route) -> String {
        let entry = configuration.routes[route.index]
        var parts = ["\(route.name), /routes/\(route.index)"]
        if !entry.backends.isEmpty { parts.append("of \(entry.backends.joined(separator: ", "))") }
        if let webgate = route.webgate { parts.append("webgate \(webgate.name)") }
        if route.isPublic { parts.append("public") }
        if route.level > 0 { parts.append("level \(route.level)") }
        return parts.joined(separator: ", ")
    }

    static func text(of principal: Principal) -> String {
        var parts = ["\(principal.subject)", "\(principal.kind.rawValue) by \(principal.method.rawValue)"]
        parts.append("issuer \(principal.issuer)")
        if let id = principal.backendID { parts.append("backend \(id)") }
        parts.append("level \(principal.level)")
        parts.append(principal.roleNames.isEmpty ? "no roles" : "roles \(principal.roleNames.joined(separator: " "))")
        if let end = principal.expiresAt {
            parts.append("until \(Date(timeIntervalSince1970: Double(end)).formatted(.iso8601))")
        }
        return parts.joined(separator: ", ")
    }

    private func detail(
        _ denial: Reason, _ route: Route, _ principal: Principal?, _ method: HTTP.Method, _ name: [UInt8]
    ) -> [String] {
        switch denial {
        case .roleRequired:
            let requirement = route.requirement(for: method, name.span)
            let missing = MissingRoles(
                any: requirement.any.map(policy.roles.names(of:)), all: policy.roles.names(of: requirement.all),
                none: policy.roles.names(of: requirement.none))
            return missing.lines(held: principal?.roleNames)
        case .stepUpRequired: return ["missing: level \(route.level)"]
        default: return []
        }
    }

    private mutating func pass(_ question: String, _ answer: String) {
        Explanation.append("ok", question, answer, to: &lines)
    }

    /// What only a running gateway can answer.
    private mutating func leaveOpen(_ question: String, _ answer: String) {
        Explanation.append("?", question, answer, to: &lines)
    }

    private mutating func refuse(_ question: String, _ denial: Reason, _ details: [String] = []) {
        refuse(question, ([denial.code] + details).joined(separator: "; "), status: denial.status)
    }

    private mutating func refuse(_ question: String, _ why: String, status: Int) {
        isRefused = true
        Explanation.append("NO", question, why, to: &lines)
        Explanation.append("NO", "answer", "\(status)", to: &lines)
    }

    private static func append(_ mark: String, _ question: String, _ answer: String, to lines: inout [String]) {
        func padded(_ text: String, to width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        lines.append("\(padded(mark, to: 3))\(padded(question, to: 12))\(answer)")
    }
}
