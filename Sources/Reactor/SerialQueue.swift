import Dispatch

/// Runs blocking work one piece after the other, away from the loops: what must keep its order, such as log blocks.
package final class SerialQueue: Sendable {
    private let queue: DispatchQueue

    /// - Parameter label: what a debugger shows.
    package init(label: String) { queue = DispatchQueue(label: label) }

    package func submit(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    /// Runs the work when so much time has passed, or later; `flush` does not wait for it.
    package func submit(afterMilliseconds milliseconds: Int, _ work: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds), execute: work)
    }

    /// Runs the work once a second has begun by all clocks that agree with this one, on no thread that waits for it; at
    /// once where it has. A clock that steps back meanwhile delays nothing.
    ///
    /// - Parameter second: since 1970, a few seconds ahead at the most.
    package static func run(atSecond second: Int64, _ work: @escaping @Sendable () -> Void) {
        let milliseconds = second * 1000 + Clock.agreementMilliseconds - Clock.wallMilliseconds
        guard milliseconds > 0 else { return work() }
        // Some milliseconds later, since the clock of the loops is a coarse one.
        let delay = DispatchTimeInterval.milliseconds(Int(min(milliseconds, longestWait)) + 10)
        DispatchQueue.global().asyncAfter(deadline: .now() + delay, execute: work)
    }

    private static let longestWait: Int64 = 5000

    /// Waits until everything submitted so far has run.
    package func flush() { queue.sync {} }
}
