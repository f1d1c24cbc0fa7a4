import Bytes
import HTTP
import Identity
import Model

extension PolicySnapshot {
    /// The `Location` of the route's login, with the target to return to and the required level (SCH-02); nil for
    /// clients that get a challenge instead.
    ///
    /// - Parameters:
    ///   - reason: of the 401.
    ///   - principal: the caller, if one is known.
    ///   - bytes: the buffer of `head` and `headers`.
    ///   - now: seconds since 1970.
    package func loginLocation(
        _ route: Route, for reason: Reason, of principal: Principal?, bytes: Span<UInt8>, head: RequestHead,
        headers: HeaderTable, now: Int64
    ) -> [UInt8]? {
        guard let sessions, let login = route.login, login.isFor(head, headers, bytes) else { return nil }
        // No login makes a bound token.
        if route.requiresProof || reason.isOfProof { return nil }
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
        return login.location(
            for: PolicySnapshot.target(head, bytes), level: route.level, demand: demand, sessions.seals, now: now)
    }

    /// The address by which a browser that may not see a page logs in there as another user; nil for a caller without a
    /// session of the route's `login`.
    ///
    /// - Parameters:
    ///   - bytes: the buffer of `head`.
    ///   - now: seconds since 1970.
    package func otherAccount(
        _ route: Route, of principal: Principal, bytes: Span<UInt8>, head: RequestHead, now: Int64
    ) -> String? {
        guard let sessions, let login = route.login, route.isOwnSession(principal),
            head.method == .get || head.method == .head
        else { return nil }
        let location = login.location(
            for: PolicySnapshot.target(head, bytes), level: route.level, demand: nil, sessions.seals, now: now)
        return String(decoding: location, as: UTF8.self) + "&prompt=login"
    }

    /// Where a browser comes back to.
    private static func target(_ head: RequestHead, _ bytes: Span<UInt8>) -> ReturnTarget {
        var end = head.path.end
        // The slash that represents the missing path of `http://host?query` does not precede the query.
        if let query = head.query, Int(query.start) == end + 1 { end = query.end }
        return ReturnTarget(ofRequest: String(copying: bytes.extracting(Int(head.path.start)..<end)))
    }
}
