import Bytes
import Crypto
import Identity
import Model

/// The API keys of consumers.
struct ConsumerKeys: Sendable {
    private struct Entry: Sendable {
        let digest: [UInt8]
        let isEnabled: Bool
        let principal: Principal
    }

    /// By digest, which reveals no key: the time of a look-up says nothing of use.
    private let entries: [[UInt8]: Entry]

    init(_ settings: PolicySettings) {
        var entries: [[UInt8]: Entry] = [:]
        for consumer in settings.consumers {
            for key in consumer.keys {
                // The digest stands for the token, so that the key itself does not stay in memory.
                let principal = Principal(
                    kind: .client, method: .apiKey, subject: consumer.name, issuer: Consumer.issuer, backendID: nil,
                    roles: settings.roles.roles(named: consumer.roles), catalogue: settings.roles,
                    level: Principal.standardLevel, expiresAt: key.expiresAt, tokenID: key.id, token: key.digest)
                entries[key.digest] = Entry(digest: key.digest, isEnabled: consumer.enabled, principal: principal)
            }
        }
        self.entries = entries
    }

    /// Whose key a text is.
    func authenticate(_ text: Span<UInt8>, now: Int64) -> AuthenticationOutcome {
        guard let digest = APIKey.digest(of: text) else { return .rejected(.apiKeyUnknown) }
        return holder(of: digest, now: now)
    }

    /// The holder under the current configuration.
    func renew(_ principal: Principal, now: Int64) -> AuthenticationOutcome { holder(of: principal.token, now: now) }

    private func holder(of digest: [UInt8], now: Int64) -> AuthenticationOutcome {
        guard let entry = entries[digest], entry.isEnabled, constantTimeEqual(entry.digest.span, digest.span) else {
            return .rejected(.apiKeyUnknown)
        }
        if let end = entry.principal.expiresAt, end <= now { return .rejected(.apiKeyExpired) }
        return .principal(entry.principal)
    }

    /// Whether the value of `Authorization` has an API key.
    func hasKey(_ value: Span<UInt8>) -> Bool {
        let credential = Credential(value)
        let rest = value.slice(credential.rest)
        return switch credential.scheme {
        case .token: APIKey.isMarked(rest)
        case .basic: key(inBasic: rest) != nil
        case .dpop, .saml, .other: false
        }
    }

    /// The key in a credential of HTTP Basic: the name or the password, if one is marked as a key.
    func key(inBasic credential: Span<UInt8>) -> [UInt8]? {
        if entries.isEmpty { return nil }
        guard let decoded = Base64.decode(credential), let colon = decoded.firstIndex(of: ASCII.colon) else {
            return nil
        }
        let parts = [Array(decoded[..<colon]), Array(decoded[(colon + 1)...])]
        return parts.first { APIKey.isMarked($0.span) }
    }
}
