import Bytes
import Configuration
import Gateway
import HTTP
import Identity
import Policy

/// What a request would have to show (TOOL-01): for whoever looks after the gateway, since callers are not told.
extension Administration {
    /// `?method=&path=&host=`: the route of such a request, and the roles that it asks for.
    func showRequirement(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        guard let method = request.parameter("method"), let target = request.parameter("path") else {
            throw .malformed("\"method\" and \"path\" are required")
        }
        let reading = try configuration.read()
        let policy = reading.snapshot.policy
        // As it is decided by: without the query, and in the one spelling.
        guard let path = CanonicalPath.canonical(Array(target.utf8.prefix { $0 != UInt8(ascii: "?") })) else {
            throw .malformed("the path can be read in more than one way")
        }
        let (text, host) = (Array(method.utf8), Array((request.parameter("host") ?? "").utf8))
        let known = Method(text.span)
        let asked = RememberedRequest(known, methodText: text.span, host: host.span)
        var decision = asked.decision(policy, path: path.span, steps: .target)
        guard case .admit = asked.advance(&decision, policy, path: path.span), let route = decision.route else {
            throw .notFound("no route takes \(method) \(target)")
        }
        let requirement = route.requirement(for: known, text.span)
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("route", route.name)
        writer.name("roles")
        writer.beginObject()
        // A role that a rule names and nobody has is none of `any`: an empty list is met by nobody.
        if let any = requirement.any { writer.member("any", policy.roles.names(of: any)) }
        writer.member("all", policy.roles.names(of: requirement.all))
        writer.member("none", policy.roles.names(of: requirement.none))
        writer.endObject()
        writer.endObject()
        return .shown(writer.bytes)
    }
}
