import Crypto

/// Seals the state that browsers carry for the gateway, so that they can neither read nor change it: sessions, return
/// targets and pending logins (DEC-12, SCH-02). Its keys rotate.
package struct BrowserSeals: Sendable {
    /// Longer cookies are ignored; browsers store none.
    private static let longestCookie = 4096
    /// How long a sealed page stays valid.
    private static let pageSeconds: Int64 = 86_400

    private let sessions: SealedRecord
    private let domainSessions: SealedRecord
    private let pages: SealedRecord
    /// What browsers log in for.
    package let loginRequests: SealedRecord
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
    /// Codes that take a session to another host.
    package let hostCodes: SealedRecord
    /// Tokens of providers, kept with the records of logins.
    private let providedTokens: SealedRecord

    /// The cookie of sessions that belong to no service domain.
    package let sessionCookie: BrowserCookie

    /// - Parameters:
    ///   - keys: the first key seals, all of them open.
    ///   - store: identifies a non-persistent session store: cookies from an earlier one are refused, because its
    ///     logouts are unknown. Empty for a persistent store.
    ///   - cookieDomain: of that cookie; nil for the host alone.
    package init(keys: AEADKeyRing, store: String = "", cookieDomain: String? = nil) {
        sessionCookie = cookieDomain.map(BrowserCookie.session.shared) ?? .session
        sessions = SealedRecord(keys: keys, purpose: "portcullis session 3\(store)")
        domainSessions = SealedRecord(keys: keys, purpose: "portcullis session of a service domain 3\(store)")
        pages = SealedRecord(keys: keys, purpose: "portcullis requested page 3")
        loginRequests = SealedRecord(keys: keys, purpose: "portcullis login request 2")
        tickets = SealedRecord(keys: keys, purpose: "portcullis login ticket 1")
        pendingLogins = SealedRecord(keys: keys, purpose: "portcullis pending login 1")
        providerTickets = SealedRecord(keys: keys, purpose: "portcullis provider ticket 1")
        keptTickets = SealedRecord(keys: keys, purpose: "portcullis kept provider ticket 1")
        postedAnswers = SealedRecord(keys: keys, purpose: "portcullis posted answer 1")
        hostCodes = SealedRecord(keys: keys, purpose: "portcullis host code 1")
        providedTokens = SealedRecord(keys: keys, purpose: "portcullis provided tokens 1")
    }

    /// The cookie for a session.
    package func cookie(of session: Session) -> BrowserCookie {
        session.place == nil ? sessionCookie : .domainSession
    }

    /// The value of the cookie for a session.
    package func seal(_ session: Session) -> String {
        record(ofDomain: session.place != nil).seal(
            [String(decoding: session.json, as: UTF8.self)], expiresAt: session.expiresAt)
    }

    /// The session in a cookie.
    /// - Parameters:
    ///   - ofDomain: whether the cookie is that of a service domain.
    ///   - now: seconds since 1970.
    package func session(
        _ cookie: Span<UInt8>, ofDomain: Bool = false, now: Int64
    ) throws(SealedRecord.Failure) -> Session {
        guard cookie.count <= BrowserSeals.longestCookie else { throw .notOurs }
        let opened = try record(ofDomain: ofDomain).open(cookie, now: now)
        guard opened.texts.count == 1,
            let session = Session(Array(opened.texts[0].utf8), expiresAt: opened.expiresAt),
            (session.place != nil) == ofDomain
        else { throw .notOurs }
        return session
    }

    /// The tokens of a login for its record.
    /// - Parameter until: end of the record, in seconds since 1970.
    package func seal(_ tokens: ProvidedTokens, until: Int64) -> [UInt8] {
        Array(providedTokens.seal(tokens.texts, expiresAt: until).utf8)
    }

    /// Those of a record; nil for none, or too late.
    package func tokens(_ sealed: [UInt8], now: Int64) -> ProvidedTokens? {
        sealed.isEmpty
            ? nil : (try? providedTokens.open(sealed.span, now: now).texts).flatMap(ProvidedTokens.init(texts:))
    }

    private func record(ofDomain: Bool) -> SealedRecord { ofDomain ? domainSessions : sessions }

    /// A page that needs a login, sealed for a query parameter.
    package func seal(_ page: RequestedPage, now: Int64) -> String {
        pages.seal(page.texts, expiresAt: now + BrowserSeals.pageSeconds)
    }

    /// Nil if not sealed by the gateway, or too old.
    package func page(_ text: String, now: Int64) -> RequestedPage? {
        (try? pages.open(Array(text.utf8).span, now: now).texts).flatMap(RequestedPage.init(texts:))
    }
}
