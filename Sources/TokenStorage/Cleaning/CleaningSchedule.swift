/// When expired tokens are deleted: once a day at a local time, and at the start for the days that were missed (AOM-23).
package struct CleaningSchedule: Sendable, Equatable {
    private let secondOfDay: Int64
    /// The last day for which a run was due, in days since 1970; nil before the first.
    private var lastDay: Int64?

    /// - Parameter minuteOfDay: since local midnight.
    package init(minuteOfDay: Int) { secondOfDay = Int64(minuteOfDay) * 60 }

    /// Whether a run is due that nobody has been told of yet.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - secondsEast: by how much local time is ahead of UTC; another one in summer.
    package mutating func isDue(now: Int64, secondsEast: Int64) -> Bool {
        let local = now + secondsEast - secondOfDay
        let day = local >= 0 ? local / 86_400 : (local - 86_399) / 86_400
        if let lastDay, day <= lastDay { return false }
        lastDay = day
        return true
    }
}
