import Identity

extension TokenStore {
    /// What the store answers, as an effect.
    func ask<Value: Sendable>(
        _ operation: StoreOperation, now: Int64,
        _ next: @escaping @Sendable (Result<StoreAnswer, StoreFailure>) -> Effect<Value>
    ) -> Effect<Value> {
        .answer(of: { [self] then in perform(operation, now: now, then: then) }, next)
    }
}
