import HTTP
import Model

/// What clients are told of a failure of an endpoint that is none of OAuth's, and what the log is.
package struct FailureDefinition: Sendable {
    /// `detail` of the reply. All 401s share one, which does not tell what was wrong (CHAL-07).
    package let detail: String
    /// Stable code for log and metric, and `code` of the reply but for a 401.
    package let reason: Reason

    init(_ detail: String, _ reason: Reason) {
        self.detail = detail
        self.reason = reason
    }

    /// - Parameter name: what it is about; empty for nothing in particular.
    func response(_ headers: [(name: String, value: String)], about name: String = "") -> EndpointResponse {
        .problem(
            status: reason.status, title: "\(StatusReason.text(reason.status))",
            detail: name.isEmpty ? detail : "\(detail): \(name)",
            code: reason.status == 401 ? "unauthorized" : reason.code, reason: reason, headers: headers)
    }
}
