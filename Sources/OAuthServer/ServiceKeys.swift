import Crypto
import JOSE
import Model

/// What the token service signs with, and the public keys of it.
package struct ServiceKeys: Sendable {
    /// Signs access tokens.
    package let signer: JWTSigner
    /// Sign ID tokens, one for each algorithm: the first for clients that name none. Empty without public keys.
    let idTokenSigners: [JWTSigner]
    /// The keys that verify the service's own tokens: those of the signers and others between rotations.
    let accepted: KeySet
    /// The keys of everything that this gateway signs: the service's own and those of issuers. Symmetric keys among
    /// them are not published.
    let published: KeySet

    /// - Parameter rings: one for each algorithm, that of access tokens first.
    package init(_ rings: [SigningKeyRing], published: KeySet) {
        signer = rings[0].signer
        idTokenSigners = rings.map(\.signer).filter { !$0.key.algorithm.isSymmetric }
        accepted = KeySet(keys: rings.flatMap(\.accepted.keys))
        self.published = published
    }

    /// The algorithms of ID tokens.
    var idTokenAlgorithms: [SignatureAlgorithm] { idTokenSigners.map(\.key.algorithm) }

    /// Signs the ID tokens of a client; nil without public keys.
    func idTokenSigner(of client: Client) -> JWTSigner? {
        idTokenSigners.first { $0.key.algorithm == client.grants.idTokenAlgorithm } ?? idTokenSigners.first
    }
}
