import Reactor
import Synchronization

/// Writes log blocks in order, off the event loops. If the destination is too slow, blocks are dropped and counted,
/// which bounds memory.
package final class LogWriter: Sendable {
    private struct State {
        /// Accepted bytes that are not being written yet.
        var gathered: [UInt8] = []
        /// Bytes being written.
        var underWay = 0
        /// Whether a write of the gathered bytes is scheduled.
        var isAwaited = false
        /// Number of destination changes: identifies the destination that gathered bytes belong to.
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
    /// Nil for JSON.
    private let text: LogText?
    static let maximumPendingBytes = 4 << 20
    /// Delay that batches lines: waking a thread for each would cost more than issuing the token that it reports.
    private static let gatheringMilliseconds = 5

    /// Writes to a file in append mode.
    package init(appendingTo path: String) throws(KernelError) {
        self.path = path
        text = nil
        destination = Mutex(try OutputDescriptor(appendingTo: path))
    }

    /// Writes to standard output or error; to a terminal as text.
    /// - Parameter asJSON: whether terminals get JSON too.
    package init(_ stream: StandardStream, asJSON: Bool = false) {
        path = nil
        text = stream.isTerminal && !asJSON ? LogText(hasColour: stream.hasColour) : nil
        destination = Mutex(stream == .output ? .standardOutput : .standardError)
    }

    /// Accepts a block and writes it shortly afterwards, together with others; false if it was dropped.
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

    /// Reopens the file after it was renamed (SIGUSR1). Earlier blocks go to the old file.
    package func reopen() {
        guard let path else { return }
        // Under the lock, so that later blocks cannot be queued first.
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

    /// Waits until everything accepted so far is written.
    package func flush() {
        let turn = state.withLock { $0.turn }
        queue.submit { self.writeGathered(in: turn) }
        queue.flush()
    }

    /// Must be called on the queue, which keeps the order.
    private func writeGathered(in turn: Int) {
        put(state.withLock { $0.turn == turn ? $0.takeGathered() : [] })
    }

    private func put(_ block: [UInt8]) {
        guard !block.isEmpty else { return }
        let output = destination.withLock { $0 }
        output.write(text?.text(of: block) ?? block)
        state.withLock { $0.underWay -= block.count }
    }
}
