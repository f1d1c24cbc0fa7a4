import Bytes
import HTTP
import Identity
import JOSE
import Model
import Outbound

extension PolicySnapshot {
    /// Who is calling. A credential counts once it is verified, and one that does not verify is refused even where
    /// others would have done. Cookies count only if no other credential came. Allocates nothing for a token in the cache.
    ///
    /// - Parameters:
    ///   - route: nil for endpoints.
    ///   - bytes: the buffer of `head` and `headers`.
    ///   - address: the client's, the one behind trusted proxies.
    ///   - secure: whether the client's own connection is encrypted.
    ///   - certificate: of the client, for a route on which it counts. It counts if no other credential came, so that it
    ///     never stands in for a bad one.
    ///   - now: seconds since 1970.
    ///   - cache: of the worker that asks.
    package func authenticate(
        _ route: Route?, bytes: Span<UInt8>, head: RequestHead, headers: HeaderTable, from address: IPAddress? = nil,
        secure: Bool = true, certificate: PresentedCertificate? = nil, now: Int64, cache: VerifiedTokenCache
    ) -> AuthenticationOutcome {
        if let route, let chain = route.authenticators, !route.isPublic {
            do throws(Reason) {
                let inFields = try FieldCredentials(on: route, bytes, head, headers, consumerKeys)
                let shown = PresentedCredentials(
                    inFields: inFields.other, key: inFields.key, route: route, headers: headers, address: address,
                    secure: secure, certificate: certificate, now: now, cache: cache)
                guard chain.takes(shown, isPair: inFields.isPair) else { return .malformed(.keyBesideCredential) }
                return chain.authenticate(shown, bytes, policy: self)
            } catch {
                return .malformed(error)
            }
        }
        let outcome = authenticate(
            sent: route, bytes: bytes, head: head, headers: headers, from: address, secure: secure, now: now,
            cache: cache)
        guard case .none = outcome, let certificate, let route, !route.isPublic, route.entry.options.takesCertificates
        else {
            return outcome
        }
        return certificates.authenticate(certificate, now: now)
    }

    /// By what the request brings.
    private func authenticate(
        sent route: Route?, bytes: Span<UInt8>, head: RequestHead, headers: HeaderTable, from address: IPAddress?,
        secure: Bool, now: Int64, cache: VerifiedTokenCache
    ) -> AuthenticationOutcome {
        // ISS-08: with two credentials, gateway and upstream could each believe another one.
        guard headers.occurrences(.authorization) <= 1 else { return .malformed(.duplicateCredential) }
        // A public route needs no credential: none is verified, and none identifies the caller.
        if let route, route.isPublic { return .none }
        let field = headers.value(.authorization)
        guard let sources = route?.tokenSources else {
            if let field {
                return authenticate(field, route, bytes, headers, from: address, now: now, cache: cache)
            }
            return session(route, secure: secure, bytes: bytes, headers: headers, now: now, cache: cache)
        }
        let other = field.flatMap { sources.isCredential($0, bytes) ? $0 : nil }
        switch sources.find(bytes, head, headers) {
        case .several: return .malformed(.duplicateCredential)
        case .pair: return .malformed(.keyBesideCredential)
        case .token(let place, let issuers):
            if let other, !other.range.contains(Int(place.start)) {
                let isPair = issuers.takesKey(bytes.slice(place)) != consumerKeys.hasKey(bytes.slice(other))
                return .malformed(isPair ? .keyBesideCredential : .duplicateCredential)
            }
            let outcome = authenticate(place, of: issuers, bytes, now: now, cache: cache)
            return TokenSources.isForProof(place, headers, bytes) ? outcome.boundToKey() : outcome
        case .nothing:
            if let other {
                return authenticate(other, route, bytes, headers, from: address, now: now, cache: cache)
                    .limited(to: sources.authorization ?? .all)
            }
            if let (place, issuers) = sources.cookie(bytes, headers) {
                return authenticate(place, of: issuers, bytes, now: now, cache: cache)
            }
            return session(route, secure: secure, bytes: bytes, headers: headers, now: now, cache: cache)
        }
    }

    /// By the value of `Authorization`.
    private func authenticate(
        _ field: ByteRange, _ route: Route?, _ bytes: Span<UInt8>, _ headers: HeaderTable, from address: IPAddress?,
        now: Int64, cache: VerifiedTokenCache
    ) -> AuthenticationOutcome {
        let value = bytes.slice(field)
        let credential = Credential(value)
        guard !credential.rest.isEmpty else {
            switch credential.scheme {
            case .token, .dpop: return .rejected(.malformedToken)
            case .basic: return .rejected(.malformedCredential)
            case .other: return .rejected(.unsupportedScheme)
            }
        }
        let rest = value.slice(credential.rest)
        switch credential.scheme {
        case .token: return authenticate(token: rest, now: now, cache: cache)
        case .dpop: return authenticate(token: rest, now: now, cache: cache).boundToKey()
        case .basic:
            if let key = consumerKeys.key(inBasic: rest) { return consumerKeys.authenticate(key.span, now: now) }
            return passwords.authenticate(rest, on: route, bytes: bytes, headers: headers, from: address, now: now)
        case .other: return .rejected(.unsupportedScheme)
        }
    }

    /// By a token at another place.
    private func authenticate(
        _ place: ByteRange, of issuers: TokenSources.AcceptedIssuers, _ bytes: Span<UInt8>, now: Int64,
        cache: VerifiedTokenCache
    ) -> AuthenticationOutcome {
        if place.isEmpty { return .rejected(.malformedToken) }
        return authenticate(token: bytes.slice(place), now: now, cache: cache).limited(to: issuers)
    }

    /// By the cookie of a session, on routes with a login.
    private func session(
        _ route: Route?, secure: Bool, bytes: Span<UInt8>, headers: HeaderTable, now: Int64, cache: VerifiedTokenCache
    ) -> AuthenticationOutcome {
        guard let login = route?.login else { return .none }
        return authenticate(session: login, secure: secure, bytes: bytes, headers: headers, now: now, cache: cache)
    }

    /// The caller of a bearer token.
    func authenticate(
        token: Span<UInt8>, now: Int64, cache: VerifiedTokenCache, with keys: JWTVerifier.PublishedKeys = .asked
    ) -> AuthenticationOutcome {
        // No other server is asked about what looks like a key.
        if APIKey.isMarked(token) { return consumerKeys.authenticate(token, now: now) }
        cache.adopt(generation: generation, keyEpoch: keyEpoch)
        // Read first: a revocation that comes in between makes the cache look again.
        let reading = revocations.reading
        if let known = cache.principal(
            for: token, now: now, revocations: revocations, generation: reading.generation)
        {
            // A cookie or an assertion is no token, wherever it stands.
            guard known.method == .bearer else { return .rejected(.malformedToken) }
            return reading.isBlind ? .rejected(.storeUnavailable) : admitted(known, now: now)
        }
        switch verifier.verify(token, now: now, with: keys) {
        case .rejected(let rejection): return resolve(token, rejection, now: now)
        case .keysUnavailable: return .rejected(.keysUnavailable)
        case .needsKeys(let index, let need): return fetchKeys(need, issuerIndex: index, [UInt8](copying: token), now)
        case .verified(let verified):
            do {
                let copy = [UInt8](copying: token)
                let principal = try principals.principal(of: verified, copy)
                if revocations.isRevoked(principal) { return .rejected(.tokenRevoked) }
                cache.insert(
                    copy, principal, expiresAt: verified.expiresAt, revocationGeneration: reading.generation)
                // Only a valid token gets an answer about the store.
                return reading.isBlind ? .rejected(.storeUnavailable) : admitted(principal, now: now)
            } catch {
                return .rejected(error)
            }
        }
    }

    /// OMS-09: a session that lies idle here may be in use at another process; it is refused only once that is known.
    func admitted(_ principal: Principal, now: Int64) -> AuthenticationOutcome {
        guard let activity = principal.activity, activity.isIdle(at: now), let activities else {
            return .principal(principal)
        }
        return .resolve(
            activities.confirm(activity, now: now).map { standing in
                switch standing {
                case .inUse: .success(principal)
                case .ended: .failure(.sessionIdle)
                case .unknown: .failure(.storeUnavailable)
                }
            })
    }

    /// Resolves a token that no issuer of the configuration has signed. Tokens that were granted or issued here are sent
    /// to no other server, and JWTs are not looked up at applications.
    private func resolve(_ token: Span<UInt8>, _ rejection: TokenRejection, now: Int64) -> AuthenticationOutcome {
        let ofApplication = rejection == .malformed ? opaqueTokens?.resolve(token, now: now) : nil
        let elsewhere = introspected.resolve(token, rejection, now: now)
        let reason = ofApplication == nil ? Reason(rejection) : .invalidToken
        let rest: Effect<Result<Principal, Reason>>?
        if let ofApplication {
            rest = ofApplication.then { result in
                if case .failure(.unknown) = result, let elsewhere { return elsewhere }
                return .done(result.mapError(Reason.init))
            }
        } else {
            rest = elsewhere
        }
        guard let grantedTokens, rejection.mayBeGranted else { return rest.map { .resolve($0) } ?? .rejected(reason) }
        let bytes = [UInt8](copying: token)
        return .resolve(
            grantedTokens.claims(of: bytes, now: now).then { [principals] result in
                switch result {
                case .failure(.unknown): return rest ?? .done(.failure(reason))
                case .failure(let refusal): return .done(.failure(Reason(refusal)))
                case .success(let claims):
                    return .done(Result { () throws(Reason) in try principals.principal(of: claims, bytes) })
                }
            })
    }

    /// Has the keys of an issuer fetched, and decides with them.
    private func fetchKeys(_ need: KeyNeed, issuerIndex: Int, _ token: [UInt8], _ now: Int64) -> AuthenticationOutcome {
        guard case .published(let source) = verifier.issuers[issuerIndex].keys else { return .rejected(.unknownKey) }
        let effect = Effect<Result<Principal, Reason>>.answer {
            source.fetch(for: need, then: $0)
        } _: { [self] answer in
            .done(settle(token, issuerIndex: issuerIndex, answer, now: now))
        }
        return .resolve(effect)
    }

    /// The caller of a token, by the keys that were fetched for it.
    private func settle(
        _ token: [UInt8], issuerIndex: Int, _ answer: KeyAvailability, now: Int64
    ) -> Result<Principal, Reason> {
        // JWT-35: who does not answer is to blame, not the token.
        guard case .ready(let keys) = answer else { return .failure(.keysUnavailable) }
        switch verifier.verify(token.span, now: now, with: .fetched(keys, issuerIndex: issuerIndex)) {
        case .rejected(let rejection): return .failure(Reason(rejection))
        case .keysUnavailable: return .failure(.keysUnavailable)
        case .needsKeys: return .failure(.unknownKey)
        case .verified(let verified):
            do { return .success(try principals.principal(of: verified, token)) } catch { return .failure(error) }
        }
    }
}

extension TokenRejection {
    /// Whether a token may be one that an issuer module has made for a client (OAUTH-09): none of an issuer whose tokens are
    /// verified here, or one of such an issuer that is for the client's own upstream.
    fileprivate var mayBeGranted: Bool {
        switch self {
        case .malformed, .unknownIssuer, .encrypted, .undecryptable, .criticalHeader, .unsupportedAlgorithm,
            .wrongAudience:
            true
        default: false
        }
    }
}
