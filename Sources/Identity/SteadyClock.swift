/// The clock of throttles: monotonic, unaffected by changes to the wall clock. The wall clock serves for dates that
/// others read, such as `exp`, `nbf` and `iat`.
package struct SteadyClock: Sendable {
    private let read: (@Sendable () -> Int64)?

    /// Seconds of the system's monotonic clock.
    package static let system: SteadyClock = {
        let start = ContinuousClock.now
        return SteadyClock { start.duration(to: .now).components.seconds + 1 }
    }()

    /// Uses the caller's time, for simulations with non-decreasing time.
    package static let ofCaller = SteadyClock(read: nil)

    private init(read: (@Sendable () -> Int64)?) { self.read = read }

    /// - Parameter read: returns seconds since any fixed instant.
    package init(_ read: @escaping @Sendable () -> Int64) { self.init(read: read) }

    /// Seconds since an instant that is fixed for the life of the clock.
    /// - Parameter now: the caller's time.
    package func seconds(_ now: Int64) -> Int64 { read?() ?? now }
}
