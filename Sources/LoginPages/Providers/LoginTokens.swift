import Identity
import Outbound
import TokenStorage

/// Tokens of logins at providers, in the records of the logins. One gateway renews them for all, since a provider that rotates
/// refresh tokens takes a second use of one for theft: it marks the record first, in one step with the comparison.
package struct LoginTokens: Sendable {
    package typealias TokenResult = Result<ProvidedTokens, ProvidedTokenFailure>

    /// Calls back after milliseconds, with the time in seconds since 1970.
    package typealias Delay = @Sendable (_ milliseconds: Int, @escaping @Sendable (Int64) -> Void) -> Void

    private let login: ProviderLogin
    private let patienceSeconds: Int64
    private let delay: Delay

    /// - Parameter patienceSeconds: how much longer logins hold whose provider does not answer.
    package init(of login: ProviderLogin, patienceSeconds: Int64, delay: @escaping Delay) {
        self.login = login
        self.patienceSeconds = patienceSeconds
        self.delay = delay
    }

    private var store: any TokenStore { login.store }
    private var seals: BrowserSeals { login.seals }

    /// How often a gateway looks whether another one has renewed tokens, in milliseconds.
    private static let pollMilliseconds = 50
    /// Pause after a renewal that the provider did not answer, in seconds.
    private static let pauseSeconds: Int64 = 2
    /// How often a renewed token is written to a store that fails: the provider may take no other one any more.
    private static let writeAttempts = 20
    /// A login that has no usable tokens this soon would have none the next time either. In seconds.
    private static let soonSeconds: Int64 = 10

    /// The tokens of a login that meet a demand, renewed where they do not.
    /// - Parameter id: of the record of the login.
    package func tokens(of id: String, _ demand: ProvidedTokenDemand, now: Int64) -> Effect<TokenResult> {
        store.ask(.find(.id(id)), now: now) { answer in
            guard case .success(.record(let record)) = answer else { return .done(.failure(.unavailable("store"))) }
            guard let record, record.kind == .provided, record.accessLives(at: now) else {
                return .done(.failure(.ended))
            }
            // A login from before the gateway kept tokens: the next one has them.
            guard let tokens = seals.tokens(record.sealed, now: now) else { return .done(.failure(.ended)) }
            if demand.isMet(by: tokens, now: now) { return .done(.success(tokens)) }
            if tokens.pausedUntil > now {
                let lasts = demand.isMet(by: tokens, patience: patienceSeconds, now: now)
                return .done(lasts ? .success(tokens) : .failure(.unavailable("the provider did not answer lately")))
            }
            if tokens.renewedUntil > now { return wait(for: record, tokens, demand, now: now) }
            guard let provider = login.provider(named: tokens.provider) else { return .done(.failure(.ended)) }
            guard tokens.refresh != nil else {
                // Nothing to renew it with: it lasts as long as the token.
                let lasts = demand.isMet(by: tokens, patience: 0, now: now)
                return .done(lasts ? .success(tokens) : ended(record, now: now))
            }
            return lease(record, tokens, at: provider, for: demand, now: now)
        }
    }

    /// The login is over, unless another one would be over at once.
    private func ended(_ record: TokenRecord, now: Int64) -> TokenResult {
        guard now >= record.issuedAt + LoginTokens.soonSeconds else {
            return .failure(.unusable("the provider gives no token that lasts"))
        }
        return .failure(.ended)
    }

    /// Another gateway is about to renew the tokens: those in use serve meanwhile.
    private func wait(
        for record: TokenRecord, _ tokens: ProvidedTokens, _ demand: ProvidedTokenDemand, now: Int64
    ) -> Effect<TokenResult> {
        if demand.isMet(by: tokens, patience: 0, now: now) { return .done(.success(tokens)) }
        return .await { resume in
            delay(LoginTokens.pollMilliseconds) { time in
                resume(self.tokens(of: record.id, demand, now: max(now, time)))
            }
        }
    }

    private func lease(
        _ record: TokenRecord, _ tokens: ProvidedTokens, at provider: any BrowserIdentityProvider,
        for demand: ProvidedTokenDemand, now: Int64
    ) -> Effect<TokenResult> {
        var leased = tokens
        (leased.renewedUntil, leased.pausedUntil) = (now + provider.longestRenewalSeconds, 0)
        return exchange(record, for: leased, now: now) { leasedRecord in
            guard let leasedRecord else {
                // Another gateway was faster, or the login has ended.
                return self.tokens(of: record.id, demand, now: now)
            }
            return provider.renew(tokens, now: now).then { result in
                switch result {
                case .success(let renewed):
                    return keep(renewed, in: leasedRecord, demand, attempts: LoginTokens.writeAttempts, now: now)
                case .failure(let failure):
                    login.observe(provider.name, failure, "")
                    return fail(failure, of: tokens, in: leasedRecord, for: demand, now: now)
                }
            }
        }
    }

    /// Exchanges the tokens of a record if they are still these.
    /// - Parameter next: gets the record as it is then; nil if another one was faster.
    private func exchange(
        _ record: TokenRecord, for tokens: ProvidedTokens, now: Int64,
        _ next: @escaping @Sendable (TokenRecord?) -> Effect<TokenResult>
    ) -> Effect<TokenResult> {
        var changed = record
        changed.sealed = seals.seal(tokens, until: record.accessExpiresAt)
        return store.ask(.rekey(from: record, to: changed), now: now) { [changed] answer in
            guard case .success(.touched(let count)) = answer else { return .done(.failure(.unavailable("store"))) }
            return next(count == 1 ? changed : nil)
        }
    }

    private func keep(
        _ renewed: ProvidedTokens, in record: TokenRecord, _ demand: ProvidedTokenDemand, attempts: Int, now: Int64
    ) -> Effect<TokenResult> {
        exchange(record, for: renewed, now: now) { kept in
            // The login may have ended meanwhile.
            guard kept != nil else { return tokens(of: record.id, demand, now: now) }
            guard demand.isMet(by: renewed, patience: 0, now: now) else {
                return .done(.failure(.unusable("the provider has renewed no token that lasts")))
            }
            return .done(.success(renewed))
        }.then { result in
            guard result == .failure(.unavailable("store")), attempts > 1 else { return .done(result) }
            return .await { resume in
                delay(LoginTokens.pollMilliseconds * 4) { _ in
                    resume(keep(renewed, in: record, demand, attempts: attempts - 1, now: now))
                }
            }
        }
    }

    private func fail(
        _ failure: ProviderFailure, of tokens: ProvidedTokens, in record: TokenRecord,
        for demand: ProvidedTokenDemand, now: Int64
    ) -> Effect<TokenResult> {
        let isOver =
            switch failure {
            case .denied, .codeRefused: true
            default: demand.end(of: tokens, patience: patienceSeconds).map { $0 <= now } ?? false
            }
        if isOver {
            return store.end(LoginFoundation.ids(of: record.id)[...], by: login.revocations, now: now)
                .map { $0 ? .failure(.ended) : .failure(.unavailable("store")) }
        }
        var waiting = tokens
        waiting.pausedUntil = now + LoginTokens.pauseSeconds
        return exchange(record, for: waiting, now: now) { _ in
            let lasts = demand.isMet(by: tokens, patience: patienceSeconds, now: now)
            return .done(lasts ? .success(tokens) : .failure(.unavailable(failure.detail)))
        }
    }
}
