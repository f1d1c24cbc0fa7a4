import Crypto
import Endpoints
import Identity
import Model
import Outbound

/// Authentication of a service domain's users by another server, with and without a connection to it (OMS-12).
package struct RemoteAuthentication: Sendable {
    package var passwords: any PasswordVerifier
    package var connectivity = Connectivity.online
    /// Roles of users unknown to the gateway; nil if only known users may log in.
    package var guestRoles: [String]?
    /// Lifetime of verifiers after the last login at the server.
    package var verifierSeconds: Int64 = 604_800
    /// Maximum number of users of the domain with a verifier.
    package var maximumVerifiers = 10_000
    /// Maximum duration of a session that was opened without the server.
    package var offlineSessionSeconds: Int64 = 3600

    package init(passwords: any PasswordVerifier) { self.passwords = passwords }
}

/// What verifies a password, decided before any request (OMS-11 to OMS-13).
package enum PasswordSource: Sendable, Equatable {
    case server
    /// The server, and the verifier if the server is down.
    case serverThenVerifier
    case verifier
    /// Too many attempts at the verifier failed: it is wiped, then the server is asked.
    case wipeThenServer
    case unavailable

    package enum VerifierState: Sendable, Equatable {
        case none
        /// - Parameter failures: consecutive failures.
        case kept(failures: Int64)
        /// Wiped after too many failures, without a login at the server since.
        case wiped
    }

    /// - Parameters:
    ///   - isAllowed: whether the application's profile allows offline logins (OMS-11); nil for no.
    ///   - maximum: allowed failures. Offline, one more wipes the verifier (CON-21).
    package init(_ connectivity: Connectivity, isAllowed: Bool?, _ state: VerifierState, maximum: Int64) {
        switch (connectivity, isAllowed ?? false) {
        case (.online, _), (.auto, false): self = .server
        case (.offline, false): self = .unavailable
        case (.auto, true), (.offline, true):
            switch state {
            case .kept(let failures) where failures > maximum: self = .wipeThenServer
            case .kept: self = connectivity == .auto ? .serverThenVerifier : .verifier
            // OMS-13: after a wipe the server decides.
            case .wiped: self = .server
            case .none: self = connectivity == .auto ? .server : .unavailable
            }
        }
    }
}

extension PasswordScheme {
    /// The scheme of the gateway's verifiers for an application with this scheme (CRYPTO-02). Passwords are never
    /// stored readably.
    package var ofVerifiers: PasswordScheme {
        switch self {
        case .plainText, .aes: .scrypt
        default: self
        }
    }
}

/// A password to verify in a service domain.
struct PasswordCheck: Sendable {
    private(set) var login: PresentedLogin
    let domain: ServiceDomain
    let application: MobileApplication
    /// Maximum number of consecutive wrong passwords.
    let maximum: Int64
    /// Whether a right password completes the login and resets the count of failures.
    let completes: Bool
    /// Whether a verifier may be used if the server is down.
    let mayBeOffline: Bool
    /// The client's network, for the throttle.
    let network: [UInt8]
    /// Seconds since 1970.
    let now: Int64

    var key: LoginAttemptTable.Key {
        LoginAttemptTable.Key(domain: domain.name, application: application.name, user: login.username)
    }

    var verifier: OfflineVerifierStore.Key { OfflineVerifierStore.Key(domain: domain.name, user: login.username) }

    /// The check with the local spelling of the name. The server may ignore differences in spelling, by which a local
    /// user could log in as a guest (OMS-12).
    func named(by users: UserStore) -> PasswordCheck {
        let namesakes = users.namesakes(of: login.username, realm: application.backend.realm)
        guard namesakes.count == 1 else { return self }
        var check = self
        check.login.username = namesakes[0].username
        return check
    }

    enum Result: Sendable {
        case right(User, isOffline: Bool)
        /// - Parameter left: remaining attempts.
        case wrong(left: Int64)
        case refused(MobileSocialFailure, retryAfter: Int?)

        static func refused(_ failure: MobileSocialFailure) -> Result { .refused(failure, retryAfter: nil) }
    }

    typealias Next = @Sendable (Result) -> Effect<EndpointResponse>
}
