import Bytes
import Crypto
import Endpoints
import Identity
import JOSE
import Model
import Outbound

extension TokenService {
    /// Issues the token and builds the response.
    func issue(_ issuance: Issuance, now: Int64) -> Effect<EndpointResponse> {
        guard issuance.grant.client.grants.isSatisfied(by: issuance.grant.binding) else {
            return .done(TokenFailure.proofRequired.response)
        }
        return token(of: issuance, now: now).then { [self] token in
            guard let token else { return .done(TokenFailure.issuerUnavailable.response) }
            // A reload may have changed the algorithm since the login.
            guard let identity = issuance.identity, let signer = identity.signer(settings) else {
                return .done(TokenService.reply(issuance, token))
            }
            let sign: @Sendable () -> EndpointResponse = { [settings] in
                let idToken = identity.signed(by: signer, with: token.value, settings, now: now)
                return TokenService.reply(issuance, token, idToken: idToken)
            }
            return signer.key.isSlow ? .offload { .done(sign()) } : .done(sign())
        }
    }

    /// Issues the token only: off the event loop if the signature is slow, and by the client's own issuer if it has
    /// one (OAUTH-09). Nil if that fails or returns an unsuitable token.
    package func token(of issuance: Issuance, now: Int64) -> Effect<GrantedToken?> {
        let grant = issuance.grant
        guard grant.client.grants.isSatisfied(by: grant.binding) else { return .done(nil) }
        if let name = grant.client.issuer {
            guard let issuer = settings.grantIssuers[name] else { return .done(nil) }
            return issuer.issue(grant, now: now).then { [self] result in
                guard case .success(let token) = result, token.isShortEnough(for: issuance) else { return .done(nil) }
                return recorded(token, of: issuance, now: now)
            }
        }
        let sign: @Sendable () -> GrantedToken? = { [self] in
            GrantedToken(
                value: minter.mint(grant, tokenID: issuance.tokenID, now: now), expiresIn: grant.lifetimeSeconds)
        }
        return minter.isSlow ? .offload { .done(sign()) } : .done(sign())
    }

    /// The response of RFC 6749 section 5.1, with only those members of others that clients expect (OAUTH-02, OAUTH-04), or
    /// that of RFC 8693 section 2.2.1.
    private static func reply(
        _ issuance: Issuance, _ token: GrantedToken, idToken: [UInt8]? = nil
    ) -> EndpointResponse {
        let grant = issuance.grant
        if issuance.shape == .mobile { return granted(mobileReply(issuance, token), issuance) }
        var writer = JSONWriter()
        writer.beginObject()
        switch (issuance.shape, grant.kind) {
        case (.exchanged, _):
            writer.member("issued_token_type", "urn:ietf:params:oauth:token-type:access_token")
        case (.contextual, .client):
            writer.member("oracle_client_assertion_type", ClientAssertion.type)
            writer.member(AccessTokenClaims.contextClaim, "client_assertion")
        case (.standard, _): break
        case (.contextual, .user), (.contextual, .anonymous), (.mobile, _):
            writer.member(AccessTokenClaims.contextClaim, "user_assertion")
        }
        if let seconds = token.expiresIn { writer.member("expires_in", seconds) }
        // A module's token is bound to nothing.
        let isBound = grant.binding?.key != nil && grant.client.issuer == nil
        writer.member("token_type", isBound ? "DPoP" : "Bearer")
        if let scope = issuance.scope.reply { writer.member("scope", scope) }
        writer.member("access_token", String(decoding: token.value, as: UTF8.self))
        if let refreshToken = issuance.refreshToken { writer.member("refresh_token", refreshToken) }
        if let idToken { writer.member("id_token", String(decoding: idToken, as: UTF8.self)) }
        writer.endObject()
        return granted(writer.bytes, issuance)
    }

    /// The response of JTX-07: these four members, `id_token` always null, `expires_in` always a number.
    private static func mobileReply(_ issuance: Issuance, _ token: GrantedToken) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("access_token", String(decoding: token.value, as: UTF8.self))
        writer.member("token_type", "Bearer")
        writer.name("id_token")
        writer.null()
        writer.member("expires_in", token.expiresIn ?? issuance.grant.lifetimeSeconds)
        writer.endObject()
        return writer.bytes
    }

    private static func granted(_ body: [UInt8], _ issuance: Issuance) -> EndpointResponse {
        let grant = issuance.grant
        var response = EndpointResponse.token(status: 200, body: body, reason: .tokenIssued)
        response.audit = AuditEntry(
            action: "grant.\(issuance.action)", outcome: .granted, subject: grant.subject,
            client: grant.client.reference, tokenID: grant.client.issuer == nil ? issuance.tokenID : "")
        return response
    }
}

extension GrantedToken {
    /// An exchanged token must not outlive its origin, also if a module issues it (RFC 8693 section 2.2.1).
    fileprivate func isShortEnough(for issuance: Issuance) -> Bool {
        guard issuance.shape == .exchanged else { return true }
        return expiresIn.map { $0 <= issuance.grant.lifetimeSeconds } ?? false
    }
}
