import HTTP
import Identity
import Model

/// A decision outside of the data plane, about a request that is at hand as a whole. What drives it says what the steps find
/// that need more than the policy.
package struct DecisionRun: ~Copyable {
    /// How a request is let in.
    package enum End: Sendable {
        /// The gateway answers the preflight.
        case preflight
        /// The gateway answers a browser that looks for an icon.
        case icon
        case admitted
    }

    package let policy: PolicySnapshot
    package let request: BufferedRequest
    /// The canonical path.
    package let path: [UInt8]
    /// Seconds since 1970.
    package let now: Int64
    package var decision: Decision

    /// Finds the target of the request.
    ///
    /// - Parameters:
    ///   - path: the canonical path; nil for that of the request.
    ///   - steps: those that are taken.
    ///   - now: seconds since 1970.
    /// - Throws: why the path is refused.
    package init(
        _ policy: PolicySnapshot, _ request: BufferedRequest, path: [UInt8]? = nil, steps: Decision.Steps = .request,
        now: Int64
    ) throws(PathAmbiguity) {
        let path = if let path { path } else { try request.canonicalPath(policy) }
        let bytes = request.bytes
        (self.policy, self.request, self.path, self.now) = (policy, request, path, now)
        decision = Decision(
            policy, path: path.span, bytes: bytes.span, head: request.head, headers: request.headers, steps: steps,
            now: now)
    }

    /// Takes the steps until one ends the decision.
    ///
    /// - Parameter answer: performs a step that needs more than the policy, and throws why it refuses the request. For the
    ///   credential it sets `decision.principal`.
    /// - Throws: why the request is refused.
    package mutating func finish(
        _ answer: (Decision.Step, inout DecisionRun) throws(Reason) -> Void
    ) throws(Reason) -> End {
        let (path, bytes) = (path, request.bytes)
        while true {
            switch decision.advance(
                policy, path: path.span, bytes: bytes.span, head: request.head, headers: request.headers)
            {
            case .ask(let step): try answer(step, &self)
            case .deny(let reason): throw reason
            case .answerPreflight: return .preflight
            case .answerIcon: return .icon
            case .admit: return .admitted
            }
        }
    }

    /// What was compared when the request was refused, or would have been by the rule on trial.
    package func evidence(for reason: Reason, onTrial: Bool = false) -> Evidence {
        let (path, bytes) = (path, request.bytes)
        let route = onTrial && reason != .corsDenied ? decision.route?.trial : decision.route
        return RefusalEvidence(policy).evidence(
            for: reason, on: route, decision.principal, path: path.span, bytes: bytes.span, head: request.head,
            headers: request.headers, now: now)
    }

    /// Where a browser is sent that was refused; nil for clients that get an answer instead.
    package func loginLocation(for reason: Reason) -> [UInt8]? {
        guard let route = decision.route, reason.status == 401 || reason.status == 403 else { return nil }
        let bytes = request.bytes
        return policy.loginLocation(
            route, for: reason, of: decision.principal, bytes: bytes.span, head: request.head,
            headers: request.headers, now: now)
    }
}
