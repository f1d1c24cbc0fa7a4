/// For how long something is remembered, by the wall clock. One that is set back ends it: nobody could tell any more how
/// old what is remembered is, and it would stay for as long as the clock was set back by.
package struct CacheTerm: Sendable {
    private let start: Int64
    private let end: Int64

    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - end: the first second that it is not for any more.
    package init(from now: Int64, until end: Int64) {
        start = now
        self.end = end
    }

    package init(from now: Int64, seconds: Int64) { self.init(from: now, until: now + seconds) }

    /// A thread may have looked at the clock a moment before the one that began the term.
    private static let slack: Int64 = 2

    package func covers(_ now: Int64) -> Bool { now >= start - CacheTerm.slack && now < end }
}
