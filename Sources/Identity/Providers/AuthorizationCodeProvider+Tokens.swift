import Bytes
import JOSE
import Model
import Outbound

/// Keeps the tokens of logins, and renews them (RFC 6749 section 6, OpenID Connect Core section 12).
extension AuthorizationCodeProvider {
    /// The tokens of a login that are kept; nil for none.
    func kept(_ granted: TokenReply.Granted, subject: String, now: Int64) -> ProvidedTokens? {
        guard !settings.kept.isNothing else { return nil }
        var tokens = ProvidedTokens(of: name, origin: settings.origin, subject: subject, checkedAt: now)
        tokens.take(granted, keeping: settings.kept, now: now)
        return tokens
    }

    package var longestRenewalSeconds: Int64 {
        // The discovery document, the token, and the keys of an ID token.
        let call = settings.transport.connectTimeoutMilliseconds + settings.transport.readTimeoutMilliseconds
        return 5 + 3 * Int64(call) / 1000
    }

    package func renew(
        _ tokens: ProvidedTokens, now: Int64
    ) -> Effect<Result<ProvidedTokens, ProviderFailure>> {
        // The name may stand for another provider since the login.
        guard tokens.origin.isExactly(settings.origin), let refresh = tokens.refresh else {
            return .done(.failure(.denied("renewal: the tokens are of another provider")))
        }
        let form = [("grant_type", "refresh_token"), ("refresh_token", refresh)]
        return endpoints(now: now).success { [self] endpoints in
            ask(form, endpoints, now: now).success { [self] granted in
                var renewed = tokens
                renewed.take(granted, keeping: settings.kept, now: now)
                (renewed.renewedUntil, renewed.pausedUntil) = (0, 0)
                guard verifier != nil, let text = granted.members["id_token"]?.string else {
                    return .done(.success(renewed))
                }
                // Section 12.2: the same user.
                return verified(Array(text.utf8), now: now).map { [renewed] result in
                    result.flatMap { token in
                        token.subject?.isExactly(tokens.subject) == true
                            ? .success(renewed) : .failure(.denied("renewal: id_token: sub"))
                    }
                }
            }
        }
    }

    /// Asks the token endpoint.
    func ask(
        _ form: [(String, String)], _ endpoints: CodeFlowEndpoints, now: Int64
    ) -> Effect<Result<TokenReply.Granted, ProviderFailure>> {
        let work = { @Sendable [self] () -> Effect<Result<TokenReply.Granted, ProviderFailure>> in
            let call = settings.client.following(endpoints.tokenMethods).call(
                form, at: endpoints.token, audience: endpoints.audience(of: endpoints.token), settings.transport,
                now: now)
            return .answer(of: { [caller] in caller.perform(call, then: $0) }) { result in
                .done(
                    Result { () throws(ProviderFailure) in try AuthorizationCodeProvider.granted(TokenReply(result)) })
            }
        }
        return settings.client.isSlow ? .offload(work) : work()
    }

    private static func granted(_ reply: TokenReply) throws(ProviderFailure) -> TokenReply.Granted {
        switch reply {
        case .granted(let granted): return granted
        case .refused(let code): throw ProviderFailure(code: code, isOfCode: true)
        case .malformed: throw .answer("token: no token")
        // Some servers refuse a grant without saying why; the client itself is refused with 401.
        case .other(let response) where response.status == 400 && response.body.isEmpty:
            throw .codeRefused("status 400")
        case .other(let response): throw ProviderFailure(response, "token")
        case .failed(let failure): throw ProviderFailure(failure, "token")
        }
    }
}
