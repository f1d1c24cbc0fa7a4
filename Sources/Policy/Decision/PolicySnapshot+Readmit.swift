import Bytes
import Crypto
import HTTP
import Identity
import JOSE
import Model

/// What became of an exchange that began under an earlier configuration and still goes on.
package enum Readmission {
    /// It would be let in today: by this route, as this caller.
    case admitted(Route, Principal?)
    case refused(Reason)
}

extension PolicySnapshot {
    /// Decides anew about an exchange that goes on for long, such as a WebSocket (GW-11), under another configuration or
    /// where an issuer has taken a key back: its route, the origin that
    /// opened it, its caller and what that one may do. A token is verified again, keys and mapping rules of today; of
    /// a password only the holder is looked up.
    ///
    /// - Parameters:
    ///   - certificate: of the client, asked for where the route looks at it.
    ///   - principal: nil where the exchange began without a credential.
    ///   - origin: of the page that opened it; empty where none did.
    ///   - method: one with a text of its own leads to routes for every method alone.
    ///   - now: seconds since 1970.
    package func readmit(
        _ principal: Principal?, host: Span<UInt8>, path: Span<UInt8>, method: Method, origin: Span<UInt8>,
        certificate: () -> PeerCertificate? = { nil }, now: Int64, cache: VerifiedTokenCache
    ) -> Readmission {
        let nothing: [UInt8] = []
        let route: Route
        switch routes.match(host: host, path: path, method: method, methodText: nothing.span) {
        case .route(let found): route = found
        case .endpoint, .notFound: return .refused(.noRoute)
        case .methodNotAllowed: return .refused(.methodNotAllowed)
        }
        if !origin.isEmpty, !cors.allows(origin, under: route.allowOrigin) { return .refused(.corsDenied) }
        if let rule = route.certificateRule, let denial = rule.refusal(of: certificate()) { return .refused(denial) }
        if route.isPublic { return .admitted(route, nil) }
        guard let principal else { return .refused(.missingCredential) }
        if principal.method == .cookie, route.form?.accepts(backend: principal.backendBytes) != true {
            return .refused(.sessionInvalid)
        }
        switch renewed(principal, now: now, cache: cache) {
        case .principal(let renewed):
            if let denial = authorize(route, renewed, method, nothing.span) { return .refused(denial) }
            return .admitted(route, renewed)
        case .none: return .refused(.missingCredential)
        // Who it was when it began, as long as nobody has said otherwise: asking again would cut what lasts whenever
        // somebody else is down.
        case .resolve, .rejected(.storeUnavailable), .rejected(.keysUnavailable):
            if revocations.isRevoked(principal) { return .refused(.tokenRevoked) }
            if let end = principal.expiresAt, end <= now { return .refused(.tokenExpired) }
            var caller = principal
            if principal.application != nil {
                guard let renewed = opaqueTokens?.renew(principal) else { return .refused(.unknownSubject) }
                caller = renewed
            }
            if let denial = authorize(route, caller, method, nothing.span) { return .refused(denial) }
            return .admitted(route, caller)
        case .rejected(let reason), .malformed(let reason): return .refused(reason)
        }
    }

    private func renewed(_ principal: Principal, now: Int64, cache: VerifiedTokenCache) -> AuthenticationOutcome {
        switch principal.method {
        case .bearer:
            let token = principal.token
            // A key that its issuer has taken back is not asked for again: it is missing among those at hand.
            return authenticate(token: token.span, now: now, cache: cache, with: .atHand)
        case .cookie:
            let cookie = principal.token
            return authenticate(cookie: cookie.span, now: now, cache: cache)
        case .basic, .anonymousKey, .social:
            return passwords.renew(principal).map { .principal($0) } ?? .rejected(.unknownSubject)
        }
    }
}
