import Identity
import Model
import OAuthServer
import Outbound

/// An issuer module as issuer of a client's access tokens (OAUTH-09, JTX-12).
package struct ModuleGrantIssuer: GrantIssuer {
    private let module: any TokenIssuer
    private let catalogue: RoleCatalogue

    package init(module: any TokenIssuer, catalogue: RoleCatalogue) {
        self.module = module
        self.catalogue = catalogue
    }

    package func issue(
        _ grant: AccessTokenMinter.Grant, now: Int64
    ) -> Effect<Result<GrantedToken, GrantIssuerFailure>> {
        let principal = Principal(
            kind: grant.kind, method: .bearer, subject: grant.subject, issuer: "local",
            backendID: grant.client.id, roles: catalogue.roles(named: grant.roles), catalogue: catalogue,
            level: grant.level, virtual: grant.virtual, expiresAt: now + grant.lifetimeSeconds, issuedAt: now)
        let request = IssueRequest(
            principal: principal, client: grant.client, webgate: "", lifetimeSeconds: grant.lifetimeSeconds)
        return module.issue(request, now: now).map { result in
            guard case .success(let token) = result, token.isFitForHeaders, token.expiresAt > now else {
                return .failure(GrantIssuerFailure())
            }
            let seconds = token.expiresAt == .max ? nil : token.expiresAt - now
            return .success(GrantedToken(value: token.value, expiresIn: seconds))
        }
    }
}
