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

    /// Removes the oldest records of the kind, application and user of a record beyond a number, so that no user fills the
    /// store.
    package func keepNewest(_ count: Int, like record: TokenRecord, now: Int64) -> Effect<Void> {
        let list = StoreOperation.list(application: record.application, subject: record.subject, limit: .max)
        return ask(list, now: now) { [self] answer in
            guard case .success(.records(let records)) = answer else { return .done(()) }
            let alike = records.filter { $0.kind == record.kind }
            return forget(alike.dropFirst(count).map(\.id)[...], now: now)
        }
    }
}
