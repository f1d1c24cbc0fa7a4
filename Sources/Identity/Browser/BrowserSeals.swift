import Bytes
import Crypto

/// Seals the state that browsers carry for the gateway, so that they can neither read nor change it: sessions, return
/// targets and pending logins (DEC-12, SCH-02). Its keys rotate.
package struct BrowserSeals: Sendable {
    /// Longer cookies are ignored; browsers store none.
    private static let longestCookie = 4096
    /// How long a sealed return target stays valid.
    private static let targetSeconds: Int64 = 86_400

    private let sessions: SealedRecord
    private let targets: SealedRecord
    private let signOns: SealedRecord
    /// Pending authorization requests of single sign-on, for the token service.
    package let signOnRequests: SealedRecord
    /// Login form tickets, for the token service.
    package let tickets: SealedRecord
    /// Logins that await their next step, including those of applications (OMS-14).
    package let pendingLogins: SealedRecord
    /// Pending logins at identity providers.
    package let providerTickets: SealedRecord
    /// The same logins as stored in a cookie, for providers that answer by form post.
    package let keptTickets: SealedRecord
    /// Posted provider answers, kept until the browser presents its cookie.
    package let postedAnswers: SealedRecord
    /// Tokens of providers, kept until the logout.
    package let providedTokens: SealedRecord

    /// - Parameters:
    ///   - keys: the first key seals, all of them open.
    ///   - store: identifies a non-persistent session store: cookies from an earlier one are refused, because its
    ///     logouts are unknown. Empty for a persistent store.
    package init(keys: AEADKeyRing, store: String = "") {
        sessions = SealedRecord(keys: keys, purpose: "portcullis browser session 2\(store)")
        targets = SealedRecord(keys: keys, purpose: "portcullis return target 1")
        signOns = SealedRecord(keys: keys, purpose: "portcullis single sign-on 2\(store)")
        signOnRequests = SealedRecord(keys: keys, purpose: "portcullis single sign-on request 1")
        tickets = SealedRecord(keys: keys, purpose: "portcullis login ticket 1")
        pendingLogins = SealedRecord(keys: keys, purpose: "portcullis pending login 1")
        providerTickets = SealedRecord(keys: keys, purpose: "portcullis provider ticket 1")
        keptTickets = SealedRecord(keys: keys, purpose: "portcullis kept provider ticket 1")
        postedAnswers = SealedRecord(keys: keys, purpose: "portcullis posted answer 1")
        providedTokens = SealedRecord(keys: keys, purpose: "portcullis provided token 1")
    }

    /// The value of the session cookie, or of that of single sign-on.
    package func seal(_ session: Session) -> String {
        record(hasPlace: session.place != nil).seal(
            [String(decoding: session.json, as: UTF8.self)], expiresAt: session.expiresAt)
    }

    /// The session of a login to a service.
    /// - Parameter now: seconds since 1970.
    package func session(_ cookie: Span<UInt8>, now: Int64) throws(SealedRecord.Failure) -> Session {
        try session(cookie, hasPlace: true, now: now)
    }

    /// The session of single sign-on.
    /// - Parameter now: seconds since 1970.
    package func signOn(_ cookie: Span<UInt8>, now: Int64) throws(SealedRecord.Failure) -> Session {
        try session(cookie, hasPlace: false, now: now)
    }

    private func session(
        _ cookie: Span<UInt8>, hasPlace: Bool, now: Int64
    ) throws(SealedRecord.Failure) -> Session {
        guard cookie.count <= BrowserSeals.longestCookie else { throw .notOurs }
        let opened = try record(hasPlace: hasPlace).open(cookie, now: now)
        guard opened.texts.count == 1,
            let session = Session(Array(opened.texts[0].utf8), expiresAt: opened.expiresAt),
            (session.place != nil) == hasPlace
        else { throw .notOurs }
        return session
    }

    private func record(hasPlace: Bool) -> SealedRecord { hasPlace ? sessions : signOns }

    /// A sealed return target for a query parameter.
    /// - Parameters:
    ///   - level: that the target requires (CHAL-06).
    ///   - demand: what else it requires of the login; nil for nothing.
    package func seal(_ target: ReturnTarget, level: Int, demand: RequiredLogin? = nil, now: Int64) -> String {
        targets.seal(
            [target.text, "\(level)"] + (demand?.texts ?? []), expiresAt: now + BrowserSeals.targetSeconds)
    }

    /// Nil if not sealed by the gateway, or too old.
    package func target(_ text: String, now: Int64) -> (target: ReturnTarget, level: Int, demand: RequiredLogin?)? {
        let bytes = Array(text.utf8)
        guard let opened = try? targets.open(bytes.span, now: now), [2, 4].contains(opened.texts.count),
            let target = ReturnTarget(opened.texts[0]), let level = Decimal.parse(Array(opened.texts[1].utf8).span)
        else { return nil }
        return (target, level, RequiredLogin(opened.texts.dropFirst(2)))
    }
}
