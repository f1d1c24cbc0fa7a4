import Bytes

extension WithdrawnAccounts {
    /// What administration can take away.
    package enum Credential: Sendable, Equatable {
        /// A user, for every login method.
        case user(realm: String, name: String)
        /// One stored password of a user.
        case password(realm: String, name: String, stored: String)
        /// One role of a user.
        case role(realm: String, name: String, role: String)
        /// A mobile backend, for every authentication method.
        case client(id: String)
        /// One secret of a client.
        case clientSecret(backendID: String, secret: String)
        /// A switch of a client, or one value of a setting of it.
        case setting(backendID: String, name: String, value: String = "")
        /// A consumer with all its keys.
        case consumer(name: String)
        /// One role of a consumer.
        case consumerRole(name: String, role: String)
        /// One API key, by its SHA-256 digest.
        case apiKey(digest: [UInt8], consumer: String)
        /// One signer certificate, by its fingerprint.
        case certificate(fingerprint: String, alias: String)

        /// Prefix of the names of its notices.
        package var kind: Kind {
            switch self {
            case .user: .user
            case .password: .password
            case .role: .role
            case .client: .client
            case .clientSecret: .clientSecret
            case .setting: .setting
            case .consumer: .consumer
            case .consumerRole: .consumerRole
            case .apiKey: .apiKey
            case .certificate: .certificate
            }
        }

        /// The name of the user, consumer or certificate, or the id of the client; tokens refer to it.
        package var holder: String {
            switch self {
            case .user(_, let name), .password(_, let name, _), .role(_, let name, _): name
            case .client(let id), .clientSecret(let id, _), .setting(let id, _, _): id
            case .consumer(let name), .consumerRole(let name, _), .apiKey(_, let name): name
            case .certificate(_, let alias): alias
            }
        }

        /// Tells credentials apart. A key that moves to another consumer is the same key, as is a certificate under
        /// another alias.
        package var identity: ExactText { ExactText(text) }

        /// Unique per credential. No token begins like this.
        var text: String {
            let parts: [String] =
                switch self {
                case .user(let realm, let name): [realm, name]
                case .password(let realm, let name, let stored): [realm, name, stored]
                case .role(let realm, let name, let role): [realm, name, role]
                case .client(let id): [id]
                case .clientSecret(let id, let secret): [id, secret]
                case .setting(let id, let name, let value): [id, name, value]
                case .consumer(let name): [name]
                case .consumerRole(let name, let role): [name, role]
                case .apiKey(let digest, _): [String(decoding: Base64.encode(digest.span, .url), as: UTF8.self)]
                case .certificate(let fingerprint, _): [fingerprint]
                }
            return "\u{0}\(kind.rawValue)" + parts.map { "\u{0}\($0.utf8.count) \($0)" }.joined()
        }
    }

    /// A kind of credentials. The raw value is stored.
    package enum Kind: String, Sendable, CaseIterable {
        case user, password, role
        case client = "backend"
        case clientSecret = "secret"
        case setting, consumer
        case consumerRole = "consumer_role"
        case apiKey = "api_key"
        case certificate

        var bit: UInt16 {
            switch self {
            case .user: 1
            case .password: 2
            case .role: 4
            case .client: 8
            case .clientSecret: 16
            case .setting: 32
            case .consumer: 64
            case .consumerRole: 128
            case .apiKey: 256
            case .certificate: 512
            }
        }

        /// Whether a change is followed by a revocation of tokens. Results of earlier checks need no other reminder then.
        var endsTokens: Bool {
            switch self {
            case .user, .password, .clientSecret: true
            case .role, .client, .setting, .consumer, .consumerRole, .apiKey, .certificate: false
            }
        }

        /// Parses a notice's name.
        package init?(noticeName name: String) {
            guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            self.init(rawValue: String(name[..<colon]))
        }
    }

    /// The state of one credential. The latest notice wins.
    package struct Notice: Sendable, Equatable {
        package var isWithdrawn: Bool
        /// The name of the user, consumer or certificate, or the id of the client; empty if unknown.
        package var holder: String
        /// Milliseconds since 1970, from zero to the end of the year 9999: others write the store as well.
        package let changedAt: Int64
        /// Seconds since 1970 until which it is kept.
        package var until: Int64
        /// Seconds since 1970 from which the credential is refused; 0 for at once.
        package var from: Int64

        package init(isWithdrawn: Bool, holder: String, changedAt: Int64, until: Int64, from: Int64 = 0) {
            self.isWithdrawn = isWithdrawn
            self.holder = holder
            self.changedAt = min(max(changedAt, 0), 253_402_300_799_000)
            self.until = until
            self.from = from
        }

        func isNewer(than other: Notice) -> Bool {
            if changedAt != other.changedAt { return changedAt > other.changedAt }
            // At equal times withdrawal wins.
            return isWithdrawn && !other.isWithdrawn
        }
    }
}
