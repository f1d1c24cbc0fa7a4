import Identity
import Outbound
import Synchronization

/// Revokes tokens at providers in the background, so that no logout waits for a provider or fails with it.
package final class ProviderRevoker: Sendable {
    /// Further revocations fail while this many are in progress: the provider is slow or down.
    private static let most = 128

    package typealias Observer = @Sendable (_ provider: String, _ failure: ProviderFailure?) -> Void

    private let underWay = Atomic<Int>(0)
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
    func revoke(_ token: ProvidedToken, at provider: any BrowserIdentityProvider, now: Int64) {
        guard underWay.add(1, ordering: .relaxed).newValue <= ProviderRevoker.most else {
            underWay.subtract(1, ordering: .relaxed)
            return observe(provider.name, .unavailable("revocation: too many"))
        }
        run(provider.revoke(token, now: now)) { [self] failure in
            underWay.subtract(1, ordering: .relaxed)
            observe(provider.name, failure)
        }
    }

    private func run(
        _ effect: Effect<ProviderFailure?>, _ then: @escaping @Sendable (ProviderFailure?) -> Void
    ) {
        switch effect {
        case .done(let failure): then(failure)
        case .offload(let work), .hash(let work): offload { [self] in run(work(), then) }
        case .await(let begin): begin { [self] effect in run(effect, then) }
        }
    }
}
