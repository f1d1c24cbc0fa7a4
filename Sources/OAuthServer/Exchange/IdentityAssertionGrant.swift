import Bytes
import Endpoints
import Identity
import JOSE
import Model
import Outbound
import TokenStorage

/// The exchange of an identity assertion (ID-JAG): a JWT by which an identity provider grants one client access for a user,
/// as an authorization grant (draft-ietf-oauth-identity-assertion-authz-grant, RFC 7523 section 2.1).
struct IdentityAssertionGrant: Sendable {
    /// In the audit log.
    static let action = "identity_assertion"

    private let settings: TokenServiceSettings
    private let assertions: IdentityAssertions
    private let client: Client
    /// What the token is bound to; nil for a bearer token.
    private let binding: TokenBinding?
    private let token: [UInt8]
    /// Of the request; nil for that of the assertion.
    private let scope: String?
    private let resources: [String]
    private let now: Int64

    init(
        _ settings: TokenServiceSettings, _ form: TokenForm, of client: Client, binding: TokenBinding?, now: Int64
    ) throws(TokenFailure) {
        // Without such clients the server does not know the grant.
        guard let assertions = settings.identityAssertions else { throw .unsupportedGrantType }
        guard client.takesIdentityAssertions else { throw .grantNotAllowed }
        guard let assertion = form["assertion"] else { throw .missingParameter }
        self.settings = settings
        self.assertions = assertions
        self.client = client
        self.binding = binding
        token = Array(assertion.utf8)
        (scope, resources) = (form["scope"], form.resources)
        self.now = now
    }

    /// - Parameter issue: issues the token of an assertion that counts.
    func run(_ issue: @escaping @Sendable (Issuance) -> Effect<EndpointResponse>) -> Effect<EndpointResponse> {
        assertions.verifier.outcome(of: token, now: now).then { outcome in
            switch outcome {
            case .verified(let verified): judge(verified, issue)
            case .rejected(let rejection): refuse(AssertionRejection(rejection), TokenEvidence.checks(of: rejection))
            case .needsKeys, .keysUnavailable: .done(TokenFailure.keysUnavailable.response)
            }
        }
    }

    private func judge(
        _ verified: VerifiedToken, _ issue: @escaping @Sendable (Issuance) -> Effect<EndpointResponse>
    ) -> Effect<EndpointResponse> {
        guard verified.type?.isExactly(TokenPurpose.identityAssertionType) == true else {
            return refuse(.wrongType, [.type])
        }
        // Addressed to another server as well, that one could use it here.
        guard verified.claims["aud"]?.array.map({ $0.count == 1 }) ?? true else {
            return refuse(.wrongAudience, [.audience])
        }
        guard verified.claims["client_id"]?.string?.isExactly(client.clientID) == true else {
            return refuse(.wrongClient, [.client])
        }
        guard let id = verified.tokenID, (1...TokenOrigin.maximumTokenIDBytes).contains(id.utf8.count),
            let issuedAt = verified.issuedAt, let actors = AccessTokenClaims.actors(verified.claims["act"]),
            // Ignored, they would leave the token without a limit that it is to have.
            verified.claims["authorization_details"] == nil
        else { return refuse(.malformed, lines: ["needs jti and iat, a chain in act, and no authorization_details"]) }
        let (issuer, users) = (
            assertions.verifier.issuers[verified.issuerIndex], assertions.users[verified.issuerIndex]
        )
        guard client.grants.assertionIssuers.contains(where: issuer.name.isExactly) else {
            return .done(TokenFailure.clientNotAllowed.response)
        }
        guard isProved(verified.binding, users) else { return refuse(.proofRequired, [.binding]) }
        let identity: ExternalIdentity
        do throws(ExternalIdentityRejection) {
            identity = try users.rules.identify(
                claims: verified.claims, realm: client.realm, users: settings.users,
                catalogue: settings.catalogue)
        } catch {
            return refuse(AssertionRejection(error))
        }
        let isRevoked = settings.revocations.isRevoked(
            tokenID: id, subject: identity.username, backendID: nil, issuer: issuer.name, issuedAt: issuedAt)
        guard !isRevoked, issuedAt >= identity.user?.tokensNotBefore ?? .min else { return refuse(.revoked) }
        let issuance: Issuance
        do throws(TokenFailure) {
            issuance = try self.issuance(to: identity, verified, users.level, actors: actors, origin: id)
        } catch {
            return .done(error.response.comparing(limits(verified.claims)))
        }
        // Last, so that a request with another mistake may be repeated.
        let key = AssertionIssuer.singleUseKey(Array("id \(id)".utf8), of: issuer.issuer)
        let until = verified.expiresAt + issuer.clockSkewSeconds
        return settings.store.ask(.remember(key: key, until: until), now: now) { answer in
            switch answer {
            case .success(let answer): answer == .fresh(true) ? issue(issuance) : refuse(.usedBefore)
            case .failure: .done(TokenFailure.storeUnavailable.response)
            }
        }
    }

    /// Whether the client has proved to have each key that the assertion is bound to.
    private func isProved(_ bound: TokenBinding?, _ users: IdentityAssertions.Users) -> Bool {
        guard let bound else { return !users.requiresProof }
        func isProved(_ key: [UInt8]?, by shown: [UInt8]?) -> Bool { key.map { $0 == shown } ?? true }
        return isProved(bound.key, by: binding?.key) && isProved(bound.certificate, by: binding?.certificate)
    }

    private func issuance(
        to identity: ExternalIdentity, _ verified: VerifiedToken, _ level: Int, actors: [String], origin id: String
    ) throws(TokenFailure) -> Issuance {
        let claims = verified.claims
        let scope = try grantedScope(claims)
        var grant = AccessTokenMinter.Grant(
            subject: identity.username, kind: .user, client: client,
            lifetimeSeconds: settings.userSeconds(of: client))
        grant.limit(to: try grantedResources(claims))
        grant.roles = settings.catalogue.names(of: identity.roles)
        grant.level = level
        grant.actors = actors
        grant.virtual = identity.virtual
        grant.scope = scope.claim
        grant.authenticatedAt = claims["auth_time"]?.numericDate
        grant.methods = claims["amr"]?.array?.compactMap(\.string) ?? []
        grant.binding = binding
        grant.origins = [TokenOrigin(tokenID: id, backendID: nil)]
        return Issuance(grant, scope, action: IdentityAssertionGrant.action)
    }

    /// Of the scopes in the assertion, if it has any, those that the request asks for and the client may have.
    private func grantedScope(_ claims: JSONNode) throws(TokenFailure) -> GrantedScope {
        var allowed = settings.plainScopes(of: client)
        var wanted = scope
        if let claim = claims["scope"] {
            guard let limit = claim.string else { throw .invalidScope }
            let names = limit.split(separator: " ").map(String.init)
            allowed = allowed.filter { name in names.contains(where: name.isExactly) }
            if !names.isEmpty { wanted = scope ?? limit }
        }
        guard let wanted else { return .none }
        return GrantedScope(granted: try GrantedScope.grantable(wanted, allowed).joined(separator: " "))
    }

    /// Of the resources in the assertion, if it has any, those that are known here and that the request asks for.
    private func grantedResources(_ claims: JSONNode) throws(TokenFailure) -> [String] {
        let known = settings.resources
        guard let claim = claims["resource"] else { return try known.known(resources, to: client) }
        let named = (claim.array ?? [claim]).compactMap(\.string)
        let granted = named.flatMap { (try? known.known([$0], to: client)) ?? [] }
        // Without any, the token would be for the gateway as a whole.
        guard !granted.isEmpty else { throw .invalidTarget }
        return try known.narrowed(resources, of: granted, client)
    }

    /// What the assertion limits the token to, for operators.
    private func limits(_ claims: JSONNode) -> [String] {
        ["scope", "resource"].compactMap { name in
            claims[name].map { claim in
                let texts = (claim.array ?? [claim]).map { $0.string ?? "(no text)" }
                return "\(name) of the assertion \(Evidence.list(texts))"
            }
        }
    }

    private func refuse(
        _ rejection: AssertionRejection, _ checks: [TokenEvidence.Check] = [], lines: [String] = []
    ) -> Effect<EndpointResponse> {
        var response = rejection.response
        response.evidence = assertions.verifier.evidence(on: token.span, checks, now: now) + Evidence(lines)
        return .done(response)
    }
}
