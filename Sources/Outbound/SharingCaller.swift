import Synchronization

/// Limits the concurrent calls to one of several servers that share the outbound capacity, so that a slow server, or a
/// flood of calls to it, does not starve the others.
package final class SharingCaller: OutboundCaller {
    /// A quarter of the data plane's limit.
    package static let standardLimit = 128

    private let caller: any OutboundCaller
    private let limit: Int
    private let underWay = Atomic<Int>(0)

    /// - Parameter limit: maximum number of concurrent calls; further ones fail as unavailable.
    package init(_ caller: any OutboundCaller, limit: Int = SharingCaller.standardLimit) {
        self.caller = caller
        self.limit = limit
    }

    package func perform(_ call: OutboundCall, then: @escaping @Sendable (OutboundResult) -> Void) {
        guard underWay.add(1, ordering: .relaxed).newValue <= limit else {
            underWay.subtract(1, ordering: .relaxed)
            return then(.failed(.unavailable))
        }
        caller.perform(call) { [self] result in
            underWay.subtract(1, ordering: .relaxed)
            then(result)
        }
    }
}
