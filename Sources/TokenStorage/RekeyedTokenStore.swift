/// A store whose key may change. Marks new records with the key in use, and moves a record that a former key has found
/// to the key in use.
package final class RekeyedTokenStore: TokenStore {
    package typealias Then = @Sendable (Result<StoreAnswer, StoreFailure>) -> Void

    private let store: any TokenStore
    private let key: TokenDigestKey

    package init(_ store: any TokenStore, key: TokenDigestKey) {
        self.store = store
        self.key = key
    }

    package var kind: StaticString { store.kind }
    package var state: StoreState { store.state }

    package func perform(_ operation: StoreOperation, now: Int64, then: @escaping Then) {
        switch operation {
        case .claim(let record): store.perform(.claim(marked(record)), now: now, then: then)
        case .replace(let record): store.perform(.replace(marked(record)), now: now, then: then)
        case .insert(let record): store.perform(.insert(marked(record)), now: now, then: then)
        case .rotate(let digest, let application, let record, let reuse):
            store.perform(
                .rotate(refresh: digest, application: application, proposed: marked(record), reuse: reuse), now: now,
                then: then)
        case .find(let wanted):
            store.perform(operation, now: now) { [self] result in
                guard case .success(.record(let record?)) = result, let moved = moved(record, wanted) else {
                    return then(result)
                }
                store.perform(.rekey(from: record, to: moved), now: now) { answer in
                    // Where this fails, the former key still finds it.
                    if case .success(.touched(1)) = answer { then(.success(.record(moved))) } else { then(result) }
                }
            }
        default: store.perform(operation, now: now, then: then)
        }
    }

    private func marked(_ record: TokenRecord) -> TokenRecord {
        guard let list = record.accessDigest ?? record.refreshDigest, let name = DigestList.keyName(of: list),
            let sealed = key.resealed(record, by: name, id: record.id)
        else { return record }
        var record = record
        record.sealed = sealed
        return record
    }

    /// The record under the key in use when it was looked for; nil if it stays as it is. The key that made the digest of
    /// another token of the record is unknown.
    private func moved(_ record: TokenRecord, _ wanted: TokenKey) -> TokenRecord? {
        var (moved, name) = (record, [UInt8]?.none)
        switch wanted {
        case .access(let list) where record.refreshDigest == nil:
            (moved.accessDigest, name) = (DigestList.first(in: list), DigestList.keyName(of: list))
        case .refresh(let list) where record.accessDigest == nil:
            (moved.refreshDigest, name) = (DigestList.first(in: list), DigestList.keyName(of: list))
        case .names(let names): moved.id = names.first ?? record.id
        default: return nil
        }
        guard moved != record, let sealed = key.resealed(record, by: name, id: moved.id) else { return nil }
        moved.sealed = sealed
        return moved
    }
}
