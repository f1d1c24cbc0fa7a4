import Bytes
import Model
import Outbound

/// Revokes tokens at the provider (RFC 7009).
extension AuthorizationCodeProvider {
    package var revokesAtLogout: Bool { settings.flow.revokesAtLogout }

    package func revoke(_ tokens: ProvidedTokens, now: Int64) -> Effect<ProviderFailure?> {
        // The name may stand for another provider since the login.
        guard tokens.origin.isExactly(settings.origin) else {
            return .done(.answer("revocation: the token is of another provider"))
        }
        guard let token = tokens.revocable else { return .done(nil) }
        return endpoints(now: now).then { [self] result in
            switch result {
            case .failure(let failure): .done(failure)
            case .success(let endpoints): revoke(token, endpoints, now: now)
            }
        }
    }

    private func revoke(
        _ revocable: (token: String, hint: String), _ endpoints: CodeFlowEndpoints, now: Int64
    ) -> Effect<ProviderFailure?> {
        guard let url = endpoints.revocation else {
            return .done(.answer("discovery: no revocation_endpoint"))
        }
        let form = [("token", revocable.token), ("token_type_hint", revocable.hint)]
        let work = { @Sendable [self] () -> Effect<ProviderFailure?> in
            let methods = endpoints.revocationMethods.isEmpty ? endpoints.tokenMethods : endpoints.revocationMethods
            let call = settings.client.following(methods).call(
                form, at: url, audience: endpoints.audience(of: url), settings.transport, now: now)
            return .answer(of: { [caller] in caller.perform(call, then: $0) }) { result in
                .done(AuthorizationCodeProvider.failure(result))
            }
        }
        return settings.client.isSlow ? .offload(work) : work()
    }

    /// Section 2.2: 200 also for a token that was unknown or revoked before.
    private static func failure(_ result: OutboundResult) -> ProviderFailure? {
        switch result {
        case .response(let response) where response.status == 200: return nil
        case .response(let response):
            if case .refused(let code) = TokenReply(result) { return ProviderFailure(code: code, isOfCode: false) }
            return ProviderFailure(response, "revocation")
        case .failed(let failure, _): return ProviderFailure(failure, "revocation")
        }
    }
}
