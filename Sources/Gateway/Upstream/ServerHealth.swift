import Model

/// Active health state of one server: usable until checks fail; then it changes state after a number of consecutive
/// results.
///
/// A value without clock or socket. The checking worker updates it; the others receive its changes.
struct ServerHealth: Equatable {
    private(set) var isUp = true
    /// Consecutive results that contradict the current state.
    private var contrary = 0
    private(set) var wasChecked = false

    /// Effect of a check.
    enum Change { case none, wentUp, wentDown }

    /// Processes the result of one check.
    mutating func checked(_ good: Bool, _ settings: HealthCheckSettings) -> Change {
        let first = !wasChecked
        wasChecked = true
        if good == isUp {
            contrary = 0
            return .none
        }
        contrary += 1
        // For a server that was never healthy, the first failure suffices.
        guard contrary >= (good ? settings.healthy : first ? 1 : settings.unhealthy) else { return .none }
        contrary = 0
        isUp = good
        return good ? .wentUp : .wentDown
    }

    /// Applies the state found by another worker.
    mutating func update(isUp: Bool) {
        self.isUp = isUp
        wasChecked = true
        contrary = 0
    }

    /// Checks were switched off.
    mutating func forget() { self = ServerHealth() }

    /// Milliseconds until the next check: the interval with 10 % jitter, so that checks by many gateways spread out.
    static func pause(_ settings: HealthCheckSettings, random: UInt64) -> Int64 {
        let spread = settings.interval / 5
        guard spread > 0 else { return max(1, settings.interval) }
        return settings.interval - spread / 2 + Int64(random % UInt64(spread + 1))
    }
}
