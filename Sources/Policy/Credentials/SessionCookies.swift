import Bytes
import Crypto
import HTTP
import Identity
import Model

/// The authenticator for browsers: the cookie of a session (SCH-02, AGT-06).
struct SessionCookies: Sendable {
    let seals: BrowserSeals
    private let principals: TokenPrincipals

    fileprivate static let sameOrigin = Array("same-origin".utf8)
    fileprivate static let noSite = Array("none".utf8)
    fileprivate static let noOrigin = Array("null".utf8)

    init?(_ settings: PolicySettings, _ principals: TokenPrincipals) {
        guard let seals = settings.seals else { return nil }
        self.seals = seals
        self.principals = principals
    }

    /// The caller of a cookie; looked up in no cache, and compared with no deny list.
    /// - Parameter ofDomain: whether the cookie is that of a service domain.
    func principal(of cookie: [UInt8], ofDomain: Bool, now: Int64) throws(Reason) -> Principal {
        let session: Session
        do throws(SealedRecord.Failure) {
            session = try seals.session(cookie.span, ofDomain: ofDomain, now: now)
        } catch {
            throw error == .expired ? .sessionExpired : .sessionInvalid
        }
        return try principals.principal(of: session, cookie)
    }

    /// The cookie that counts of several. Another host of the domain may have set one of the same name: what is no session is
    /// passed over, so that a new login counts; of several sessions none does, and no login would help.
    fileprivate func only(
        of values: [ByteRange], _ login: LoginRule, _ bytes: Span<UInt8>, now: Int64
    ) -> Result<[UInt8]?, Reason> {
        var sealed: Set<[UInt8]> = []
        for value in values {
            let copy = [UInt8](copying: bytes.slice(value))
            let session = try? seals.session(copy.span, ofDomain: login.isOfDomain, now: now)
            if session != nil { sealed.insert(copy) }
        }
        if sealed.count > 1 { return .failure(.duplicateCredential) }
        return .success(sealed.first ?? values.first.map { [UInt8](copying: bytes.slice($0)) })
    }
}

extension PolicySnapshot {
    /// Who is calling by the cookie of a session; for routes with a login, and where no other credential was sent.
    ///
    /// - Parameters:
    ///   - bytes: the buffer of `headers`.
    ///   - secure: whether the browser's connection is encrypted.
    func authenticate(
        session login: LoginRule, secure: Bool, bytes: Span<UInt8>, headers: HeaderTable, now: Int64,
        cache: VerifiedTokenCache
    ) -> AuthenticationOutcome {
        guard let sessions else { return .none }
        let name = login.cookie(sessions.seals).name(secure: secure)
        guard let value = Cookies.value(of: name, headers, bytes) else {
            switch sessions.only(of: Cookies.values(of: name, headers, bytes), login, bytes, now: now) {
            case .success(let cookie?): return authenticate(cookie: cookie.span, of: login, now: now, cache: cache)
            case .success(nil): return .none
            case .failure(let reason): return .malformed(reason)
            }
        }
        return authenticate(cookie: bytes.slice(value), of: login, now: now, cache: cache)
    }

    /// The caller of the session cookie's value.
    /// - Parameter login: whose sessions count.
    func authenticate(
        cookie: Span<UInt8>, of login: LoginRule, now: Int64, cache: VerifiedTokenCache
    ) -> AuthenticationOutcome {
        guard let sessions else { return .none }
        cache.adopt(generation: generation, keyEpoch: keyEpoch)
        // Read first: a revocation that comes in between makes the cache look again.
        let reading = revocations.reading
        if let known = cache.principal(
            for: cookie, now: now, revocations: revocations, generation: reading.generation)
        {
            // A token is no session, even in the cookie, nor is a session of another kind one of these.
            guard login.accepts(sessionOf: known) else { return .rejected(.sessionInvalid) }
            return reading.isBlind ? .rejected(.storeUnavailable) : admitted(known, now: now)
        }
        do throws(Reason) {
            let copy = [UInt8](copying: cookie)
            let principal = try sessions.principal(of: copy, ofDomain: login.isOfDomain, now: now)
            if revocations.isRevoked(principal) { return .rejected(.tokenRevoked) }
            cache.insert(
                copy, principal, expiresAt: principal.expiresAt ?? now, revocationGeneration: reading.generation)
            // Users of another realm are unknown here.
            guard login.accepts(sessionOf: principal) else { return .rejected(.sessionInvalid) }
            return reading.isBlind ? .rejected(.storeUnavailable) : admitted(principal, now: now)
        } catch {
            return .rejected(error)
        }
    }

    /// Whether the user meant to send a request with the cookie. Browsers send cookies with requests of any page, so a
    /// request that changes something must come from a page of the gateway's own origin, as must one that opens a
    /// long-lived connection, which scripts could read.
    func isOwnSite(_ head: RequestHead, _ headers: HeaderTable, _ bytes: Span<UInt8>) -> Bool {
        // `Origin` was screened, but others than our own are let in by that. Links and forms that read send none: what does
        // is a script, which would see what only the user is to see.
        if let origin = headers.value(.origin) { return cors(of: nil).isOwn(bytes.slice(origin)) }
        switch head.method {
        case .get, .head, .options: if !head.upgrade { return true }
        default: break
        }
        return isSameOrigin(headers, bytes) == true
    }

    /// Whether a browser says that a page of another site has sent a request that changes something, or a script of it.
    func isForeign(_ head: RequestHead, _ headers: HeaderTable, _ bytes: Span<UInt8>) -> Bool {
        if let origin = headers.value(.origin) { return !cors(of: nil).isOwn(bytes.slice(origin)) }
        switch head.method {
        case .get, .head, .options: return head.upgrade && isSameOrigin(headers, bytes) == false
        default: return isSameOrigin(headers, bytes) == false
        }
    }

    /// Whether a request for a login form, or with one that was filled in, can come of a page of our own, of a link or of no
    /// page. What else holds is in the form; this is what browsers say of it.
    package func mayUseForms(_ head: RequestHead, _ headers: HeaderTable, _ bytes: Span<UInt8>) -> Bool {
        if let origin = headers.value(.origin), cors(of: nil).isOwn(bytes.slice(origin)) { return true }
        if headers.nameNoPage(bytes) { return true }
        return headers.value(.origin) == nil && (head.method != .post || isSameOrigin(headers, bytes) != false)
    }

    /// What the browser says of the page that sent the request (Fetch Metadata section 2.4); nil where it says nothing.
    private func isSameOrigin(_ headers: HeaderTable, _ bytes: Span<UInt8>) -> Bool? {
        guard let site = headers.value(.secFetchSite), headers.occurrences(.secFetchSite) == 1 else {
            return headers.occurrences(.secFetchSite) == 0 ? nil : false
        }
        return equal(SessionCookies.sameOrigin, bytes.slice(site))
    }
}

extension HeaderTable {
    /// Whether an application has its web view send a request: engines say that no page did (`none`, Fetch Metadata section
    /// 2.4), and `null` for the origin.
    func nameNoPage(_ bytes: Span<UInt8>) -> Bool {
        guard let site = value(.secFetchSite), occurrences(.secFetchSite) == 1,
            equal(SessionCookies.noSite, bytes.slice(site))
        else { return false }
        guard let origin = value(.origin) else { return true }
        return occurrences(.origin) == 1 && equal(SessionCookies.noOrigin, bytes.slice(origin))
    }
}
