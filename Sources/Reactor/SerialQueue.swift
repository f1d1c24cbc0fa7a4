import Dispatch

/// Runs blocking work in order, outside the loops, such as writing log blocks.
package final class SerialQueue: Sendable {
    private let queue: DispatchQueue

    /// - Parameter label: name in debuggers.
    package init(label: String) { queue = DispatchQueue(label: label) }

    package func submit(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    /// Runs the work after a delay; `flush` does not wait for it.
    package func submit(afterMilliseconds milliseconds: Int, _ work: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds), execute: work)
    }

    /// Runs the work once a second has begun by all agreeing clocks, without blocking a thread; at once if it has. A
    /// clock that steps back meanwhile adds no delay.
    ///
    /// - Parameters:
    ///   - second: seconds since 1970.
    ///   - most: how many seconds it may be ahead; a later one counts as one of a clock that has stepped back.
    package static func run(atSecond second: Int64, most: Int64 = 5, _ work: @escaping @Sendable () -> Void) {
        let milliseconds = wait(until: second, most: most, at: Clock.wallMilliseconds)
        guard milliseconds > 0 else { return work() }
        // A few milliseconds more, since the clock of the loops is coarse.
        let delay = DispatchTimeInterval.milliseconds(Int(milliseconds) + 10)
        DispatchQueue.global().asyncAfter(deadline: .now() + delay, execute: work)
    }

    /// Runs the work at an instant of the wall clock that is close, without blocking a thread.
    ///
    /// - Parameter instant: milliseconds since 1970.
    package static func run(atMillisecond instant: Int64, _ work: @escaping @Sendable () -> Void) {
        let wait = Int(max(0, min(instant - Clock.wallMilliseconds, 1000)))
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(wait), execute: work)
    }

    /// Milliseconds until a second has begun by all agreeing clocks.
    static func wait(until second: Int64, most: Int64, at milliseconds: Int64) -> Int64 {
        max(0, min(second * 1000 + Clock.agreementMilliseconds - milliseconds, most * 1000))
    }

    /// Waits until everything submitted so far has run.
    package func flush() { queue.sync {} }
}
