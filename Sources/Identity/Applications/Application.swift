import Bytes
import Crypto
import Model

extension Application {
    /// Whether this is the API key. Digests are compared, so the time taken reveals neither content nor length.
    package func hasKey(_ key: Span<UInt8>) -> Bool {
        let expected = DigestAlgorithm.sha256.digest(Array(apiKey.utf8).span)
        let presented = DigestAlgorithm.sha256.digest(key)
        return constantTimeEqual(expected.span, presented.span) && !apiKey.isEmpty
    }

    /// Whether a user may change objects that other users own.
    package func isWriter(_ username: String) -> Bool {
        writers.contains { $0.isExactly(username) }
    }

    /// Whether this is the administrator's mail address.
    package func isAdministrator(_ mail: String) -> Bool {
        guard let administrator else { return false }
        return administrator.mail.utf8.map(ASCII.lowercased) == mail.utf8.map(ASCII.lowercased)
    }
}
