import Bytes
import Identity
import Model
import Policy

extension Simulator {
    /// An expectation for `expectations.json`: a request, and what is decided about it now.
    package func recorded(_ request: RequestDescription) -> JSONNode {
        let verdict = verdict(on: request)
        var members = (request.expectation.members ?? []).map { ($0.name, $0.node) }
        members.append(("outcome", .text(verdict.outcome.rawValue)))
        if verdict.outcome != .forwarded, let status = verdict.status {
            members.append(("status", .number(Int64(status))))
        }
        if let reason = verdict.reason { members.append(("reason", .text(reason.code))) }
        if let route = verdict.route.flatMap(entryName) { members.append(("route", .text(route))) }
        // The id of a request is another one each time.
        let fields = verdict.fields.filter { !$0.value.contains("{requestId}") }
        if !fields.isEmpty { members.append(("identity", .object(fields.map { ($0.name, .text($0.value)) }))) }
        if !verdict.tokens.isEmpty {
            members.append(("tokens", .object(verdict.tokens.map { ($0.field, .text($0.issuer)) })))
        }
        return .object(members.map { (name: $0.0, value: $0.1) })
    }

    /// The name of the entry of a route: methods with rules of their own make several routes of one.
    private func entryName(_ route: String) -> String {
        let parts = policy.routes.routes.filter { route.hasPrefix("\($0.name) ") }.map(\.name)
        return parts.first ?? route
    }
}

extension Replay {
    /// Expectations from a log: for each route, method, caller and decision one request, with what is decided now. Those
    /// that would be decided otherwise than they were are left out.
    package struct Recording: Sendable {
        private let rules: RuleSet
        private var simulator: Simulator { rules.simulator }
        private let issuers: [String: (name: ClaimPath, roles: ClaimPath?)]
        private var known: Set<[String]> = []
        package private(set) var expectations: [JSONNode] = []
        /// Lines of which no expectation was made.
        package private(set) var omitted = 0

        package init(_ rules: RuleSet) {
            self.rules = rules
            issuers = Dictionary(
                OutsideIssuer.all(rules.policy).map { issuer in
                    let name = issuer.rules.usernameSources.first?.path ?? ClaimPath(literal: "sub")
                    return (issuer.name, (name: name, roles: issuer.rules.roleMapping.sources.first?.path))
                }
            ) { first, _ in first }
        }

        package mutating func add(line: [UInt8]) {
            if line.isEmpty { return }
            guard let request = try? LoggedRequest(line: line), let described = description(of: request) else {
                omitted += 1
                return
            }
            let key = [request.route ?? "", request.method, "\(described.caller)", request.reason]
            guard !known.contains(key) else { return }
            let verdict = simulator.verdict(on: described)
            guard verdict.isAdmitted == request.isAdmitted, request.isAdmitted || verdict.reason?.code == request.reason
            else {
                omitted += 1
                return
            }
            known.insert(key)
            expectations.append(simulator.recorded(described))
        }

        /// Nil for a caller that expectations cannot describe.
        private func description(of request: LoggedRequest) -> RequestDescription? {
            var described = request.description
            guard let caller = request.known else { return described }
            switch caller.method {
            case "api_key": described.caller = .consumer(caller.subject, key: nil)
            case "bearer" where issuers[caller.issuer] != nil:
                guard let issuer = issuers[caller.issuer] else { return nil }
                var claims = issuer.name.setting(.text(caller.subject), in: caller.claims)
                if let roles = issuer.roles, !caller.roles.isEmpty {
                    claims = roles.setting(.texts(caller.roles), in: claims)
                }
                described.caller = .token(issuer: caller.issuer, claims: claims)
            case "bearer":
                guard let client = caller.clientID else { return nil }
                let scopes = caller.claims["scope"]?.string?.split(separator: " ").map(String.init) ?? []
                described.caller = .client(
                    rules.reference(ofClient: client), user: caller.kind == .user ? caller.subject : nil, scopes: scopes
                )
            case "basic", "cookie": described.caller = .user(caller.subject, backend: nil)
            default: return nil
            }
            return described
        }
    }
}
