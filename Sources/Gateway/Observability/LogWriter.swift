import Reactor
import Synchronization

/// Writes log blocks to their destination, off the loops, in the order they come. A destination that is slower than
/// the traffic loses blocks, counted, rather than memory.
package final class LogWriter: Sendable {
    private struct State {
        /// What was taken and is not on its way.
        var gathered: [UInt8] = []
        /// Bytes that are on their way.
        var underWay = 0
        /// Somebody comes for what is gathered.
        var isAwaited = false
        /// How often the destination was replaced: what is gathered for one of them is not for those who came for what
        /// was gathered for another.
        var turn = 0

        mutating func takeGathered() -> [UInt8] {
            let block = gathered
            gathered = []
            underWay += block.count
            return block
        }
    }

    private let queue = SerialQueue(label: "portcullis.log")
    private let state = Mutex(State())
    private let destination: Mutex<OutputDescriptor>
    private let path: String?
    static let maximumPendingBytes = 4 << 20
    /// To wake a thread for each line costs more than to make the token that the line tells of.
    private static let gatheringMilliseconds = 5

    /// Writes to a file that is opened for appending.
    package init(appendingTo path: String) throws(KernelError) {
        self.path = path
        destination = Mutex(try OutputDescriptor(appendingTo: path))
    }

    /// Writes to standard output or error.
    package init(_ output: OutputDescriptor) {
        path = nil
        destination = Mutex(output)
    }

    /// Takes a block over, and writes it a moment later with what else has come until then; answers false where it was
    /// dropped.
    package func write(_ block: [UInt8]) -> Bool {
        enum Verdict { case drop, gather, begin(turn: Int) }
        let verdict = state.withLock { state -> Verdict in
            guard state.gathered.count + state.underWay + block.count <= LogWriter.maximumPendingBytes else {
                return .drop
            }
            state.gathered += block
            if state.isAwaited { return .gather }
            state.isAwaited = true
            return .begin(turn: state.turn)
        }
        switch verdict {
        case .drop: return false
        case .gather: break
        case .begin(let turn):
            queue.submit(afterMilliseconds: LogWriter.gatheringMilliseconds) {
                self.state.withLock { if $0.turn == turn { $0.isAwaited = false } }
                self.writeGathered(in: turn)
            }
        }
        return true
    }

    /// Opens the file anew, after it was renamed (SIGUSR1). What was taken before goes to the old one.
    package func reopen() {
        guard let path else { return }
        // Under the lock: what comes later must not get into the queue before.
        state.withLock { state in
            let earlier = state.takeGathered()
            state.turn += 1
            state.isAwaited = false
            queue.submit {
                self.put(earlier)
                self.replaceDestination(with: path)
            }
        }
    }

    private func replaceDestination(with path: String) {
        guard let fresh = try? OutputDescriptor(appendingTo: path) else { return }
        let old = destination.withLock { output in
            let old = output
            output = fresh
            return old
        }
        old.close()
    }

    /// Waits until everything taken so far is written.
    package func flush() {
        let turn = state.withLock { $0.turn }
        queue.submit { self.writeGathered(in: turn) }
        queue.flush()
    }

    /// To be called in the queue, so that nothing overtakes what is taken here.
    private func writeGathered(in turn: Int) {
        put(state.withLock { $0.turn == turn ? $0.takeGathered() : [] })
    }

    private func put(_ block: [UInt8]) {
        guard !block.isEmpty else { return }
        let output = destination.withLock { $0 }
        output.write(block)
        state.withLock { $0.underWay -= block.count }
    }
}
