import Reactor
import Synchronization

/// The connection of a worker to the server of a store; each kind of store with a server has its own.
protocol StoreConnection: AnyObject {
    /// Whether no command is waiting for its reply.
    var isIdle: Bool { get }
    func perform(_ command: any StoreCommand)
    /// The addresses of the server's name, for the attempt that asked; empty if unresolved.
    func resolved(_ addresses: [SocketAddress], attempt: UInt32)
    /// Also called after the handshake of a connection over TLS.
    func connected(_ socket: Socket)
    func received(_ socket: Socket)
    /// The connection ended, broke or could not be made.
    func failed(_ socket: Socket)
    func timerFired()
    /// The worker ends.
    func stop()
}

/// The connections of the workers to the server of a store: distributes commands in rotation, by mailbox, from any thread.
package final class StoreLine: Sendable {
    private struct State {
        /// Of running workers.
        var mailboxes: [Mailbox<WorkerMessage>] = []
        var next = 0
    }

    private let state = Mutex(State())
    /// Makes the connection of a worker.
    let connection: @Sendable (LoopContext) -> any StoreConnection

    init(connection: @escaping @Sendable (LoopContext) -> any StoreConnection) { self.connection = connection }

    /// Sets the workers that accept commands. Before that none does.
    func attach(_ mailboxes: [Mailbox<WorkerMessage>]) { state.withLock { $0.mailboxes = mailboxes } }

    /// Removes a worker that ends. It still executes the commands in its mailbox.
    func remove(_ mailbox: Mailbox<WorkerMessage>) {
        state.withLock { state in state.mailboxes.removeAll { $0 === mailbox } }
    }

    func send(_ command: any StoreCommand) {
        let isTaken = state.withLock { state in
            guard !state.mailboxes.isEmpty else { return false }
            state.next = (state.next + 1) % state.mailboxes.count
            // Posted under the lock, before the worker can be removed.
            state.mailboxes[state.next].post(.store(command))
            return true
        }
        if !isTaken { command.refuse() }
    }
}
