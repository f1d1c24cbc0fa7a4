import Issuers
import Synchronization

/// The Webgates that an upstream has been found to be behind (CACHE-08). Shared by all workers.
///
/// Their tokens are kept apart from those of other upstreams: a server that says the name of another's Webgate gets no
/// token that was made for that one.
package final class UpstreamWebgates: Sendable {
    /// How many are known at a time. One that invents names gets no tokens for more.
    private static let limit = 16

    private struct State {
        var targets: [String: InjectionTarget] = [:]
        var last: InjectionTarget?
    }

    private let upstream: String
    private let issuer: any TokenIssuer
    private let state = Mutex(State())

    /// - Parameter upstream: its name in the configuration.
    package init(upstream: String, issuer: any TokenIssuer) {
        self.upstream = upstream
        self.issuer = issuer
    }

    /// The one that asked last; nil before the first challenge.
    package var last: InjectionTarget? { state.withLock { $0.last } }

    /// The place that tokens for this Webgate belong to, which from now on is the last one; nil where there are too many.
    package func target(of webgate: String) -> InjectionTarget? {
        state.withLock { state in
            if let known = state.targets[webgate] {
                state.last = known
                return known
            }
            guard state.targets.count < UpstreamWebgates.limit else { return nil }
            let target = InjectionTarget(webgate: webgate, place: "\(upstream)\n\(webgate)", issuer: issuer)
            state.targets[webgate] = target
            state.last = target
            return target
        }
    }
}
