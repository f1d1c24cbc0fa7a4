/// The input of a policy server, and on which terms its answers count.
package struct PolicyServerRules: Sendable {
    /// What happens while the server does not answer.
    package enum FailureMode: String, Sendable, CaseIterable { case deny, allow }

    package var format: any PolicyFormat.Type = PolicyFormats.all[0]
    package var onFailure = FailureMode.deny
    /// Request fields of its input.
    package var inputHeaders: [String] = []
    /// Claims of the caller in its input.
    package var claims: [ClaimPath] = []
    /// The decisions that a question asks for, each of which must be true; empty for one of method and path.
    package var evaluations: [PolicyEvaluation] = []
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
