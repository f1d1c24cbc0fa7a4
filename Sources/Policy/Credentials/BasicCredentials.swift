import Bytes
import Crypto
import HTTP
import Identity
import Model
import Outbound

/// The Basic authenticator: the id of a mobile backend beside an anonymous key or a local user's name and password (BASIC-01).
/// Where there are no mobile backends, routes that ask for Basic take the users of the login realm.
struct BasicCredentials: Sendable {
    let clients: Clients
    /// The realm of users who name no mobile backend; nil where there are some, so that one must be named.
    let loginRealm: String?
    let users: UserStore
    private let logins: PasswordLogin
    private let known: PasswordCache
    private let background: BackgroundEffects
    private let roles: RoleCatalogue
    private let level: Int
    private let claims: ClaimSelection
    private let social: SocialCredentials
    /// Those whose users may show name and password, by name.
    private let applications: [String: Application]
    /// Key and holder of each client, in the order of the store.
    private let anonymous: [(key: [UInt8], principal: Principal)]

    init(_ settings: PolicySettings, _ claims: ClaimSelection) {
        self.claims = claims
        clients = settings.clients
        loginRealm = clients.areStandard ? settings.loginRealm : nil
        users = settings.users
        logins = PasswordLogin(users: settings.users, throttle: settings.throttle)
        known = PasswordCache(seconds: settings.passwordCacheSeconds)
        background = settings.background
        roles = settings.roles
        level = settings.passwordLevel
        social = SocialCredentials(settings)
        let applications = settings.routes.compactMap(\.application).filter(\.httpBasic)
        self.applications = Dictionary(applications.map { ($0.name, $0) }) { first, _ in first }
        anonymous = settings.clients.clients.map { client in
            let principal = Principal(
                kind: .anonymous, method: .anonymousKey, subject: "anonymous", issuer: "local",
                backendID: client.id, roles: RoleSet(), catalogue: settings.roles, level: 0)
            return (Array(client.anonymousKey.utf8), principal)
        }
    }

    /// The kinds of credentials that count.
    struct Accepted: OptionSet {
        let rawValue: UInt8
        static let passwords = Accepted(rawValue: 1)
        static let anonymousKeys = Accepted(rawValue: 2)
    }

    /// - Parameters:
    ///   - credential: what follows the scheme.
    ///   - route: nil for endpoints.
    ///   - bytes: the buffer of `headers`.
    ///   - address: the client's.
    ///   - now: seconds since 1970.
    func authenticate(
        _ credential: Span<UInt8>, on route: Route?, accepting accepted: Accepted = [.passwords, .anonymousKeys],
        bytes: Span<UInt8>, headers: HeaderTable, from address: IPAddress?, now: Int64
    ) -> AuthenticationOutcome {
        let index: Int
        switch headers.occurrences(.backendID) {
        case 0:
            var own: [UInt8]?
            switch route?.passwordOwner {
            case .application(let application)?:
                guard let route else { return .rejected(.missingBackend) }
                return authenticate(credential, of: application, route, bytes, headers, from: address, now: now)
            case .users?:
                guard let loginRealm else { break }
                guard accepted.contains(.passwords) else { return .rejected(.authenticatorNotListed) }
                let context = UInt64(UInt32.max)
                return logIn(credential, realm: loginRealm, context: context, from: address, now: now) { user in
                    self.principal(user, nil, at: now)
                }
            case .client(let id)?: own = id
            case nil: break
            }
            guard let known = own.map({ clients.index(id: $0.span) }) ?? clients.defaultIndex else {
                return .rejected(.missingBackend)
            }
            index = known
        case 1:
            guard let id = headers.value(.backendID) else { return .rejected(.missingBackend) }
            guard let known = clients.index(id: bytes.slice(id)) else { return .rejected(.unknownClient) }
            index = known
        // BASIC-03; two ids are as good as none, since each side could read another one.
        default: return .rejected(.missingBackend)
        }
        let client = clients.client(at: index)
        guard client.httpBasic else { return .rejected(.basicDisabled) }
        // BASIC-02: the key is looked at first, verbatim; it could be the Base64 of something with a colon.
        let key = anonymous[index].key
        if !key.isEmpty, !client.anonymousKey.isEmpty, constantTimeEqual(key.span, credential) {
            guard accepted.contains(.anonymousKeys) else { return .rejected(.authenticatorNotListed) }
            return social.authenticate(client, bytes: bytes, headers: headers, now: now)
                ?? .principal(anonymous[index].principal)
        }
        // No password is checked that would not count.
        guard accepted.contains(.passwords) else { return .rejected(.authenticatorNotListed) }
        guard client.socialLogin == nil else { return .rejected(.socialLoginOnly) }  // FB-04
        return logIn(credential, realm: client.realm, context: UInt64(index), from: address, now: now) { user in
            self.principal(user, client, at: now)
        }
    }

    /// A user of an application by name and password beside the application's key. The key is verified first: without
    /// it no password is checked.
    private func authenticate(
        _ credential: Span<UInt8>, of application: Application, _ route: Route, _ bytes: Span<UInt8>,
        _ headers: HeaderTable, from address: IPAddress?, now: Int64
    ) -> AuthenticationOutcome {
        if let denial = route.refusesKey(bytes: bytes, headers: headers) { return .rejected(denial) }
        let context = UInt64.max - UInt64(route.index)
        return logIn(credential, realm: application.realm, context: context, from: address, now: now) { user in
            self.principal(user, application, at: now)
        }
    }

    /// - Parameter context: what a remembered password is good for, beside the credential.
    private func logIn(
        _ credential: Span<UInt8>, realm: String, context: UInt64, from address: IPAddress?, now: Int64,
        _ principal: @escaping @Sendable (User) -> Principal
    ) -> AuthenticationOutcome {
        let digest = known.digest(of: credential, context: context)
        let network = address?.subscriberBytes ?? []
        let remembered = known.known(digest, now: now).flatMap { isCurrent($0.principal, realm: realm) ? $0 : nil }
        let recall = remembered.map {
            AuthenticationOutcome(
                logins.recall($0.principal.subject, realm: realm, network: network, now: now), $0.principal)
        }
        if let recall, remembered?.isDue == false { return recall }
        guard let (username, password) = BasicCredentials.parts(of: credential) else {
            return .rejected(.malformedCredential)
        }
        let check: @Sendable () -> Effect<Result<Principal, Reason>> = {
            let login = logins.login(username, password: password, realm: realm, network: network, now: now)
            return login.map { result in
                switch result {
                case .success(let user):
                    let principal = principal(user)
                    known.insert(digest, principal, now: now)
                    return .success(principal)
                case .failure(.wrongPassword):
                    known.forget(digest)
                    return .failure(.wrongPassword)
                case .failure(.throttled): return .failure(.loginThrottled)
                }
            }
        }
        guard let recall else { return .resolve(check()) }
        if case .principal = recall { background.begin(check().map { _ in }) }
        return recall
    }

    /// Name and password; nil for another form.
    static func parts(of credential: Span<UInt8>) -> (username: String, password: [UInt8])? {
        guard let decoded = Base64.decode(credential), let colon = decoded.firstIndex(of: ASCII.colon),
            let username = String(streamSafe: decoded[..<colon]), !username.isEmpty,
            // RFC 7617 section 2: neither part has control characters.
            decoded.allSatisfy({ $0 >= ASCII.space && $0 != 0x7f })
        else { return nil }
        return (username, Array(decoded[(colon + 1)...]))
    }

    func principal(_ user: User, _ application: Application, at now: Int64?) -> Principal {
        Principal(
            kind: .user, method: .basic, subject: user.username, issuer: "local", backendID: nil,
            roles: roles.roles(named: user.roles), catalogue: roles, level: level, issuedAt: now,
            application: application.name, claims: claims.select(nil, user: user))
    }

    /// The user with the current roles (ROLE-03).
    /// - Parameter now: seconds since 1970, when the password was checked.
    func principal(_ user: User, _ client: Client?, at now: Int64?) -> Principal {
        Principal(
            kind: .user, method: .basic, subject: user.username, issuer: "local", backendID: client?.id,
            roles: roles.roles(named: user.roles), catalogue: roles, level: level, issuedAt: now,
            claims: claims.select(nil, user: user))
    }

    /// An earlier caller with the current roles; nil if the password has changed since, or would not count on the route.
    func renew(_ principal: Principal, on route: Route) -> Principal? {
        if let name = principal.application {
            guard let application = applications[name],
                let user = users.user(named: principal.subject, realm: application.realm), user.enabled,
                (principal.issuedAt ?? .min) >= user.tokensNotBefore, stands(principal, realm: application.realm)
            else { return nil }
            return self.principal(user, application, at: principal.issuedAt)
        }
        let id = principal.backendBytes
        guard !id.isEmpty else {
            guard case .users = route.passwordOwner else { return nil }
            return renew(principal, of: nil)
        }
        guard let index = clients.index(id: id.span) else { return nil }
        let client = clients.client(at: index)
        guard client.httpBasic else { return nil }
        if principal.method == .social { return social.renew(principal, client) }
        if principal.method == .anonymousKey { return client.anonymousKey.isEmpty ? nil : anonymous[index].principal }
        return renew(principal, of: client)
    }

    private func renew(_ principal: Principal, of client: Client?) -> Principal? {
        guard let realm = client?.realm ?? loginRealm, let user = users.user(named: principal.subject, realm: realm),
            user.enabled, (principal.issuedAt ?? .min) >= user.tokensNotBefore, stands(principal, realm: realm)
        else { return nil }
        return self.principal(user, client, at: principal.issuedAt)
    }

    /// Whether a password that was right is not withdrawn by another gateway: then one that is not there any more.
    private func stands(_ principal: Principal, realm: String) -> Bool {
        guard users.hasWithdrawn else { return true }
        return standing(principal, realm: realm) != nil
    }

    /// Whether a remembered caller also has the same roles still: otherwise the password is checked again.
    private func isCurrent(_ principal: Principal, realm: String) -> Bool {
        guard users.hasWithdrawn || users.hasOtherRoles else { return true }
        guard let user = standing(principal, realm: realm) else { return false }
        return roles.roles(named: user.roles) == principal.roles
    }

    private func standing(_ principal: Principal, realm: String) -> User? {
        let user = users.user(named: principal.subject, realm: realm)
        return user.flatMap { $0.enabled && $0.passwordHash != nil ? $0 : nil }
    }
}
