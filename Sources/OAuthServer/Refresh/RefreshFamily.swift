import Bytes
import Crypto
import Identity

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

    init(_ grant: AccessTokenMinter.Grant, now: Int64) {
        authenticatedAt = grant.authenticatedAt ?? now
        methods = grant.methods
        level = grant.level
        virtual = grant.virtual
        roles = grant.roles
    }

    func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("auth_time", authenticatedAt)
        writer.member("amr", methods)
        writer.member("level", level)
        writer.member("virtual", virtual)
        writer.member("roles", roles)
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
    }

    /// A refresh token: 256 random bits as text.
    static func randomToken() -> String {
        String(decoding: Base64.encode(SecureRandom.bytes(32).span, .url), as: UTF8.self)
    }
}
