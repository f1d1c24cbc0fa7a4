import Issuers
import Synchronization

/// The Webgates that an upstream has been found to be behind (CACHE-08). Shared by all workers.
///
/// Their tokens are kept apart from those of other upstreams: a server that says the name of another's Webgate gets no
/// token that was made for that one.
package final class UpstreamWebgates: Sendable {
    /// How many are known at a time. An upstream that invents names evicts its own entries alone.
    static let limit = 16

    private let upstream: String
    private let issuer: any TokenIssuer
    /// The one that asked last at the end.
    private let targets = Mutex<[InjectionTarget]>([])

    /// - Parameter upstream: its name in the configuration.
    package init(upstream: String, issuer: any TokenIssuer) {
        self.upstream = upstream
        self.issuer = issuer
    }

    /// The one that asked last; nil before the first challenge.
    package var last: InjectionTarget? { targets.withLock { $0.last } }

    /// The place that tokens for this Webgate belong to, which from now on is the last one; and whether another one, which
    /// has not asked for the longest time, was forgotten for it.
    package func target(of webgate: String) -> (target: InjectionTarget, hasEvicted: Bool) {
        targets.withLock { targets in
            if let index = targets.firstIndex(where: { $0.webgate.utf8.elementsEqual(webgate.utf8) }) {
                let known = targets.remove(at: index)
                targets.append(known)
                return (known, false)
            }
            let hasEvicted = targets.count == UpstreamWebgates.limit
            if hasEvicted { targets.removeFirst() }
            let target = InjectionTarget(webgate: webgate, place: "\(upstream)\n\(webgate)", issuer: issuer)
            targets.append(target)
            return (target, hasEvicted)
        }
    }
}
