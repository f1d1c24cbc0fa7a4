import Crypto
import JOSE
import Synchronization

/// The proofs of possession that were used lately, so that each counts once (RFC 9449 section 11.1). Shared by all workers
/// and kept over reloads.
///
/// Two sets of digests: once the current one is as old as a proof can become, it replaces the previous one. A proof is
/// thereby known for at least its life, and at most twice that.
package final class ProofReplays: Sendable {
    /// The first 128 bits of a digest.
    private struct Digest: Hashable {
        let high: UInt64
        let low: UInt64
    }

    private struct State {
        var current: Set<Digest> = []
        var previous: Set<Digest> = []
        /// When `current` began, in seconds since 1970.
        var began: Int64 = .min
    }

    /// Digests in each of the two sets; of more the oldest are forgotten.
    package static let capacity = 262_144

    /// Seconds by which the time of one worker may be behind that of another.
    private static let tolerance: Int64 = 60

    private let state = Mutex(State())
    private let capacity: Int

    package init(capacity: Int = ProofReplays.capacity) { self.capacity = capacity }

    /// Remembers a proof. False if it was used before.
    /// - Parameters:
    ///   - seconds: how long a proof may count after its first use.
    ///   - now: seconds since 1970.
    package func remember(_ proof: PossessionProof, for seconds: Int64, now: Int64) -> Bool {
        // The thumbprint has a fixed length, so that no two pairs are written alike.
        let digest = ProofReplays.digest(proof.thumbprint + Array(proof.id.utf8))
        return state.withLock { state in
            // Also after the clock was set back by more than workers differ, which would keep both sets for long.
            let isAhead = state.began > now + ProofReplays.tolerance
            if state.current.count >= capacity || isAhead || state.began <= now - seconds {
                let isOld = state.began <= now - 2 * seconds
                state.previous = isOld ? [] : state.current
                state.current = []
                state.began = now
            }
            if state.previous.contains(digest) { return false }
            return state.current.insert(digest).inserted
        }
    }

    private static func digest(_ bytes: [UInt8]) -> Digest {
        let digest = DigestAlgorithm.sha256.digest(bytes.span)
        func number(_ part: ArraySlice<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
        return Digest(high: number(digest[0..<8]), low: number(digest[8..<16]))
    }
}
