import Bytes
import Configuration
import Endpoints
import Gateway
import Glibc
import HTTP
import Identity
import Model
import Reactor
import TokenStorage

/// Reads and changes the configuration, for commands on a directory and for the admin listener of a running gateway.
/// Blocks on files; never called on an event loop.
struct Administration: Sendable {
    let configuration: ConfigurationChange
    let audit: AuditTrail
    /// The store of a running gateway; nil for a directory.
    let tokens: (any TokenStore)?
    let cleaner: TokenCleaner?
    /// Families of endpoints with resources of their own.
    let families: [any CompatibilityFamily]
    /// Maximum delay until other gateways apply a change; 0 without other gateways.
    let reachSeconds: Int64
    /// Activates written changes; does nothing for a directory.
    let apply: @Sendable () -> Adoption

    /// The outcome of an activation.
    enum Adoption: Sendable {
        case failed
        case complete
        /// The change is active here, but the store could not notify other gateways.
        case untold(StoreFailure)
    }

    init(
        directory: String, audit: AuditTrail, tokens: (any TokenStore)? = nil, cleaner: TokenCleaner? = nil,
        families: [any CompatibilityFamily] = CompatibilityFamilies.all(), reachSeconds: Int64 = 0,
        isServed: Bool = false,
        formerFiles: @escaping @Sendable () -> Set<String> = { [] },
        apply: @escaping @Sendable () -> Adoption = { .complete }
    ) {
        self.tokens = tokens
        self.cleaner = cleaner
        self.families = families
        self.reachSeconds = reachSeconds
        configuration = ConfigurationChange(directory: directory, isServed: isServed, formerFiles: formerFiles)
        self.audit = audit
        self.apply = apply
    }

    /// The response, and the second since 1970 from which it holds. The response is sent then: issue times have a
    /// resolution of one second, so that tokens issued earlier in this second would be revoked.
    func handle(_ request: AdminRequest) -> (response: EndpointResponse, since: Int64) {
        let conclusion = conclusions(of: [request])[0]
        return (conclusion.response, conclusion.since)
    }

    /// The outcome of a request.
    struct Conclusion {
        let response: EndpointResponse
        let since: Int64
        /// The added or changed user.
        var user: User?
        /// Whether the change is active here, even if other gateways were not notified.
        var isDone = false
    }

    /// Handles several requests in order, with one reload.
    func conclusions(of requests: [AdminRequest]) -> [Conclusion] {
        let steps = requests.map(run)
        let adoption = steps.contains(where: \.hasWritten) ? apply() : .complete
        return zip(requests, steps).map { request, step in
            switch adoption {
            case .failed where step.hasWritten: conclude(request, step, .failure(Administration.notTakenUp))
            case .untold(let failure) where step.hasWritten:
                conclude(request, step, step.outcome, untold: Administration.untold(failure))
            default: conclude(request, step, step.outcome)
            }
        }
    }

    /// A request that has run, before its change is active.
    private struct Step {
        var action = "unknown"
        var resource: AdminResources.Entry?
        var outcome: Result<AdminAnswer, AdminFailure>

        var hasWritten: Bool {
            // Reads are not audited.
            guard case .success(let answer) = outcome, answer.isAudited else { return false }
            return resource?.changesConfiguration == true
        }
    }

    /// The message of a full queue.
    static let busy = "too many changes and reloads are waiting; try again later"

    private static let notTakenUp = AdminFailure.cannotWrite(
        "the change was written, but the gateway could not activate it")

    /// The failure of a change that is active here, but may be unknown to other gateways.
    static func untold(_ failure: StoreFailure) -> AdminFailure {
        if failure == .notReplicated {
            return .unavailable(
                """
                the change is made, and other gateways hear of it; the store has fewer replicas of that than are asked for \
                (\(failure.reason)), so that a failover may lose it: then make the change at each gateway
                """)
        }
        return .unavailable(
            """
            the change is made, and in force here; the store has failed (\(failure.reason)), and other gateways hear of \
            it once it answers, unless this one ends before: then make the change at each of them
            """)
    }

    private func run(_ request: AdminRequest) -> Step {
        var step = Step(outcome: .failure(.notFound("there is no such resource")))
        do throws(AdminFailure) {
            let resource = try AdminResources.find(request, families)
            step.action = resource.action
            step.resource = resource
            step.outcome = .success(try resource.run(self)(request))
        } catch {
            step.outcome = .failure(error)
        }
        return step
    }

    private func conclude(
        _ request: AdminRequest, _ step: Step, _ outcome: Result<AdminAnswer, AdminFailure>,
        untold: AdminFailure? = nil
    ) -> Conclusion {
        switch outcome {
        case .success(let answer):
            let isChange = step.resource?.isChange == true
            if answer.isAudited {
                audit.write(
                    step.action, answer.object, request, isChange ? .changed : .shown, roles: answer.roles)
            }
            return Conclusion(
                response: untold?.response(with: answer.body) ?? answer.response,
                since: untold == nil && answer.endsTokens ? cutoff : 0, user: answer.user, isDone: true)
        case .failure(let failure):
            if request.method != .get, request.method != .head {
                audit.write(
                    step.action, request.path.dropFirst().joined(separator: "/"), request, .refused(failure.reason),
                    roles: request.path.first == "users" ? MembershipChange(askedFor: request) : nil)
            }
            return Conclusion(response: failure.response, since: 0)
        }
    }
}

extension Administration {
    /// A change now invalidates tokens issued before this second since 1970. It is in the future, since issue times have a
    /// resolution of one second, and other gateways may issue tokens until they apply the change.
    var cutoff: Int64 { Clock.latestSecond + 1 + reachSeconds }
}

/// What the resources of configuration sections share.
extension Administration {
    /// A view of a section, with the entity tag of its text.
    func shown(
        _ section: String, _ view: (Assembly.Reading, SectionText?) throws(AdminFailure) -> [UInt8]
    ) throws(AdminFailure) -> AdminAnswer {
        let reading = try configuration.read()
        let text = try configuration.text(of: section, reading.loaded)
        return .shown(try view(reading, text), tag: ConfigurationChange.tag(of: text))
    }

    /// Changes a section if the condition of the request holds.
    @discardableResult
    func change<Value>(
        _ section: String, _ request: AdminRequest,
        _ edit: (inout SectionText, GatewayConfiguration) throws(AdminFailure) -> Value
    ) throws(AdminFailure) -> ConfigurationChange.Outcome<Value> {
        try configuration.change(section, condition: request.condition, edit)
    }

    /// The position of a name.
    /// - Parameter noun: what has the name, such as "role".
    static func index(of name: String, in names: [String], _ noun: String) throws(AdminFailure) -> Int {
        guard let index = names.firstIndex(where: { isSame($0, name) }) else {
            let near = Suggestion.nearest(to: name, among: names)
            throw .notFound("there is no \(noun) \"\(name)\"", suggestion: near)
        }
        return index
    }
}

/// The response to a successful request.
struct AdminAnswer {
    var status = 200
    /// JSON; may be empty.
    var body: [UInt8] = []
    /// The entity tag; nil for resources that are no section.
    var tag: String?
    /// Name of the changed object, for the audit log.
    var object = ""
    /// Granted and revoked roles of a user.
    var roles: MembershipChange?
    /// Whether the change invalidates earlier tokens.
    var endsTokens = false
    /// The added or changed user.
    var user: User?
    /// Whether the request is audited: a change, or the display of a secret.
    var isAudited = true

    /// The response to a read.
    static func shown(_ body: [UInt8], tag: String? = nil) -> AdminAnswer {
        AdminAnswer(body: body, tag: tag, isAudited: false)
    }

    /// The response to a change.
    static func changed(
        _ object: String, status: Int = 200, _ body: [UInt8] = [], endsTokens: Bool = false
    ) -> AdminAnswer {
        AdminAnswer(
            status: body.isEmpty && status == 200 ? 204 : status, body: body, object: object, endsTokens: endsTokens)
    }

    var response: EndpointResponse {
        var headers = [(name: "Cache-Control", value: "no-store")]
        if !body.isEmpty { headers.append(("Content-Type", "application/json")) }
        if let tag { headers.append(("ETag", tag)) }
        return EndpointResponse(status: status, headers: headers, body: body, reason: .administered)
    }
}

/// The resources below `/admin` and their methods.
struct AdminResources {
    struct Entry: Sendable {
        let method: Method
        /// Segments; `*` matches any name.
        let path: [String]
        /// Name in the audit log.
        let action: String
        let run: @Sendable (Administration) -> (AdminRequest) throws(AdminFailure) -> AdminAnswer

        var isChange: Bool { method != .get }
        var changesConfiguration: Bool { isChange && !["tokens", "devices", "lockouts"].contains(path.first) }

        init(
            _ method: Method, _ path: String, _ action: String,
            _ run: @escaping @Sendable (Administration) -> (AdminRequest) throws(AdminFailure) -> AdminAnswer
        ) {
            self.method = method
            self.path = path.split(separator: "/").map(String.init)
            self.action = action
            self.run = run
        }

        func isAt(_ wanted: [String]) -> Bool {
            path.count == wanted.count && zip(path, wanted).allSatisfy { $0 == "*" ? !$1.isEmpty : $0 == $1 }
        }
    }

    /// Without those of families.
    static let all: [Entry] = [
        Entry(.get, "users", "users.list", Administration.listUsers),
        Entry(.post, "users", "users.add", Administration.addUsers),
        Entry(.get, "users/*", "users.show", Administration.showUser),
        Entry(.patch, "users/*", "users.change", Administration.changeUser),
        Entry(.delete, "users/*", "users.remove", Administration.removeUser),
        Entry(.get, "roles", "roles.list", Administration.listRoles),
        Entry(.post, "roles", "roles.add", Administration.addRole),
        Entry(.patch, "roles/*", "roles.change", Administration.changeRole),
        Entry(.delete, "roles/*", "roles.remove", Administration.removeRole),
        Entry(.get, "realms", "realms.list", Administration.listRealms),
        Entry(.post, "realms", "realms.add", Administration.addRealm),
        Entry(.delete, "realms/*", "realms.remove", Administration.removeRealm),
        Entry(.get, "policies", "policies.list", Administration.listPolicies),
        Entry(.get, "policies/*", "policies.get", Administration.showPolicy),
        Entry(.put, "policies/*", "policies.set", Administration.setPolicy),
        Entry(.delete, "policies/*", "policies.unset", Administration.unsetPolicy),
        Entry(.get, "backends", "backends.list", Administration.listBackends),
        Entry(.post, "backends", "backends.create", Administration.createBackend),
        Entry(.get, "backends/*", "backends.show", Administration.showBackend),
        Entry(.get, "backends/*/*", "backends.show", Administration.showBackend),
        Entry(.patch, "backends/*/*", "backends.change", Administration.changeBackend),
        Entry(.delete, "backends/*/*", "backends.remove", Administration.removeBackend),
        Entry(.post, "backends/*/*/rotate-secret", "backends.rotate-secret", Administration.rotateSecret),
        Entry(.post, "backends/*/*/revoke", "backends.revoke", Administration.revokeBackend),
        Entry(.post, "backends/*/*/routes", "backends.add-route", Administration.addBackendRoute),
        Entry(.delete, "backends/*/*/routes/*", "backends.remove-route", Administration.removeBackendRoute),
        Entry(.get, "certificates", "certificates.list", Administration.listCertificates),
        Entry(.post, "certificates", "certificates.add", Administration.addCertificate),
        Entry(.delete, "certificates/*", "certificates.remove", Administration.removeCertificate),
        Entry(.get, "tokens", "tokens.list", Administration.listTokens),
        Entry(.delete, "tokens", "tokens.revoke", Administration.revokeTokens),
        Entry(.delete, "tokens/*", "tokens.revoke", Administration.revokeToken),
        Entry(.post, "tokens/clean", "tokens.clean", Administration.cleanTokens),
        Entry(.get, "routes", "routes.list", Administration.listRoutes),
        Entry(.get, "routes/*", "routes.show", Administration.showRoute),
        Entry(.patch, "routes/*", "routes.set", Administration.setRoute),
        Entry(.get, "requirements", "requirements.show", Administration.showRequirement),
    ]

    static func find(
        _ request: AdminRequest, _ families: [any CompatibilityFamily]
    ) throws(AdminFailure) -> Entry {
        let found =
            (all + ConsumerAdministration.resources + SigningKeyAdministration.resources + families.flatMap(\.resources))
            .filter {
                $0.isAt(request.path)
            }
        guard !found.isEmpty else { throw .notFound("there is no such resource") }
        let method = request.method == .head ? .get : request.method
        guard let entry = found.first(where: { $0.method == method }) else {
            throw .methodNotAllowed(found.flatMap { $0.method == .get ? ["GET", "HEAD"] : ["\($0.method.text)"] })
        }
        return entry
    }
}

extension Method {
    /// The name on the wire.
    var text: String { name.map { "\($0)" } ?? "" }
}
