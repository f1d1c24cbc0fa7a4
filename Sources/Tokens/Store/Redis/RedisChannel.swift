/// Where commands for the server go: a connection, or several. What goes over it is known to nobody here.
package protocol RedisChannel: AnyObject, Sendable {
    /// Sends a command.
    ///
    /// - Parameter then: called exactly once, from any thread, perhaps before `send` returns; it must not block. A refusal
    ///   by the server is a success here: `RESPValue.error`. After `.unavailable` or `.timedOut` the server may have done
    ///   it, or not.
    func send(_ command: [[UInt8]], then: @escaping @Sendable (Result<RESPValue, StoreFailure>) -> Void)
}
