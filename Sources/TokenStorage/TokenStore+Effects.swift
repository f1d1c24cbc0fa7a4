import Identity
import Outbound

extension TokenStore {
    /// What the store answers, as an effect.
    package func ask<Value: Sendable>(
        _ operation: StoreOperation, now: Int64,
        _ next: @escaping @Sendable (Result<StoreAnswer, StoreFailure>) -> Effect<Value>
    ) -> Effect<Value> {
        .answer(of: { [self] then in perform(operation, now: now, then: then) }, next)
    }

    /// Takes records away, one after the other. What a failing store keeps ends by itself.
    package func forget(_ ids: ArraySlice<String>, now: Int64) -> Effect<Void> {
        guard let first = ids.first else { return .done(()) }
        return ask(.revoke(.id(first)), now: now) { [self] _ in forget(ids.dropFirst(), now: now) }
    }
}
