import Synchronization

/// Bytes of buffers that all workers hold together. Each worker says how its own sum has changed, once a turn and only
/// when it has changed by much; nothing of it stands on the way of a request.
package final class BufferBudget: Sendable {
    private let total = Atomic<Int>(0)

    package init() {}

    package var bytes: Int { total.load(ordering: .relaxed) }

    fileprivate func change(by difference: Int) { total.wrappingAdd(difference, ordering: .relaxed) }
}

/// What one worker has told of its buffers.
struct BufferShare {
    /// Changes below this stay untold.
    static let grain = 64 * 1024
    private var told = 0

    /// How far a worker must go to keep memory within the ceiling.
    enum Pressure: Equatable {
        case none
        /// Seven eighths are used: less is read ahead for all clients.
        case high
        /// The ceiling is reached: no new connections, and the largest holders are let go.
        case over
    }

    /// - Parameter bytes: what the worker holds now.
    mutating func tell(_ bytes: Int, to budget: BufferBudget) {
        let difference = bytes - told
        guard difference >= BufferShare.grain || difference <= -BufferShare.grain || bytes == 0 && told != 0 else {
            return
        }
        told = bytes
        budget.change(by: difference)
    }

    /// - Parameter ceiling: bytes for the whole process; 0 for none.
    static func pressure(_ bytes: Int, ceiling: Int) -> Pressure {
        guard ceiling > 0 else { return .none }
        if bytes >= ceiling { return .over }
        return bytes >= ceiling - ceiling / 8 ? .high : .none
    }
}
