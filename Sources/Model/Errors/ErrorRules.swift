/// How errors of the gateway itself are answered, on a route or on all of them. Responses of upstreams of any status
/// are not errors of the gateway.
package struct ErrorRules: Sendable {
    package enum Format: String, Sendable, CaseIterable {
        /// A JSON object of the gateway's own form.
        case standard = "default"
        /// A problem document (RFC 9457).
        case problem
    }

    /// Nil where nothing is said.
    package var format: Format?
    /// The first one that fits counts.
    package var answers: [ErrorAnswer]

    package init(format: Format? = nil, answers: [ErrorAnswer] = []) {
        self.format = format
        self.answers = answers
    }

    package var isEmpty: Bool { format == nil && answers.isEmpty }

    /// These rules, and others for what they say nothing of.
    package func before(_ others: ErrorRules) -> ErrorRules {
        ErrorRules(format: format ?? others.format, answers: answers + others.answers)
    }
}
