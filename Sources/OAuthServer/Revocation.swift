import Bytes
import Endpoints
import HTTP
import Identity
import Model
import Outbound
import TokenStorage

/// The revocation endpoint.
struct Revocation: Sendable {
    let service: TokenService

    /// RFC 7009: a client revokes its own token. Revoking a token of a login with refresh tokens ends the login, with all
    /// its tokens.
    /// An unknown token is answered like a revoked one (section 2.2).
    func answer(
        _ request: EndpointRequest, _ clients: ClientAuthentication, now: Int64
    ) throws(TokenFailure) -> Effect<EndpointResponse> {
        guard request.method == .post else { throw .methodNotAllowed }
        let form = try TokenForm(request)
        let proof = try clients.authenticate(request, form, allowsPublic: true, now: now)
        return service.admitted(proof, now: now) { [self] () throws(TokenFailure) in
            // `token_type_hint` is ignored: it is optional and would save no work (section 2.1).
            guard let token = form["token"] else { throw .missingParameter }
            if let claims = service.ownTokens.signed(token, now: now) {
                return try revoke(claims, proof.client, now: now)
            }
            return revokeFamily(service.settings.storeKey.digest(token), proof.client, now: now)
        }
    }

    private func revoke(
        _ claims: AccessTokenClaims, _ client: Client, now: Int64
    ) throws(TokenFailure) -> Effect<EndpointResponse> {
        guard claims.clientID.isExactly(client.clientID) else { throw .tokenOfAnotherClient }
        if let family = TokenFamily.id(of: claims.tokenID) { return end(family, claims, client, now: now) }
        return service.ask(.deny(.token(claims.tokenID, subject: claims.subject, until: claims.expiresAt)), now: now) {
            [self] _ in
            service.settings.revocations.revoke(tokenID: claims.tokenID, until: claims.expiresAt)
            return .done(Self.revoked(client, subject: claims.subject, tokenID: claims.tokenID))
        }
    }

    /// Ends the login of an access token: its other tokens are as stolen as this one (section 2.1).
    private func end(
        _ family: String, _ claims: AccessTokenClaims, _ client: Client, now: Int64
    ) -> Effect<EndpointResponse> {
        service.ask(.revoke(.tokenID(family)), now: now) { [self] answer in
            let done = Effect.done(Self.revoked(client, subject: claims.subject, tokenID: claims.tokenID))
            if case .removed(let records) = answer, !records.isEmpty {
                service.end(records)
                return done
            }
            // The refresh token has expired; no access token of the login lives longer than one that is issued now.
            let until = max(claims.expiresAt, now + service.settings.userSeconds(of: client))
            return service.ask(.deny(.token(family, subject: claims.subject, until: until)), now: now) { [self] _ in
                service.settings.revocations.revoke(tokenID: family, until: until)
                return done
            }
        }
    }

    /// Ends the login of a refresh token, even if the token was already exchanged. Rotation keeps the family's id, so a
    /// rotation between the two operations does no harm.
    private func revokeFamily(_ digest: [UInt8], _ client: Client, now: Int64) -> Effect<EndpointResponse> {
        service.ask(.find(.family(ofRefresh: digest)), now: now) { [self] answer in
            guard case .record(let record?) = answer, record.kind == .refresh else {
                return revokeGranted(digest, client, now: now)
            }
            guard record.application.isExactly(client.id) else {
                return .done(TokenFailure.tokenOfAnotherClient.response)
            }
            return service.ask(.revoke(.id(record.id)), now: now) { [self] answer in
                if case .removed(let records) = answer { service.end(records) }
                return .done(Self.revoked(client, subject: record.subject, tokenID: record.tokenID))
            }
        }
    }

    private static func revoked(_ client: Client, subject: String, tokenID: String) -> EndpointResponse {
        var response = EndpointResponse(
            status: 200, headers: [(name: "Cache-Control", value: "no-store"), (name: "Pragma", value: "no-cache")],
            body: [], reason: tokenID.isEmpty ? .tokenUnknown : .tokenEnded)
        response.audit = AuditEntry(
            action: "revoke", outcome: .changed, subject: subject, client: client.reference, tokenID: tokenID)
        return response
    }

    /// Revokes a module's token of this client; nil if the token is not one.
    private func revokeGranted(_ digest: [UInt8], _ client: Client, now: Int64) -> Effect<EndpointResponse> {
        service.ask(.find(.access(digest)), now: now) { [self] answer in
            guard case .record(let record?) = answer, record.kind == .opaque else {
                return .done(Self.revoked(client, subject: "", tokenID: ""))
            }
            guard record.application.isExactly(client.id) else {
                return .done(TokenFailure.tokenOfAnotherClient.response)
            }
            return service.ask(.revoke(.id(record.id)), now: now) { [self] answer in
                if case .removed(let records) = answer { service.end(records) }
                return .done(Self.revoked(client, subject: record.subject, tokenID: record.tokenID))
            }
        }
    }
}
