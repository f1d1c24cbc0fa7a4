import Bytes
import Endpoints
import HTTP
import Identity
import JOSE
import Model
import OAuthServer
import Outbound
import TokenStorage

/// What a token is worth (oam-wire 3.6), and its end (OMS-17).
extension MobileSocialService {
    /// 200 with the token for one that is good, 401 for every other.
    func validate(_ call: Call) throws(MobileSocialFailure) -> Answer {
        guard let token = try userToken(in: call) else { throw .missingAttribute }
        if let claims = try liveAccessToken(token, call) {
            return .done(
                MobileSocialService.valid(.access, token, user: claims.subject, endsAt: claims.expiresAt, call))
        }
        return withSession(token, call) { session throws(MobileSocialFailure) in
            .done(
                MobileSocialService.valid(
                    session.facts.tokenType, token, user: session.record.subject,
                    endsAt: session.record.accessExpiresAt, call))
        }
    }

    /// The claims of an access token of a session that is good.
    private func liveAccessToken(_ token: String, _ call: Call) throws(MobileSocialFailure) -> AccessTokenClaims? {
        do throws(TokenFailure) {
            guard let claims = try call.ownTokens.live(token, now: call.now), claims.session != nil else { return nil }
            return claims
        } catch {
            throw .storeUnavailable
        }
    }

    private static func valid(
        _ type: TokenType, _ token: String, user: String, endsAt: Int64, _ call: Call
    ) -> EndpointResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.token(type.base, token, user: user)
        writer.member("expires_in", endsAt - call.now)
        writer.member("user", user)
        writer.endObject()
        return .mobile(writer.bytes, reason: .tokenValid)
    }

    // MARK: Logout

    /// `POST .../logout` with a user token.
    func logOut(_ call: Call) throws(MobileSocialFailure) -> Answer {
        guard let token = try userToken(in: call) else { throw .missingAttribute }
        return withSession(token, call) { [self] session throws(MobileSocialFailure) in
            end(session, now: call.now)
        }
    }

    /// `GET /oam/server/logout` with an access token of the session (oam-wire 2). One that has ended already is answered
    /// the same.
    func logOut(_ request: EndpointRequest, ownTokens: OwnAccessTokens, now: Int64) -> Answer {
        answer { () throws(MobileSocialFailure) in
            guard request.method == .get || request.method == .post else { throw .methodNotAllowed }
            guard let token = MobileSocialService.presentedToken(request),
                let claims = ownTokens.signed(token, now: now),
                let id = claims.session
            else { throw .invalidUserToken }
            return endSession(id, subject: claims.subject, until: now + Session.longestSeconds, now: now)
        }
    }

    /// Ends the session of this id; one that has ended already is answered the same. What the store knows nothing of, since
    /// it was emptied or the session is none of a service domain, is denied all the same.
    ///
    /// - Parameter until: seconds since 1970 when the last that names the session has ended.
    func endSession(_ id: String, subject: String, until: Int64, now: Int64) -> Answer {
        ask(.find(.id(id)), now: now) { [self] found in
            if case .record(let record?) = found, let session = Session(record) { return end(session, now: now) }
            let isDenied = settings.revocations.isRevoked(tokenID: id, subject: "", backendID: nil, issuedAt: now)
            if isDenied { return .done(MobileSocialService.loggedOut(subject, id)) }
            let entry = DenyEntry.token(id, subject: subject, until: until)
            return ask(.deny(entry), now: now) { [self] _ in
                settings.revocations.apply(entry)
                return .done(MobileSocialService.loggedOut(subject, id))
            }
        }
    }

    /// Ends a session with all that came of it: its access tokens, those that the agent got for others in it, and the
    /// sessions that its token was exchanged for with theirs. All of these name it, so that none has to be looked for. The
    /// deny list takes it, here at once.
    private func end(_ session: Session, now: Int64) -> Answer {
        revoke(session.remains[...], now: now) {
            .done(MobileSocialService.loggedOut(session.record.subject, session.id))
        }
    }

    /// Takes records out of the store, one after the other.
    func revoke(_ ids: ArraySlice<String>, now: Int64, then: @escaping @Sendable () -> Answer) -> Answer {
        guard let first = ids.first else { return then() }
        return ask(.revoke(.id(first)), now: now) { [self] answer in
            if case .removed(let gone) = answer {
                for record in gone where !record.tokenID.isEmpty {
                    settings.revocations.revoke(tokenID: record.tokenID, until: record.accessExpiresAt)
                }
            }
            return revoke(ids.dropFirst(), now: now, then: then)
        }
    }

    private static func loggedOut(_ subject: String, _ id: String) -> EndpointResponse {
        var response = EndpointResponse(
            status: 200, headers: [(name: "Cache-Control", value: "no-store")], body: [], reason: .loggedOut)
        response.audit = AuditEntry(action: "oic.logout", outcome: .changed, subject: subject, tokenID: id)
        return response
    }
}
