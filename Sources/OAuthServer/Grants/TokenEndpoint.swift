import Endpoints
import HTTP
import Identity
import JOSE
import Model
import Outbound

/// The token endpoint, and the grants that are few lines.
struct TokenEndpoint: Sendable {
    let service: TokenService

    /// The token endpoint. Checks the request, then the client, then the grant, and reports the first error.
    func answer(
        _ request: EndpointRequest, _ clients: ClientAuthentication, now: Int64
    ) throws(TokenFailure) -> Effect<EndpointResponse> {
        guard request.method == .post else { throw .methodNotAllowed }
        let form = try TokenForm(request)
        let proof = try clients.authenticate(request, form, allowsPublic: true, now: now)
        guard let name = form["grant_type"] else { throw .missingGrantType }
        let (client, grantType) = (proof.client, GrantType(rawValue: name))
        let isForUsers = client.grants.isPublic || client.isRegistered
        let kinds: [GrantType] = isForUsers ? [.authorizationCode, .deviceCode, .refreshToken] : GrantType.allCases
        let usable = kinds.filter { !client.grants.withheld.contains($0) }
        guard grantType.map(usable.contains) ?? !isForUsers else {
            let compared = "grant_type \(Evidence.quoted(name)), of the client \(Evidence.list(usable.map(\.rawValue)))"
            let refusal = TokenFailure.grantNotAllowed.response.comparing([compared])
            return .done(Self.audited(refusal, grantType, client))
        }
        let shown: ClientPossession.Shown
        do throws(TokenFailure) {
            shown = try service.settings.possession.shown(request, client.grants, now: now)
        } catch {
            return .done(Self.audited(service.settings.possession.refusal(error, now: now), grantType, client))
        }
        let binding = shown.binding
        let outcome = service.admitted(proof, now: now) { [self] () throws(TokenFailure) in
            switch grantType {
            case .clientCredentials: try clientCredentials(form, client, binding, now: now)
            case .password: try password(form, client, request, binding, now: now)
            case .refreshToken: try RefreshTokens(service: service).redeem(form, client, binding, now: now)
            case .tokenExchange: try TokenExchange(service: service).answer(form, client, binding, now: now)
            case .authorizationCode: try CodeRedemption(service, form, client, binding, now: now).run()
            case .deviceCode: try DeviceRedemption(service, form, client, binding, now: now).run()
            case .jwtBearer:
                try IdentityAssertionGrant(service.settings, form, of: client, binding: binding, now: now).run {
                    service.issue($0, now: now)
                }
            case nil: throw .unsupportedGrantType
            }
        }
        let possession = service.settings.possession
        let (scope, resources) = (form["scope"] ?? "", form.resources)
        let answered = outcome.map { [service] response in
            var response = response
            if response.reason == .invalidScope {
                let allowed = service.settings.plainScopes(of: client)
                response = response.comparing(TokenServiceSettings.evidence(onScopes: scope, allowed: allowed))
            }
            if response.reason == .invalidTarget, !resources.isEmpty {
                response = response.comparing(service.settings.evidence(onResources: resources))
            }
            return possession.answer(Self.audited(response, grantType, client), nonce: shown.nonce)
        }
        guard client.isRegistered, let clients = RegisteredClients(service.settings) else { return answered }
        return answered.then { response in
            guard response.status == 200 else { return .done(response) }
            return clients.renew(client.clientID, now: now).map { response }
        }
    }

    /// RFC 6749 section 4.4: a token without a user (OAUTH-01), and without a refresh token (section 4.4.3).
    private func clientCredentials(
        _ form: TokenForm, _ client: Client, _ binding: TokenBinding?, now: Int64
    ) throws(TokenFailure) -> Effect<EndpointResponse> {
        let scope = try GrantedScope(requested: form["scope"], allowed: service.settings.plainScopes(of: client))
        var grant = AccessTokenMinter.Grant(
            subject: client.clientID, kind: .client, client: client,
            // A client of `clients.json` has one lifetime for both.
            lifetimeSeconds: client.isStandard
                ? service.settings.userSeconds(of: client) : service.settings.terms.clientSeconds)
        grant.limit(to: try service.settings.resources.known(form.resources, to: client))
        grant.roles = client.grants.roles
        grant.scope = scope.claim
        grant.binding = binding
        return service.issue(Issuance(grant, scope, action: "client_credentials"), now: now)
    }

    /// RFC 6749 section 4.3 (OAUTH-03). The password exists only within this request (OAUTH-07).
    private func password(
        _ form: TokenForm, _ client: Client, _ request: EndpointRequest, _ binding: TokenBinding?, now: Int64
    ) throws(TokenFailure) -> Effect<EndpointResponse> {
        guard let username = form["username"], let password = form["password"] else {
            throw .missingParameter
        }
        let scope = try GrantedScope(requested: form["scope"], allowed: service.settings.plainScopes(of: client))
        let resources = try service.settings.resources.known(form.resources, to: client)
        let login = service.logins.login(
            username, password: Array(password.utf8), realm: client.realm,
            network: request.address?.subscriberBytes ?? [], now: now)
        return login.then { [self] result in
            let user: User
            switch result {
            case .success(let known): user = known
            case .failure(let refusal):
                var response = TokenFailure(refusal).response
                response.audit = AuditEntry(
                    action: "grant.password", outcome: .refused, subject: username, client: client.reference)
                return .done(response)
            }
            var grant = AccessTokenMinter.Grant(
                subject: user.username, kind: .user, client: client,
                lifetimeSeconds: service.settings.userSeconds(of: client))
            grant.limit(to: resources)
            grant.roles = service.settings.catalogue.names(of: service.settings.catalogue.roles(named: user.roles))
            grant.scope = scope.claim
            grant.authenticatedAt = now
            grant.methods = ["pwd"]
            grant.binding = binding
            let issuance = Issuance(grant, scope, action: "password")
            guard let lifetimes = client.grants.refresh else { return service.issue(issuance, now: now) }
            return RefreshTokens(service: service).beginFamily(issuance, lifetimes, now: now)
        }
    }

    /// Writes refused grants to the audit log; successful ones are already logged.
    private static func audited(_ response: EndpointResponse, _ grantType: GrantType?, _ client: Client)
        -> EndpointResponse
    {
        guard response.audit == nil else { return response }
        let name =
            switch grantType {
            case .tokenExchange: "token_exchange"
            case .deviceCode: DeviceRedemption.action
            case .jwtBearer: IdentityAssertionGrant.action
            case nil: "unknown"
            case .clientCredentials?, .password?, .refreshToken?, .authorizationCode?: grantType?.rawValue ?? ""
            }
        var response = response
        response.audit = AuditEntry(
            action: "grant.\(name)", outcome: .refused,
            client: client.reference)
        return response
    }
}
