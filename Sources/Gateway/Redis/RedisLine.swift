import Reactor
import Synchronization
import TokenStorage

/// The workers' server connections as used by the store: distributes commands in rotation, by mailbox, from any thread.
package final class RedisLine: RedisChannel {
    /// Commands to send back to back.
    package struct Command: Sendable {
        let commands: [[[UInt8]]]
        let then: @Sendable ([Result<RESPValue, StoreFailure>]) -> Void
    }

    /// A message to a worker.
    package enum Message: Sendable {
        case perform(Command)
        /// The addresses of the server's name, for the attempt that asked; empty if unresolved.
        case resolved([SocketAddress], attempt: UInt32)
    }

    private struct State {
        /// Of running workers.
        var mailboxes: [Mailbox<WorkerMessage>] = []
        var next = 0
    }

    package let server: RedisServer
    private let state = Mutex(State())

    package init(_ server: RedisServer) { self.server = server }

    /// Sets the workers that accept commands. Before that none does.
    func attach(_ mailboxes: [Mailbox<WorkerMessage>]) { state.withLock { $0.mailboxes = mailboxes } }

    /// Removes a worker that ends. It still executes the commands in its mailbox.
    func remove(_ mailbox: Mailbox<WorkerMessage>) {
        state.withLock { state in state.mailboxes.removeAll { $0 === mailbox } }
    }

    package func send(
        _ commands: [[[UInt8]]], then: @escaping @Sendable ([Result<RESPValue, StoreFailure>]) -> Void
    ) {
        send(Command(commands: commands, then: then))
    }

    func send(_ command: Command) {
        let isTaken = state.withLock { state in
            guard !state.mailboxes.isEmpty else { return false }
            state.next = (state.next + 1) % state.mailboxes.count
            // Posted under the lock, before the worker can be removed.
            state.mailboxes[state.next].post(.redis(.perform(command)))
            return true
        }
        if !isTaken { command.then(command.commands.map { _ in .failure(.unavailable) }) }
    }
}
