import Bytes
import Endpoints
import Identity
import Model
import OAuthServer

/// Authenticates applications by `client_id` and `client_secret` in the form, as ApiOmat clients do (AOM-01), or by
/// `Authorization: Basic` (RFC 6749 section 2.3.1), but never by both.
struct ApplicationAuthentication: Sendable {
    private let applications: ApplicationStore
    /// Compared with when the application does not exist, so that both cases take the same time.
    private let decoy = Application(name: "", apiKey: AccessTokenMinter.randomID(), userClass: .basics)

    private let throttle: ClientThrottle

    init(applications: ApplicationStore, throttle: ClientThrottle) {
        self.applications = applications
        self.throttle = throttle
    }

    func authenticate(
        _ request: EndpointRequest, _ form: TokenForm, now: Int64
    ) throws(TokenFailure) -> Application {
        let presented = try PresentedSecret(request.authorization, form)
        let found = try throttle.first(of: presented, from: ClientOrigin(request, now: now)) {
            // No name of a client has a control character.
            application(name: $0.id).map { "application\u{1f}\($0.name)" } ?? ""
        } owner: { reading in
            application(name: reading.id, key: reading.secret)
        }
        guard let found else { throw .invalidClient }
        try presented.check(clientID: found.name)
        return found
    }

    private func application(name: [UInt8]) -> Application? {
        String(streamSafe: name).flatMap { applications.application(named: $0) }
    }

    private func application(name: [UInt8], key: [UInt8]) -> Application? {
        let application = application(name: name)
        return (application ?? decoy).hasKey(key.span) ? application : nil
    }
}
