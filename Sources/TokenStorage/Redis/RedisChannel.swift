/// Where commands for the server go: a connection, or several. What goes over it is known to nobody here.
package protocol RedisChannel: AnyObject, Sendable {
    /// Sends commands one right behind the other over one connection.
    ///
    /// - Parameter then: called exactly once with the reply to each, from any thread, perhaps before `send` returns; it
    ///   must not block. A refusal by the server is a success here: `RESPValue.error`. After `.unavailable` or
    ///   `.timedOut` the server may have done it, or not.
    func send(_ commands: [[[UInt8]]], then: @escaping @Sendable ([Result<RESPValue, StoreFailure>]) -> Void)
}
