import Synchronization

/// Metrics of an introspection server.
extension Introspector {
    /// Since the configuration took effect.
    package struct Report: Sendable {
        /// Cache hits and misses.
        package var hits: UInt64 = 0
        package var misses: UInt64 = 0
        /// Verdicts of the server.
        package var active: UInt64 = 0
        package var inactive: UInt64 = 0
        /// Calls without a verdict, by cause: a raw value of `OutboundFailure`, `status` for a status other than 200,
        /// `unusable` for an answer that violates RFC 7662, `overload` for a call that was not made.
        package var failed: [String: UInt64] = [:]
        /// Whether the last call failed.
        package var isFailing = false
        /// Number of cached verdicts, expired ones included.
        package fileprivate(set) var remembered = 0
        /// Number of tokens with a call in progress.
        package fileprivate(set) var underWay = 0
    }

    package var report: Report {
        state.withLock { state in
            var report = state.counters
            (report.remembered, report.underWay) = (state.answers.count, state.answers.callsUnderWay)
            return report
        }
    }

    func count(failure cause: String) {
        state.withLock { state in
            state.counters.failed[cause, default: 0] += 1
            state.counters.isFailing = true
        }
    }

    func count(_ verdict: IntrospectionVerdict) {
        state.withLock { state in
            switch verdict {
            case .active: state.counters.active += 1
            case .inactive, .proofRequired: state.counters.inactive += 1
            }
            state.counters.isFailing = false
        }
    }
}
