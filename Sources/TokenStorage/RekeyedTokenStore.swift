/// A store behind a `TokenDigestKey`: it is asked with the digests of a token under all keys, and has the records under
/// one of them. A record that a former key has found goes under the first one, if its tokens are known, and never back.
package final class RekeyedTokenStore: TokenStore {
    package typealias Then = @Sendable (Result<StoreAnswer, StoreFailure>) -> Void

    package let store: any TokenStore
    private let key: TokenDigestKey

    package init(_ store: any TokenStore, key: TokenDigestKey) {
        self.store = store
        self.key = key
    }

    package var kind: StaticString { store.kind }
    package var state: StoreState { store.state }

    package func perform(_ operation: StoreOperation, now: Int64, then: @escaping Then) {
        switch operation {
        case .claim(let record) where isRekeyed(record):
            settle(record, now: now, then) { self.store.perform(.claim($0), now: now, then: then) }
        case .replace(let record) where isRekeyed(record):
            settle(record, now: now, then) { self.store.perform(.replace($0), now: now, then: then) }
        case .insert(let record) where isRekeyed(record):
            settle(record, now: now, then) { self.store.perform(.insert($0), now: now, then: then) }
        case .find(.access(let digest)) where digest.count > TokenDigestKey.digestLength:
            find(digest, isAccess: true, now: now, then)
        case .find(.refresh(let digest)) where digest.count > TokenDigestKey.digestLength:
            find(digest, isAccess: false, now: now, then)
        case .find(.family(let digest)): ask(digest, now: now, then) { .find(.family(ofRefresh: $0)) }
        case .revoke(.one(.access(let digest))): ask(digest, now: now, then) { .revoke(.access($0)) }
        case .revoke(.one(.refresh(let digest))): ask(digest, now: now, then) { .revoke(.refresh($0)) }
        case .revoke(.one(.family(let digest))): ask(digest, now: now, then) { .revoke(.one(.family(ofRefresh: $0))) }
        case .successor(let digest): ask(digest, now: now, then) { .successor(of: $0) }
        case .rotate(let digest, let application, let proposed, let reuse):
            let single = single(proposed)
            ask(digest, now: now, then) {
                .rotate(refresh: $0, application: application, proposed: single, reuse: reuse)
            }
        default: store.perform(operation, now: now, then: then)
        }
    }

    // MARK: Digests

    private static func digests(_ all: [UInt8]) -> [[UInt8]] {
        stride(from: 0, to: all.count, by: TokenDigestKey.digestLength).map {
            Array(all[$0..<min($0 + TokenDigestKey.digestLength, all.count)])
        }
    }

    private func isRekeyed(_ record: TokenRecord) -> Bool {
        [record.accessDigest, record.refreshDigest].contains { ($0?.count ?? 0) > TokenDigestKey.digestLength }
    }

    /// The record as it is stored: under the first key alone.
    private func single(_ record: TokenRecord) -> TokenRecord {
        guard isRekeyed(record) else { return record }
        var record = record
        record.accessDigest = record.accessDigest.map { Array($0.prefix(TokenDigestKey.digestLength)) }
        record.refreshDigest = record.refreshDigest.map { Array($0.prefix(TokenDigestKey.digestLength)) }
        key.mark(&record)
        return record
    }

    /// Asks with one digest after the other until one is known, and back again, as a record may have gone under another
    /// one in between.
    private func ask(
        _ digest: [UInt8], now: Int64, _ then: @escaping Then,
        _ operation: @escaping @Sendable ([UInt8]) -> StoreOperation
    ) {
        guard digest.count > TokenDigestKey.digestLength else {
            return store.perform(operation(digest), now: now, then: then)
        }
        ask(RekeyedTokenStore.rounds(digest)[...], now: now, { result, _ in then(result) }, operation)
    }

    private static func rounds(_ all: [UInt8]) -> [[UInt8]] {
        let digests = digests(all)
        return digests + digests.dropLast().reversed()
    }

    private func ask(
        _ digests: ArraySlice<[UInt8]>, now: Int64,
        _ then: @escaping @Sendable (Result<StoreAnswer, StoreFailure>, [UInt8]) -> Void,
        _ operation: @escaping @Sendable ([UInt8]) -> StoreOperation
    ) {
        let digest = digests[digests.startIndex]
        store.perform(operation(digest), now: now) { [self] result in
            let rest = digests.dropFirst()
            switch result {
            case .success(.record(nil)) where !rest.isEmpty: ask(rest, now: now, then, operation)
            case .success(.removed(let gone)) where gone.isEmpty && !rest.isEmpty: ask(rest, now: now, then, operation)
            default: then(result, digest)
            }
        }
    }

    // MARK: Moving

    private func find(_ digest: [UInt8], isAccess: Bool, now: Int64, _ then: @escaping Then) {
        ask(RekeyedTokenStore.rounds(digest)[...], now: now) { [self] result, found in
            guard case .success(.record(let record?)) = result,
                let moved = moved(record, to: digest, isAccess: isAccess, found, isForced: false)
            else { return then(result) }
            // Where this fails the former key still finds it.
            store.perform(.rekey(from: record, to: moved), now: now) { answer in
                if case .success(.touched(1)) = answer { then(.success(.record(moved))) } else { then(result) }
            }
        } _: {
            isAccess ? .find(.access($0)) : .find(.refresh($0))
        }
    }

    /// The record under the first of the digests; nil if it stays where it is.
    private func moved(
        _ record: TokenRecord, to all: [UInt8], isAccess: Bool, _ found: [UInt8], isForced: Bool
    ) -> TokenRecord? {
        let digests = RekeyedTokenStore.digests(all)
        guard let index = digests.firstIndex(of: found), index > 0 else { return nil }
        return key.redigested(
            record, access: isAccess ? digests[0] : nil, refresh: isAccess ? nil : digests[0], foundBy: index,
            isForced: isForced)
    }

    /// Continues with the record to be stored, once a record of the same token is not under a former key any more: the two
    /// have to meet. Random tokens do not come twice.
    private func settle(
        _ record: TokenRecord, now: Int64, attempts: Int = 3, _ then: @escaping Then,
        _ next: @escaping @Sendable (TokenRecord) -> Void
    ) {
        let single = single(record)
        guard let all = record.accessDigest,
            record.kind == .opaque || record.kind == .pair && record.refreshDigest == nil
        else { return next(single) }
        ask(RekeyedTokenStore.rounds(all)[...], now: now) { [self] result, found in
            let rival: TokenRecord
            switch result {
            case .failure: return then(result)
            case .success(.record(let record?)) where found != single.accessDigest: rival = record
            case .success: return next(single)
            }
            guard let moved = moved(rival, to: all, isAccess: true, found, isForced: true) else {
                // It keeps the token that it has.
                return rival.accessLives(at: now) ? then(.success(.conflict)) : next(single)
            }
            store.perform(.rekey(from: rival, to: moved), now: now) { [self] answer in
                if case .success(.touched(1)) = answer { return next(single) }
                // The other record has changed in between.
                guard attempts > 1 else { return then(.failure(.unavailable)) }
                settle(record, now: now, attempts: attempts - 1, then, next)
            }
        } _: {
            .find(.access($0))
        }
    }
}
