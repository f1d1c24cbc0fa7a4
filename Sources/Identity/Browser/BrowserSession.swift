import Bytes

/// A login by browser, as the session cookie tells of it (SCH-02). Roles of users of the gateway are not in it: they are
/// those that the user has.
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
    /// The roles of somebody whom another server alone knows; nil for users of the gateway.
    package var guestRoles: [String]?

    package init(
        id: String, subject: String, backendID: String, level: Int, issuedAt: Int64, expiresAt: Int64,
        idleSeconds: Int64?, guestRoles: [String]? = nil
    ) {
        self.id = id
        self.subject = subject
        self.backendID = backendID
        self.level = level
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.idleSeconds = idleSeconds
        self.guestRoles = guestRoles
    }

    /// All but the date that it is sealed with.
    var texts: [String] {
        [id, subject, backendID, "\(level)", "\(issuedAt)", "\(idleSeconds ?? 0)"]
            + (guestRoles.map { [BrowserSession.guest] + $0 } ?? [])
    }

    private static let guest = "guest"

    /// Nil for what `texts` does not write.
    init?(_ texts: [String], expiresAt: Int64) {
        let rest = texts.dropFirst(6)
        guard texts.count >= 6, rest.first.map({ $0.utf8.elementsEqual(BrowserSession.guest.utf8) }) ?? true,
            !texts[0].isEmpty, !texts[1].isEmpty,
            ExternalIdentityRules.isFitForHeaders(texts[1]),
            let level = BrowserSession.number(texts[3]), (0...10).contains(level),
            let issuedAt = BrowserSession.number(texts[4]), let idle = BrowserSession.number(texts[5])
        else { return nil }
        self.init(
            id: texts[0], subject: texts[1], backendID: texts[2], level: level, issuedAt: Int64(issuedAt),
            expiresAt: expiresAt, idleSeconds: idle == 0 ? nil : Int64(idle),
            guestRoles: rest.isEmpty ? nil : Array(rest.dropFirst()))
    }

    private static func number(_ text: String) -> Int? { Decimal.parse(Array(text.utf8).span) }
}
