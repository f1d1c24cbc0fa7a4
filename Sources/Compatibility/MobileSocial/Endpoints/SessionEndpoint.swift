import Bytes
import Endpoints
import HTTP
import Identity
import Model
import OAuthServer
import Outbound
import TokenStorage

/// Validation of tokens (oam-wire 3.6) and logout (OMS-17).
final class SessionEndpoint: Sendable {
    private let sessions: SessionService

    init(_ sessions: SessionService) { self.sessions = sessions }

    /// 200 with the token for a valid one, 401 for every other.
    func validate(_ call: ServiceCall) throws(MobileSocialFailure) -> Answer {
        guard let token = try call.userToken() else { throw .missingAttribute }
        if let claims = try liveAccessToken(token, call) {
            return .done(
                SessionEndpoint.valid(.access, token, user: claims.subject, endsAt: claims.expiresAt, call))
        }
        return sessions.with(token, call) { session throws(MobileSocialFailure) in
            .done(
                SessionEndpoint.valid(
                    session.facts.tokenType, token, user: session.record.subject,
                    endsAt: session.record.accessExpiresAt, call))
        }
    }

    /// The claims of a valid access token of a session; nil for any other token.
    private func liveAccessToken(_ token: String, _ call: ServiceCall) throws(MobileSocialFailure) -> AccessTokenClaims?
    {
        do throws(TokenFailure) {
            guard let claims = try call.ownTokens.live(token, now: call.now), claims.session != nil else { return nil }
            return claims
        } catch {
            throw .storeUnavailable
        }
    }

    private static func valid(
        _ type: TokenType, _ token: String, user: String, endsAt: Int64, _ call: ServiceCall
    ) -> EndpointResponse {
        .mobile(reason: .tokenValid) { writer in
            writer.token(type.base, token, user: user)
            writer.member("expires_in", endsAt - call.now)
            writer.member("user", user)
        }
    }

    // MARK: Logout

    /// `POST .../logout` with a user token.
    func logOut(_ call: ServiceCall) throws(MobileSocialFailure) -> Answer {
        guard let token = try call.userToken() else { throw .missingAttribute }
        return sessions.with(token, call) { [self] session throws(MobileSocialFailure) in
            sessions.end(session, now: call.now)
        }
    }

    /// `GET /oam/server/logout` with an access token of the session (oam-wire 2), which may have ended already.
    func logOut(_ request: EndpointRequest, ownTokens: OwnAccessTokens, now: Int64) -> Answer {
        .catching { () throws(MobileSocialFailure) in
            guard request.method == .get || request.method == .post else { throw .neitherGETNorPOST }
            guard let token = request.presentedToken,
                let claims = ownTokens.signed(token, now: now),
                let id = claims.session
            else { throw .invalidUserToken }
            return sessions.endSession(id, subject: claims.subject, until: now + MobileSession.longestSeconds, now: now)
        }
    }
}
