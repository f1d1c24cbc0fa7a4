import Bytes
import Issuers
import Synchronization

/// The Webgates in front of an upstream, learnt from challenges (CACHE-08). Shared by all workers.
///
/// Their tokens are separate from those of other upstreams: a server that claims the name of another upstream's Webgate
/// does not get that one's tokens.
package final class UpstreamWebgates: Sendable {
    /// Maximum number of known Webgates. An upstream that invents names evicts only its own entries.
    static let limit = 16

    private let upstream: String
    private let issuer: any TokenIssuer
    /// Most recent challenger last.
    private let targets = Mutex<[InjectionTarget]>([])

    /// - Parameter upstream: its name in the configuration.
    package init(upstream: String, issuer: any TokenIssuer) {
        self.upstream = upstream
        self.issuer = issuer
    }

    /// The most recent challenger; nil before the first challenge.
    package var last: InjectionTarget? { targets.withLock { $0.last } }

    /// The target of tokens for this Webgate, which becomes the most recent one; and whether the least recent one was
    /// evicted.
    package func target(of webgate: String) -> (target: InjectionTarget, hasEvicted: Bool) {
        targets.withLock { targets in
            if let index = targets.firstIndex(where: { $0.webgate.isExactly(webgate) }) {
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
