import Crypto
import Identity
import Outbound
import Synchronization
import TokenStorage

/// The offline verifiers of all service domains in the token store.
package final class OfflineVerifierStore: Sendable {
    package struct Key: Sendable {
        let domain: String
        let user: String

        package init(domain: String, user: String) {
            self.domain = domain
            self.user = user
        }
    }

    /// The outcome of counting an attempt.
    package enum Attempt: Sendable {
        /// Counted; this is the state to check.
        case counted(StoredVerifier)
        /// There is no usable verifier.
        case none
        /// The verifier was wiped after too many failures.
        case wiped
        /// Too many concurrent attempts.
        case busy
        /// The store does not answer.
        case failed
    }

    private let store: any TokenStore
    private let key: TokenDigestKey
    private let hasher: PasswordHasher
    /// Verifiers that each domain may add before the next count.
    private let room = Mutex<[String: Int]>([:])

    /// Maximum duration of an attempt. A verifier is not wiped before, since the password may turn out to be right.
    package static let attemptSeconds: Int64 = 10
    /// Verifiers that may be added during a count.
    private static let whileCounting = 64

    package init(store: any TokenStore, key: TokenDigestKey, hasher: PasswordHasher) {
        self.store = store
        self.key = key
        self.hasher = hasher
    }

    private func ids(_ key: Key) -> [String] { StoredVerifier.ids(domain: key.domain, user: key.user, self.key) }

    // MARK: Reading

    package func find<Value: Sendable>(
        _ owner: Key, now: Int64, _ next: @escaping @Sendable (Result<StoredVerifier?, StoreFailure>) -> Effect<Value>
    ) -> Effect<Value> {
        store.ask(.find(.names(ids(owner))), now: now) { result in
            next(
                result.map {
                    guard case .record(let record?) = $0 else { return nil }
                    return StoredVerifier(record, now: now)
                })
        }
    }

    /// Counts an attempt before its password is checked, so that concurrent attempts in all processes cannot exceed the
    /// limit.
    ///
    /// - Parameters:
    ///   - rounds: maximum number of retries after concurrent changes.
    ///   - source: what verifies the password; nil if the user may not use the verifier any more.
    package func attempt<Value: Sendable>(
        _ owner: Key, now: Int64, rounds: Int = 32,
        source decide: @escaping @Sendable (StoredVerifier) -> PasswordSource?,
        _ next: @escaping @Sendable (Attempt) -> Effect<Value>
    ) -> Effect<Value> {
        guard rounds > 0 else { return next(.busy) }
        return find(owner, now: now) { [self] result in
            guard case .success(let found) = result else { return next(.failed) }
            guard let found, let source = decide(found) else { return next(.none) }
            let (proposed, outcome): (StoredVerifier, Attempt)
            switch source {
            case .unavailable: return next(.none)
            case .server: return next(.wiped)
            case .wipeThenServer:
                // The clocks of processes may differ.
                if abs(now - found.triedAt) < OfflineVerifierStore.attemptSeconds { return next(.busy) }
                proposed = found.wiped()
                outcome = .wiped
            case .verifier, .serverThenVerifier:
                proposed = found.tried(now: now)
                outcome = .counted(proposed)
            }
            return change(found, to: proposed, now: now) { [self] change in
                switch change {
                case .changed: next(outcome)
                case .lost: attempt(owner, now: now, rounds: rounds - 1, source: decide, next)
                case .failed: next(.failed)
                }
            }
        }
    }

    private enum Outcome: Sendable {
        case changed
        /// A concurrent change came first.
        case lost
        case failed
    }

    private func change<Value: Sendable>(
        _ old: StoredVerifier, to new: StoredVerifier, now: Int64,
        _ next: @escaping @Sendable (Outcome) -> Effect<Value>
    ) -> Effect<Value> {
        let rotation = StoreOperation.rotate(
            refresh: old.record.refreshDigest ?? [], application: old.record.application, proposed: new.record,
            reuse: .ignored)
        return store.ask(rotation, now: now) { result in
            switch result {
            case .success(.rotated): next(.changed)
            case .success: next(.lost)
            case .failure: next(.failed)
            }
        }
    }

    // MARK: Outcomes

    /// Resets the count after a right password; continues with false if the verifier was changed or removed.
    package func clear<Value: Sendable>(
        _ counted: StoredVerifier, _ owner: Key, now: Int64, rounds: Int = 32,
        _ next: @escaping @Sendable (Result<Bool, StoreFailure>) -> Effect<Value>
    ) -> Effect<Value> {
        change(counted, to: counted.cleared(), now: now) { [self] outcome in
            switch outcome {
            case .changed: next(.success(true))
            case .failed: next(.failure(.unavailable))
            case .lost where rounds == 0: next(.failure(.overloaded))
            case .lost:
                // Another attempt was counted, or the verifier was wiped or revoked.
                find(owner, now: now) { [self] result in
                    switch result {
                    case .failure(let failure): next(.failure(failure))
                    case .success(let found?) where !found.isWiped && found.record.sealed == counted.record.sealed:
                        clear(found, owner, now: now, rounds: rounds - 1, next)
                    case .success: next(.success(false))
                    }
                }
            }
        }
    }

    /// Wipes the verifier after the last allowed failure, then continues. If that fails, the next attempt wipes it.
    func end<Value: Sendable>(
        _ counted: StoredVerifier, now: Int64, _ next: @escaping @Sendable () -> Effect<Value>
    ) -> Effect<Value> {
        change(counted, to: counted.wiped(), now: now) { _ in next() }
    }

    /// Removes the hash and keeps the record. Does not wait for the store, since the client may disconnect.
    package func wipe(_ owner: Key, now: Int64) {
        store.perform(.find(.names(ids(owner))), now: now) { [store] result in
            guard case .success(.record(let record?)) = result, let found = StoredVerifier(record, now: now),
                !found.isWiped
            else { return }
            store.perform(.replace(found.wiped().record), now: now) { _ in }
        }
    }

    /// Removes a verifier.
    package func forget(_ owner: Key, now: Int64) { revoke(ids(owner)[...], now: now) }

    // MARK: Storing

    /// Stores the verifier of a login at the server. Hashes on the pool of hashes.
    package func keep<Value: Sendable>(
        _ login: PresentedLogin, _ owner: Key, scheme: PasswordScheme, seconds: Int64, maximum: Int, now: Int64,
        _ next: @escaping @Sendable () -> Effect<Value>
    ) -> Effect<Value> {
        .hash { [self] in
            let password = Array(login.password.utf8)
            guard let hash = try? hasher.make(password.span, scheme: scheme) else {
                forget(owner, now: now)
                return next()
            }
            let made = StoredVerifier(
                hash: hash, domain: owner.domain, user: owner.user, seconds: seconds, key, now: now)
            return store.ask(.replace(made.record), now: now) { [self] _ in
                // Under former keys, too.
                revoke(ids(owner).dropFirst(), now: now)
                makeRoom(owner.domain, maximum, now: now)
                return next()
            }
        }
    }

    /// Whether a password matches a verifier. To be called on the pool of hashes.
    package func isRight(_ password: String, _ verifier: StoredVerifier) -> Bool {
        let bytes = Array(password.utf8)
        return verifier.hash(key).map { hasher.verify(bytes.span, stored: $0) } ?? false
    }

    /// Counts the verifiers of a domain from time to time, and removes the oldest tenth if there are too many, so that
    /// not every login counts.
    private func makeRoom(_ domain: String, _ maximum: Int, now: Int64) {
        let isFull = room.withLock { room in
            let left = (room[domain] ?? 0) - 1
            room[domain] = left < 0 ? OfflineVerifierStore.whileCounting : left
            return left < 0
        }
        guard isFull else { return }
        let list = StoreOperation.list(
            application: StoredVerifier.register(of: domain), subject: nil, limit: .max)
        store.perform(list, now: now) { [self] result in
            guard case .success(.records(let records)) = result else { return }
            let kept = records.count > maximum ? maximum - maximum / 10 : records.count
            // Half of the free room, since other processes may count at the same time.
            room.withLock { $0[domain] = (maximum - kept) / 2 }
            revoke(records[kept...].map(\.id)[...], now: now)
        }
    }

    private func revoke(_ ids: ArraySlice<String>, now: Int64) {
        guard let first = ids.first else { return }
        store.perform(.revoke(.id(first)), now: now) { [self] _ in revoke(ids.dropFirst(), now: now) }
    }
}
