import Bytes
import Crypto
import Identity
import LoginPages
import OAuthServer
import TokenStorage

/// A login at a service domain: what its user token stands for (OMS-06). The store has it as a record of the kind
/// `.session`, found by the digest of the token; what else belongs to it are the record's attributes.
struct Session: Sendable, Equatable {
    /// What the record says beside it.
    struct Facts: Sendable, Equatable {
        var domain: String
        var application: String
        var level: Int
        /// How the user logged in: `amr`, in the words of RFC 8176.
        var methods: [String]
        /// Seconds since 1970.
        var authenticatedAt: Int64
        /// Nil for no limit.
        var idleSeconds: Int64?
        /// Id of the device's registration; empty for none.
        var registration = ""
        /// `DeviceProfile.identity`; empty for a device that gives none away.
        var device = ""
        /// Digest of what the client named as a further proof of itself; empty for none (oam-wire 3.4).
        var proof = ""
        /// What the token is: `USERTOKEN`, or `USERTOKEN::JWTUT` and the like.
        var tokenType = TokenType.user
        /// Id of the session that this one came of; empty for a login.
        var parent = ""
        /// Whether the password was recognised without the server that knows it (OMS-12).
        var isOffline = false

        /// The login at an identity provider that it came of; nil for others.
        var provision: ProvidedLogin?

        /// Ids of the records that the session ends with: its device's registration, the session that it came of, and the
        /// login at a provider.
        var foundations: [String] { [registration, parent, provision?.foundation ?? ""].filter { !$0.isEmpty } }
    }

    let record: TokenRecord
    let facts: Facts

    /// Its id, which the access tokens of the session carry and the deny list knows.
    var id: String { record.id }

    /// Ids of the records that go when the session is ended: its own, and those of the login at a provider that it alone rests
    /// on. One that came of another session leaves them to that.
    var remains: [String] {
        guard let provision = facts.provision, facts.parent.isEmpty else { return [id] }
        return [id] + LoginFoundation.ids(of: provision.foundation)
    }

    /// How long a session is kept that has no limit: until somebody ends it, or a year (OMS-08).
    static let longestSeconds: Int64 = 31_536_000

    /// Of a record; nil for one of another kind.
    init?(_ record: TokenRecord) {
        guard record.kind == .session, let facts = Facts(record.attributes) else { return nil }
        self.record = record
        self.facts = facts
    }

    /// A new one.
    ///
    /// - Parameters:
    ///   - limit: seconds that it lasts; nil for no limit.
    ///   - now: seconds since 1970.
    init(_ facts: Facts, subject: String, backend: Backend, limit: Int64?, now: Int64) {
        let id = AccessTokenMinter.randomID()
        var record = TokenRecord(
            id: id, kind: .session, application: backend.mobileBackendID, subject: subject, tokenID: id,
            accessExpiresAt: now + min(limit ?? Session.longestSeconds, Session.longestSeconds), issuedAt: now)
        record.slot = Session.slot(facts, subject: subject)
        record.attributes = facts.json
        self.record = record
        self.facts = facts
    }

    private init(_ record: TokenRecord, _ facts: Facts) {
        self.record = record
        self.facts = facts
    }

    /// The same with its token, which is sealed so that it can be given out again (CACHE-09).
    func with(token: String, _ key: TokenDigestKey) -> Session {
        var record = record
        record.accessDigest = key.digest(token)
        record.sealed = key.seal(Array(token.utf8), id: record.id)
        return Session(record, facts)
    }

    /// The same as a session of its own, whatever others the user has: for a browser, which carries no user token. Every
    /// login has another one, so that nobody can have somebody log in to a session that he knows.
    var alone: Session {
        var record = record
        record.slot = ""
        return Session(record, facts)
    }

    /// The token as it was given out; nil where it was sealed with another key.
    func token(_ key: TokenDigestKey) -> String? {
        key.open(record.sealed, id: record.id).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// One living session for each domain, application, device and user, at each level (CACHE-09).
    private static func slot(_ facts: Facts, subject: String) -> String {
        // None of the names has a control character.
        let device = facts.registration.isEmpty ? facts.device : facts.registration
        return [
            "oic", facts.domain, facts.application, device, subject, "\(facts.level)", facts.tokenType.text,
            facts.proof, facts.parent, facts.provision?.foundation ?? "",
        ].joined(separator: "\u{1f}") + (facts.isOffline ? "\u{1f}offline" : "")
    }
}

extension Session.Facts {
    var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("domain", domain)
        writer.member("app", application)
        writer.member("level", level)
        writer.member("amr", methods)
        writer.member("auth_time", authenticatedAt)
        if let idleSeconds { writer.member("idle", idleSeconds) }
        if !registration.isEmpty { writer.member("registration", registration) }
        if !device.isEmpty { writer.member("device", device) }
        if !proof.isEmpty { writer.member("proof", proof) }
        writer.member("type", tokenType.text)
        if !parent.isEmpty { writer.member("parent", parent) }
        if isOffline { writer.member("offline", true) }
        if let provision {
            writer.member("provider", provision.provider)
            writer.member("login", provision.foundation)
            writer.member("virtual", provision.isVirtual)
            writer.member("roles", provision.roles)
        }
        writer.endObject()
        return writer.bytes
    }

    /// Nil for what `json` does not write.
    init?(_ json: [UInt8]) {
        guard let node = try? JSONNode.parse(json.span, maximumDepth: 4), let domain = node["domain"]?.string,
            let application = node["app"]?.string, let level = node["level"]?.integer, (0...10).contains(level),
            let methods = node["amr"]?.array?.compactMap(\.string), let time = node["auth_time"]?.integer,
            let type = node["type"]?.string.flatMap(TokenType.init)
        else { return nil }
        self.init(
            domain: domain, application: application, level: Int(level), methods: methods, authenticatedAt: time,
            idleSeconds: node["idle"]?.integer, registration: node["registration"]?.string ?? "",
            device: node["device"]?.string ?? "", proof: node["proof"]?.string ?? "", tokenType: type,
            parent: node["parent"]?.string ?? "", isOffline: node["offline"]?.bool ?? false)
        guard let provider = node["provider"]?.string else { return }
        // Without the rest nobody knows whose session it is.
        guard let login = node["login"]?.string, let isVirtual = node["virtual"]?.bool,
            let roles = node["roles"]?.array?.compactMap(\.string)
        else { return nil }
        provision = ProvidedLogin(provider: provider, foundation: login, isVirtual: isVirtual, roles: roles)
    }
}

/// The kinds of tokens that clients ask for; `A::B` is a base type and what it is made of (oam-wire 3.1).
struct TokenType: Sendable, Equatable {
    let text: String

    static let user = TokenType("USERTOKEN")
    static let access = TokenType("ACCESSTOKEN")
    static let client = TokenType("CLIENTTOKEN")
    static let handle = TokenType("CLIENTREGHANDLE")

    init(_ text: String) { self.text = text }

    /// What replies name.
    var base: String {
        String(text.utf8.prefix { $0 != ASCII.colon }) ?? text
    }

    /// Whether the token is a JWT.
    var isJWT: Bool { text.isExactly("USERTOKEN::JWTUT") }

    /// Whether it stands for a session.
    var isUser: Bool {
        ["USERTOKEN", "USERTOKEN::OAMUT", "USERTOKEN::JWTUT"].contains { $0.isExactly(text) }
    }

    func isExactly(_ other: TokenType) -> Bool { text.isExactly(other.text) }

    /// A token that says nothing by itself: 256 random bits behind a prefix that keeps the kinds apart (OMS-07), in an
    /// alphabet that no URL changes (oam-wire 3.6).
    static func random(_ prefix: String) -> String {
        "\(prefix).v1.\(String(decoding: Base64.encode(SecureRandom.bytes(32).span, .url), as: UTF8.self))"
    }
}
