import Bytes
import Crypto
import Identity

/// The tokens one worker has verified, with their callers. What it answers was verified once by the snapshot of
/// its generation; authorization is never remembered.
///
/// A fixed number of slots; a second-chance clock decides which one goes. Lookups allocate nothing. Tokens are found by
/// a hash with a secret key and then compared as a whole, so that no client can construct a collision.
package final class VerifiedTokenCache {
    private struct Slot {
        var hash: UInt64 = 0
        /// Next slot of the same bucket, or of the free list; -1 at the end.
        var next: Int32 = -1
        /// Looked up since the clock last came by.
        var referenced = false
        var expiresAt: Int64 = 0
        /// Generation of the deny list that the principal was last held against.
        var checkedRevocations: UInt64 = 0
        var token: [UInt8] = []
        /// Nil in a free slot.
        var principal: Principal?
    }

    /// Changed by `update` and `setBucket` alone, out of place: mutation in place would need an exclusivity check at each
    /// read.
    private var slots: [Slot]
    /// First slot of each bucket, -1 where it is empty.
    private var buckets: [Int32]
    private var firstFree: Int32
    private var hand = 0
    private let hash: KeyedHash
    private var generation: UInt64 = 0
    private var keyEpoch: UInt64 = 0

    /// Tokens found, not found, and dropped for want of room since the start.
    package var hits: Int { found }
    package var misses: Int { missed }
    package var evictions: Int { evicted }
    /// Tokens held.
    package var count: Int { held }
    private var found = 0
    private var missed = 0
    private var evicted = 0
    private var held = 0

    /// - Parameter capacity: how many tokens are held at the most; at least 1.
    package init(capacity: Int) {
        precondition(capacity > 0 && capacity < Int(Int32.max))
        slots = Array(repeating: Slot(), count: capacity)
        var width = 1
        while width < capacity { width *= 2 }
        buckets = Array(repeating: -1, count: width)
        firstFree = 0
        hash = KeyedHash(seed0: SecureRandom.uint64(), seed1: SecureRandom.uint64())
        linkAllFree()
    }

    /// Forgets everything where the snapshot is another than before: keys, rules and users may have changed; or where an
    /// issuer has taken a key back, by which some of the tokens may have been verified.
    package func adopt(generation: UInt64, keyEpoch: UInt64 = 0) {
        guard generation != self.generation || keyEpoch != self.keyEpoch else { return }
        clear()
        self.generation = generation
        self.keyEpoch = keyEpoch
    }

    /// The caller of a token, if it was verified before and has neither expired nor been revoked since.
    ///
    /// - Parameters:
    ///   - token: its bytes, of any length.
    ///   - now: seconds since 1970.
    ///   - generation: that of the list, read once for the request.
    package func principal(
        for token: Span<UInt8>, now: Int64, revocations: RevocationList, generation: UInt64
    ) -> Principal? {
        let hash = hash.hash(token)
        var index = buckets[bucket(of: hash)]
        while index >= 0 {
            let i = Int(index)
            if slots[i].hash == hash, VerifiedTokenCache.same(slots[i].token, token) {
                guard now < slots[i].expiresAt, isStillGood(i, revocations, generation) else {
                    remove(i)
                    break
                }
                if !slots[i].referenced { update(i) { $0.referenced = true } }
                found &+= 1
                return slots[i].principal
            }
            index = slots[i].next
        }
        missed &+= 1
        return nil
    }

    /// Longer tokens are verified each time.
    private static let longestToken = 16_384

    /// Remembers a verified token until it expires.
    ///
    /// - Parameter revocationGeneration: `RevocationList.generation` as it was before the token was held against it.
    package func insert(_ token: [UInt8], _ principal: Principal, expiresAt: Int64, revocationGeneration: UInt64) {
        // The cache is bounded by count, so that few long tokens must not take the memory of many.
        guard token.count <= VerifiedTokenCache.longestToken else { return }
        if firstFree < 0 { evict() }
        let i = Int(firstFree)
        firstFree = slots[i].next
        let hash = hash.hash(token.span)
        let bucket = bucket(of: hash)
        let next = buckets[bucket]
        update(i) {
            $0 = Slot(
                hash: hash, next: next, referenced: false, expiresAt: expiresAt,
                checkedRevocations: revocationGeneration, token: token, principal: principal)
        }
        setBucket(bucket, Int32(i))
        held += 1
    }

    package func clear() {
        slots = Array(repeating: Slot(), count: slots.count)
        buckets = Array(repeating: -1, count: buckets.count)
        held = 0
        linkAllFree()
    }

    /// Forgets all tokens of a subject (CACHE-07).
    package func remove(subject: String) { removeAll { $0.subject == subject } }

    /// Forgets a token by its `jti`.
    package func remove(tokenID: String) { removeAll { $0.tokenID == tokenID } }

    private func removeAll(where condition: (Principal) -> Bool) {
        for i in slots.indices {
            if let principal = slots[i].principal, condition(principal) { remove(i) }
        }
    }

    /// The deny list is looked at once per token and change of the list, not once per request.
    private func isStillGood(_ i: Int, _ revocations: RevocationList, _ generation: UInt64) -> Bool {
        if slots[i].checkedRevocations == generation { return true }
        guard let principal = slots[i].principal, !revocations.isRevoked(principal) else { return false }
        update(i) { $0.checkedRevocations = generation }
        return true
    }

    private func bucket(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash & UInt64(buckets.count - 1)) }

    private func evict() {
        while slots[hand].referenced {
            update(hand) { $0.referenced = false }
            hand = hand + 1 == slots.count ? 0 : hand + 1
        }
        remove(hand)
        hand = hand + 1 == slots.count ? 0 : hand + 1
        evicted &+= 1
    }

    private func remove(_ i: Int) {
        let bucket = bucket(of: slots[i].hash)
        if buckets[bucket] == i {
            setBucket(bucket, slots[i].next)
        } else {
            var previous = Int(buckets[bucket])
            while slots[previous].next != i { previous = Int(slots[previous].next) }
            let next = slots[i].next
            update(previous) { $0.next = next }
        }
        let next = firstFree
        update(i) { $0 = Slot(next: next) }
        firstFree = Int32(i)
        held -= 1
    }

    private func update(_ i: Int, _ change: (inout Slot) -> Void) {
        var changed = slots
        slots = []
        change(&changed[i])
        slots = changed
    }

    private func setBucket(_ bucket: Int, _ first: Int32) {
        var changed = buckets
        buckets = []
        changed[bucket] = first
        buckets = changed
    }

    private func linkAllFree() {
        let last = slots.count - 1
        for i in slots.indices { update(i) { $0.next = i < last ? Int32(i + 1) : -1 } }
        firstFree = 0
        hand = 0
    }

    /// Whether the bytes are the same. Without an early exit, so that the compiler compares many bytes at a time.
    private static func same(_ bytes: [UInt8], _ right: Span<UInt8>) -> Bool {
        let left = bytes.span
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for i in left.indices { difference |= left[i] ^ right[i] }
        return difference == 0
    }
}

@available(*, unavailable)
extension VerifiedTokenCache: Sendable {}
