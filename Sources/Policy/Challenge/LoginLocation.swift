import Bytes
import HTTP
import Identity
import Model

extension PolicySnapshot {
    /// The `Location` of the route's login, with the target to return to and the required level (SCH-02); nil for
    /// clients that get a challenge instead.
    ///
    /// - Parameters:
    ///   - reason: of the 401; of a 403 for the login of another user.
    ///   - principal: the caller, if one is known.
    ///   - host: that of the page, where browsers do not log in; nil where they do.
    ///   - bytes: the buffer of `head` and `headers`.
    ///   - now: seconds since 1970.
    package func loginLocation(
        _ route: Route, for reason: Reason, of principal: Principal?, at host: VisitedHost? = nil, bytes: Span<UInt8>,
        head: RequestHead, headers: HeaderTable, now: Int64
    ) -> [UInt8]? {
        guard let sessions, let login = route.login, login.isFor(head, headers, bytes) else { return nil }
        // Another user may see the page.
        if reason.status == 403 {
            guard let principal, login.isOwnSession(of: principal) else { return nil }
            let target = ReturnTarget(of: head, bytes)
            let page = RequestedPage(target, level: route.level, at: host)
            return login.location(for: page, sessions.seals, now: now)
                + Array("&prompt=login".utf8)
        }
        // No login makes a bound token.
        if route.requiresProof || reason.token.isOfProof { return nil }
        // No session of this login would count, so that the browser would go around in a circle.
        if reason == .issuerNotAllowed || reason == .wrongAudience, principal?.method == .cookie { return nil }
        let demand = login.stepsUp ? route.loginRequirement?.demand : nil
        // A login that would be refused like the one before sends the browser around in a circle: the gateway's own form
        // knows levels, but no `acr`, and no session takes the place of another credential. A provider is asked for what is
        // lacking; where it does not deliver, a page says so.
        if reason == .authenticationTooWeak || reason == .authenticationTooOld {
            guard let principal, principal.method == .cookie else { return nil }
            if demand == nil, reason == .authenticationTooWeak || !principal.claims.authentication.isTimed {
                return nil
            }
        }
        let page = RequestedPage(ReturnTarget(of: head, bytes), level: route.level, demand: demand, at: host)
        return login.location(for: page, sessions.seals, now: now)
    }
}

extension RouteTable {
    /// Whether browsers log in at the same path under another host as at a route; nil for a route that takes no sessions of
    /// the gateway's own.
    ///
    /// - Parameters:
    ///   - host: as in `Host`.
    ///   - path: the canonical path.
    ///   - bytes: the buffer of `head` and `headers`.
    package func hasLogin(
        of route: Route, at host: String, path: Span<UInt8>, bytes: Span<UInt8>, head: RequestHead,
        headers: HeaderTable
    ) -> Bool? {
        guard let login = route.login, !login.isOfDomain else { return nil }
        let match = match(
            host: host.utf8.span, path: path, method: head.method, methodText: bytes.slice(head.methodText))
        let there: Route? =
            switch match {
            case .route(let found): found
            case .selection(let selection): selection.choose(bytes: bytes, head: head, headers: headers).route
            case .endpoint, .methodNotAllowed, .notFound: nil
            }
        return there?.login.map(login.isSame) ?? false
    }
}

extension ReturnTarget {
    /// Where a browser comes back to.
    /// - Parameter bytes: the buffer of `head`.
    package init(of head: RequestHead, _ bytes: Span<UInt8>) {
        var end = head.path.end
        // The slash that represents the missing path of `http://host?query` does not precede the query.
        if let query = head.query, Int(query.start) == end + 1 { end = query.end }
        self.init(ofRequest: String(copying: bytes.extracting(Int(head.path.start)..<end)))
    }
}
