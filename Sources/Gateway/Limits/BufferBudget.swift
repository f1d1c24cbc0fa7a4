import Synchronization

/// Bytes of buffers in all workers. Each worker reports changes of its own sum at most once a turn, and only large
/// ones; requests are not slowed down.
package final class BufferBudget: Sendable {
    private let total = Atomic<Int>(0)

    package init() {}

    package var bytes: Int { total.load(ordering: .relaxed) }

    fileprivate func change(by difference: Int) { total.wrappingAdd(difference, ordering: .relaxed) }
}

/// The last reported value of one worker.
struct BufferShare {
    /// Smaller changes are not reported.
    static let grain = 64 * 1024
    private var reported = 0

    /// How urgently a worker must free memory.
    enum Pressure: Equatable {
        case none
        /// Seven eighths are used: less is read ahead.
        case high
        /// The ceiling is reached: new connections are refused, and the clients with the largest buffers are closed.
        case over
    }

    /// - Parameter bytes: current total of the worker.
    mutating func tell(_ bytes: Int, to budget: BufferBudget) {
        let difference = bytes - reported
        guard difference >= BufferShare.grain || difference <= -BufferShare.grain || bytes == 0 && reported != 0 else {
            return
        }
        reported = bytes
        budget.change(by: difference)
    }

    /// - Parameter ceiling: bytes for the process; 0 for no limit.
    static func pressure(_ bytes: Int, ceiling: Int) -> Pressure {
        guard ceiling > 0 else { return .none }
        if bytes >= ceiling { return .over }
        return bytes >= ceiling - ceiling / 8 ? .high : .none
    }
}
