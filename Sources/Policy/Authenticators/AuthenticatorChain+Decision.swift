import Identity
import Model
import Outbound

/// The decision about a request by the list.
extension AuthenticatorChain {
    /// Who is calling: the holder of the first credential that counts, with the consumer of a key beside it. Where keys must
    /// come beside other credentials, a bad one is refused before anything else is looked at.
    func authenticate(
        _ shown: PresentedCredentials, _ bytes: Span<UInt8>, policy: PolicySnapshot
    ) -> AuthenticationOutcome {
        guard hasPairs else { return holder(shown, bytes, policy: policy) }
        var consumer: Principal?
        if let key = shown.key {
            switch APIKeyKind.judge(key: key, shown, bytes, policy: policy) {
            case .principal(let holder) where holder.method == .apiKey: consumer = holder
            case .rejected(let reason), .malformed(let reason): return .rejected(reason)
            case .principal, .none, .resolve: return .rejected(.apiKeyUnknown)
            }
        }
        switch holder(shown, bytes, policy: policy) {
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
        let needsKey = entries.first { $0.accepts(principal) }?.entry.needsKey == true
        return needsKey ? .failure(.apiKeyMissing) : .success(principal)
    }

    /// The holder of the first credential that is there. One that is there and bad is refused, unless its entry leaves that
    /// to the next; what is down or throttled is never passed over.
    private func holder(
        _ shown: PresentedCredentials, _ bytes: Span<UInt8>, policy: PolicySnapshot
    ) -> AuthenticationOutcome {
        var isJudged = false
        var bad: Reason?
        for (index, listed) in entries.enumerated() {
            let isInFields = shown.isFor(listed)
            if isInFields, isJudged { continue }
            isJudged = isJudged || isInFields
            switch judge(by: listed, shown, bytes, policy: policy) {
            case .none: continue
            case .malformed(let reason): return .malformed(reason)
            case .rejected(let reason):
                guard listed.entry.fallsThrough, reason.status == 401 else { return .rejected(reason) }
                bad = bad ?? reason
            case .principal(let principal):
                return settle(.success(principal), at: index, rest(from: index, shown, bytes, policy: policy))
            case .resolve(let effect):
                let rest = rest(from: index, shown, bytes, policy: policy)
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
        from index: Int, _ shown: PresentedCredentials, _ bytes: Span<UInt8>, policy: PolicySnapshot
    ) -> [(index: Int, outcome: AuthenticationOutcome)] {
        let (entry, behind) = (entries[index].entry, entries.dropFirst(index + 1))
        guard entry.fallsThrough || behind.contains(where: shown.isFor) else { return [] }
        return behind.indices.compactMap { place in
            if shown.isFor(behind[place]) { return nil }
            let outcome = judge(by: behind[place], shown, bytes, policy: policy)
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
                return settle(.failure(refusal(ofUnlisted: principal)), at: index, rest)
            }
            let preceding = rest.filter { $0.index < own }
            return preceding.isEmpty ? .principal(principal) : next(preceding, or: .principal(principal))
        case .failure(let reason):
            guard entries[index].entry.fallsThrough, reason.status == 401 else { return .rejected(reason) }
            return next(rest, or: .rejected(reason))
        }
    }

    /// Why a caller is refused whose credential is of no entry: one of another issuer would do, or one of another kind.
    func refusal(ofUnlisted principal: Principal) -> Reason {
        entries.contains { $0.namesIssuers && $0.identifies(by: principal.method) }
            ? .issuerNotAllowed : .authenticatorNotListed
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
            guard entries[index].entry.fallsThrough, reason.status == 401 else { return outcome }
            return next(behind, or: last)
        case .resolve(let effect):
            return .resolve(
                effect.then { [self] result in
                    guard case .failure(let reason) = result else { return .done(result) }
                    guard entries[index].entry.fallsThrough, reason.status == 401 else { return .done(result) }
                    return next(behind, or: last).effect
                })
        }
    }

    /// What an entry says of its credential. It is asked about one in the fields only if that is its own.
    private func judge(
        by listed: ListedKind, _ shown: PresentedCredentials, _ bytes: Span<UInt8>, policy: PolicySnapshot
    ) -> AuthenticationOutcome {
        switch listed.place {
        case .token, .password, .scheme:
            guard shown.isFor(listed) else { return .none }
            if case .malformed(_, let reason) = shown.inFields { return .rejected(reason) }
        case .key, .elsewhere: break
        }
        return listed.judge.judge(shown, bytes, for: self, policy: policy)
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
