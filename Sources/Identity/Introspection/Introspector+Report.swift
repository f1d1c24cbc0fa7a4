import Synchronization

/// Metrics of an introspection server.
extension Introspector {
    /// Since the configuration took effect.
    struct Counters {
        /// Cache hits and misses.
        var hits: UInt64 = 0
        var misses: UInt64 = 0
        /// Verdicts of the server.
        var active: UInt64 = 0
        var inactive: UInt64 = 0
        /// Calls without a verdict, by cause: a raw value of `OutboundFailure`, `status` for a status other than 200,
        /// `unusable` for an answer that violates RFC 7662, `overload` for a call that was not made.
        var failed: [String: UInt64] = [:]
        /// Whether the last call failed.
        var isFailing = false
    }

    package struct Report: Sendable {
        package var hits: UInt64
        package var misses: UInt64
        package var active: UInt64
        package var inactive: UInt64
        package var failed: [String: UInt64]
        package var isFailing: Bool
        /// Number of cached verdicts, expired ones included.
        package var remembered: Int
        /// Number of tokens with a call in progress.
        package var underWay: Int
    }

    package var report: Report {
        state.withLock { state in
            let counters = state.counters
            return Report(
                hits: counters.hits, misses: counters.misses, active: counters.active, inactive: counters.inactive,
                failed: counters.failed, isFailing: counters.isFailing, remembered: state.answers.count,
                underWay: state.answers.callsUnderWay)
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
