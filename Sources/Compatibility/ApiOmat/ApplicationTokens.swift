import Crypto
import Endpoints
import HTTP
import Identity
import Model
import OAuthServer
import Outbound
import TokenStorage

/// The endpoints of ApiOmat applications as requests and responses: token maps, their refresh and revocation, user
/// objects. The tokens are random; the store holds what they stand for.
///
/// A pair belongs to a slot of application, system, user and `extra`. Requesting a pair again while its access token is
/// valid gives the same pair (AOM-06). Refreshing gives another pair in the slot and revokes both old tokens (AOM-13).
package final class ApplicationTokens: Sendable {
    /// Immutable; a reload builds others.
    package struct Settings: Sendable {
        package var applications: ApplicationStore
        package var users: UserStore
        package var hasher: PasswordHasher
        package var catalogue: RoleCatalogue
        package var store: any TokenStore
        package var key: TokenDigestKey
        /// Verifies Facebook tokens; nil if no application accepts them.
        package var social: (any SocialVerifier)?
        /// Creates and changes users; nil if users are read-only.
        package var registry: (any UserRegistry)?
        package var throttle = LoginThrottle()
        package var clientThrottle = ClientThrottle()
        /// The deny list of the data plane.
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

    /// Handlers of its endpoints.
    package var handlers: [EndpointDescriptor: EndpointHandler] {
        [
            .applicationToken: { self.token($0, now: $1) },
            .applicationRevocation: { self.revoke($0, everything: false, now: $1) },
            .applicationRevocationOfAll: { self.revoke($0, everything: true, now: $1) },
            .applicationUsers: { self.userObject($0, now: $1) },
        ]
    }

    /// Answers a request to the token endpoint.
    package func token(_ request: EndpointRequest, now: Int64) -> Effect<EndpointResponse> {
        do throws(TokenFailure) {
            return try grant(request, now: now)
        } catch {
            return .done(error.response)
        }
    }

    func ask<Value: Sendable>(
        _ operation: StoreOperation, now: Int64,
        _ next: @escaping @Sendable (Result<StoreAnswer, StoreFailure>) -> Effect<Value>
    ) -> Effect<Value> {
        settings.store.ask(operation, now: now, next)
    }

    /// Checks the form first, then the client, then the grant.
    private func grant(_ request: EndpointRequest, now: Int64) throws(TokenFailure) -> Effect<EndpointResponse> {
        guard request.method == .post else { throw .methodNotAllowed }
        let form = try TokenForm(request)
        let application = try clients.authenticate(request, form, now: now)
        guard let grantType = form["grant_type"] else { throw .missingGrantType }
        switch grantType {
        case "aom_user": return try logIn(form, application, request, now: now)
        case "refresh_token": return try refresh(form, application, now: now)
        // AOM-11. The documentation names no grant type for it; this one is the gateway's own.
        case "aom_facebook": return try logInWithFacebook(form, application, now: now)
        default: throw .unsupportedGrantType
        }
    }

    /// A refusal of the token endpoint with its audit entry.
    func refused(
        _ failure: TokenFailure, _ action: String, _ application: Application, subject: String = ""
    ) -> EndpointResponse {
        failure.response.audited(action, .refused, subject: subject, client: application.name)
    }
}
