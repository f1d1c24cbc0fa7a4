import Endpoints
import Identity
import Model
import OAuthServer
import Outbound
import Reactor
import TokenStorage

extension SharedState {
    /// Revokes a token, or all tokens issued so far, and drops tokens issued for it (CACHE-07). Takes effect here
    /// immediately, and in other processes at their next poll; the store is written before the answer. Refresh tokens
    /// issued with the access tokens are revoked too.
    ///
    /// Without `issuedBefore` it applies to everything issued until now. Token dates are in seconds, so the answer
    /// waits for the end of the current second: a login after the answer gets valid tokens.
    ///
    /// - Parameter body: `{"jti": "...", "until": seconds}`, or with `"subject"`, `"backendId"` or `"issuer"`, and with
    ///   these `"issuedBefore": seconds`.
    func revoke(_ body: [UInt8], now loopTime: Int64) -> Effect<EndpointResponse> {
        // A loop's clock may lag by the duration of its turn, and another gateway's may be slightly ahead.
        let now = max(loopTime, Clock.latestSecond)
        let request: RevocationRequest
        do {
            request = try RevocationRequest(body, now: now)
        } catch {
            return .done(.problem(.invalidRequest, error.expected))
        }
        let entry = request.entry(now: now)
        let selector = request.selector
        let denied: Effect<Result<StoreAnswer, StoreFailure>> = ask(.deny(entry), now: now)
        let since = entry.kind == .token ? 0 : request.period.holdsFrom(now: now)
        return denied.then { [self] result in
            switch (result, selector) {
            case (.success, let selector?):
                return ask(.revoke(selector), now: now).then { self.answer(entry, $0, since: since) }
            // Retries the entry, and the removal of a single token's record. Other refresh tokens are refused by the
            // entry.
            case (.failure, .one?): if let selector { tokens.keep(.revoke(selector)) }
            case (.failure, _), (.success, nil): break
            }
            return answer(entry, result, since: since)
        }
    }

    private func ask(_ operation: StoreOperation, now: Int64) -> Effect<Result<StoreAnswer, StoreFailure>> {
        .answer(of: { [tokens] then in tokens.perform(operation, now: now, then: then) }, { .done($0) })
    }

    private func answer(
        _ entry: DenyEntry, _ result: Result<StoreAnswer, StoreFailure>, since: Int64
    ) -> Effect<EndpointResponse> {
        let response = concluded(entry, result)
        guard case .success = result else { return .done(response) }
        return .await { resume in SerialQueue.run(atSecond: since) { resume(.done(response)) } }
    }

    private func concluded(_ entry: DenyEntry, _ result: Result<StoreAnswer, StoreFailure>) -> EndpointResponse {
        switch result {
        case .success:
            log.write(.revoked, [(entry.logName, .text(entry.name))])
            return EndpointResponse(status: 204, headers: [], body: [], reason: .revoked)
        case .failure(let failure):
            log.write(
                .revocationFailed, [(entry.logName, .text(entry.name)), ("reason", .text("\(failure.reason)"))])
            return .problem(.storeUnavailable, "refused by this process from now on; \(others(failure))")
        }
    }

    /// Describes the effect of a revocation on other processes.
    private func others(_ failure: StoreFailure) -> String {
        if failure == .notReplicated {
            return "other processes hear of it, but a failover of the store may lose it, so repeat the request"
        }
        return tokens.retries
            ? "the store gets the change once it answers, and other processes with it"
            : "the store does not have the change; repeat the request"
    }
}

extension DenyEntry {
    /// The member of events that names it.
    fileprivate var logName: String {
        switch kind {
        case .token: "token_id"
        case .subject: "subject"
        case .client: "client"
        case .issuer: "issuer"
        case .withdrawn, .restored, .unknown: "account"
        }
    }
}

extension RevocationRequest {
    fileprivate func entry(now: Int64) -> DenyEntry {
        let (cutoff, until) = (period.cutoff(now: now), period.end(now: now))
        return switch target {
        case .token(let id, let subject): .token(id, subject: subject ?? "", until: until)
        case .subject(let subject): .subject(subject, issuedBefore: cutoff, until: until)
        case .client(let id): .client(id, issuedBefore: cutoff, until: until)
        case .issuer(let name): .issuer(name, issuedBefore: cutoff, until: until)
        }
    }

    /// Records to revoke with it. With a date, records of later logins stay; earlier refresh tokens are refused by the
    /// deny list.
    fileprivate var selector: TokenSelector? {
        if period.issuedBefore != nil { return nil }
        return switch target {
        // The record with the refresh token has the id of the family.
        case .token(let id, _): .tokenID(TokenFamily.id(of: id) ?? id)
        case .subject(let subject): .subject(application: nil, subject: subject)
        case .client(let id): .application(id)
        case .issuer: nil
        }
    }
}
