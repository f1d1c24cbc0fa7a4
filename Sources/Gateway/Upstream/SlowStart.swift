/// Ramps up the weight of a server after its return: from a tenth to the full weight. Caches fill, connections open and
/// code warms up meanwhile.
struct SlowStart: Equatable {
    /// Minimum share in percent.
    static let least: Int64 = 10

    /// Milliseconds of the loop's clock; `Int64.min` for long ago.
    private(set) var begunAt: Int64 = .min

    mutating func begin(_ now: Int64) { begunAt = now }

    mutating func finish() { begunAt = .min }

    /// The current share in percent.
    ///
    /// - Parameter duration: time until 100 percent, in milliseconds.
    func percent(_ now: Int64, of duration: Int64) -> Int {
        guard begunAt != .min, duration > 0 else { return 100 }
        let passed = max(0, now - begunAt)
        if passed >= duration { return 100 }
        return Int(SlowStart.least + (100 - SlowStart.least) * passed / duration)
    }
}
