import Bytes
import Identity

/// Finds out which application asks: by `client_id` and `client_secret` in the form, as ApiOmat clients do (AOM-01), or
/// by `Authorization: Basic` (RFC 6749 section 2.3.1), and never by both.
struct ApplicationAuthentication: Sendable {
    private let applications: ApplicationStore
    /// Compared with when there is no such application, so that both cases take the same time.
    private let decoy = Application(name: "", apiKey: AccessTokenMinter.randomID())

    init(applications: ApplicationStore) { self.applications = applications }

    /// - Parameter authorization: the values of all `Authorization` fields.
    func authenticate(_ authorization: [String], _ form: TokenForm) throws(TokenFailure) -> Application {
        let presented = try PresentedSecret(authorization, form)
        guard let found = presented.readings.lazy.compactMap({ application(name: $0.id, key: $0.secret) }).first else {
            throw .invalidClient
        }
        try presented.check(clientID: found.name)
        return found
    }

    private func application(name: [UInt8], key: [UInt8]) -> Application? {
        let application = String(validating: name, as: UTF8.self).flatMap { applications.application(named: $0) }
        return (application ?? decoy).hasKey(key.span) ? application : nil
    }
}
