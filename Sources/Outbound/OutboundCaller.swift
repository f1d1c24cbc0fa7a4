/// Makes calls to other servers. The data plane does it on its event loops; tests answer by themselves.
package protocol OutboundCaller: AnyObject, Sendable {
    /// Makes the call. Never blocks; `then` is called exactly once, from any thread, and must not block either.
    func perform(_ call: OutboundCall, then: @escaping @Sendable (OutboundResult) -> Void)
}
