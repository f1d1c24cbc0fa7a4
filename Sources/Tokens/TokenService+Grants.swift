import Bytes
import HTTP
import Identity

extension TokenService {
    /// The token endpoint: what is wrong with the request is told before who the client is, and that before the grant.
    func grantToken(_ request: EndpointRequest, now: Int64) throws(TokenFailure) -> Effect<EndpointResponse> {
        guard request.method == .post else { throw .methodNotAllowed }
        let form = try TokenForm(request)
        let backend = try clients.authenticate(request.authorization, form)
        guard let grantType = form["grant_type"] else { throw .missingGrantType }
        switch grantType {
        case "client_credentials": return try clientCredentials(form, backend, now: now)
        case "password": return try password(form, backend, now: now)
        // OAUTH-05: refresh tokens are not supported at this endpoint.
        default: throw .unsupportedGrantType
        }
    }

    /// RFC 6749 section 4.4: a token without a user (OAUTH-01).
    private func clientCredentials(
        _ form: TokenForm, _ backend: Backend, now: Int64
    ) throws(TokenFailure) -> Effect<EndpointResponse> {
        let scope = try GrantedScope(requested: form["scope"], allowed: settings.scopes)
        var grant = AccessTokenMinter.Grant(
            subject: backend.clientID, kind: .client, backend: backend, lifetimeSeconds: settings.clientTokenSeconds)
        grant.scope = scope.claim
        guard minter.isSlow else { return .done(issue(grant, scope, now: now)) }
        return .offload { [grant] in .done(self.issue(grant, scope, now: now)) }
    }

    /// RFC 6749 section 4.3 (OAUTH-03). The password lives in this request alone (OAUTH-07).
    private func password(
        _ form: TokenForm, _ backend: Backend, now: Int64
    ) throws(TokenFailure) -> Effect<EndpointResponse> {
        guard let username = form["username"], let password = form["password"] else {
            throw .missingParameter
        }
        let scope = try GrantedScope(requested: form["scope"], allowed: settings.scopes)
        return .offload { [self] in
            let user = settings.users.check(username: username, password: Array(password.utf8), realm: backend.realm)
            guard let user else { return .done(TokenFailure.invalidGrant.response) }
            var grant = AccessTokenMinter.Grant(
                subject: user.username, kind: .user, backend: backend, lifetimeSeconds: settings.userTokenSeconds)
            grant.roles = settings.catalogue.names(of: settings.catalogue.roles(named: user.roles))
            grant.scope = scope.claim
            return .done(issue(grant, scope, now: now))
        }
    }

    /// The reply of RFC 6749 section 5.1 with the `oracle_*` members that clients expect, and no other (OAUTH-02,
    /// OAUTH-04).
    private func issue(_ grant: AccessTokenMinter.Grant, _ scope: GrantedScope, now: Int64) -> EndpointResponse {
        let token = minter.mint(grant, now: now)
        var writer = JSONWriter()
        writer.beginObject()
        switch grant.kind {
        case .client:
            writer.member("oracle_client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
            writer.member("oracle_tk_context", "client_assertion")
        case .user, .anonymous:
            writer.member("oracle_tk_context", "user_assertion")
        }
        writer.member("expires_in", grant.lifetimeSeconds)
        writer.member("token_type", "Bearer")
        if let reply = scope.reply { writer.member("scope", reply) }
        writer.member("access_token", String(decoding: token, as: UTF8.self))
        writer.endObject()
        return .token(status: 200, body: writer.bytes, reason: "token_issued")
    }
}
