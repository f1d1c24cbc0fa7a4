import Identity
import Outbound
import Synchronization

/// Revokes tokens at providers in the background, so that no logout waits for a provider or fails with it.
package final class ProviderRevoker: Sendable {
    /// Further revocations at a provider fail while this many are in progress there: it is slow or down. Calls for
    /// logins need some of the connections.
    private static let most = 16

    package typealias Observer = @Sendable (_ provider: String, _ failure: ProviderFailure?) -> Void

    /// By the name of the provider.
    private let underWay = Mutex<[String: Int]>([:])
    private let offload: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let observe: Observer

    /// - Parameters:
    ///   - offload: runs work outside of event loops.
    ///   - observe: called with the outcome of each revocation.
    package init(
        offload: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void, observe: @escaping Observer
    ) {
        self.offload = offload
        self.observe = observe
    }

    /// Begins a revocation and returns.
    func revoke(_ tokens: ProvidedTokens, at provider: any BrowserIdentityProvider, now: Int64) {
        let name = provider.name
        let isAdmitted = underWay.withLock { counts in
            guard counts[name, default: 0] < ProviderRevoker.most else { return false }
            counts[name, default: 0] += 1
            return true
        }
        guard isAdmitted else { return observe(name, .unavailable("revocation: too many")) }
        run(provider.revoke(tokens, now: now)) { [self] failure in
            underWay.withLock { $0[name, default: 0] -= 1 }
            observe(name, failure)
        }
    }

    private func run(
        _ effect: Effect<ProviderFailure?>, _ then: @escaping @Sendable (ProviderFailure?) -> Void
    ) {
        switch effect {
        case .done(let failure): then(failure)
        case .offload(let work), .hash(_, let work): offload { [self] in run(work(), then) }
        case .await(let begin): begin { [self] effect in run(effect, then) }
        }
    }
}
