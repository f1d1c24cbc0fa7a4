import Identity
import Outbound

extension TokenStore {
    /// Performs an operation as an effect.
    package func ask<Value: Sendable>(
        _ operation: StoreOperation, now: Int64,
        _ next: @escaping @Sendable (Result<StoreAnswer, StoreFailure>) -> Effect<Value>
    ) -> Effect<Value> {
        .answer(of: { [self] then in perform(operation, now: now, then: then) }, next)
    }

    /// Removes records one after the other. Records that a failing store keeps expire by themselves.
    package func forget(_ ids: ArraySlice<String>, now: Int64) -> Effect<Void> {
        guard let first = ids.first else { return .done(()) }
        return ask(.revoke(.id(first)), now: now) { [self] _ in forget(ids.dropFirst(), now: now) }
    }
}
