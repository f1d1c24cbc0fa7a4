/// The share of its weight that a server gets after it came back: a tenth at first, all of it when the time is over.
/// Caches fill, connections open and code warms up in between.
struct SlowStart: Equatable {
    /// Least share, in percent.
    static let least: Int64 = 10

    /// Milliseconds of the loop's clock; `Int64.min` for long ago.
    private(set) var begunAt: Int64 = .min

    mutating func begin(_ now: Int64) { begunAt = now }

    mutating func finish() { begunAt = .min }

    /// The share now in percent.
    ///
    /// - Parameter duration: how long the way to 100 is, in milliseconds.
    func percent(_ now: Int64, of duration: Int64) -> Int {
        guard begunAt != .min, duration > 0 else { return 100 }
        let passed = max(0, now - begunAt)
        if passed >= duration { return 100 }
        return Int(SlowStart.least + (100 - SlowStart.least) * passed / duration)
    }
}
