/// When expired tokens are deleted: once a day at a local time, and at start if a day was missed (AOM-23).
package struct CleaningSchedule: Sendable, Equatable {
    private let secondOfDay: Int64
    /// Day of the last run that was due, in days since 1970; nil before the first.
    private var lastDay: Int64?

    /// - Parameter minuteOfDay: since local midnight.
    package init(minuteOfDay: Int) { secondOfDay = Int64(minuteOfDay) * 60 }

    /// Whether a run is due. Reports each run once.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - secondsEast: offset of local time from UTC; changes with daylight saving time.
    package mutating func isDue(now: Int64, secondsEast: Int64) -> Bool {
        let local = now + secondsEast - secondOfDay
        let day = local >= 0 ? local / 86_400 : (local - 86_399) / 86_400
        if let lastDay, day <= lastDay { return false }
        lastDay = day
        return true
    }
}
