/// Makes calls to other servers: on the event loops of the data plane, or simulated in tests.
package protocol OutboundCaller: AnyObject, Sendable {
    /// Makes the call. Never blocks; `then` is called exactly once, from any thread, and must not block.
    func perform(_ call: OutboundCall, then: @escaping @Sendable (OutboundResult) -> Void)
}
