/// What all families of failures have in common: each case stands for a reason, which has code and status.
package protocol ReasonedFailure: Error, Sendable {
    var reason: Reason { get }
}

extension ReasonedFailure {
    package var status: Int { reason.status }
}
