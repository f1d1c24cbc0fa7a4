import Endpoints
import Identity
import Model
import Outbound

/// A password that somebody tries in a service domain.
struct PasswordCheck: Sendable {
    private(set) var login: PresentedLogin
    let domain: ServiceDomain
    let application: MobileApplication
    /// How many may be wrong in a row.
    let maximum: Int64
    /// Whether a right one is a whole login, so that failures count from the beginning.
    let completes: Bool
    /// Whether a verifier will do where the server is down.
    let mayBeOffline: Bool
    /// The address that one party is counted by.
    let network: [UInt8]
    /// Seconds since 1970.
    let now: Int64

    var key: LoginAttemptTable.Key {
        LoginAttemptTable.Key(domain: domain.name, application: application.name, user: login.username)
    }

    var verifier: VerifierShelf.Key { VerifierShelf.Key(domain: domain.name, user: login.username) }

    /// The same for a server that may take names for the same that are not: it is asked about the user of the gateway by the
    /// name that he has here, so that nobody is beside himself a guest by another writing of it (OMS-12).
    func named(by users: UserStore) -> PasswordCheck {
        let namesakes = users.namesakes(of: login.username, realm: application.backend.realm)
        guard namesakes.count == 1 else { return self }
        var check = self
        check.login.username = namesakes[0].username
        return check
    }

    /// What is known once it was looked at.
    enum Result: Sendable {
        case right(User, isOffline: Bool)
        /// - Parameter left: how many more may be wrong.
        case wrong(left: Int64)
        case refused(MobileSocialFailure, retryAfter: Int?)

        static func refused(_ failure: MobileSocialFailure) -> Result { .refused(failure, retryAfter: nil) }
    }

    /// What becomes of it once it is known, with the next step.
    typealias Next = @Sendable (Result) -> Effect<EndpointResponse>
}
