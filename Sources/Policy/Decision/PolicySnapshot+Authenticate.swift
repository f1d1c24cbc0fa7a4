import Bytes
import HTTP
import Identity
import JOSE

extension PolicySnapshot {
    /// Who is calling. A credential counts once it is verified, and one that does not verify is refused even where
    /// others would have done; nothing is taken from a query or a cookie. Allocates nothing for a token in the cache.
    ///
    /// - Parameters:
    ///   - route: nil for endpoints.
    ///   - bytes: the buffer of `headers`.
    ///   - address: the client's, the one behind trusted proxies.
    ///   - now: seconds since 1970.
    ///   - cache: of the worker that asks.
    package func authenticate(
        _ route: Route?, bytes: Span<UInt8>, headers: HeaderTable, from address: IPAddress? = nil, now: Int64,
        cache: VerifiedTokenCache
    ) -> AuthenticationOutcome {
        guard let field = headers.value(.authorization) else { return .none }
        // ISS-08: with two credentials, gateway and upstream could each believe another one.
        guard headers.occurrences(.authorization) == 1 else { return .malformed(.duplicateCredential) }
        // A public route needs no credential, so that none is verified for it and none speaks for its caller.
        if let route, route.isPublic { return .none }
        let value = bytes.slice(field)
        let credential = Credential(value)
        guard !credential.rest.isEmpty else {
            switch credential.scheme {
            case .token: return .rejected(.malformedToken)
            case .basic: return .rejected(.malformedCredential)
            case .other: return .rejected(.unsupportedScheme)
            }
        }
        let rest = value.slice(credential.rest)
        switch credential.scheme {
        case .token: return authenticate(token: rest, now: now, cache: cache)
        case .basic: return passwords.authenticate(rest, bytes: bytes, headers: headers, from: address, now: now)
        case .other: return .rejected(.unsupportedScheme)
        }
    }

    /// Whom a bearer token stands for.
    func authenticate(token: Span<UInt8>, now: Int64, cache: VerifiedTokenCache) -> AuthenticationOutcome {
        cache.adopt(generation: generation)
        if let known = cache.principal(for: token, now: now, revocations: revocations) { return .principal(known) }
        // Read first: a revocation that comes in between makes the cache look again.
        let revocationGeneration = revocations.generation
        switch verifier.verify(token, now: now) {
        case .rejected(let rejection):
            if let effect = introspected.resolve(token, rejection, now: now) { return .resolve(effect) }
            return .rejected(DenialReason(rejection))
        case .verified(let verified):
            do {
                let copy = [UInt8](copying: token)
                let principal = try principals.principal(of: verified, copy)
                if revocations.isRevoked(principal) { return .rejected(.tokenRevoked) }
                cache.insert(
                    copy, principal, expiresAt: verified.expiresAt, revocationGeneration: revocationGeneration)
                return .principal(principal)
            } catch {
                return .rejected(error)
            }
        }
    }
}
