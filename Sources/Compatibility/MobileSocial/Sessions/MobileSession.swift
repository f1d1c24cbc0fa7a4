import Bytes
import Crypto
import LoginPages
import Model
import OAuthServer
import TokenStorage

/// The session of a user token (OMS-06): a record of the kind `.session`, found by the digest of the token.
struct MobileSession: Sendable, Equatable {
    /// The attributes of the record.
    struct Facts: Sendable, Equatable {
        var domain: String
        var application: String
        var level: Int
        /// Authentication methods, `amr` (RFC 8176).
        var methods: [String]
        /// Seconds since 1970.
        var authenticatedAt: Int64
        /// Nil for no limit.
        var idleSeconds: Int64?
        /// Id of the device's registration; empty for none.
        var registration = ""
        /// `DeviceProfile.identity`.
        var device = ""
        /// Digest of a further credential of the client; empty for none (oam-wire 3.4).
        var proof = ""
        var tokenType = TokenType.user
        /// Id of the session whose token was exchanged for this one's; empty for a login.
        var parent = ""
        /// Whether the password was verified without the server (OMS-12).
        var isOffline = false
        /// The login at an identity provider, if there was one.
        var provision: ProvidedLogin?

        /// Name of its application in the audit log.
        var reference: String { "\(domain)/\(application)" }

        /// Ids of the records whose end ends the session: its device's registration, its parent, and the login at a
        /// provider.
        var foundations: [String] { [registration, parent, provision?.foundation ?? ""].filter { !$0.isEmpty } }
    }

    let record: TokenRecord
    let facts: Facts

    /// The id in the session's access tokens and on the deny list.
    var id: String { record.id }

    /// Ids of the records to remove with the session: its own, and those of its login at a provider unless they belong
    /// to the parent.
    var remains: [String] {
        guard let provision = facts.provision, facts.parent.isEmpty else { return [id] }
        return [id] + LoginFoundation.ids(of: provision.foundation)
    }

    /// Maximum duration of a session without a limit (OMS-08).
    static let longestSeconds: Int64 = 31_536_000

    /// Nil for a record of another kind.
    init?(_ record: TokenRecord) {
        guard record.kind == .session, let facts = Facts(record.attributes) else { return nil }
        self.record = record
        self.facts = facts
    }

    /// - Parameters:
    ///   - limit: duration in seconds; nil for no limit.
    ///   - now: seconds since 1970.
    init(_ facts: Facts, subject: String, backend: Client, limit: Int64?, now: Int64) {
        let id = AccessTokenMinter.randomID()
        var record = TokenRecord(
            id: id, kind: .session, application: backend.id, subject: subject, tokenID: id,
            accessExpiresAt: now + min(limit ?? MobileSession.longestSeconds, MobileSession.longestSeconds),
            issuedAt: now)
        record.slot = MobileSession.slot(facts, subject: subject)
        record.attributes = facts.json
        self.record = record
        self.facts = facts
    }

    private init(_ record: TokenRecord, _ facts: Facts) {
        self.record = record
        self.facts = facts
    }

    /// The session with its token, sealed so that it can be given out again (CACHE-09).
    func with(token: String, _ key: TokenDigestKey) -> MobileSession {
        var record = record
        record.accessDigest = key.digest(token)
        record.sealed = key.seal(Array(token.utf8), id: record.id)
        return MobileSession(record, facts)
    }

    /// The session without a slot, for a browser: every login opens a new one, against session fixation.
    var alone: MobileSession {
        var record = record
        record.slot = ""
        return MobileSession(record, facts)
    }

    /// The token; nil if it was sealed with another key.
    func token(_ key: TokenDigestKey) -> String? {
        key.open(record.sealed, id: record.id).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// One valid session for each domain, application, device and user, at each level (CACHE-09).
    private static func slot(_ facts: Facts, subject: String) -> String {
        // Names have no control characters.
        let device = facts.registration.isEmpty ? facts.device : facts.registration
        return [
            "oic", facts.domain, facts.application, device, subject, "\(facts.level)", facts.tokenType.text,
            facts.proof, facts.parent, facts.provision?.foundation ?? "",
        ].joined(separator: "\u{1f}") + (facts.isOffline ? "\u{1f}offline" : "")
    }
}

extension MobileSession.Facts {
    var json: [UInt8] {
        JSONWriter.object { writer in
            writer.member("domain", domain)
            writer.member("app", application)
            writer.member("level", level)
            writer.member("amr", methods)
            writer.member("auth_time", authenticatedAt)
            if let idleSeconds { writer.member("idle", idleSeconds) }
            let texts = [("registration", registration), ("device", device), ("proof", proof), ("parent", parent)]
            for (name, text) in texts where !text.isEmpty { writer.member(name, text) }
            writer.member("type", tokenType.text)
            if isOffline { writer.member("offline", true) }
            if let provision {
                writer.member("provider", provision.provider)
                writer.member("login", provision.foundation)
                writer.member("virtual", provision.isVirtual)
                writer.member("roles", provision.roles)
            }
        }
    }

    /// Nil for text that `json` does not produce.
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
        // A session of a provider without these is not accepted.
        guard let login = node["login"]?.string, let isVirtual = node["virtual"]?.bool,
            let roles = node["roles"]?.array?.compactMap(\.string)
        else { return nil }
        provision = ProvidedLogin(provider: provider, foundation: login, isVirtual: isVirtual, roles: roles)
    }
}

/// A token type of requests; `A::B` is a base type and its format (oam-wire 3.1).
struct TokenType: Sendable, Equatable {
    let text: String

    static let user = TokenType("USERTOKEN")
    static let access = TokenType("ACCESSTOKEN")
    static let client = TokenType("CLIENTTOKEN")
    static let handle = TokenType("CLIENTREGHANDLE")

    init(_ text: String) { self.text = text }

    /// The type in responses.
    var base: String { String(text.utf8.prefix { $0 != ASCII.colon }) ?? text }

    /// Whether the token is a JWT.
    var isJWT: Bool { text.isExactly("USERTOKEN::JWTUT") }

    /// Whether it stands for a session.
    var isUser: Bool {
        ["USERTOKEN", "USERTOKEN::OAMUT", "USERTOKEN::JWTUT"].contains { $0.isExactly(text) }
    }

    func isExactly(_ other: TokenType) -> Bool { text.isExactly(other.text) }

    /// An opaque token: 256 random bits behind a prefix for the kind (OMS-07), in the URL-safe alphabet (oam-wire 3.6).
    static func random(_ prefix: String) -> String {
        "\(prefix).v1.\(String(decoding: Base64.encode(SecureRandom.bytes(32).span, .url), as: UTF8.self))"
    }
}

/// OMS-22: "The server setting overrides the application setting."
package enum ServerSetting {
    /// The server's value, or the application's if there is none.
    package static func merge<Value>(server: Value?, application: Value?) -> Value? { server ?? application }
}

/// The duration of a session (OMS-08, OMS-09). Nil means no limit.
package struct SessionLimits: Sendable, Equatable {
    /// Seconds since the login.
    package var session: Int64?
    /// Seconds without a request.
    package var idle: Int64?

    /// Zero means no limit.
    package init(
        session: (server: Int64?, application: Int64?), idle: (server: Int64?, application: Int64?)
    ) {
        self.session = SessionLimits.limit(session.server, session.application)
        self.idle = SessionLimits.limit(idle.server, idle.application)
    }

    private static func limit(_ server: Int64?, _ application: Int64?) -> Int64? {
        guard let limit = ServerSetting.merge(server: server, application: application), limit > 0 else { return nil }
        return limit
    }

    /// Whether a session is valid. It ends in the second in which it reaches a limit.
    package func allow(age: Int64, idleFor: Int64) -> Bool {
        if let session, age >= session { return false }
        if let idle, idleFor >= idle { return false }
        return true
    }
}
