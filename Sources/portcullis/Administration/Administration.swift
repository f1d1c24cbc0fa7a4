import Bytes
import Configuration
import Declaration
import Endpoints
import Gateway
import HTTP
import Identity
import Model
import Reactor
import Simulation
import TokenStorage

/// Reads and changes the configuration, for commands on a directory and for the admin listener of a running gateway.
/// Blocks on files; never called on an event loop.
struct Administration: Sendable {
    let configuration: ConfigurationChange
    let audit: AuditTrail
    /// The store of a running gateway; nil for a directory.
    let tokens: (any TokenStore)?
    let cleaner: TokenCleaner?
    /// The keys that a running gateway fetches; nil for a directory.
    let issuerKeys: (@Sendable () -> [IssuerKeys])?
    /// The last refusals of a running gateway; nil for a directory.
    let refusals: RefusalMemory?
    /// What other gateways have withdrawn; nil for a directory.
    let withdrawn: WithdrawnAccounts?
    /// The rules in force, and the host of the gateway; nil for a directory.
    let servedRules: (@Sendable () -> (RuleSet, host: String)?)?
    /// The operations of families of endpoints.
    private let operations: [AdminOperation]
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
        issuerKeys: (@Sendable () -> [IssuerKeys])? = nil, refusals: RefusalMemory? = nil,
        withdrawn: WithdrawnAccounts? = nil, servedRules: (@Sendable () -> (RuleSet, host: String)?)? = nil,
        operations: [AdminOperation], reachSeconds: Int64 = 0, isServed: Bool = false,
        formerFiles: @escaping @Sendable () -> Set<String> = { [] },
        apply: @escaping @Sendable () -> Adoption = { .complete }
    ) {
        self.tokens = tokens
        self.cleaner = cleaner
        self.issuerKeys = issuerKeys
        self.refusals = refusals
        self.withdrawn = withdrawn
        self.servedRules = servedRules
        self.operations = operations
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
                conclude(request, step, step.outcome, untold: AdminFailure.untold(failure))
            default: conclude(request, step, step.outcome)
            }
        }
    }

    /// A request that has run, before its change is active.
    private struct Step {
        var action = "unknown"
        var operation: AdminOperation?
        var outcome: Result<AdminAnswer, AdminFailure>

        var hasWritten: Bool {
            // Reads are not audited.
            guard case .success(let answer) = outcome, answer.isAudited else { return false }
            return operation?.changesConfiguration == true
        }
    }

    /// The message of a full queue.
    static let busy = "too many changes and reloads are waiting; try again later"

    private static let notTakenUp = AdminFailure.cannotWrite(
        "the change was written, but the gateway could not activate it")

    private func run(_ request: AdminRequest) -> Step {
        var step = Step(outcome: .failure(.notFound("there is no such resource")))
        do throws(AdminFailure) {
            let operation = try AdminOperation.find(request, operations)
            step.action = operation.action
            step.operation = operation
            step.outcome = .success(try operation.run(self, request))
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
        case .success(var answer):
            let isChange = step.operation?.isChange == true
            answer.reach = isChange && reachSeconds > 0 ? answer.reach ?? step.operation?.reach : nil
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
                    step.action, request.namedObject, request, .refused(failure.reason),
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
        guard let index = names.firstIndex(where: { $0.isExactly(name) }) else {
            let near = Suggestion.nearest(to: name, among: names)
            throw .notFound("there is no \(noun) \"\(name)\"", suggestion: near)
        }
        return index
    }
}

/// What the resources of the store share.
extension Administration {
    /// Waits for an outcome of the store for at most 10 s. Blocks the thread.
    /// - Parameter begin: starts the operation; nil without a running gateway.
    func wait<Answer: Sendable>(
        _ begin: (@escaping @Sendable (Result<Answer, StoreFailure>) -> Void) -> Void?
    ) throws(AdminFailure) -> Answer {
        let outcome = Promise<Result<Answer, StoreFailure>>()
        guard begin(outcome.fulfill) != nil else {
            throw .unavailable("tokens are kept by a running gateway: use --admin")
        }
        switch outcome.wait(seconds: 10) {
        case .success(let answer)?: return answer
        case .failure(let failure)?: throw .unavailable("the store has failed: \(failure.reason)")
        case nil: throw .unavailable("the store does not answer")
        }
    }
}
