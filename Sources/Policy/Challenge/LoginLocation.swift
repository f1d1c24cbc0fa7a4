import Bytes
import HTTP
import Identity
import Model

extension PolicySnapshot {
    /// The `Location` of the route's login form, with the target to return to and the required level (SCH-02); nil for
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
        guard let sessions, let form = route.form, form.isFor(head, headers, bytes) else { return nil }
        // No login makes a bound token.
        if route.requiresProof || reason.isOfProof { return nil }
        // No session of this login would count, so that the browser would go around in a circle.
        if reason == .issuerNotAllowed || reason == .wrongAudience, principal?.method == .cookie { return nil }
        let demand = form.stepsUp ? route.loginRequirement?.demand : nil
        // A login that would be refused like the one before sends the browser around in a circle: the gateway's own form
        // knows levels, but no `acr`, and no session takes the place of another credential. A provider is asked for what is
        // lacking; where it does not deliver, a page says so.
        if reason == .authenticationTooWeak || reason == .authenticationTooOld {
            guard let principal, principal.method == .cookie else { return nil }
            if demand == nil, reason == .authenticationTooWeak || !principal.claims.authentication.isTimed {
                return nil
            }
        }
        var end = head.path.end
        // The slash that represents the missing path of `http://host?query` does not precede the query.
        if let query = head.query, Int(query.start) == end + 1 { end = query.end }
        let target = ReturnTarget(ofRequest: String(copying: bytes.extracting(Int(head.path.start)..<end)))
        return form.location + Array(sessions.seals.seal(target, level: route.level, demand: demand, now: now).utf8)
    }
}
