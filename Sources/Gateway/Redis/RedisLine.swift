import Reactor
import Synchronization
import TokenStorage

/// The workers' connections to the server, as the store sees them: it hands commands out in turn, by mailbox, from
/// any thread.
package final class RedisLine: RedisChannel {
    /// Commands on their way, one right behind the other.
    package struct Command: Sendable {
        let commands: [[[UInt8]]]
        let then: @Sendable ([Result<RESPValue, StoreFailure>]) -> Void
    }

    /// What a worker is told.
    package enum Message: Sendable {
        case perform(Command)
        /// The addresses of the server's name, for the attempt that asked; none where the resolver knows none.
        case resolved([SocketAddress], attempt: UInt32)
    }

    private struct State {
        /// Of the workers that run.
        var mailboxes: [Mailbox<WorkerMessage>] = []
        var next = 0
    }

    let server: RedisServer
    private let state = Mutex(State())

    package init(_ server: RedisServer) { self.server = server }

    /// Workers that take commands from now on. Before, none does.
    func attach(_ mailboxes: [Mailbox<WorkerMessage>]) { state.withLock { $0.mailboxes = mailboxes } }

    /// A worker that ends. It still has the commands that are in its mailbox, and gets no more.
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
            // Posted before anybody else can say that this worker ends.
            state.mailboxes[state.next].post(.redis(.perform(command)))
            return true
        }
        if !isTaken { command.then(command.commands.map { _ in .failure(.unavailable) }) }
    }
}
