import Bytes
import Crypto
import Identity
import JOSE
import Model

/// Data of a refresh token that the store does not interpret: kept as `TokenRecord.attributes`.
struct RefreshFamily: Sendable, Equatable {
    /// Time of the login, at which the family began.
    var authenticatedAt: Int64
    /// Authentication methods: `amr`.
    var methods: [String]
    var level: Int
    /// Whether the user has no account here; `roles` are then those of the login.
    var virtual: Bool
    var roles: [String]
    /// Roles from an identity provider, in addition to those of the account.
    var provided: [String] = []
    /// The session that it ends with; nil for none.
    var session: String?
    /// Logins at identity providers that it ends with.
    var origins: [TokenOrigin] = []
    /// Thumbprint of the key that a public client must prove, since the token is bound to nothing else of it (RFC 9449
    /// section 5); nil for none.
    var key: [UInt8]?

    init(_ grant: AccessTokenMinter.Grant, now: Int64) {
        authenticatedAt = grant.authenticatedAt ?? now
        methods = grant.methods
        level = grant.level
        virtual = grant.virtual
        roles = grant.roles
        session = grant.session
        origins = grant.origins
        key = grant.backend.grants.isPublic ? grant.binding?.key : nil
    }

    func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("auth_time", authenticatedAt)
        writer.member("amr", methods)
        writer.member("level", level)
        writer.member("virtual", virtual)
        writer.member("roles", roles)
        if !provided.isEmpty { writer.member("provided", provided) }
        if let session { writer.member("session", session) }
        if !origins.isEmpty { writer.member("origins", origins.map(\.tokenID)) }
        if let key { writer.member("jkt", String(decoding: Base64.encode(key.span, .url), as: UTF8.self)) }
        writer.endObject()
        return writer.bytes
    }

    /// Nil for input that `json()` does not produce.
    init?(_ attributes: [UInt8]) {
        guard let node = try? JSONNode.parse(attributes.span, maximumDepth: 4),
            let authenticatedAt = node["auth_time"]?.integer, let level = node["level"]?.integer,
            let methods = node["amr"]?.array?.compactMap(\.string), let virtual = node["virtual"]?.bool,
            let roles = node["roles"]?.array?.compactMap(\.string), (0...10).contains(level)
        else { return nil }
        self.authenticatedAt = authenticatedAt
        self.methods = methods
        self.level = Int(level)
        self.virtual = virtual
        self.roles = roles
        provided = node["provided"]?.array?.compactMap(\.string) ?? []
        session = node["session"]?.string
        if let text = node["jkt"]?.string {
            guard let bytes = Base64.decode(Array(text.utf8).span, .url) else { return nil }
            key = bytes
        }
        origins = (node["origins"]?.array?.compactMap(\.string) ?? []).map { TokenOrigin(tokenID: $0, backendID: nil) }
    }

    /// A refresh token: 256 random bits as text.
    static func randomToken() -> String {
        String(decoding: Base64.encode(SecureRandom.bytes(32).span, .url), as: UTF8.self)
    }
}
