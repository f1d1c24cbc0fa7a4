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

    /// Looks records up one after the other, while they count; whether all do. Nil if the store fails.
    /// - Parameter counts: called with each record; not with nil, since a record that is absent does not count.
    package func haveAll(
        _ ids: ArraySlice<String>, now: Int64, _ counts: @escaping @Sendable (TokenRecord) -> Bool
    ) -> Effect<Bool?> {
        guard let first = ids.first else { return .done(true) }
        return ask(.find(.id(first)), now: now) { [self] result in
            switch result {
            case .success(.record(let record?)) where counts(record): haveAll(ids.dropFirst(), now: now, counts)
            case .success: .done(false)
            case .failure: .done(nil)
            }
        }
    }

    /// Removes records one after the other; a deny list learns of their tokens at once.
    /// - Returns: false if the store fails, and has not removed all.
    package func end(_ ids: ArraySlice<String>, by revocations: RevocationList, now: Int64) -> Effect<Bool> {
        guard let first = ids.first else { return .done(true) }
        return ask(.revoke(.id(first)), now: now) { [self] result in
            guard case .success(.removed(let gone)) = result else { return .done(false) }
            for record in gone where !record.tokenID.isEmpty {
                revocations.revoke(tokenID: record.tokenID, until: record.accessExpiresAt)
            }
            return end(ids.dropFirst(), by: revocations, now: now)
        }
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
