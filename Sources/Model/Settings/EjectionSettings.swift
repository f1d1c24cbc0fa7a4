/// When a server is left alone for a while because requests to it fail.
package struct EjectionSettings: Equatable, Sendable {
    /// Failures in a row.
    package var failures = 5
    /// The first time out in milliseconds; each further one is longer by as much.
    package var time: Int64 = 30_000
    /// How much of the servers may be out at the same time.
    package var maximumPercent = 50

    package init() {}
}
