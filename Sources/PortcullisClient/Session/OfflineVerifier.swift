import Bytes
import ClientStore

/// A stored password for offline logins (OMS-12), with the number of failures.
struct OfflineVerifier: Equatable, Sendable {
    var scope: Scope
    var user: String
    /// `{scheme}payload`.
    var stored: String
    var failures = 0
    /// The login that it verifies.
    var login: StoredLogin

    func isOf(_ user: String, _ scope: Scope) -> Bool {
        self.scope == scope && self.user.isExactly(user)
    }
}

/// Where a password is checked (OMS-11 to OMS-13).
enum LoginLocation: Equatable, Sendable {
    case server
    /// The server, or the stored verifier if it is unreachable.
    case serverThenLocal
    case local
    /// The server, after deleting the verifier because of too many failures.
    case wipeThenServer
    case refused(ClientError.Code)

    /// - Parameters:
    ///   - isAllowed: whether application and server allow it; nil for no.
    ///   - isKept: whether a verifier of this user is stored.
    ///   - failures: consecutive failures.
    ///   - maximum: allowed failures; nil for one.
    init(_ mode: ConnectivityMode, isAllowed: Bool?, isKept: Bool, failures: Int, maximum: Int?) {
        let isExhausted = isKept && failures > (maximum ?? 1)
        switch mode {
        case .online: self = .server
        case .offline where isAllowed != true: self = .refused(.offlineNotAllowed)
        case .offline where isExhausted: self = .wipeThenServer
        case .offline: self = isKept ? .local : .refused(.offlineUnknown)
        case .auto where isExhausted: self = .wipeThenServer
        case .auto: self = isAllowed == true && isKept ? .serverThenLocal : .server
        }
    }
}
