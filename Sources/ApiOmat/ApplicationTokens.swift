import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import Model
import OAuthServer
import Outbound
import TokenStorage

/// The endpoints of ApiOmat applications as requests and responses: token maps, their refresh and revocation, user
/// objects. What its tokens are lies in the store; they are random and say nothing by themselves.
///
/// A pair belongs to a slot of application, system, user and `extra`. Asking again while its access token lives gives
/// the same pair (AOM-06); refreshing it gives another one in the same slot, and both old tokens are gone (AOM-13).
package final class ApplicationTokens: Sendable {
    /// What they are made from. Immutable; a reload builds others.
    package struct Settings: Sendable {
        package var applications: ApplicationStore
        package var users: UserStore
        package var hasher: PasswordHasher
        package var catalogue: RoleCatalogue
        package var store: any TokenStore
        package var key: TokenDigestKey
        /// Asks Facebook; nil where no application has it.
        package var social: SocialVerifier?
        /// Where users are made and changed; nil where that cannot be done.
        package var registry: (any UserRegistry)?
        /// Holds back those who guess passwords.
        package var throttle = LoginThrottle()
        /// Holds back those who guess the keys of applications.
        package var clientThrottle = ClientThrottle()
        /// What the data plane refuses tokens by.
        package var revocations = RevocationList()
        /// The level of a checked password (CHAL-06).
        package var passwordLevel = Principal.standardLevel

        package init(
            applications: ApplicationStore, users: UserStore, hasher: PasswordHasher, catalogue: RoleCatalogue,
            store: any TokenStore, key: TokenDigestKey
        ) {
            self.applications = applications
            self.users = users
            self.hasher = hasher
            self.catalogue = catalogue
            self.store = store
            self.key = key
        }
    }

    let settings: Settings
    let clients: ApplicationAuthentication
    let logins: PasswordLogin
    let unknown = UnknownTokens()

    package init(settings: Settings) {
        self.settings = settings
        clients = ApplicationAuthentication(applications: settings.applications, throttle: settings.clientThrottle)
        logins = PasswordLogin(users: settings.users, throttle: settings.throttle)
    }

    /// What its endpoints are answered by.
    package var handlers: [EndpointDescriptor: EndpointHandler] {
        [
            .applicationToken: { self.token($0, now: $1) },
            .applicationRevocation: { self.revoke($0, everything: false, now: $1) },
            .applicationRevocationOfAll: { self.revoke($0, everything: true, now: $1) },
            .applicationUsers: { self.userObject($0, now: $1) },
        ]
    }

    /// Answers at the token endpoint.
    package func token(_ request: EndpointRequest, now: Int64) -> Effect<EndpointResponse> {
        do throws(TokenFailure) {
            return try grant(request, now: now)
        } catch {
            return .done(error.response)
        }
    }

    /// The application of this name.
    func application(named name: String) -> Application? { settings.applications.application(named: name) }

    /// What the store answers, as an effect.
    func ask<Value: Sendable>(
        _ operation: StoreOperation, now: Int64,
        _ next: @escaping @Sendable (Result<StoreAnswer, StoreFailure>) -> Effect<Value>
    ) -> Effect<Value> {
        settings.store.ask(operation, now: now, next)
    }

    /// The token endpoint: what is wrong with the request is told before who the client is, and that before the grant.
    private func grant(_ request: EndpointRequest, now: Int64) throws(TokenFailure) -> Effect<EndpointResponse> {
        guard request.method == .post else { throw .methodNotAllowed }
        let form = try TokenForm(request)
        let application = try clients.authenticate(request, form, now: now)
        guard let grantType = form["grant_type"] else { throw .missingGrantType }
        switch grantType {
        case "aom_user": return try logIn(form, application, request, now: now)
        case "refresh_token": return try refresh(form, application, now: now)
        // AOM-11. The documentation has no request for it; this is ours.
        case "aom_facebook": return try logInWithFacebook(form, application, now: now)
        default: throw .unsupportedGrantType
        }
    }

    /// A refusal of the token endpoint with its line for the audit log.
    func refused(
        _ failure: TokenFailure, _ action: String, _ application: Application, subject: String = ""
    ) -> EndpointResponse {
        var response = failure.response
        response.audit = AuditEntry(action: action, outcome: .refused, subject: subject, client: application.name)
        return response
    }
}
