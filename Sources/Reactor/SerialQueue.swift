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

    /// Waits until everything submitted so far has run.
    package func flush() { queue.sync {} }
}
