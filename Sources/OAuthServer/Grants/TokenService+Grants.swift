import Bytes
import Endpoints
import HTTP
import Identity
import JOSE
import Model
import Outbound
import TokenStorage

extension TokenService {
    /// The token endpoint. Checks the request, then the client, then the grant, and reports the first error.
    func grantToken(
        _ request: EndpointRequest, _ clients: ClientAuthentication, now: Int64
    ) throws(TokenFailure) -> Effect<EndpointResponse> {
        guard request.method == .post else { throw .methodNotAllowed }
        let form = try TokenForm(request)
        let proof = try clients.authenticate(request, form, allowsPublic: true, now: now)
        guard let grantType = form["grant_type"] else { throw .missingGrantType }
        let backend = proof.backend
        if backend.grants.isPublic || backend.isRegistered,
            ![CodeRedemption.grantType, DeviceRedemption.grantType, "refresh_token"].contains(grantType)
        {
            throw .grantNotAllowed
        }
        let shown: ClientPossession.Shown
        do throws(TokenFailure) {
            shown = try settings.possession.shown(request, backend.grants, now: now)
        } catch {
            return .done(TokenService.audited(settings.possession.refusal(error, now: now), grantType, backend))
        }
        let binding = shown.binding
        let outcome = admitted(proof, now: now) { [self] () throws(TokenFailure) in
            switch grantType {
            case "client_credentials": try clientCredentials(form, backend, binding, now: now)
            case "password": try password(form, backend, request, binding, now: now)
            case "refresh_token": try refresh(form, backend, binding, now: now)
            case TokenService.exchangeGrant: try exchangeToken(form, backend, binding, now: now)
            case CodeRedemption.grantType: try CodeRedemption(self, form, backend, binding, now: now).run()
            case DeviceRedemption.grantType: try DeviceRedemption(self, form, backend, binding, now: now).run()
            default: throw .unsupportedGrantType
            }
        }
        let possession = settings.possession
        let answered = outcome.map {
            possession.answer(TokenService.audited($0, grantType, backend), nonce: shown.nonce)
        }
        guard backend.isRegistered, let clients = RegisteredClients(settings) else { return answered }
        return answered.then { response in
            guard response.status == 200 else { return .done(response) }
            return clients.renew(backend.clientID, now: now).map { response }
        }
    }

    /// RFC 8693 section 2.1.
    static let exchangeGrant = "urn:ietf:params:oauth:grant-type:token-exchange"

    /// Continues once a client assertion is known to be used for the first time.
    func admitted(
        _ proof: ClientAuthentication.Proof, now: Int64,
        _ next: @escaping @Sendable () throws(TokenFailure) -> Effect<EndpointResponse>
    ) -> Effect<EndpointResponse> {
        let answer = { @Sendable () -> Effect<EndpointResponse> in
            do throws(TokenFailure) { return try next() } catch { return .done(error.response) }
        }
        guard let singleUse = proof.singleUse else { return answer() }
        return ask(.remember(key: singleUse.key, until: singleUse.until), now: now) {
            $0 == .fresh(true) ? answer() : .done(TokenFailure.replayedClientAssertion.response)
        }
    }

    /// RFC 6749 section 4.4: a token without a user (OAUTH-01), and without a refresh token (section 4.4.3).
    private func clientCredentials(
        _ form: TokenForm, _ backend: Backend, _ binding: TokenBinding?, now: Int64
    ) throws(TokenFailure) -> Effect<EndpointResponse> {
        let scope = try GrantedScope(requested: form["scope"], allowed: settings.terms.scopes)
        var grant = AccessTokenMinter.Grant(
            subject: backend.clientID, kind: .client, backend: backend, lifetimeSeconds: settings.terms.clientSeconds)
        grant.scope = scope.claim
        grant.binding = binding
        return issue(Issuance(grant, scope, action: "client_credentials"), now: now)
    }

    /// RFC 6749 section 4.3 (OAUTH-03). The password exists only within this request (OAUTH-07).
    private func password(
        _ form: TokenForm, _ backend: Backend, _ request: EndpointRequest, _ binding: TokenBinding?, now: Int64
    ) throws(TokenFailure) -> Effect<EndpointResponse> {
        guard let username = form["username"], let password = form["password"] else {
            throw .missingParameter
        }
        let scope = try GrantedScope(requested: form["scope"], allowed: settings.terms.scopes)
        let login = logins.login(
            username, password: Array(password.utf8), realm: backend.realm,
            network: request.address?.subscriberBytes ?? [], now: now)
        return login.then { [self] result in
            let user: User
            switch result {
            case .success(let known): user = known
            case .failure(let refusal):
                var response = TokenFailure(refusal).response
                response.audit = AuditEntry(
                    action: "grant.password", outcome: .refused, subject: username, client: backend.reference)
                return .done(response)
            }
            var grant = AccessTokenMinter.Grant(
                subject: user.username, kind: .user, backend: backend, lifetimeSeconds: userTokenSeconds(of: backend))
            grant.roles = settings.catalogue.names(of: settings.catalogue.roles(named: user.roles))
            grant.scope = scope.claim
            grant.authenticatedAt = now
            grant.methods = ["pwd"]
            grant.binding = binding
            let issuance = Issuance(grant, scope, action: "password")
            guard let lifetimes = backend.grants.refresh else { return issue(issuance, now: now) }
            return beginFamily(issuance, lifetimes, now: now)
        }
    }

    /// Writes refused grants to the audit log; successful ones are already logged.
    private static func audited(_ response: EndpointResponse, _ grantType: String, _ backend: Backend)
        -> EndpointResponse
    {
        guard response.audit == nil else { return response }
        let plain = ["client_credentials", "password", "refresh_token", CodeRedemption.grantType]
        let known = [exchangeGrant: "token_exchange", DeviceRedemption.grantType: DeviceRedemption.action]
        let name = plain.first { $0.isExactly(grantType) } ?? known[grantType] ?? "unknown"
        var response = response
        response.audit = AuditEntry(
            action: "grant.\(name)", outcome: .refused,
            client: backend.reference)
        return response
    }
}
