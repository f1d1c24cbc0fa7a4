import Bytes
import Endpoints
import HTTP
import Identity
import Model
import Outbound
import TokenStorage

/// The UserInfo endpoint (OpenID Connect Core section 5.3): attributes of the user of an access token, by its scopes.
struct UserAttributes: Sendable {
    let service: TokenService

    func answer(_ request: EndpointRequest, now: Int64) throws(TokenFailure) -> Effect<EndpointResponse> {
        guard request.method == .get || request.method == .post else { return .done(.methodNotAllowed("GET, POST")) }
        guard !request.authorization.isEmpty else {
            return .done(UserAttributes.refusal(.missingCredential, error: nil))
        }
        guard let bytes = request.credentials(), let token = String(validating: bytes, as: UTF8.self) else {
            return .done(UserAttributes.refusal(.malformedCredential, error: "invalid_request"))
        }
        if let claims = try service.ownTokens.live(token, now: now) { return describe(claims, now: now) }
        return service.grantRecords.claims(of: bytes, now: now).then { result in
            switch result {
            case .success(let claims) where service.ownTokens.current(claims) != nil: describe(claims, now: now)
            case .failure(.unavailable): .done(TokenFailure.storeUnavailable.response)
            default: .done(UserAttributes.refusal(.invalidToken, error: "invalid_token"))
            }
        }
    }

    /// RFC 6750 section 3.1.
    private static func refusal(_ reason: Reason, error: String?) -> EndpointResponse {
        let parameters = error.map { ", error=\"\($0)\"" } ?? ""
        let scope = reason == .insufficientScope ? ", scope=\"openid\"" : ""
        let challenge = #"Bearer realm="portcullis""# + parameters + scope
        return .problem(
            reason, "no access token with the scope openid", headers: [(name: "WWW-Authenticate", value: challenge)])
    }

    private func describe(_ claims: AccessTokenClaims, now: Int64) -> Effect<EndpointResponse> {
        let settings = service.settings
        // A resource that got the token has no business here.
        if settings.resources.limit(claims.audience, own: settings.audience) {
            return .done(UserAttributes.refusal(.invalidToken, error: "invalid_token"))
        }
        guard claims.kind == .user, OpenIDScope.isGranted(.openid, in: claims.scope ?? "") else {
            return .done(UserAttributes.refusal(.insufficientScope, error: "insufficient_scope"))
        }
        let scopes = [OpenIDScope.profile, .email].map(\.rawValue) + settings.terms.scopeClaims.map(\.scope)
        let describes = scopes.contains { OpenIDScope.isGranted($0, in: claims.scope ?? "") }
        guard describes, claims.session != nil else { return .done(describe(claims, provided: nil)) }
        // The record of the login that the token comes from.
        let id = TokenFamily.id(of: claims.tokenID) ?? claims.tokenID
        return service.ask(.find(.tokenID(id)), now: now) { answer in
            guard case .record(let record?) = answer, record.kind == .refresh,
                record.subject.isExactly(claims.subject)
            else { return .done(describe(claims, provided: nil)) }
            return .done(describe(claims, provided: record.providedClaims(settings.storeKey)))
        }
    }

    private func describe(_ claims: AccessTokenClaims, provided: JSONNode?) -> EndpointResponse {
        let client = service.settings.clients.client(id: Array(claims.backendID.utf8).span)
        let user =
            claims.virtual
            ? nil : client.flatMap { service.settings.users.user(named: claims.subject, realm: $0.realm) }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("sub", claims.subject)
        // A client that has registered itself stands in tokens as its sponsor.
        let isItself = client?.clientID.isExactly(claims.clientID) == true
        let description = UserDescription(
            subject: claims.subject, user: user, provided: provided, roles: claims.roles,
            groupsClaim: isItself ? client?.grants.groupsClaim : nil)
        for member in description.members(claims.scope ?? "", service.settings.terms) {
            writer.member(member.name, member.node)
        }
        writer.endObject()
        return .personal(writer.bytes, reason: .userInfoServed)
    }
}
