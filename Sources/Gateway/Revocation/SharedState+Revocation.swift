import Identity
import Tokens

extension SharedState {
    private static let longestTokenSeconds: Int64 = 366 * 86_400

    /// Refuses a token, or all tokens that somebody has had so far, and drops what was issued for it (CACHE-07): here at
    /// once, in other processes as soon as they ask the store, which is told before the answer. With access tokens go the
    /// refresh tokens that stand beside them.
    ///
    /// - Parameter body: `{"jti": "...", "until": seconds}`, or with `"subject"`, `"backendId"` or `"issuer"`.
    func revoke(_ body: [UInt8], now: Int64) -> Effect<EndpointResponse> {
        let request: RevocationRequest
        do {
            request = try RevocationRequest(body, now: now)
        } catch {
            return .done(
                .problem(
                    status: 400, title: "Bad Request", detail: error.expected, code: "invalid_request",
                    reason: "invalid_request"))
        }
        // Tokens live for so long at the most; later ones are told apart by their time of issue.
        let until = request.until ?? now + SharedState.longestTokenSeconds
        let entry = request.entry(now: now, until: until)
        let selector = request.selector
        let denied: Effect<Result<StoreAnswer, StoreFailure>> = ask(.deny(entry), now: now)
        return denied.then { [self] result in
            switch (result, selector) {
            case (.failure, _), (.success, nil): .done(concluded(entry, result))
            case (.success, let selector?): ask(.revoke(selector), now: now).map { self.concluded(entry, $0) }
            }
        }
    }

    private func ask(_ operation: StoreOperation, now: Int64) -> Effect<Result<StoreAnswer, StoreFailure>> {
        .answer(of: { [tokens] then in tokens.perform(operation, now: now, then: then) }, { .done($0) })
    }

    private func concluded(_ entry: DenyEntry, _ result: Result<StoreAnswer, StoreFailure>) -> EndpointResponse {
        switch result {
        case .success:
            log.write("revoked", [(entry.logName, .text(entry.name))])
            return EndpointResponse(status: 204, headers: [], body: [], reason: "revoked")
        case .failure(let failure):
            log.write(
                "revocation_failed", [(entry.logName, .text(entry.name)), ("reason", .text("\(failure.reason)"))])
            return .problem(
                status: 503, title: "Service Unavailable",
                detail: "refused by this process from now on; the store could not be told, so repeat the request",
                code: "store_unavailable", reason: "store_unavailable")
        }
    }
}

extension DenyEntry {
    /// What the event log and the admin API call the name.
    fileprivate var logName: String {
        switch kind {
        case .token: "jti"
        case .subject: "subject"
        case .backend: "backendId"
        case .issuer: "issuer"
        }
    }
}

extension RevocationRequest {
    fileprivate func entry(now: Int64, until: Int64) -> DenyEntry {
        switch target {
        case .token(let id, let subject): .token(id, subject: subject ?? "", until: until)
        // The second after: whatever was under way when the request came is meant too.
        case .subject(let subject): .subject(subject, issuedBefore: now + 1, until: until)
        case .backend(let id): .backend(id, issuedBefore: now + 1, until: until)
        case .issuer(let name): .issuer(name, issuedBefore: now + 1, until: until)
        }
    }

    /// The records that go with it.
    fileprivate var selector: TokenSelector? {
        switch target {
        case .token(let id, _): .tokenID(id)
        case .subject(let subject): .subject(application: nil, subject: subject)
        case .backend(let id): .application(id)
        case .issuer: nil
        }
    }
}
