/// Validity period of a cached value, by the wall clock. Setting the clock back ends it: the age would be unknown, and
/// the value would stay for as long as the clock was set back.
package struct CacheTerm: Sendable {
    private let start: Int64
    private let end: Int64

    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - end: the first second outside the period.
    package init(from now: Int64, until end: Int64) {
        start = now
        self.end = end
    }

    package init(from now: Int64, seconds: Int64) { self.init(from: now, until: now + seconds) }

    /// Another thread may have read the clock shortly before the term began.
    private static let slack: Int64 = 2

    package func covers(_ now: Int64) -> Bool { now >= start - CacheTerm.slack && now < end }
}
