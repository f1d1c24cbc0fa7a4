/// Temporary ejection of servers whose requests fail.
package struct EjectionSettings: Equatable, Sendable {
    /// Consecutive failures.
    package var failures = 5
    /// Duration of the first ejection in milliseconds; each further one is longer by as much.
    package var time: Int64 = 30_000
    /// Share of the servers that may be ejected at the same time.
    package var maximumPercent = 50

    package init() {}
}
