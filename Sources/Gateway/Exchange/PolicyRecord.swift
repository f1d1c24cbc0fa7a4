import Policy

/// The questions about a request to policy servers, and what they have answered.
final class PolicyRecord {
    /// Kept for reviews of long-lived exchanges.
    let request: PolicyRequest
    var answer: PolicyAnswer?
    /// Field lines for the upstream.
    var fields: [UInt8] = []

    init(_ request: PolicyRequest) { self.request = request }
}
