import Identity

/// A password that somebody tries in a service domain.
struct PasswordCheck: Sendable {
    let login: PresentedLogin
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
