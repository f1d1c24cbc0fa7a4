import Crypto
import Model
import Synchronization

/// What was compared in the last credentials that were refused on a pool, where their values are at hand. They are looked up
/// by the worker that refuses the request.
final class RecentEvidence: Sendable {
    /// Those that are kept: refusals that are under way at one time.
    static let capacity = 256

    private struct State {
        var kept: [(digest: [UInt8], evidence: Evidence)] = []
        var next = 0
    }

    private let state = Mutex(State())

    func keep(_ evidence: Evidence, of credential: Span<UInt8>) {
        let digest = DigestAlgorithm.sha256.digest(credential)
        state.withLock { state in
            if state.kept.count < RecentEvidence.capacity {
                state.kept.append((digest, evidence))
            } else {
                state.kept[state.next] = (digest, evidence)
            }
            state.next = (state.next + 1) % RecentEvidence.capacity
        }
    }

    /// The evidence about a credential; nil if none is kept.
    func evidence(of credential: Span<UInt8>) -> Evidence? {
        let digest = DigestAlgorithm.sha256.digest(credential)
        return state.withLock { state in state.kept.last { $0.digest == digest }?.evidence }
    }
}
