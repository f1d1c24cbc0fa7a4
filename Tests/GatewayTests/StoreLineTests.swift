import Reactor
import Synchronization
import Testing

@testable import Gateway

/// The connections of workers to the server of any kind of store.
@Suite struct StoreLineTests {
    /// What became of a command.
    private enum Outcome: Equatable { case performed, refused }

    private struct Command: StoreCommand {
        let outcomes: Outcomes

        func refuse() { outcomes.add(.refused) }
    }

    private final class Outcomes: Sendable {
        private let all = Mutex<[Outcome]>([])
        var list: [Outcome] { all.withLock { $0 } }
        func add(_ outcome: Outcome) { all.withLock { $0.append(outcome) } }
    }

    /// A connection that performs each command at once, while its worker runs.
    private final class Connection: StoreConnection {
        let isIdle = true
        private var isStopped = false

        func perform(_ command: any StoreCommand) {
            if isStopped { return command.refuse() }
            (command as? Command)?.outcomes.add(.performed)
        }

        func resolved(_ addresses: [SocketAddress], attempt: UInt32) {}
        func connected(_ socket: Socket) {}
        func received(_ socket: Socket) {}
        func failed(_ socket: Socket) {}
        func timerFired() {}
        func stop() { isStopped = true }
    }

    @Test("a command goes to a worker; one that no worker takes, or a worker leaves, is refused")
    func commands() throws {
        let outcomes = Outcomes()
        let line = StoreLine { _ in Connection() }
        line.send(Command(outcomes: outcomes))
        #expect(outcomes.list == [.refused])
        let bench = try WorkerBench { $0.storeLine = line }
        line.send(Command(outcomes: outcomes))
        bench.turn(until: { outcomes.list.count == 2 })
        #expect(outcomes.list.last == .performed)
        // In the mailbox of a worker that ends before it takes it.
        line.send(Command(outcomes: outcomes))
        bench.worker.stop()
        #expect(outcomes.list == [.refused, .performed, .refused])
        line.send(Command(outcomes: outcomes))
        #expect(outcomes.list.last == .refused && outcomes.list.count == 4)
    }
}
