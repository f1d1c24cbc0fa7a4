import Bytes
import Identity
import Model
import Outbound

/// The decision about a request by the list.
extension AuthenticatorChain {
    /// Who is calling: the holder of the first credential that counts, with the consumer of a key beside it. Where keys must
    /// come beside other credentials, a bad one is refused before anything else is looked at.
    func authenticate(
        _ shown: PresentedCredentials, _ bytes: Span<UInt8>, _ policy: PolicySnapshot
    ) -> AuthenticationOutcome {
        guard hasPairs else { return holder(shown, bytes, policy) }
        var consumer: Principal?
        if let key = shown.key {
            switch judge(key, shown, bytes, policy) {
            case .principal(let holder) where holder.method == .apiKey: consumer = holder
            case .rejected(let reason), .malformed(let reason): return .rejected(reason)
            case .principal, .none, .resolve: return .rejected(.apiKeyUnknown)
            }
        }
        switch holder(shown, bytes, policy) {
        case .none: return consumer == nil ? .none : .rejected(.userCredentialMissing)
        case .principal(let principal):
            switch pair(principal, consumer) {
            case .success(let caller): return .principal(caller)
            case .failure(let reason): return .rejected(reason)
            }
        case .resolve(let effect):
            return .resolve(effect.map { [self, consumer] result in result.flatMap { pair($0, consumer) } })
        case let refusal: return refusal
        }
    }

    /// The caller with the key that came beside the credential, which its entry may require.
    private func pair(_ principal: Principal, _ consumer: Principal?) -> Result<Principal, Reason> {
        if let consumer { return .success(principal.with(key: consumer)) }
        let needsKey = entries.first { $0.accepts(principal) }?.needsKey == true
        return needsKey ? .failure(.apiKeyMissing) : .success(principal)
    }

    /// The holder of the first credential that is there. One that is there and bad is refused, unless its entry leaves that
    /// to the next; what is down or throttled is never passed over.
    private func holder(
        _ shown: PresentedCredentials, _ bytes: Span<UInt8>, _ policy: PolicySnapshot
    ) -> AuthenticationOutcome {
        var isJudged = false
        var bad: Reason?
        for (index, entry) in entries.enumerated() {
            let isInFields = shown.isFor(entry.kind)
            if isInFields, isJudged { continue }
            isJudged = isJudged || isInFields
            switch isInFields ? judge(shown, bytes, policy) : judge(entry.kind, shown, bytes, policy) {
            case .none: continue
            case .malformed(let reason): return .malformed(reason)
            case .rejected(let reason):
                guard entry.fallsThrough, reason.status == 401 else { return .rejected(reason) }
                bad = bad ?? reason
            case .principal(let principal):
                return settle(.success(principal), at: index, rest(from: index, shown, bytes, policy))
            case .resolve(let effect):
                let rest = rest(from: index, shown, bytes, policy)
                return .resolve(
                    effect.then { [self] result in settle(result, at: index, rest).effect })
            }
        }
        if let bad { return .rejected(bad) }
        if isJudged { return .none }
        if case .none = shown.inFields, shown.key == nil || takesKeys { return .none }
        return .rejected(.authenticatorNotListed)
    }

    /// What the entries behind one say of a key, a session and a certificate, by their places; empty where it cannot matter.
    private func rest(
        from index: Int, _ shown: PresentedCredentials, _ bytes: Span<UInt8>, _ policy: PolicySnapshot
    ) -> [(index: Int, outcome: AuthenticationOutcome)] {
        let (entry, behind) = (entries[index], entries.dropFirst(index + 1))
        guard entry.fallsThrough || behind.contains(where: { shown.isFor($0.kind) }) else { return [] }
        return behind.indices.compactMap { place in
            let kind = behind[place].kind
            if shown.isFor(kind) { return nil }
            let outcome = judge(kind, shown, bytes, policy)
            if case .none = outcome { return nil }
            return (place, outcome)
        }
    }

    /// - Parameters:
    ///   - result: of the credential that the entry at `index` judges.
    ///   - rest: what the entries behind it say of others.
    private func settle(
        _ result: Result<Principal, Reason>, at index: Int,
        _ rest: [(index: Int, outcome: AuthenticationOutcome)]
    ) -> AuthenticationOutcome {
        switch result {
        case .success(let principal):
            // A token belongs to the first entry of its issuer, which other credentials may precede.
            let own = entries[index...].firstIndex { $0.accepts(principal) }
            guard let own else {
                let isOfIssuer = principal.method == .bearer || principal.method == .saml
                let reason = isOfIssuer ? Reason.issuerNotAllowed : .authenticatorNotListed
                return settle(.failure(reason), at: index, rest)
            }
            let preceding = rest.filter { $0.index < own }
            return preceding.isEmpty ? .principal(principal) : next(preceding, or: .principal(principal))
        case .failure(let reason):
            guard entries[index].fallsThrough, reason.status == 401 else { return .rejected(reason) }
            return next(rest, or: .rejected(reason))
        }
    }

    /// The first outcome that counts.
    /// - Parameter last: where none does.
    private func next(
        _ rest: [(index: Int, outcome: AuthenticationOutcome)],
        or last: AuthenticationOutcome
    ) -> AuthenticationOutcome {
        guard let (index, outcome) = rest.first else { return last }
        let behind = Array(rest.dropFirst())
        switch outcome {
        case .none, .malformed, .principal: return outcome
        case .rejected(let reason):
            guard entries[index].fallsThrough, reason.status == 401 else { return outcome }
            return next(behind, or: last)
        case .resolve(let effect):
            return .resolve(
                effect.then { [self] result in
                    guard case .failure(let reason) = result else { return .done(result) }
                    guard entries[index].fallsThrough, reason.status == 401 else { return .done(result) }
                    return next(behind, or: last).effect
                })
        }
    }

    // MARK: Credentials

    /// The credential in the fields.
    private func judge(
        _ shown: PresentedCredentials, _ bytes: Span<UInt8>, _ policy: PolicySnapshot
    ) -> AuthenticationOutcome {
        switch shown.inFields {
        case .none: return .none
        case .unsupported: return .rejected(.unsupportedScheme)
        case .malformed(_, let reason): return .rejected(reason)
        case .token(let place, let issuers, let hasProof):
            if place.isEmpty { return .rejected(.malformedToken) }
            let outcome = policy.authenticate(token: bytes.slice(place), now: shown.now, cache: shown.cache)
                .limited(to: issuers)
            return hasProof ? outcome.boundToKey() : outcome
        case .assertion(let place):
            return policy.authenticate(assertion: bytes.slice(place), now: shown.now, cache: shown.cache)
        case .basic(let place):
            if let passwords {
                return passwords.authenticate(bytes.slice(place), from: shown.address, now: shown.now)
            }
            var accepted: BasicCredentials.Accepted = []
            if lists(.basic) { accepted.insert(.passwords) }
            if lists(.anonymousKey) { accepted.insert(.anonymousKeys) }
            return policy.passwords.authenticate(
                bytes.slice(place), on: shown.route, accepting: accepted, bytes: bytes, headers: shown.headers,
                from: shown.address, now: shown.now)
        }
    }

    /// An API key.
    private func judge(
        _ key: FieldCredentials.Key, _ shown: PresentedCredentials, _ bytes: Span<UInt8>, _ policy: PolicySnapshot
    ) -> AuthenticationOutcome {
        switch key {
        case .token(let place, let issuers):
            if place.isEmpty { return .rejected(.malformedToken) }
            return policy.authenticate(token: bytes.slice(place), now: shown.now, cache: shown.cache)
                .limited(to: issuers)
        case .basic(let place):
            guard let key = policy.consumerKeys.key(inBasic: bytes.slice(place)) else {
                return .rejected(.apiKeyUnknown)
            }
            return policy.consumerKeys.authenticate(key.span, now: shown.now)
        }
    }

    /// A key, a session or a certificate.
    private func judge(
        _ kind: Authenticator.Kind, _ shown: PresentedCredentials, _ bytes: Span<UInt8>, _ policy: PolicySnapshot
    ) -> AuthenticationOutcome {
        switch kind {
        case .session:
            guard let login = shown.route.login else { return .none }
            return policy.authenticate(
                session: login, secure: shown.secure, bytes: bytes, headers: shown.headers, now: shown.now,
                cache: shown.cache)
        case .certificate:
            return shown.certificate.map { policy.certificates.authenticate($0, now: shown.now) } ?? .none
        case .apiKey: return shown.key.map { judge($0, shown, bytes, policy) } ?? .none
        case .bearer, .basic, .anonymousKey, .saml: return .none
        }
    }
}

extension AuthenticationOutcome {
    /// The same for a request that has shown a credential.
    fileprivate var effect: Effect<Result<Principal, Reason>> {
        switch self {
        case .principal(let principal): .done(.success(principal))
        case .none: .done(.failure(.missingCredential))
        case .rejected(let reason), .malformed(let reason): .done(.failure(reason))
        case .resolve(let effect): effect
        }
    }
}
