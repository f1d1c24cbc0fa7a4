import Bytes
import JOSE
import Model
import Outbound

/// Handles the callback of a browser: exchanges the code for tokens, and identifies the user by them.
extension AuthorizationCodeProvider {
    package func finish(
        _ callback: ProviderCallback, _ secrets: LoginSecrets, redirectURI: String, now: Int64
    ) -> Effect<Result<ProvidedIdentity, ProviderFailure>> {
        endpoints(now: now).success { [self] endpoints in
            do throws(ProviderFailure) {
                let code = try code(in: callback, namesIssuer: endpoints.namesIssuer)
                return redeem(code, secrets, redirectURI, endpoints, now: now)
            } catch {
                return .done(.failure(error))
            }
        }
    }

    private func code(in callback: ProviderCallback, namesIssuer: Bool) throws(ProviderFailure) -> String {
        // RFC 9207 section 2.4: checked before anything else in the response, errors included.
        if let issuer {
            if let named = callback.issuer {
                guard named.isExactly(issuer) else { throw .foreignAnswer }
            } else if namesIssuer {
                throw .foreignAnswer
            }
        }
        if let error = callback.error {
            guard let code = TokenReply.code(error) else { throw .malformedCallback }
            throw ProviderFailure(code: code, isOfCode: false)
        }
        guard let code = callback.code, !code.isEmpty else { throw .malformedCallback }
        return code
    }

    // MARK: The code for tokens (RFC 6749 section 4.1.3)

    private func redeem(
        _ code: String, _ secrets: LoginSecrets, _ redirectURI: String, _ endpoints: CodeFlowEndpoints, now: Int64
    ) -> Effect<Result<ProvidedIdentity, ProviderFailure>> {
        let form = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI),
            ("code_verifier", secrets.verifier),
        ]
        return ask(form, endpoints, now: now).success { [self] granted in
            identity(granted, secrets, endpoints, now: now).map { [self] result in
                result.map { identity in
                    var identity = identity
                    identity.tokens = kept(granted, subject: identity.subject, now: now)
                    return identity
                }
            }
        }
    }

    // MARK: Tokens for a user

    private func identity(
        _ granted: TokenReply.Granted, _ secrets: LoginSecrets, _ endpoints: CodeFlowEndpoints, now: Int64
    ) -> Effect<Result<ProvidedIdentity, ProviderFailure>> {
        guard verifier != nil else { return plainIdentity(granted, endpoints) }
        guard let text = granted.members["id_token"]?.string else { return .done(.failure(.answer("token: id_token"))) }
        let token = Array(text.utf8)
        let terms = IDTokenTerms(clientID: settings.client.id, nonce: secrets.nonce, accessToken: granted.value)
        return verified(token, now: now).success { [self] verified in
            do throws(ProviderFailure) {
                let subject = try terms.subject(of: verified, verified.algorithm)
                return complete(verified.claims, subject, granted, endpoints)
            } catch {
                return .done(.failure(error))
            }
        }
    }

    /// Verifies a JWT that the provider issued to this client; fetches keys as needed.
    func verified(_ token: [UInt8], now: Int64) -> Effect<Result<VerifiedToken, ProviderFailure>> {
        guard let verifier else { return .done(.failure(.answer("no tokens are signed there"))) }
        return verifier.outcome(of: token, now: now).map {
            AuthorizationCodeProvider.result($0, of: token, verifier, now: now)
        }
    }

    private static func result(
        _ outcome: VerificationOutcome, of token: [UInt8], _ verifier: JWTVerifier, now: Int64
    ) -> Result<VerifiedToken, ProviderFailure> {
        switch outcome {
        case .verified(let token): .success(token)
        case .rejected(let rejection):
            .failure(
                .token(rejection, verifier.evidence(on: token.span, TokenEvidence.checks(of: rejection), now: now)))
        case .needsKeys, .keysUnavailable: .failure(.unavailable("keys"))
        }
    }

    /// Adds the user info endpoint's claims to those of the ID token.
    private func complete(
        _ claims: JSONNode, _ subject: String, _ granted: TokenReply.Granted, _ endpoints: CodeFlowEndpoints
    ) -> Effect<Result<ProvidedIdentity, ProviderFailure>> {
        // Taken from the ID token only, which is signed.
        let time = claims["auth_time"]?.numericDate
        if let claim = claims["auth_time"], !claim.isNull, time == nil {
            return .done(.failure(.answer("id_token: auth_time")))
        }
        let levels = [claims["acr"]?.string].compactMap(\.self).filter(ProvidedIdentity.isLevel)
        let done = { @Sendable [name] (claims: JSONNode) in
            ProvidedIdentity(
                provider: name, subject: subject, sessionID: claims["sid"]?.string, claims: claims,
                accessToken: granted.value, authenticatedAt: time, levels: levels)
        }
        let isAsked =
            switch settings.flow.userInfo {
            case .always: true
            case .never: false
            case .whenNeeded: !rules.areMet(by: claims) || settings.wantedClaims.contains { claims[$0] == nil }
            }
        guard isAsked, let url = endpoints.userInfo else { return .done(.success(done(claims))) }
        return ask(url, granted.value) { more throws(ProviderFailure) in
            done(try UserClaims.join(claims, more, subject: subject))
        }
    }

    /// The identity at a provider without ID tokens. The access token is known to be the gateway's own: it came from
    /// the token endpoint, for a code bound to this login.
    private func plainIdentity(
        _ granted: TokenReply.Granted, _ endpoints: CodeFlowEndpoints
    ) -> Effect<Result<ProvidedIdentity, ProviderFailure>> {
        guard let url = endpoints.userInfo else { return .done(.failure(.answer("no user info endpoint"))) }
        return ask(url, granted.value) { [name, settings] more throws(ProviderFailure) in
            let (subject, claims) = try UserClaims.plain(more, subjectAttribute: settings.flow.subjectAttribute)
            return ProvidedIdentity(
                provider: name, subject: subject, sessionID: nil, claims: claims, accessToken: granted.value)
        }
    }

    private func ask(
        _ url: WebURL, _ accessToken: String,
        _ read: @escaping @Sendable (JSONNode) throws(ProviderFailure) -> ProvidedIdentity
    ) -> Effect<Result<ProvidedIdentity, ProviderFailure>> {
        let call = UserClaims.call(url, accessToken: accessToken, settings.transport)
        return .answer(of: { [caller] in caller.perform(call, then: $0) }) { result in
            .done(Result { () throws(ProviderFailure) in try read(try UserClaims.read(result)) })
        }
    }
}

extension Effect {
    /// Maps a success; passes a failure on.
    func success<Good: Sendable, Next: Sendable, Failure>(
        _ next: @escaping @Sendable (Good) -> Effect<Result<Next, Failure>>
    ) -> Effect<Result<Next, Failure>> where Value == Result<Good, Failure> {
        then { result in
            switch result {
            case .success(let value): next(value)
            case .failure(let failure): .done(.failure(failure))
            }
        }
    }
}
