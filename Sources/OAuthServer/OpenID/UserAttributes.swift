import Bytes
import Endpoints
import HTTP
import Identity
import Model
import Outbound

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
        if let claims = try service.ownTokens.live(token, now: now) { return .done(describe(claims)) }
        return service.grantRecords.claims(of: bytes, now: now).map { result in
            switch result {
            case .success(let claims) where service.ownTokens.current(claims) != nil: describe(claims)
            case .failure(.unavailable): TokenFailure.storeUnavailable.response
            default: UserAttributes.refusal(.invalidToken, error: "invalid_token")
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

    private func describe(_ claims: AccessTokenClaims) -> EndpointResponse {
        let settings = service.settings
        // A resource that got the token has no business here.
        if settings.resources.limit(claims.audience, own: settings.audience) {
            return UserAttributes.refusal(.invalidToken, error: "invalid_token")
        }
        let scope = claims.scope ?? ""
        guard claims.kind == .user, OpenIDScope.isGranted(.openid, in: scope) else {
            return UserAttributes.refusal(.insufficientScope, error: "insufficient_scope")
        }
        let client = service.settings.clients.client(id: Array(claims.backendID.utf8).span)
        let user =
            claims.virtual
            ? nil : client.flatMap { service.settings.users.user(named: claims.subject, realm: $0.realm) }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("sub", claims.subject)
        if OpenIDScope.isGranted(.profile, in: scope) {
            writer.member("preferred_username", claims.subject)
            // An attribute that the user does not have is left out (section 5.3.2).
            let (first, last) = (user?.firstName ?? "", user?.lastName ?? "")
            for (name, text) in [("given_name", first), ("family_name", last)] where !text.isEmpty {
                writer.member(name, text)
            }
            let names = [first, last].filter { !$0.isEmpty }
            if !names.isEmpty { writer.member("name", names.joined(separator: " ")) }
        }
        let email = OpenIDScope.isGranted(.email, in: scope) ? user?.email ?? "" : ""
        if !email.isEmpty { writer.member("email", email) }
        // A client that has registered itself stands in tokens as its sponsor.
        if let groups = client?.grants.groupsClaim, client?.clientID.isExactly(claims.clientID) == true {
            writer.member(groups, claims.roles)
        }
        writer.endObject()
        return .personal(writer.bytes, reason: .userInfoServed)
    }
}
