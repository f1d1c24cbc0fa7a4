/// Where tokens are kept: records by digest and slot, the deny list, what may be used only once. `StoreOperation` says
/// what each operation means, and one conformance suite holds every store to it.
package protocol TokenStore: AnyObject, Sendable {
    /// `memory`, `sqlite` or `redis`: as in the configuration and in metrics.
    var kind: StaticString { get }

    /// How the store is doing, without asking it.
    var state: StoreState { get }

    /// Does it, or says why not. A success is as durable as the store is: what was answered is not lost.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - then: called exactly once, on any thread, perhaps before `perform` returns. It must not block.
    func perform(
        _ operation: StoreOperation, now: Int64, then: @escaping @Sendable (Result<StoreAnswer, StoreFailure>) -> Void)
}

/// Whether a store answers.
package enum StoreState: Sendable, Equatable {
    case ok
    /// Seconds since 1970.
    case unavailable(since: Int64)
}

/// Why a store did not do what it was asked. Nobody's credentials are bad for that: clients get 503.
package enum StoreFailure: Error, Sendable, Equatable {
    /// It cannot be reached, or the disk fails.
    case unavailable
    /// No answer came in time. Whether the operation took effect is not known.
    case timedOut
    /// The server has done it, and fewer replicas than are asked for have it.
    case notReplicated
    /// Too much waits already.
    case overloaded
    /// There is no room for more.
    case full
    /// What it holds or answers makes no sense.
    case malformed

    /// For logs.
    package var reason: StaticString {
        switch self {
        case .unavailable: "store_unavailable"
        case .timedOut: "store_timed_out"
        case .notReplicated: "store_not_replicated"
        case .overloaded: "store_overloaded"
        case .full: "store_full"
        case .malformed: "store_malformed"
        }
    }
}
