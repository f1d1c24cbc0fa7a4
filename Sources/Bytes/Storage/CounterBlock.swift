/// A fixed number of counters that one thread increments.
@safe
package final class CounterBlock {
    // SAFETY: allocated here and freed in `deinit`; every index is checked against `count`.
    private let cells: UnsafeMutablePointer<UInt64>
    package let count: Int

    /// `count` counters at 0.
    package init(count: Int) {
        precondition(count > 0)
        unsafe cells = .allocate(capacity: count)
        unsafe cells.initialize(repeating: 0, count: count)
        self.count = count
    }

    deinit { unsafe cells.deallocate() }

    /// Increments a counter; an index out of range is ignored.
    package func increment(_ index: Int) {
        guard index >= 0, index < count else { return }
        unsafe cells[index] &+= 1
    }

    /// All values, copied.
    package var values: [UInt64] { unsafe Array(UnsafeBufferPointer(start: cells, count: count)) }
}

@available(*, unavailable)
extension CounterBlock: Sendable {}
