import Bytes
import Crypto
import HTTP
import Identity

/// The Basic authenticator: a backend id beside an anonymous key or a local user's name and password (BASIC-01).
struct BasicCredentials: Sendable {
    private let backends: BackendStore
    private let users: UserStore
    private let logins: PasswordLogin
    private let known: PasswordCache
    private let roles: RoleCatalogue
    private let level: Int
    private let social: SocialCredentials
    /// Key and holder of each backend, in the order of the store.
    private let anonymous: [(key: [UInt8], principal: Principal)]

    init(_ settings: PolicySettings) {
        backends = settings.backends
        users = settings.users
        logins = PasswordLogin(users: settings.users, throttle: settings.throttle)
        known = PasswordCache(seconds: settings.passwordCacheSeconds)
        roles = settings.roles
        level = settings.passwordLevel
        social = SocialCredentials(settings)
        anonymous = settings.backends.backends.map { backend in
            let principal = Principal(
                kind: .anonymous, method: .anonymousKey, subject: "anonymous", issuer: "local",
                backendID: backend.mobileBackendID, roles: RoleSet(), catalogue: settings.roles, level: 0)
            return (Array(backend.anonymousKey.utf8), principal)
        }
    }

    /// - Parameters:
    ///   - credential: what follows the scheme.
    ///   - bytes: the buffer of `headers`.
    ///   - address: the client's.
    ///   - now: seconds since 1970.
    func authenticate(
        _ credential: Span<UInt8>, bytes: Span<UInt8>, headers: HeaderTable, from address: IPAddress?, now: Int64
    ) -> AuthenticationOutcome {
        // BASIC-03; two ids are as good as none, since each side could read another one.
        guard headers.occurrences(.oracleMobileBackendID) == 1, let id = headers.value(.oracleMobileBackendID) else {
            return .rejected(.missingBackend)
        }
        guard let index = backends.index(id: bytes.slice(id)) else { return .rejected(.unknownBackend) }
        let backend = backends.backends[index]
        guard backend.httpBasic else { return .rejected(.basicDisabled) }  // MBE-03
        // BASIC-02: the key is looked at first, verbatim; it could be the Base64 of something with a colon.
        let key = anonymous[index].key
        if !key.isEmpty, constantTimeEqual(key.span, credential) {
            return social.authenticate(backend, bytes: bytes, headers: headers, now: now)
                ?? .principal(anonymous[index].principal)
        }
        guard backend.facebook == nil else { return .rejected(.socialLoginOnly) }  // FB-04
        let digest = known.digest(of: credential, context: UInt64(index))
        if let digest, let principal = known.principal(digest, now: now) { return .principal(principal) }
        guard let decoded = Base64.decode(credential), let colon = decoded.firstIndex(of: ASCII.colon),
            let username = String(streamSafe: decoded[..<colon]), !username.isEmpty,
            // RFC 7617 section 2: neither part has control characters.
            decoded.allSatisfy({ $0 >= ASCII.space && $0 != 0x7f })
        else { return .rejected(.malformedCredential) }
        let login = logins.login(
            username, password: Array(decoded[(colon + 1)...]), realm: backend.realm,
            network: address?.subscriberBytes ?? [], now: now)
        return .resolve(
            login.map { result in
                switch result {
                case .success(let user):
                    let principal = principal(user, backend, at: now)
                    if let digest { known.insert(digest, principal, now: now) }
                    return .success(principal)
                case .failure(.wrongPassword): return .failure(.wrongPassword)
                case .failure(.throttled): return .failure(.loginThrottled)
                }
            })
    }

    /// The user with the roles of now (ROLE-03).
    /// - Parameter now: seconds since 1970, when the password was checked.
    private func principal(_ user: User, _ backend: Backend, at now: Int64?) -> Principal {
        Principal(
            kind: .user, method: .basic, subject: user.username, issuer: "local", backendID: backend.mobileBackendID,
            roles: roles.roles(named: user.roles), catalogue: roles, level: level, issuedAt: now)
    }

    /// Who a caller of before is now: the same holder with the roles of today, unless the password is another one since.
    func renew(_ principal: Principal) -> Principal? {
        let id = principal.backendBytes
        guard let index = backends.index(id: id.span), backends.backends[index].httpBasic else {
            return nil
        }
        if principal.method == .social { return social.renew(principal, backends.backends[index]) }
        if principal.method == .anonymousKey { return anonymous[index].key.isEmpty ? nil : anonymous[index].principal }
        let user = users.user(named: principal.subject, realm: backends.backends[index].realm)
        guard let user, user.enabled, (principal.issuedAt ?? .min) >= user.tokensNotBefore else { return nil }
        return self.principal(user, backends.backends[index], at: principal.issuedAt)
    }
}
