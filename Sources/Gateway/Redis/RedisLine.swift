import TokenStorage

/// The workers' connections to a server as the channel of the store.
package final class RedisLine: RedisChannel {
    /// Commands to send back to back.
    struct Command: StoreCommand {
        let commands: [[[UInt8]]]
        let then: @Sendable ([Result<RESPValue, StoreFailure>]) -> Void

        func refuse() { then(commands.map { _ in .failure(.unavailable) }) }
    }

    package let workers: StoreLine

    package init(_ server: RedisServer) { workers = StoreLine { RedisClient(server, $0) } }

    package func send(
        _ commands: [[[UInt8]]], then: @escaping @Sendable ([Result<RESPValue, StoreFailure>]) -> Void
    ) {
        workers.send(Command(commands: commands, then: then))
    }
}
