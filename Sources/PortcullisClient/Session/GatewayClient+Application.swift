import ClientStore
import Synchronization

/// Options of a session token (AOM-04, AOM-07, AOM-10); nil for the default of the gateway.
public struct SessionTokenOptions: Equatable, Sendable {
    /// Such as `read write`, `read_only`.
    public var scope: String?
    /// Distinguishes tokens of the same user.
    public var extra: String?
    /// Lifetime of the session token.
    public var accessSeconds: Int?
    /// Lifetime of the refresh token.
    public var refreshSeconds: Int?

    public init(
        scope: String? = nil, extra: String? = nil, accessSeconds: Int? = nil, refreshSeconds: Int? = nil
    ) {
        self.scope = scope
        self.extra = extra
        self.accessSeconds = accessSeconds
        self.refreshSeconds = refreshSeconds
    }
}

/// A token map of an ApiOmat application (AOM-02, AOM-25).
public struct SessionToken: Equatable, Sendable {
    public let sessionToken: String
    public let refreshToken: String?
    /// Seconds since 1970; nil if the gateway does not send it.
    public let expiresAt: Int64?
    public let module: String?
    public let model: String?
}

/// Users of an ApiOmat application (AOM-25).
extension GatewayClient {
    /// Uses name and password of a user for further requests, with the key of the application. Sends nothing.
    public func configure(user: String, password: String) throws(ClientError) {
        guard !user.isEmpty, !password.isEmpty else {
            throw ClientError(.invalidArgument, "user name and password must not be empty")
        }
        try put(applicationLogin(user: user, password: password))
    }

    /// Uses a session token for further requests, with the key of the application.
    public func configure(sessionToken: String, refreshToken: String? = nil) throws(ClientError) {
        guard !sessionToken.isEmpty else { throw ClientError(.invalidArgument, "the session token must not be empty") }
        var login = applicationLogin()
        (login.token, login.refreshToken) = (sessionToken, refreshToken)
        try put(login)
    }

    /// Requests a session token for the user that `configure` has named.
    ///
    /// - Parameter configure: whether further requests use it instead of the password, which is deleted.
    @discardableResult
    public func requestSessionToken(
        _ wish: SessionTokenOptions = SessionTokenOptions(), configure: Bool = true
    ) async throws(ClientError) -> SessionToken {
        let login = try login()
        guard login.method == .application, let user = login.user, let password = login.password else {
            throw ClientError(.loginRequired, "a session token needs user name and password")
        }
        return try await requestSessionToken(user: user, password: password, wish, configure: configure)
    }

    /// Requests a session token for a user.
    ///
    /// - Parameter configure: whether further requests use it. The password is not stored.
    @discardableResult
    public func requestSessionToken(
        user: String, password: String, _ wish: SessionTokenOptions = SessionTokenOptions(), configure: Bool = true
    ) async throws(ClientError) -> SessionToken {
        try await request(
            ApplicationService(profile: profile).tokens(user: user, password: password, wish), user,
            configure: configure)
    }

    /// Requests a new session token with a refresh token. Both old tokens end.
    ///
    /// - Parameter refreshToken: nil for the stored one.
    @discardableResult
    public func requestSessionToken(
        refreshToken: String?, configure: Bool = true
    ) async throws(ClientError) -> SessionToken {
        let kept = live.withLock { $0.session.login }.flatMap { $0.method == .application ? $0 : nil }
        guard let token = refreshToken ?? kept?.refreshToken else {
            throw ClientError(.loginRequired, "there is no refresh token")
        }
        // The session token may have expired, but its binding is unchanged.
        if let kept, refreshToken == nil, kept.scope != scope {
            throw ClientError(.wrongBackend, "the login is for another server or application; log in again")
        }
        return try await request(
            ApplicationService(profile: profile).refresh(token), kept?.user, configure: configure)
    }

    /// Revokes and deletes the current session token (AOM-21).
    ///
    /// - Parameter everything: whether to revoke all tokens of its user in the application (AOM-22).
    public func revokeSessionToken(everything: Bool = false) async throws(ClientError) {
        let login = try login()
        guard login.method == .application, let token = login.token else {
            throw ClientError(.notLoggedIn, "there is no session token")
        }
        let reply = try await ask(try ApplicationService(profile: profile).revoke(token, everything: everything))
        guard reply.isSuccess else { throw reply.refusal }
        try change { session in
            if session.login?.token == token { session.login = nil }
        }
    }

    /// Logs in with user name and password; the token replaces the password.
    func logInApplication(_ user: String, _ password: String) async throws(ClientError) -> StoredLogin {
        let service = ApplicationService(profile: profile)
        return try application(
            await ask(try service.tokens(user: user, password: password, SessionTokenOptions())), user)
    }

    private func request(
        _ request: ClientRequest, _ user: String?, configure: Bool
    ) async throws(ClientError) -> SessionToken {
        let reply = try await ask(request)
        let login = try application(reply, user)
        if configure { try put(login) }
        return SessionToken(
            sessionToken: login.token ?? "", refreshToken: login.refreshToken,
            expiresAt: login.expiresAt, module: reply.text("module"), model: reply.text("model"))
    }

    private func application(_ reply: ServiceReply, _ user: String?) throws(ClientError) -> StoredLogin {
        var login = try bearer(reply, .application, user)
        login.refreshToken = reply.text("refresh_token")
        return login
    }

    private func applicationLogin(user: String? = nil, password: String? = nil) -> StoredLogin {
        StoredLogin(method: .application, scope: scope, backend: profile.backend, user: user, password: password)
    }

    private func put(_ login: StoredLogin) throws(ClientError) {
        try change { session in
            session.login = login
            session.webgates = []
        }
        live.withLock { $0.use(unsaved: nil) }
    }
}
