import Synchronization

/// Makes the calls to one server among several that share the ways out: so many at a time and no more, so that a slow one,
/// or whoever has it called for nothing, leaves the others theirs.
package final class SharingCaller: OutboundCaller {
    /// A quarter of what the data plane has under way at the most.
    package static let standardLimit = 128

    private let caller: any OutboundCaller
    private let limit: Int
    private let underWay = Atomic<Int>(0)

    /// - Parameter limit: calls at a time; what is more is answered as not available.
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
