/// The input of a policy server, and on which terms its answers count.
package struct PolicyServerRules: Sendable {
    /// The form of questions and answers.
    package enum Format: String, Sendable, CaseIterable {
        /// The Data API of Open Policy Agent: a document `input`, answered by a `result`.
        case opa
        /// The request as forwarding fields, answered by the status.
        case http
    }

    /// What happens while the server does not answer.
    package enum FailureMode: String, Sendable, CaseIterable { case deny, allow }

    package var format = Format.opa
    package var onFailure = FailureMode.deny
    /// Request fields of its input.
    package var inputHeaders: [String] = []
    /// Claims of the caller in its input.
    package var claims: [ClaimPath] = []
    /// Fields of the answer that the upstream gets.
    package var answerHeaders: [String] = []
    /// Most concurrent calls; further requests are treated like those during an outage.
    package var maximumCalls = 128
    package var breaker: CircuitBreaker.Settings = {
        var breaker = CircuitBreaker.Settings(pause: 1000, longestPause: 30_000)
        breaker.failures = 5
        return breaker
    }()
    /// How long answers are kept, in milliseconds; 0 for not at all.
    package var allowedMilliseconds: Int64 = 0
    package var deniedMilliseconds: Int64 = 0
    /// Most answers that are kept.
    package var maximumEntries = 10_000

    package init() {}
}
