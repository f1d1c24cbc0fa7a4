import Bytes
import Crypto
import HTTP
import Identity
import Model

/// The API keys of consumers.
struct ConsumerKeys: Sendable {
    private struct Entry: Sendable {
        let key: Consumer.Key
        let isEnabled: Bool
        let principal: Principal
        /// All roles of the consumer, by name.
        let roles: [String]
    }

    private let catalogue: RoleCatalogue

    /// By digest, which reveals no key: the time of a look-up says nothing of use.
    private let entries: [[UInt8]: Entry]
    /// What other gateways have withdrawn; nil where there are none.
    private let withdrawn: WithdrawnAccounts?

    init(_ settings: PolicySettings) {
        var entries: [[UInt8]: Entry] = [:]
        for consumer in settings.consumers {
            for key in consumer.keys {
                let principal = ConsumerKeys.principal(consumer.name, key, consumer.roles, settings.roles)
                entries[key.digest] = Entry(
                    key: key, isEnabled: consumer.enabled, principal: principal, roles: consumer.roles)
            }
        }
        self.entries = entries
        catalogue = settings.roles
        withdrawn = settings.withdrawn
    }

    private static func principal(
        _ consumer: String, _ key: Consumer.Key, _ roles: [String], _ catalogue: RoleCatalogue
    ) -> Principal {
        // The digest stands for the token, so that the key itself does not stay in memory.
        Principal(
            kind: .client, method: .apiKey, subject: consumer, issuer: Consumer.issuer, backendID: nil,
            roles: catalogue.roles(named: roles), catalogue: catalogue, level: Principal.standardLevel,
            expiresAt: key.expiresAt, tokenID: key.id, token: key.digest)
    }

    /// Whose key a text is.
    func authenticate(_ text: Span<UInt8>, now: Int64) -> AuthenticationOutcome {
        guard let digest = APIKey.digest(of: text) else { return .rejected(.apiKeyUnknown) }
        return holder(of: digest, now: now)
    }

    /// The holder under the current configuration.
    func renew(_ principal: Principal, now: Int64) -> AuthenticationOutcome { holder(of: principal.token, now: now) }

    /// The holder of a key that is named, or of any of the consumer that counts.
    /// - Parameter now: seconds since 1970.
    func principal(ofDescribed consumer: String, _ id: String?, now: Int64) throws(Reason) -> Principal {
        var denial = Reason.apiKeyUnknown
        for (digest, entry) in entries where entry.principal.subject.isExactly(consumer) {
            guard id == nil || entry.key.id.isExactly(id ?? "") else { continue }
            switch holder(of: digest, now: now) {
            case .principal(let principal): return principal
            case .rejected(let reason), .malformed(let reason): denial = reason
            case .none, .resolve: continue
            }
        }
        throw denial
    }

    /// A consumer whose key counts, the first by name; nil where there is none.
    func anyHolder(now: Int64) -> Principal? {
        let names = Set(entries.values.map(\.principal.subject)).sorted()
        return names.lazy.compactMap { try? principal(ofDescribed: $0, nil, now: now) }.first
    }

    private func holder(of digest: [UInt8], now: Int64) -> AuthenticationOutcome {
        guard let entry = entries[digest], entry.isEnabled, constantTimeEqual(entry.key.digest.span, digest.span) else {
            return .rejected(.apiKeyUnknown)
        }
        if let end = entry.principal.expiresAt, end <= now { return .rejected(.apiKeyExpired) }
        return current(entry, now: now)
    }

    /// The holder as far as other gateways have withdrawn nothing.
    private func current(_ entry: Entry, now: Int64) -> AuthenticationOutcome {
        guard let withdrawn, !withdrawn.isEmpty else { return .principal(entry.principal) }
        let name = entry.principal.subject
        if withdrawn.contains(.consumer(name: name)) { return .rejected(.apiKeyUnknown) }
        var key = entry.key
        if let notice = withdrawn.withdrawal(of: .apiKey(digest: key.digest, consumer: name)) {
            guard notice.from > now else { return .rejected(notice.from > 0 ? .apiKeyExpired : .apiKeyUnknown) }
            // Long exchanges end with it.
            key.expiresAt = min(key.expiresAt ?? .max, notice.from)
        }
        let concernsRoles = withdrawn.has(.consumerRole) && withdrawn.concerns(name)
        guard concernsRoles || key.expiresAt != entry.key.expiresAt else { return .principal(entry.principal) }
        let left = entry.roles.filter { !withdrawn.contains(.consumerRole(name: name, role: $0)) }
        return .principal(ConsumerKeys.principal(name, key, left, catalogue))
    }

    // MARK: Evidence

    /// Whose key a request was refused with, and why, for operators. Nothing about a text that is no key of a consumer.
    func evidence(
        on route: Route, bytes: Span<UInt8>, head: RequestHead, headers: HeaderTable, now: Int64
    ) -> [String] {
        guard let place = (try? FieldCredentials(on: route, bytes, head, headers, self))?.key else { return [] }
        let digest: [UInt8]? =
            switch place {
            case .token(let place, _): APIKey.digest(of: bytes.slice(place))
            case .basic(let place): key(inBasic: bytes.slice(place)).flatMap { APIKey.digest(of: $0.span) }
            }
        guard let digest, let entry = entries[digest] else { return [] }
        let name = entry.principal.subject
        return ["key \(Evidence.quoted(entry.key.id)) of consumer \(Evidence.quoted(name))", cause(entry, name, now)]
    }

    private func cause(_ entry: Entry, _ name: String, _ now: Int64) -> String {
        if !entry.isEnabled { return "the consumer is disabled" }
        if let end = entry.key.expiresAt, end <= now { return "expired \(now - end) s ago" }
        if withdrawn?.contains(.consumer(name: name)) == true { return "another gateway has withdrawn the consumer" }
        let notice = withdrawn?.withdrawal(of: .apiKey(digest: entry.key.digest, consumer: name))
        return switch notice?.from {
        case nil: "in force again"
        case 0: "another gateway has withdrawn it"
        case let end?: "another gateway has let it expire \(now - end) s ago"
        }
    }

    /// Whether the value of `Authorization` has an API key.
    func hasKey(_ value: Span<UInt8>) -> Bool {
        let credential = Credential(value)
        let rest = value.slice(credential.rest)
        return switch credential.scheme {
        case .token: APIKey.isMarked(rest)
        case .basic: key(inBasic: rest) != nil
        case .dpop, .other: false
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
