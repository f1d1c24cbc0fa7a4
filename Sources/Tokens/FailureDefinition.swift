import HTTP

/// What clients are told of a failure of an endpoint that is none of OAuth's, and what the log is.
package struct FailureDefinition: Sendable {
    package let status: Int
    /// `detail` of the reply. All 401s share one, which does not tell what was wrong (CHAL-07).
    package let detail: String
    /// Stable code for log and metric, and `code` of the reply but for a 401.
    package let reason: StaticString

    init(_ status: Int, _ detail: String, _ reason: StaticString) {
        self.status = status
        self.detail = detail
        self.reason = reason
    }

    /// - Parameter name: what it is about; empty for nothing in particular.
    func response(_ headers: [(name: String, value: String)], about name: String = "") -> EndpointResponse {
        .problem(
            status: status, title: "\(StatusReason.text(status))", detail: name.isEmpty ? detail : "\(detail): \(name)",
            code: status == 401 ? "unauthorized" : "\(reason)", reason: reason, headers: headers)
    }
}
