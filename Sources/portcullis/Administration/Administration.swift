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

/// Looks at the configuration and changes it, for the commands on a directory and for the admin listener of a running
/// gateway alike: one request, one answer. Blocks on files; never called on an event loop.
struct Administration: Sendable {
    let configuration: ConfigurationChange
    let audit: AuditTrail
    /// The store of a running gateway; nil for a directory without one.
    let tokens: (any TokenStore)?
    let cleaner: TokenCleaner?
    /// The families of endpoints, whose resources are administered, too.
    let families: [any CompatibilityFamily]
    /// Within how many seconds other gateways hear of a change; 0 where there are none.
    let reachSeconds: Int64
    /// Brings what was written into force. A directory without a gateway has nothing to do.
    let apply: @Sendable () -> Adoption

    /// What became of what was written.
    enum Adoption: Sendable {
        case failed
        case complete
        /// It is in force here, and the store could not be told what it ends for other gateways.
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

    /// The answer, and the second since 1970 from which on it holds: nobody is to be told before that a new password or
    /// secret is in force. Tokens of before and tokens of now are told apart by their dates, which are in seconds.
    func handle(_ request: AdminRequest) -> (response: EndpointResponse, since: Int64) {
        let conclusion = conclusions(of: [request])[0]
        return (conclusion.response, conclusion.since)
    }

    /// What came of a request.
    struct Conclusion {
        let response: EndpointResponse
        let since: Int64
        /// The user it was about, as it is now.
        var user: User?
        /// Whether it is in force here, even where other gateways have not heard of it.
        var isDone = false
    }

    /// The same for several, in order: what they have written comes into force by one reload.
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

    /// What was done of a request, before anything of it is in force.
    private struct Step {
        var action = "unknown"
        var resource: AdminResources.Entry?
        var outcome: Result<AdminAnswer, AdminFailure>

        var hasWritten: Bool {
            // What was only looked at is not audited.
            guard case .success(let answer) = outcome, answer.isAudited else { return false }
            return resource?.changesConfiguration == true
        }
    }

    /// Said where too much waits to be read or changed.
    static let busy = "too many changes and reloads are waiting; try again later"

    private static let notTakenUp = AdminFailure.cannotWrite(
        "the change was written, but the gateway could not take it up")

    /// The failure of a change that is in force here and may be unknown to other gateways.
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
    /// Tokens that were issued before this second since 1970 are void by a change now: the next one, since their dates
    /// are in seconds, or the one behind it where other gateways may issue some until they hear of it.
    var cutoff: Int64 { Clock.latestSecond + 1 + reachSeconds }
}

/// What became of a request.
struct AdminAnswer {
    var status = 200
    /// JSON; empty for none.
    var body: [UInt8] = []
    /// Tells this state of the resource from others; nil for what is no single section.
    var tag: String?
    /// What was changed, for the audit log.
    var object = ""
    /// Roles that were given or taken away; nil for what is about no user's.
    var roles: MembershipChange?
    /// Whether tokens of before are void because of it.
    var endsTokens = false
    /// The user that was made or changed, as it is now.
    var user: User?
    /// Whether it is to be written there: a change, or a secret that was shown.
    var isAudited = true

    /// Something that was looked at.
    static func shown(_ body: [UInt8], tag: String? = nil) -> AdminAnswer {
        AdminAnswer(body: body, tag: tag, isAudited: false)
    }

    /// Something that was changed.
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

/// The resources below `/admin` and what can be done with them.
struct AdminResources {
    struct Entry: Sendable {
        let method: Method
        /// Segments; `*` stands for a name.
        let path: [String]
        /// What the audit log calls it.
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

    /// Beside those of families.
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
        let found = (all + families.flatMap(\.resources)).filter { $0.isAt(request.path) }
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
