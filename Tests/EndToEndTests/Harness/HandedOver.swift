import Foundation
import Glibc
import Testing

/// The successors of a gateway, which write where it writes. What still runs of them is ended with the test.
final class HandedOver: Sendable {
    let gateway: GatewayProcess
    private let successors = Monitor<[Int32]>([])

    init(_ gateway: GatewayProcess) { self.gateway = gateway }

    deinit {
        // The last one: those before it drain because of it.
        if let last = successors.current.last { _ = kill(last, SIGKILL) }
    }

    /// The process that serves.
    var current: Int32 { successors.current.last ?? gateway.program.processIdentifier }

    /// Asks the process that serves for a hand-over, and waits for it.
    func next() throws {
        let before = gateway.events("handed_over").count
        _ = kill(current, SIGUSR2)
        try wait(skipping: before)
    }

    /// Waits for a hand-over that is under way.
    func wait(skipping count: Int = 0) throws {
        let event = try #require(
            gateway.waitForEvent("handed_over", skipping: count), "\(gateway.everythingWritten)")
        let successor = try #require(event["successor"].integer)
        successors.withLock { $0.append(Int32(successor)) }
    }

    /// Ends the process that serves, and waits until it and all before it are gone.
    func stop() throws {
        _ = kill(current, SIGTERM)
        try #require(gateway.program.waitForEnd() != nil, "\(gateway.everythingWritten)")
        successors.withLock { $0 = [] }
    }
}

extension RawConnection {
    /// Asks until an answer says that it is the last one, and answers how often that was; nil where none does. Each worker
    /// hears of a drain by itself, and may answer before.
    func exchangesUntilClosing(_ path: String) throws -> Int? {
        for count in 1...1000 where try exchange("GET", path).only("Connection") == "close" { return count }
        return nil
    }
}
