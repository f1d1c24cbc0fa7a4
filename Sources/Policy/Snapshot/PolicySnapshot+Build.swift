import Bytes
import HTTP
import Identity
import Model

extension PolicySnapshot {
    /// A snapshot of the settings, and what is wrong with them. With an error among the problems there is no snapshot:
    /// half a policy is none.
    package static func make(_ settings: PolicySettings) -> (snapshot: PolicySnapshot?, problems: [PolicyProblem]) {
        var builder = Builder(settings)
        let snapshot = builder.build()
        return (builder.problems.contains { $0.severity == .error } ? nil : snapshot, builder.problems)
    }

    private struct Builder {
        let settings: PolicySettings
        var problems: [PolicyProblem] = []
        var webgates: [String: Webgate] = [:]

        init(_ settings: PolicySettings) { self.settings = settings }

        mutating func build() -> PolicySnapshot {
            for (index, webgate) in settings.webgates.enumerated() {
                let made = make(webgate, at: "/webgates/\(index)")
                webgates[made.name] = made
            }
            let routes = routes()
            return PolicySnapshot(
                settings, routes: RouteTable(routes: routes, endpoints: settings.endpoints),
                cors: CORSPolicy(settings.cors, ownOrigins: settings.ownOrigins))
        }

        private mutating func error(_ pointer: String, _ message: String) {
            problems.append(PolicyProblem(pointer: pointer, message: message, severity: .error))
        }

        private mutating func make(_ webgate: WebgateSettings, at pointer: String) -> Webgate {
            if !Webgate.isName(webgate.name) {
                error("\(pointer)/name", "a Webgate name is 1 to 64 of A-Z a-z 0-9 . _ -")  // CHAL-08
            }
            if webgates[webgate.name] != nil { error("\(pointer)/name", "\"\(webgate.name)\" is there twice") }
            if !(0...10).contains(webgate.level) { error("\(pointer)/level", "a level is 0 to 10") }
            return Webgate(
                name: webgate.name, level: webgate.level, userAgents: webgate.userAgents.map(UserAgentPattern.init),
                mismatch: webgate.mismatch, injection: webgate.injection, scheme: webgate.scheme)
        }

        private mutating func routes() -> [Route] {
            let drafts = settings.routes.enumerated().map { draft($1, index: $0) }
            var places: [RouteDraft.Place: [Int]] = [:]
            for (i, draft) in drafts.enumerated() {
                for place in draft.places { places[place, default: []].append(i) }
            }
            return drafts.map { draft in
                // Routes for the same requests but for their methods, which the configuration has kept apart.
                let siblings = draft.places.flatMap { places[$0] ?? [] }.sorted()
                return draft.route(allowedMethods: siblings.reduce(draft.methods) { $0.union(drafts[$1].methods) })
            }
        }

        private mutating func draft(_ route: RouteSettings, index: Int) -> RouteDraft {
            let pointer = "/routes/\(index)"
            if let level = route.level, !(0...10).contains(level) { error("\(pointer)/level", "a level is 0 to 10") }
            if let name = route.webgate, webgates[name] == nil {
                error("\(pointer)/webgate", "there is no Webgate \"\(name)\"")
            }
            let requirement = requirement(route.roles, at: "\(pointer)/roles")
            let methodRequirements = route.methodRoles.sorted { $0.key < $1.key }.map { name, roles in
                let text = Array(name.utf8)
                return Route.MethodRequirement(
                    method: Method(text.span), text: text,
                    requirement: self.requirement(roles, at: "\(pointer)/methods/\(name)/roles"))
            }
            let path = Array(route.path.text.utf8)
            // What PathPattern lets through: escapes that are no UTF-8, parameters of dot segments.
            if CanonicalPath.canonical(path) != path {
                error("\(pointer)/path", "\"\(route.path.text)\": a pattern must be in canonical form")
            }
            return RouteDraft(
                settings: route, index: index, webgate: route.webgate.flatMap { webgates[$0] },
                allowOrigin: route.allowOrigin ?? settings.allowOrigin, requirement: requirement,
                methodRequirements: methodRequirements)
        }

        /// ROLE-04: a name that the catalogue does not have would never be held, or never be excluded.
        private mutating func requirement(_ roles: RoleSettings, at pointer: String) -> RoleRequirement {
            for name in (roles.any ?? []) + roles.all + roles.none where settings.roles.index(of: name) == nil {
                error(pointer, "there is no role \"\(name)\"")
            }
            return RoleRequirement(
                any: roles.any.map { settings.roles.roles(named: $0) }, all: settings.roles.roles(named: roles.all),
                none: settings.roles.roles(named: roles.none))
        }
    }
}

/// A route of which only the methods of its siblings are not known yet.
private struct RouteDraft {
    let settings: RouteSettings
    let index: Int
    let webgate: Webgate?
    let allowOrigin: AllowOriginPolicy
    let requirement: RoleRequirement
    let methodRequirements: [Route.MethodRequirement]

    var methods: MethodSet { settings.methodSet }

    /// A pattern at one host, or (nil) at those that no route names.
    struct Place: Hashable {
        let host: HostPattern?
        let pattern: PathPattern
    }

    /// Two routes with a place in common are for the same requests, but for their methods.
    var places: [Place] {
        let hosts: [HostPattern?] = settings.hosts.isEmpty ? [nil] : settings.hosts
        return hosts.map { Place(host: $0, pattern: settings.path) }
    }

    func route(allowedMethods: MethodSet) -> Route {
        Route(
            settings, index: index, webgate: webgate, allowOrigin: allowOrigin,
            requirement: requirement, methodRequirements: methodRequirements, allowedMethods: allowedMethods)
    }
}
