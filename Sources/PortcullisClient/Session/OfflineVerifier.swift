/// A password as it is kept for logins without the server (OMS-12), and how often it was missed.
struct OfflineVerifier: Codable, Equatable, Sendable {
    var scope: Scope
    var user: String
    /// `{scheme}payload`.
    var stored: String
    var failures = 0
    /// The login that it stands for.
    var login: KeptLogin

    func isOf(_ user: String, _ scope: Scope) -> Bool {
        self.scope == scope && self.user.utf8.elementsEqual(user.utf8)
    }
}

/// Where a password is checked: a value, decided before anybody is asked (OMS-11 to OMS-13).
enum LoginPlace: Equatable, Sendable {
    case server
    /// The server, and the kept verifier where that cannot be reached.
    case serverThenLocal
    case local
    /// The kept verifier is dropped first: it was missed too often.
    case wipeThenServer
    case refused(ClientError.Code)

    /// - Parameters:
    ///   - isAllowed: of application and server; nil for not.
    ///   - isKept: whether there is a verifier for this user.
    ///   - failures: how often it was missed in a row.
    ///   - maximum: how often it may be missed; nil for once.
    init(_ mode: ConnectivityMode, isAllowed: Bool?, isKept: Bool, failures: Int, maximum: Int?) {
        let isUsedUp = isKept && failures > (maximum ?? 1)
        switch mode {
        case .online: self = .server
        case .offline where isAllowed != true: self = .refused(.offlineNotAllowed)
        case .offline where isUsedUp: self = .wipeThenServer
        case .offline: self = isKept ? .local : .refused(.offlineUnknown)
        case .auto where isUsedUp: self = .wipeThenServer
        case .auto: self = isAllowed == true && isKept ? .serverThenLocal : .server
        }
    }
}
