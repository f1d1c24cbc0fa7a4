/// A store of token records, the deny list and single-use keys. `StoreOperation` specifies each operation, and one
/// conformance suite tests every store.
package protocol TokenStore: AnyObject, Sendable {
    /// `memory`, `sqlite` or `redis`, as in configuration and metrics.
    var kind: StaticString { get }

    /// Known state of the store, without asking it.
    var state: StoreState { get }

    /// Performs an operation. A success is as durable as the store.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - then: called exactly once, on any thread, possibly before `perform` returns. It must not block.
    func perform(
        _ operation: StoreOperation, now: Int64, then: @escaping @Sendable (Result<StoreAnswer, StoreFailure>) -> Void)
}

/// Whether a store answers.
package enum StoreState: Sendable, Equatable {
    case ok
    /// Seconds since 1970.
    case unavailable(since: Int64)
}

/// Why a store operation failed. Says nothing about the caller's credentials: clients get 503.
package enum StoreFailure: Error, Sendable, Equatable {
    /// The store cannot be reached, or the disk fails.
    case unavailable
    /// No answer in time. The operation may have taken effect.
    case timedOut
    /// Executed, but fewer replicas than required have the change.
    case notReplicated
    /// Too many operations are queued.
    case overloaded
    /// The store is full.
    case full
    /// Its data or answer is malformed.
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
