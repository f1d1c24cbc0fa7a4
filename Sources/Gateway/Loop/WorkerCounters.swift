import Bytes
import Identity
import Model
import Policy
import Reactor

/// A worker's counters, and its access log.
final class WorkerCounters {
    /// The simple counters; routes, reasons and limits are counted separately.
    var metrics = WorkerMetrics(routeNames: [])
    /// By route index in the snapshot; the last one is for requests without a route.
    private(set) var routes: [RouteCounter]
    /// Counters of requested gateway endpoints, by name.
    private var endpoints: [String: RouteCounter] = [:]
    /// Decisions for other proxies by name of the route; empty if there was none.
    private var questions: [String: RouteCounter] = [:]
    /// Requests of consumers by their names and by status.
    private var consumers: [String: [Int: UInt64]] = [:]
    /// Requests that a rule on trial would have refused, by name of the route and by reason.
    private var trialDenials: [String: [Reason: UInt64]] = [:]
    /// Messages to MCP servers about tools, resources and prompts.
    private var messages: [MessageLabels: UInt64] = [:]
    /// Requests that were not served.
    private(set) var reasons: [Reason: UInt64] = [:]
    /// Refusals by index of the `Limit`.
    let limits = CounterBlock(count: Limit.allCases.count)
    let accessLog: AccessLog?
    private let refusals: RefusalMemory

    init(_ snapshot: GatewaySnapshot, accessLog: AccessLog?, refusals: RefusalMemory) {
        self.refusals = refusals
        routes = snapshot.routeNames.map { RouteCounter(name: $0) } + [RouteCounter(name: "")]
        self.accessLog = accessLog
    }

    func count(_ reason: Reason) { reasons[reason, default: 0] &+= 1 }

    /// Counts and logs an exchange that has ended.
    ///
    /// - Parameter snapshot: the current configuration.
    func count(_ exchange: Exchange, _ snapshot: GatewaySnapshot, _ poller: Poller) {
        let now = Clock.monotonicMicroseconds
        // The lifetime of a tunnel says nothing about a route's latency.
        let answered = exchange.stage == .tunnelling ? exchange.times.answeredAt : now
        counter(of: exchange, snapshot).count(
            status: exchange.response.status, microseconds: answered - exchange.times.startedAt)
        if let name = exchange.principal?.consumerName { countConsumer(name, exchange) }
        if let denial = exchange.response.trialDenial, let route = exchange.route { countTrial(denial, route) }
        if let record = exchange.response.message { count(record, exchange) }
        if let trace = exchange.times.trace { trace.end(exchange, now: now) }
        accessLog?.log(exchange, finishedAt: now, poller)
    }

    /// Keeps a refusal for `portcullis why`, before the client has it. Those of the admin listener are for those who ask.
    func remember(_ exchange: Exchange, _ poller: Poller) {
        guard exchange.response.isRefusal, exchange.client?.role.isControl != true else { return }
        refusals.remember(Refusal(exchange, now: poller.wallSeconds))
    }

    // Apart, since few requests count in tables, and all pass through the code of `count`.
    @inline(never)
    private func countConsumer(_ name: String, _ exchange: Exchange) {
        consumers[name, default: [:]][exchange.response.status, default: 0] &+= 1
    }

    @inline(never)
    private func countTrial(_ denial: Reason, _ route: Route) {
        trialDenials[route.name, default: [:]][denial, default: 0] &+= 1
    }

    @inline(never)
    private func count(_ record: MessageRecord, _ exchange: Exchange) {
        guard let subject = record.message?.subject, let route = exchange.route?.name else { return }
        let principal = exchange.principal
        let client = principal.flatMap(exchange.snapshot.client)?.reference
        let labels = MessageLabels(
            route: route, kind: subject.kind, name: record.rule ?? "other",
            client: client ?? (principal?.clientID == nil ? "" : "other"), isAllowed: exchange.group != nil)
        messages[labels, default: 0] &+= 1
    }

    private func counter(of exchange: Exchange, _ snapshot: GatewaySnapshot) -> RouteCounter {
        if exchange.forwardAuth != nil { return questionCounter(exchange.route?.name ?? "") }
        // A route of an earlier configuration has no index in this one.
        if let route = exchange.route, exchange.snapshot === snapshot { return routes[route.index] }
        guard let name = exchange.endpoint?.descriptor.name ?? exchange.adminResource?.name else {
            return routes[routes.count - 1]
        }
        if let counter = endpoints[name] { return counter }
        let counter = RouteCounter(name: name)
        endpoints[name] = counter
        return counter
    }

    private func questionCounter(_ route: String) -> RouteCounter {
        if let counter = questions[route] { return counter }
        let counter = RouteCounter(name: ForwardAuthQuestion.endpointName, route: route)
        questions[route] = counter
        return counter
    }

    /// Keeps the counters of routes that keep their name.
    func useRoutes(of fresh: GatewaySnapshot) {
        let old = routes
        let names = fresh.routeNames + [""]
        // Most routes keep their index; this avoids a lookup table for ten thousand of them on the loop.
        var indices: [String: Int]?
        routes = names.indices.map { i in
            if i < old.count, old[i].name == names[i] { return old[i] }
            if indices == nil {
                indices = Dictionary(old.indices.map { (old[$0].name, $0) }, uniquingKeysWith: { first, _ in first })
            }
            return indices?[names[i]].map { old[$0] } ?? RouteCounter(name: names[i])
        }
    }

    /// A copy of all these counters.
    var report: WorkerMetrics {
        var report = metrics
        report.routes = routes.map(\.report)
        report.endpoints = endpoints.values.map(\.report) + questions.values.map(\.report)
        report.consumers = consumers
        report.trialDenials = trialDenials
        report.messages = messages
        report.reasons = reasons
        report.limited = limits.values
        report.logLinesDropped = accessLog?.dropped ?? 0
        return report
    }
}
