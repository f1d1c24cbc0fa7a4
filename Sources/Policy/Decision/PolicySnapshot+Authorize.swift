import Bytes
import HTTP
import Identity
import Model

extension PolicySnapshot {
    /// Why what the request claims beside its credential is refused, or nil. Allocates nothing.
    ///
    /// - Parameter bytes: the buffer of `head` and `headers`.
    func refusesClaims(
        _ route: Route, _ principal: Principal, bytes: Span<UInt8>, head: RequestHead, headers: HeaderTable
    ) -> Reason? {
        if principal.method == .cookie || route.tokenSources?.isInCookie(bytes, head, headers) == true,
            !isOwnSite(head, headers, bytes)
        {
            return .crossSiteRequest
        }
        // Browsers show a certificate with requests that other sites cause, too. Other programs say nothing of a site.
        if principal.method.isAmbient, isForeign(head, headers, bytes) { return .crossSiteRequest }
        if !claimsOwnClient(principal, bytes: bytes, headers: headers) { return .backendMismatch }
        return route.refusesKey(bytes: bytes, headers: headers)
    }

    /// Why the caller may not use the route, or nil. Runs on every request, also where the credential is cached. Allocates
    /// nothing.
    ///
    /// - Parameters:
    ///   - methodText: name of the method, read for `.extension` alone.
    ///   - now: seconds since 1970.
    func authorize(
        _ route: Route, _ principal: Principal, _ head: RequestHead, _ methodText: Span<UInt8>, path: Span<UInt8>,
        now: Int64
    ) -> Reason? {
        if let chain = route.authenticators, !chain.accepts(principal) { return .authenticatorNotListed }
        // AMB-30, FB-06: 401 for credentials of any client, since the kind is wrong for this route.
        let isSocial = principal.method == .social
        let wantsSocial = route.entry.access.socialLogin
        if route.loginRequired, wantsSocial, !isSocial { return .socialLoginRequired }
        // DEC-06: another token of the same caller would do, so that the challenge is that of the route.
        if !route.accepts(webgate: principal.webgateBytes) { return .wrongWebgate }
        if !route.challenge.isFor(principal.resources) { return .wrongAudience }
        // CACHE-11: the scheme asks for a login of its own.
        if let login = route.login, !login.accepts(login: principal.loginBytes) { return .wrongScheme }
        if !route.accepts(client: principal.backendBytes), route.login?.isOwnSession(of: principal) != true {
            return .clientNotAllowed
        }
        if !route.accepts(application: principal.applicationBytes) { return .applicationMismatch }
        // ROLE-02, FB-05: 401 and not 403, since another credential of the same caller would do.
        if route.loginRequired, !wantsSocial, principal.kind != .user || isSocial { return .loginRequired }
        if principal.isReadOnly, !PolicySnapshot.isReading(head.method) { return .insufficientScope }  // AOM-08
        // CHAL-06: a challenge for a higher level, never 403.
        if principal.level < route.level { return .stepUpRequired }
        if route.requiresProof, !principal.provesPossession { return .tokenUnbound }
        if let denial = route.tokenRequirement?.mismatch(of: principal) { return denial }
        if let denial = route.loginRequirement?.denial(of: principal, now: now) { return denial }
        if !route.requirement(for: head.method, methodText).isMet(by: principal) { return .roleRequired }
        if let denial = route.tokenRequirement?.lacking(principal, path: path) { return denial }
        // What goes through a tunnel has no method (AOM-08).
        return principal.isReadOnly && head.upgrade && !route.upgrades.isEmpty ? .insufficientScope : nil
    }

    /// What a caller lacks of issuer, audience, login, scopes and claims, a line each.
    package func requirements(
        of route: Route, missing principal: Principal?, path: Span<UInt8>, now: Int64
    ) -> [String] {
        (principal.map { route.challenge.isFor($0.resources) } == false
            ? [
                "missing: audience of the route: \(Evidence.list(route.challenge.resources))",
                "held: aud \(Evidence.list(principal?.resources ?? []))",
            ] : [])
            + (route.requiresProof && principal?.provesPossession != true
                ? ["missing: a token that is bound to a key"] : [])
            + (route.loginRequirement?.missing(principal, now: now) ?? [])
            + (route.tokenRequirement?.missing(principal, claims, path: path) ?? [])
    }

    private static func isReading(_ method: Method) -> Bool { method == .get || method == .head || method == .options }

    /// Whether the field with the id of a client, where it was sent, names the client of the credential (ISS-06). The field is
    /// a claim: it cannot give a client to a credential that has none, and two different ones match no credential.
    private func claimsOwnClient(_ principal: Principal, bytes: Span<UInt8>, headers: HeaderTable) -> Bool {
        guard let field = headers.value(.backendID) else { return true }
        return headers.occurrences(.backendID) == 1
            && equal(principal.backendBytes, bytes.slice(field))
    }

    /// Why a request may not reach an endpoint of the gateway, before its credential is looked at; nil where it may.
    ///
    /// - Parameters:
    ///   - bytes: the buffer of `head` and `headers`.
    ///   - isConfidential: whether none on the way could have read the request (GW-13): it came over TLS, as the gateway
    ///     sees itself or as a trusted proxy says, or by a listener that takes credentials in the clear.
    func screen(
        _ endpoint: EndpointDescriptor, bytes: Span<UInt8>, head: RequestHead, headers: HeaderTable,
        isConfidential: Bool
    ) -> Reason? {
        if endpoint.traits.contains(.takesCredentials), !isConfidential { return .tlsRequired }
        let servesPages =
            endpoint.traits.contains(.servesPages)
            || endpoint.traits.contains(.servesPagesWithoutToken) && headers.occurrences(.authorization) == 0
        if servesPages, !mayUseForms(head, headers, bytes) { return .crossSiteRequest }
        return nil
    }
}
