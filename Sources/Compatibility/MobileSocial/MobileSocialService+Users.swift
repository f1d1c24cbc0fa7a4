import Endpoints
import Identity
import Model
import OAuthServer
import Outbound
import TokenStorage

extension MobileSocialService {
    /// Ids of the records that end with a session's, beside its own.
    package static func remains(of session: TokenRecord) -> [String] {
        Array(MobileSession(session)?.remains.dropFirst() ?? [])
    }

    /// Continues with the user of a session as the caller of another service, by the user token alone. The caller has the
    /// user's current roles.
    package func with(
        userToken: String, now: Int64, _ next: @escaping @Sendable (Principal) -> Effect<EndpointResponse>
    ) -> Effect<EndpointResponse> {
        sessions.with(userToken, now: now) { [self] session throws(MobileSocialFailure) in
            guard let domain = settings.domain(named: session.facts.domain),
                let application = domain.application(named: session.facts.application),
                let user = settings.user(of: session, application)
            else { throw .invalidUserToken }
            sessions.use(session, now: now)
            let subject = session.record.subject
            return next(
                Principal(
                    kind: .user, method: .bearer, subject: subject, issuer: OwnAccessTokens.issuerName,
                    backendID: application.backend.tokenClientID,
                    roles: settings.catalogue.roles(named: user.roles), catalogue: settings.catalogue,
                    level: session.facts.level,
                    virtual: session.facts.provision?.isVirtual ?? settings.isGuest(subject, application),
                    expiresAt: session.record.accessExpiresAt, issuedAt: session.record.issuedAt,
                    tokenID: session.id, session: session.id))
        }
    }
}
