import Bytes
import Crypto

/// What browsers carry for the gateway, sealed so that they can neither read nor change it: who is logged in, where they go
/// back to after a login, and what they are logging in to (DEC-12, SCH-02). Its keys rotate.
package struct BrowserSeals: Sendable {
    /// Longest value of a cookie that is looked at: browsers keep none that is longer.
    private static let longestCookie = 4096
    /// How long a browser may stay at the login before it is forgotten where it came from.
    private static let targetSeconds: Int64 = 86_400

    private let sessions: SealedRecord
    private let targets: SealedRecord
    private let signOns: SealedRecord
    /// Of what browsers ask for tokens with, for the token service.
    package let signOnRequests: SealedRecord
    /// Of login forms, for the token service.
    package let tickets: SealedRecord
    /// Of logins whose next step is to come, of applications as well (OMS-14).
    package let pendingLogins: SealedRecord
    /// Of logins that are under way at identity providers.
    package let providerTickets: SealedRecord
    /// Of such logins as a cookie has them, where the provider's answer is posted.
    package let keptTickets: SealedRecord
    /// Of what was posted, between where it came and where the browser shows its cookie.
    package let postedAnswers: SealedRecord

    /// - Parameters:
    ///   - keys: the first one seals, all of them open.
    ///   - store: what tells a store of sessions from others that do not know who has logged out there; empty for one that
    ///     lasts. The cookies of the sessions are worth as much as what it knows of them.
    package init(keys: AEADKeyRing, store: String = "") {
        sessions = SealedRecord(keys: keys, purpose: "portcullis browser session 1\(store)")
        targets = SealedRecord(keys: keys, purpose: "portcullis return target 1")
        signOns = SealedRecord(keys: keys, purpose: "portcullis single sign-on 1\(store)")
        signOnRequests = SealedRecord(keys: keys, purpose: "portcullis single sign-on request 1")
        tickets = SealedRecord(keys: keys, purpose: "portcullis login ticket 1")
        pendingLogins = SealedRecord(keys: keys, purpose: "portcullis pending login 1")
        providerTickets = SealedRecord(keys: keys, purpose: "portcullis provider ticket 1")
        keptTickets = SealedRecord(keys: keys, purpose: "portcullis kept provider ticket 1")
        postedAnswers = SealedRecord(keys: keys, purpose: "portcullis posted answer 1")
    }

    /// The value of the session cookie.
    package func seal(_ session: BrowserSession) -> String {
        sessions.seal(session.texts, expiresAt: session.expiresAt)
    }

    /// - Parameter now: seconds since 1970.
    package func session(_ cookie: Span<UInt8>, now: Int64) throws(SealedRecord.Failure) -> BrowserSession {
        guard cookie.count <= BrowserSeals.longestCookie else { throw .notOurs }
        let opened = try sessions.open(cookie, now: now)
        guard let session = BrowserSession(opened.texts, expiresAt: opened.expiresAt) else { throw .notOurs }
        return session
    }

    /// The value of the cookie of single sign-on.
    package func seal(_ session: SignOnSession) -> String {
        signOns.seal(session.texts, expiresAt: session.expiresAt)
    }

    /// - Parameter now: seconds since 1970.
    package func signOn(_ cookie: Span<UInt8>, now: Int64) throws(SealedRecord.Failure) -> SignOnSession {
        guard cookie.count <= BrowserSeals.longestCookie else { throw .notOurs }
        let opened = try signOns.open(cookie, now: now)
        guard let session = SignOnSession(opened.texts, expiresAt: opened.expiresAt) else { throw .notOurs }
        return session
    }

    /// Where to go back to, for a query.
    /// - Parameter level: that the target asks for (CHAL-06).
    package func seal(_ target: ReturnTarget, level: Int, now: Int64) -> String {
        targets.seal([target.text, "\(level)"], expiresAt: now + BrowserSeals.targetSeconds)
    }

    /// Nil for what is not ours, or was sealed too long ago.
    package func target(_ text: String, now: Int64) -> (target: ReturnTarget, level: Int)? {
        let bytes = Array(text.utf8)
        guard let opened = try? targets.open(bytes.span, now: now), opened.texts.count == 2,
            let target = ReturnTarget(opened.texts[0]), let level = Decimal.parse(Array(opened.texts[1].utf8).span)
        else { return nil }
        return (target, level)
    }
}
