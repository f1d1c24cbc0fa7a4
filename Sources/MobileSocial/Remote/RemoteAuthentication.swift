import Crypto
import Identity
import Model

/// Where the users of a service domain log in who are known elsewhere, and what is done while that cannot be reached
/// (OMS-12).
package struct RemoteAuthentication: Sendable {
    package var passwords: any PasswordVerifier
    package var connectivity = Connectivity.online
    /// Roles of users that the gateway does not know itself; nil where only those get in that it knows.
    package var guestRoles: [String]?
    /// How long after its last login at the server a user gets in without it.
    package var verifierSeconds: Int64 = 604_800
    /// How many users of the domain can get in without the server.
    package var maximumVerifiers = 10_000
    /// How long a session lasts at the most that was opened without the server.
    package var offlineSessionSeconds: Int64 = 3600

    package init(passwords: any PasswordVerifier) { self.passwords = passwords }
}

/// How a login is decided: a value, from what is known before anybody is asked (OMS-11 to OMS-13).
package enum LoginPlace: Sendable, Equatable {
    case server
    /// The server, and the verifier where that is down.
    case serverThenVerifier
    case verifier
    /// The verifier was missed too often: it is wiped, and then the server is asked.
    case wipeThenServer
    case nobody

    /// What is known of a user's verifier.
    package enum Standing: Sendable, Equatable {
        case none
        /// - Parameter failures: how often it was missed in a row.
        case kept(failures: Int64)
        /// It was wiped for too many failures, and the server has not let the user in since.
        case wiped
    }

    /// - Parameters:
    ///   - isAllowed: by the application's profile; nil for not (OMS-11).
    ///   - maximum: how many failures are allowed. Offline, one more wipes the verifier (CON-21).
    package init(_ connectivity: Connectivity, isAllowed: Bool?, _ standing: Standing, maximum: Int64) {
        var isUsedUp = false
        if case .kept(let failures) = standing { isUsedUp = failures > maximum }
        switch (connectivity, isAllowed ?? false) {
        case (.online, _), (.auto, false): self = .server
        case (.offline, false): self = .nobody
        case (.auto, true), (.offline, true):
            switch standing {
            case .kept where isUsedUp: self = .wipeThenServer
            case .kept: self = connectivity == .auto ? .serverThenVerifier : .verifier
            // OMS-13: once it was wiped the server decides.
            case .wiped: self = .server
            case .none: self = connectivity == .auto ? .server : .nobody
            }
        }
    }
}

extension PasswordScheme {
    /// What verifiers of the gateway are made with where an application's profile names this scheme (CRYPTO-02). A password
    /// that can be read back is kept nowhere.
    package var ofVerifiers: PasswordScheme {
        switch self {
        case .plainText, .aes: .scrypt
        default: self
        }
    }
}
