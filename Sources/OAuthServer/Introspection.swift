import Bytes
import Endpoints
import HTTP
import Identity
import JOSE
import Model
import Outbound

/// The introspection endpoint.
struct Introspection: Sendable {
    let service: TokenService

    /// RFC 7662: introspection for resource servers. Tokens that are not certainly valid, or not meant for the caller,
    /// are reported as inactive without details (section 2.2). So are refresh tokens: the caller would take "active" as
    /// permission to serve the request.
    func answer(_ request: EndpointRequest, now: Int64) throws(TokenFailure) -> Effect<EndpointResponse> {
        guard request.method == .post else { throw .methodNotAllowed }
        let form = try TokenForm(request)
        if let server = try resourceServer(request, form, now: now) {
            guard let token = form["token"] else { throw .missingParameter }
            return try answer(token, to: server.reference, now: now) { server.mayAsk(about: $0) }
        }
        let proof = try service.clients.authenticate(request, form, now: now)
        let client = proof.client
        return service.admitted(proof, now: now) { [self] () throws(TokenFailure) in
            guard client.grants.introspection else { throw .introspectionNotAllowed }
            guard let token = form["token"] else { throw .missingParameter }
            return try answer(token, to: client.reference, now: now) {
                $0.backendID.isExactly(client.id)
            }
        }
    }

    /// The resource server with the presented secret; nil if the credentials may be a client's.
    private func resourceServer(
        _ request: EndpointRequest, _ form: TokenForm, now: Int64
    ) throws(TokenFailure) -> ResourceServer? {
        guard !service.settings.resourceServers.isEmpty, form["client_assertion"] == nil else { return nil }
        let presented = try PresentedSecret(request.authorization, form)
        let found = try service.clients.throttle.first(of: presented, from: ClientOrigin(request, now: now)) {
            reading in
            service.settings.resourceServers.first { reading.id.elementsEqual($0.clientID.utf8) }?.clientID
        } owner: { reading in
            service.settings.resourceServers.first { $0.isPresented(reading) }
        }
        guard let found else { return nil }
        try presented.check(clientID: found.clientID)
        return found
    }

    private func answer(
        _ token: String, to client: String, now: Int64, _ mayAsk: @escaping @Sendable (AccessTokenClaims) -> Bool
    ) throws(TokenFailure) -> Effect<EndpointResponse> {
        if let claims = try service.ownTokens.live(token, includingBound: true, now: now) {
            return .done(Self.described(mayAsk(claims) ? claims : nil))
        }
        guard !service.settings.grantIssuers.isEmpty else { return .done(Self.described(nil)) }
        // Read before the check: if the list is complete later, the check was complete too.
        let isBlind = service.settings.revocations.reading.isBlind
        return service.grantRecords.claims(of: Array(token.utf8), now: now).map { [self] result in
            switch result {
            case .success(let granted):
                guard let claims = service.ownTokens.current(granted), mayAsk(claims) else {
                    return Self.described(nil)
                }
                return isBlind ? TokenFailure.storeUnavailable.response : Self.described(claims)
            case .failure(.unavailable): return TokenFailure.storeUnavailable.response
            case .failure: return Self.described(nil)
            }
        }
    }

    /// - Parameter claims: nil for a token that is invalid or not meant for the caller.
    private static func described(_ claims: AccessTokenClaims?) -> EndpointResponse {
        guard let claims else { return .personal(Array(#"{"active":false}"#.utf8), reason: .tokenInactive) }
        return .personal(Self.describe(claims), reason: .tokenActive)
    }

    /// The members of RFC 7662 section 2.2, followed by this service's own claims.
    private static func describe(_ claims: AccessTokenClaims) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("active", true)
        writer.member("token_type", claims.binding?.key == nil ? "Bearer" : "DPoP")
        if claims.kind == .user { writer.member("username", claims.subject) }
        // The claim set is a JSON object; its members are appended.
        let json = claims.json()
        if let members = (try? JSONNode.parse(json.span))?.members {
            for member in members { writer.member(member.name, member.node) }
        }
        writer.endObject()
        return writer.bytes
    }
}
