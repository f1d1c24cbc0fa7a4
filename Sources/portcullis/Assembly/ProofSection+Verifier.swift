import Configuration
import Crypto
import Identity

extension ProofSection {
    /// - Parameters:
    ///   - keys: that seal nonces.
    ///   - replays: those of the process.
    func verifier(_ keys: AEADKeyRing, _ replays: ProofReplays) -> ProofVerifier {
        ProofVerifier(
            lifetimeSeconds: lifetime.components.seconds, replays: replays, nonceKeys: requiresNonce ? keys : nil)
    }
}
