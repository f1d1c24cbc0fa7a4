import Bytes
import Model

/// A login by browser, as the session cookie tells of it (SCH-02). Roles are not in it: they are those that the user has,
/// or that the domain gives its guests, when they are asked for.
package struct BrowserSession: Sendable, Equatable {
    /// Id of the session in the store, which the deny list knows.
    package var id: String
    /// Name of a local user, or of one whom another server knows.
    package var subject: String
    /// `mobileBackendId` of the backend of the application that was logged in to; the user is one of its realm.
    package var backendID: String
    /// Authentication level (CHAL-06).
    package var level: Int
    /// Seconds since 1970, as are all times here.
    package var issuedAt: Int64
    package var expiresAt: Int64
    /// Seconds without a request after which it ends; nil for no limit (OMS-09).
    package var idleSeconds: Int64?
    /// Name of the service domain that was logged in to: the login counts for as long as that would have it.
    package var domain: String
    /// Whether another server alone knows the user, whom the domain lets in as a guest (OMS-12).
    package var isGuest: Bool
    /// Where the user has logged in who did not do it here.
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

    /// All but the date that it is sealed with.
    var texts: [String] {
        [id, subject, backendID, "\(level)", "\(issuedAt)", "\(idleSeconds ?? 0)", domain]
            + (provision?.texts ?? (isGuest ? [BrowserSession.guest] : []))
    }

    private static let guest = "guest"

    /// Nil for what `texts` does not write.
    init?(_ texts: [String], expiresAt: Int64) {
        let rest = Array(texts.dropFirst(7))
        let provision = ProvidedLogin(rest)
        let isGuest = rest.count == 1 && rest[0].utf8.elementsEqual(BrowserSession.guest.utf8)
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
