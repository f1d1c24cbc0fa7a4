/// Requests that wait for a place at an upstream.
package struct QueueEntry: Sendable {
    /// Of each worker; 0 where nothing waits.
    package var length = 0
    package var timeout = Duration.seconds(1)

    static func read(_ field: Field) -> QueueEntry {
        let standard = QueueEntry()
        var object = field.object("a queue: {\"length\", \"timeout\"}")
        let entry = QueueEntry(
            length: object.count("length", in: 0...1_000_000, default: standard.length, "a number of requests"),
            timeout: object.duration("timeout", default: standard.timeout))
        object.finish()
        return entry
    }
}
