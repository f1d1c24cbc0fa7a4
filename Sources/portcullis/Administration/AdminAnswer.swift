import Bytes
import Endpoints
import Model

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
    /// Which gateways apply the change, if that is not what the operation says, or there are no others.
    var reach: Reach?
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

    /// The body of a response that says how many there are.
    static func count(_ name: String, _ count: Int) -> [UInt8] {
        JSONNode.object([(name, .number(Int64(count)))]).serialized
    }

    var response: EndpointResponse {
        var headers = [(name: "Cache-Control", value: "no-store")]
        if !body.isEmpty { headers.append(("Content-Type", "application/json")) }
        if let tag { headers.append(("ETag", tag)) }
        if let reach { headers.append((Reach.field, reach.rawValue)) }
        return EndpointResponse(status: status, headers: headers, body: body, reason: .administered)
    }
}
