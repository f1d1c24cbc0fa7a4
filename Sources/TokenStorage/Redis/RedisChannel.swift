/// Transport for commands: one or several connections. Independent of the commands' meaning.
package protocol RedisChannel: AnyObject, Sendable {
    /// Sends commands back to back over one connection.
    ///
    /// - Parameter then: called exactly once with the reply to each, from any thread, possibly before `send` returns;
    ///   it must not block. A server error is a success here: `RESPValue.error`. After `.unavailable` or `.timedOut`
    ///   the command may or may not have been executed.
    func send(_ commands: [[[UInt8]]], then: @escaping @Sendable ([Result<RESPValue, StoreFailure>]) -> Void)
}
