import Synchronization

/// What `/metrics` says of an introspection server.
extension Introspector {
    /// Since the configuration came into force.
    struct Counters {
        /// Tokens whose verdict was remembered, and was not.
        var hits: UInt64 = 0
        var misses: UInt64 = 0
        /// Verdicts of the server.
        var active: UInt64 = 0
        var inactive: UInt64 = 0
        /// Questions without one, by cause: a raw value of `OutboundFailure`, `status` for an answer that is no 200,
        /// `unusable` for one that does not follow RFC 7662, `overload` where it was not asked.
        var failed: [String: UInt64] = [:]
        /// Whether the last answer was none.
        var isFailing = false
    }

    package struct Report: Sendable {
        package var hits: UInt64
        package var misses: UInt64
        package var active: UInt64
        package var inactive: UInt64
        package var failed: [String: UInt64]
        package var isFailing: Bool
        /// Verdicts remembered, those that are out of date included.
        package var remembered: Int
        /// Tokens that the server is being asked about.
        package var underWay: Int
    }

    package var report: Report {
        state.withLock { state in
            let counters = state.counters
            return Report(
                hits: counters.hits, misses: counters.misses, active: counters.active, inactive: counters.inactive,
                failed: counters.failed, isFailing: counters.isFailing, remembered: state.known.count,
                underWay: state.waiting.count)
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
