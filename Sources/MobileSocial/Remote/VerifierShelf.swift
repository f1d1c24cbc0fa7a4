import Bytes
import Crypto
import Identity
import Outbound
import Synchronization
import TokenStorage

/// The verifiers of all service domains in the store.
package final class VerifierShelf: Sendable {
    /// Whose verifier.
    package struct Key: Sendable {
        let domain: String
        let user: String

        package init(domain: String, user: String) {
            self.domain = domain
            self.user = user
        }
    }

    /// What has come of an attempt at it.
    package enum Attempt: Sendable {
        /// It is counted; this is the state to look at.
        case counted(StoredVerifier)
        case none
        /// It was missed too often, and is wiped by now.
        case wiped
        /// Others try so much at the moment that it cannot be said.
        case busy
        case failed
    }

    private let store: any TokenStore
    private let key: TokenDigestKey
    private let hasher: PasswordHasher
    /// How many may come to each domain before they are counted anew.
    private let room = Mutex<[String: Int]>([:])

    /// How long an attempt may be under way somewhere: until then nobody wipes what it may turn out to be right about.
    package static let patienceSeconds: Int64 = 10
    /// How many may come while they are being counted.
    private static let whileCounting = 64

    package init(store: any TokenStore, key: TokenDigestKey, hasher: PasswordHasher) {
        self.store = store
        self.key = key
        self.hasher = hasher
    }

    private func id(_ key: Key) -> String { StoredVerifier.id(domain: key.domain, user: key.user, self.key) }

    // MARK: Reading

    /// The verifier, or nil for none; a failure where the store does not answer.
    package func find<Value: Sendable>(
        _ whose: Key, now: Int64, _ next: @escaping @Sendable (Result<StoredVerifier?, StoreFailure>) -> Effect<Value>
    ) -> Effect<Value> {
        store.ask(.find(.id(id(whose))), now: now) { result in
            next(
                result.map {
                    guard case .record(let record?) = $0 else { return nil }
                    return StoredVerifier(record, now: now)
                })
        }
    }

    /// Counts an attempt before its password is looked at, so that of many at a time no more are looked at than are
    /// allowed, in whatever process.
    ///
    /// - Parameters:
    ///   - rounds: how often the state is looked at again that others change at the same time.
    ///   - place: what becomes of a login with a verifier; nil where the user may not use it any more.
    package func attempt<Value: Sendable>(
        _ whose: Key, now: Int64, rounds: Int = 32,
        place decide: @escaping @Sendable (StoredVerifier) -> LoginPlace?,
        _ next: @escaping @Sendable (Attempt) -> Effect<Value>
    ) -> Effect<Value> {
        guard rounds > 0 else { return next(.busy) }
        return find(whose, now: now) { [self] result in
            guard case .success(let found) = result else { return next(.failed) }
            guard let found, let place = decide(found) else { return next(.none) }
            let (proposed, outcome): (StoredVerifier, Attempt)
            switch place {
            case .nobody: return next(.none)
            case .server: return next(.wiped)
            case .wipeThenServer:
                // The clock of the process that has tried may be ahead, or this one set back.
                if abs(now - found.triedAt) < VerifierShelf.patienceSeconds { return next(.busy) }
                proposed = found.wiped()
                outcome = .wiped
            case .verifier, .serverThenVerifier:
                proposed = found.tried(now: now)
                outcome = .counted(proposed)
            }
            return change(found, to: proposed, now: now) { [self] change in
                switch change {
                case .changed: next(outcome)
                case .lost: attempt(whose, now: now, rounds: rounds - 1, place: decide, next)
                case .failed: next(.failed)
                }
            }
        }
    }

    /// What has become of a change.
    private enum Outcome: Sendable {
        case changed
        /// It was another one by then.
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

    /// A counted attempt was right: goes on with true where the verifier is still there, and counts from the beginning.
    package func clear<Value: Sendable>(
        _ counted: StoredVerifier, _ whose: Key, now: Int64, rounds: Int = 32,
        _ next: @escaping @Sendable (Result<Bool, StoreFailure>) -> Effect<Value>
    ) -> Effect<Value> {
        change(counted, to: counted.cleared(), now: now) { [self] outcome in
            switch outcome {
            case .changed: next(.success(true))
            case .failed: next(.failure(.unavailable))
            case .lost where rounds == 0: next(.failure(.overloaded))
            case .lost:
                // Another attempt was counted, or somebody has wiped it or revoked all of the user's.
                find(whose, now: now) { [self] result in
                    switch result {
                    case .failure(let failure): next(.failure(failure))
                    case .success(let found?) where !found.isWiped && found.record.sealed == counted.record.sealed:
                        clear(found, whose, now: now, rounds: rounds - 1, next)
                    case .success: next(.success(false))
                    }
                }
            }
        }
    }

    /// A counted attempt was one too many: goes on once the password is out. Where that fails the next attempt does it.
    func end<Value: Sendable>(
        _ counted: StoredVerifier, now: Int64, _ next: @escaping @Sendable () -> Effect<Value>
    ) -> Effect<Value> {
        change(counted, to: counted.wiped(), now: now) { _ in next() }
    }

    /// Takes the password out; that there was one stays known. Begun at once: whoever asked may have gone.
    package func wipe(_ whose: Key, now: Int64) {
        let store = store
        store.perform(.find(.id(id(whose))), now: now) { result in
            guard case .success(.record(let record?)) = result, let found = StoredVerifier(record, now: now),
                !found.isWiped
            else { return }
            store.perform(.replace(found.wiped().record), now: now) { _ in }
        }
    }

    /// Forgets a verifier that says nothing of the password of now.
    package func forget(_ whose: Key, now: Int64) { store.perform(.revoke(.id(id(whose))), now: now) { _ in } }

    // MARK: Storing

    /// Keeps what a login at the server has shown, in the place of what an earlier one has. Hashes on the pool of hashes.
    package func keep<Value: Sendable>(
        _ login: PresentedLogin, _ whose: Key, scheme: PasswordScheme, seconds: Int64, maximum: Int, now: Int64,
        _ next: @escaping @Sendable () -> Effect<Value>
    ) -> Effect<Value> {
        .hash { [self] in
            let password = Array(login.password.utf8)
            guard let hash = try? hasher.make(password.span, scheme: scheme) else {
                forget(whose, now: now)
                return next()
            }
            let made = StoredVerifier(
                hash: hash, domain: whose.domain, user: whose.user, seconds: seconds, key, now: now)
            return store.ask(.replace(made.record), now: now) { [self] _ in
                makeRoom(whose.domain, maximum, now: now)
                return next()
            }
        }
    }

    /// Whether a password is that of a verifier. Takes as long as its scheme does: for the pool of hashes.
    package func isRight(_ password: String, _ verifier: StoredVerifier) -> Bool {
        let bytes = Array(password.utf8)
        return verifier.hash(key).map { hasher.verify(bytes.span, stored: $0) } ?? false
    }

    /// Counts the verifiers of a domain now and then, and lets the oldest go where there are too many: a tenth at a time, so
    /// that not every login counts.
    private func makeRoom(_ domain: String, _ maximum: Int, now: Int64) {
        let isFull = room.withLock { room in
            let left = (room[domain] ?? 0) - 1
            room[domain] = left < 0 ? VerifierShelf.whileCounting : left
            return left < 0
        }
        guard isFull else { return }
        let list = StoreOperation.list(
            application: StoredVerifier.register(of: domain), subject: nil, limit: .max)
        store.perform(list, now: now) { [self] result in
            guard case .success(.records(let records)) = result else { return }
            let kept = records.count > maximum ? maximum - maximum / 10 : records.count
            // Others may count at the same time: half of what is free, so that all of them together stay near it.
            room.withLock { $0[domain] = (maximum - kept) / 2 }
            revoke(records[kept...].map(\.id)[...], now: now)
        }
    }

    private func revoke(_ ids: ArraySlice<String>, now: Int64) {
        guard let first = ids.first else { return }
        store.perform(.revoke(.id(first)), now: now) { [self] _ in revoke(ids.dropFirst(), now: now) }
    }
}
