/// The queue of requests for an upstream.
package struct QueueEntry: Sendable {
    /// For each worker; 0 for no queue.
    package var length: Int
    package var timeout: Duration

    static func read(_ object: inout ObjectReader) -> QueueEntry {
        QueueEntry(
            length: object.value(
                "length", .integer(0...1_000_000, "a number of requests"), default: 0,
                "How many requests of each worker may wait; 0 means none."),
            timeout: object.value(
                "timeout", .duration, default: .seconds(1), "How long a request may wait."))
    }
}
