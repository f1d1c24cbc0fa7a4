import Bytes
import Crypto
import Model

/// Values of claims in logs: they may be personal, so that a digest stands for each.
package enum LoggedClaims {
    /// Bytes of a digest.
    private static let length = 9

    /// The digest of a value, in Base64 for URLs: 12 characters.
    package static func digest(of value: JSONNode) -> String {
        let digest = DigestAlgorithm.sha256.digest(value.serialized.span)
        return String(decoding: Base64.encode(Array(digest.prefix(length)).span, .url, padding: false), as: UTF8.self)
    }

    /// The selected claims that a caller has, by their paths: a digest of each value, or of each element of a list.
    package static func digests(
        of claims: SelectedClaims, _ selection: ClaimSelection
    ) -> [(path: String, digests: [String])] {
        selection.paths.enumerated().compactMap { place, path in
            claims.value(at: place).map { value in (path.text, (value.array ?? [value]).map(digest)) }
        }
    }
}
