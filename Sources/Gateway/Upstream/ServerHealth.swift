import Model

/// What active checks say of one server: usable until they say otherwise, then down and up again by answers in a row.
///
/// A value without clock and socket. The worker that makes the checks feeds it; the others are told its changes.
struct ServerHealth: Equatable {
    private(set) var isUp = true
    /// Answers in a row against the present state.
    private var contrary = 0
    private(set) var wasChecked = false

    /// What a check has led to.
    enum Change { case none, wentUp, wentDown }

    /// Takes the outcome of one check in.
    mutating func checked(_ good: Bool, _ settings: HealthCheckSettings) -> Change {
        let first = !wasChecked
        wasChecked = true
        if good == isUp {
            contrary = 0
            return .none
        }
        contrary += 1
        // Of a server that was never well nothing is lost: its first bad answer takes it out.
        guard contrary >= (good ? settings.healthy : first ? 1 : settings.unhealthy) else { return .none }
        contrary = 0
        isUp = good
        return good ? .wentUp : .wentDown
    }

    /// Takes over what another worker has found.
    mutating func update(isUp: Bool) {
        self.isUp = isUp
        wasChecked = true
        contrary = 0
    }

    /// No checks are made any more.
    mutating func forget() { self = ServerHealth() }

    /// Milliseconds until the next check: the interval, a tenth more or less, so that checks of many servers by many
    /// gateways spread out.
    static func pause(_ settings: HealthCheckSettings, random: UInt64) -> Int64 {
        let spread = settings.interval / 5
        guard spread > 0 else { return max(1, settings.interval) }
        return settings.interval - spread / 2 + Int64(random % UInt64(spread + 1))
    }
}
