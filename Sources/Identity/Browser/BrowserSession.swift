import Bytes
import Model

/// A browser login as stored in the session cookie (SCH-02). It has no roles: the user's account, or the domain's
/// settings for guests, provide them at each request.
package struct BrowserSession: Sendable, Equatable {
    /// Id of the session in the store and the deny list.
    package var id: String
    /// Name of a local user, or of one known only to another server.
    package var subject: String
    /// `mobileBackendId` of the backend of the application that was logged in to; the user belongs to its realm.
    package var backendID: String
    /// Authentication level (CHAL-06).
    package var level: Int
    /// Seconds since 1970, as are all times here.
    package var issuedAt: Int64
    package var expiresAt: Int64
    /// Idle timeout in seconds; nil for none (OMS-09).
    package var idleSeconds: Int64?
    /// Name of the service domain that was logged in to, whose settings limit the login.
    package var domain: String
    /// Whether the user is known only to another server and admitted by the domain as a guest (OMS-12).
    package var isGuest: Bool
    /// The login at an identity provider; nil for a login at the gateway.
    package var provision: ProvidedLogin?

    package init(
        id: String, subject: String, backendID: String, level: Int, issuedAt: Int64, expiresAt: Int64,
        idleSeconds: Int64?, domain: String, isGuest: Bool = false, provision: ProvidedLogin? = nil
    ) {
        self.id = id
        self.subject = subject
        self.backendID = backendID
        self.level = level
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.idleSeconds = idleSeconds
        self.domain = domain
        self.isGuest = isGuest
        self.provision = provision
    }

    /// All members except the sealing date.
    var texts: [String] {
        [id, subject, backendID, "\(level)", "\(issuedAt)", "\(idleSeconds ?? 0)", domain]
            + (provision?.texts ?? (isGuest ? [BrowserSession.guest] : []))
    }

    private static let guest = "guest"

    /// Nil for input that `texts` does not produce.
    init?(_ texts: [String], expiresAt: Int64) {
        let rest = Array(texts.dropFirst(7))
        let provision = ProvidedLogin(rest)
        let isGuest = rest.count == 1 && rest[0].isExactly(BrowserSession.guest)
        guard texts.count >= 7, rest.isEmpty || isGuest || provision != nil, !texts[0].isEmpty, !texts[1].isEmpty,
            ExternalIdentityRules.isFitForHeaders(texts[1]),
            let level = BrowserSession.number(texts[3]), (0...10).contains(level),
            let issuedAt = BrowserSession.number(texts[4]), let idle = BrowserSession.number(texts[5])
        else { return nil }
        self.init(
            id: texts[0], subject: texts[1], backendID: texts[2], level: level, issuedAt: Int64(issuedAt),
            expiresAt: expiresAt, idleSeconds: idle == 0 ? nil : Int64(idle), domain: texts[6], isGuest: isGuest,
            provision: provision)
    }

    private static func number(_ text: String) -> Int? { Decimal.parse(Array(text.utf8).span) }
}
