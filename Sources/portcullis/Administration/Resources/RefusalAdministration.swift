import Bytes
import Gateway
import HTTP
import Model

/// The last refusals of a running gateway.
struct RefusalAdministration: ResourceAdministration {
    let administration: Administration

    static let operations = [
        operation(.get, "refusals/*", "refusals.show", Self.show)
    ]

    /// The refusals of a request id, the latest first.
    func show(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        guard let memory = administration.refusals else {
            throw .unavailable("refusals are remembered by a running gateway: use --admin")
        }
        let found = memory.refusals(of: request.path[1])
        guard !found.isEmpty else {
            throw .notFound(
                """
                no refusal of this request id is remembered: it was served, or refused by another process, or before the \
                last \(RefusalMemory.mostRefusals) refusals
                """)
        }
        return .shown(JSONNode(.array(found.map(RefusalAdministration.node))).serialized)
    }

    private static func node(_ refusal: Refusal) -> JSONNode {
        let time = InternetDate.text(refusal.time)
        let texts = [
            ("time", time), ("request_id", refusal.requestID), ("client_ip", refusal.client),
            ("method", refusal.methodName), ("path", refusal.path), ("route", refusal.route),
            ("subject", refusal.subject), ("issuer", refusal.issuer), ("step", refusal.step),
            ("reason", refusal.reason.code), ("detail", refusal.evidence),
        ]
        let members = texts.filter { !$0.1.isEmpty }.map { (name: $0.0, value: JSONNode.text($0.1)) }
        return .object(members + [("status", .number(Int64(refusal.status)))])
    }
}
