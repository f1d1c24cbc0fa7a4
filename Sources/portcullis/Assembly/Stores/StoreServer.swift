import Gateway

/// The server of a store that several machines share. Calls wait for it, on a connection of their own.
protocol StoreServer: Sendable {
    /// The connections of the workers.
    var workers: StoreLine { get }
    /// Such as `host:port`, for messages.
    var place: String { get }
    /// What tells the records of this store from those of others in the same server.
    var partition: String { get }

    /// Reads a document that gateways keep beside the records, or replaces it.
    /// - Parameter change: the known text, empty for none, and the new one, which is written only in place of the known one.
    /// - Returns: the text that is there afterwards; empty for none.
    func document(
        _ name: String, replacing change: (known: [UInt8], text: [UInt8])?
    ) throws(StoreServerFailure) -> [UInt8]

    /// Asks for an answer, for `check --connect`. Returns what to print of it.
    func probe() throws(StoreServerFailure) -> String
}

/// Why the server of a store has not answered, for operators.
struct StoreServerFailure: Error {
    let text: String
}
