/// A point in time until which a test waits for an event; what has not happened by then has failed.
struct Deadline: Sendable {
    private let instant: ContinuousClock.Instant

    /// Generous, since it is only spent on failures and machines are busy.
    static var usual: Deadline { .after(.seconds(20)) }

    static func after(_ duration: Duration) -> Deadline { Deadline(instant: .now + duration) }

    var isPast: Bool { instant <= .now }

    /// What is left in milliseconds, rounded up, at least 0.
    var milliseconds: Int32 {
        let left = ContinuousClock.Instant.now.duration(to: instant).components
        guard left.seconds >= 0, left.attoseconds >= 0 else { return 0 }
        return Int32(clamping: left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1)
    }

    /// What is left in seconds, at least 0.
    var seconds: Double { Double(milliseconds) / 1000 }
}
