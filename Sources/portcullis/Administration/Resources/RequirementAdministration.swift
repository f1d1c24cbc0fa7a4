import Bytes
import Gateway
import HTTP
import Identity
import Policy
import Reactor

/// The roles that a request needs (TOOL-01), for operators; the gateway does not disclose them to callers.
struct RequirementAdministration: ResourceAdministration {
    let administration: Administration

    static let operations = [
        operation(.get, "requirements", "requirements.show", Self.show)
    ]

    /// `?method=&path=&host=`: the route of such a request and the required roles.
    func show(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        guard let method = request.parameter("method"), let target = request.parameter("path") else {
            throw .malformed("\"method\" and \"path\" are required")
        }
        let reading = try administration.configuration.read()
        let policy = reading.snapshot.policy
        let (text, host) = (Array(method.utf8), Array((request.parameter("host") ?? "").utf8))
        let known = Method(text.span)
        // Decisions use the canonical path without the query.
        let received = Array(target.utf8.prefix { $0 != UInt8(ascii: "?") })
        let asked = BufferedRequest(known, methodText: text.span, host: host.span, path: received.span)
        guard var run = try? DecisionRun(policy, asked, steps: .target, now: Clock.wallSeconds) else {
            throw .malformed("the path can be read in more than one way")
        }
        guard (try? run.finish { _, _ in }) == .admitted, let route = run.decision.route else {
            throw .notFound("no route takes \(method) \(target)")
        }
        let requirement = route.requirement(for: known, text.span)
        // `any` leaves out roles that no user can have, so that no caller meets an empty list.
        let any = requirement.any.map { [(name: "any", value: JSONNode.texts(policy.roles.names(of: $0)))] } ?? []
        let roles = JSONNode.object(
            any + [
                ("all", .texts(policy.roles.names(of: requirement.all))),
                ("none", .texts(policy.roles.names(of: requirement.none))),
            ])
        return .shown(JSONNode.object([("route", .text(route.name)), ("roles", roles)]).serialized)
    }
}
