import Bytes
import Crypto
import Model

extension Application {
    /// Whether this is the API key. The time taken tells neither content nor length, since digests are compared.
    package func hasKey(_ key: Span<UInt8>) -> Bool {
        let expected = DigestAlgorithm.sha256.digest(Array(apiKey.utf8).span)
        let presented = DigestAlgorithm.sha256.digest(key)
        return constantTimeEqual(expected.span, presented.span) && !apiKey.isEmpty
    }

    /// Whether a user may change the objects of others.
    package func isWriter(_ username: String) -> Bool {
        writers.contains { $0.utf8.elementsEqual(username.utf8) }
    }

    /// Whether this is the administrator's mail address.
    package func isAdministrator(_ mail: String) -> Bool {
        guard let administrator else { return false }
        return administrator.mail.utf8.map(ASCII.lowercased) == mail.utf8.map(ASCII.lowercased)
    }
}
