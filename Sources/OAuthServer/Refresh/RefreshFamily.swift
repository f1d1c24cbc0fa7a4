import Bytes
import Crypto
import Identity
import JOSE
import Model
import TokenStorage

/// Data of a refresh token that the store does not interpret: kept as `TokenRecord.attributes`.
struct RefreshFamily: Sendable, Equatable {
    /// The login, at which the family began.
    var login: LoginFacts
    /// Realm of the user's account.
    let realm: String
    /// Roles from an identity provider, in addition to those of the account.
    var provided: [String] = []
    /// The session that it ends with; nil for none.
    var session: String?
    /// Logins at identity providers that it ends with.
    var origins: [TokenOrigin] = []
    /// Id of the access tokens in the deny list (`TokenFamily`), which the record has as its token id; nil where a refresh
    /// ends the access token.
    var name: String?
    /// Thumbprint of the key that a public client must prove, since the token is bound to nothing else of it (RFC 9449
    /// section 5); nil for none.
    var key: [UInt8]?
    /// The resources that its access tokens may be limited to; empty for tokens without.
    var resources: [String] = []
    /// When the answer with this refresh token has left, by `RaceClock`; nil where nothing waits for it.
    var answeredAt: Int64?

    init(_ grant: AccessTokenMinter.Grant, now: Int64) {
        login = LoginFacts(grant.rights, now: now)
        realm = grant.client.realm
        session = grant.session
        origins = grant.origins
        key = grant.client.grants.isPublic ? grant.binding?.key : nil
        resources = grant.resources
    }

    func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        login.write(to: &writer)
        writer.member("realm", realm)
        if !provided.isEmpty { writer.member("provided", provided) }
        if let session { writer.member("session", session) }
        if let name { writer.member("family", name) }
        if !origins.isEmpty { writer.member("origins", origins.map(\.tokenID)) }
        if let key { writer.member("jkt", String(decoding: Base64.encode(key.span, .url), as: UTF8.self)) }
        if !resources.isEmpty { writer.member("resource", resources) }
        if let answeredAt { writer.member("answered", answeredAt) }
        writer.endObject()
        return writer.bytes
    }

    /// Nil for input that `json()` does not produce.
    init?(_ attributes: [UInt8]) {
        guard let node = try? JSONNode.parse(attributes.span, maximumDepth: 4),
            let login = LoginFacts(node), let realm = node["realm"]?.string
        else { return nil }
        self.login = login
        self.realm = realm
        provided = node["provided"]?.array?.compactMap(\.string) ?? []
        session = node["session"]?.string
        name = node["family"]?.string
        if let text = node["jkt"]?.string {
            guard let bytes = Base64.decode(Array(text.utf8).span, .url) else { return nil }
            key = bytes
        }
        resources = node["resource"]?.array?.compactMap(\.string) ?? []
        answeredAt = node["answered"]?.integer.map { Int64($0) }
        origins = (node["origins"]?.array?.compactMap(\.string) ?? []).map { TokenOrigin(tokenID: $0, backendID: nil) }
    }

    /// The data in a record. A version without families may have rotated it since: its token id is then that of one
    /// access token.
    init?(_ record: TokenRecord) {
        self.init(record.attributes)
        if let name, !name.isExactly(record.tokenID) { self.name = nil }
    }

    /// A refresh token: 256 random bits as text.
    static func randomToken() -> String {
        String(decoding: Base64.encode(SecureRandom.bytes(32).span, .url), as: UTF8.self)
    }
}
