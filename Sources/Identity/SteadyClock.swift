/// What throttles count by: a clock that runs on evenly whatever is done to the wall clock. The wall clock is for dates
/// that others read, such as `exp`, `nbf` and `iat`.
package struct SteadyClock: Sendable {
    private let read: (@Sendable () -> Int64)?

    /// Seconds of the system's monotonic clock.
    package static let system: SteadyClock = {
        let start = ContinuousClock.now
        return SteadyClock { start.duration(to: .now).components.seconds + 1 }
    }()

    /// The time that each caller brings along: for those who simulate time and never go back.
    package static let ofCaller = SteadyClock(read: nil)

    private init(read: (@Sendable () -> Int64)?) { self.read = read }

    /// - Parameter read: answers with seconds since any moment.
    package init(_ read: @escaping @Sendable () -> Int64) { self.init(read: read) }

    /// Seconds since any moment, the same one for the life of the clock.
    /// - Parameter now: what the caller takes the time to be.
    package func seconds(_ now: Int64) -> Int64 { read?() ?? now }
}
