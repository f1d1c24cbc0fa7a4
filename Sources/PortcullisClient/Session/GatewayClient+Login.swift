import ClientStore
import Crypto
import Synchronization

extension GatewayClient {
    /// Returns the current login, or asks the user to log in (OMS-06).
    public func authenticate(method: LoginMethod? = nil) async throws(ClientError) -> AuthenticationContext {
        if let context = authenticationContext { return context }
        guard let credentials = await prompts.credentials?() else {
            throw ClientError(.loginRequired, "a login is needed, and there is no prompt for it")
        }
        return try await authenticate(user: credentials.user, password: credentials.password, method: method)
    }

    /// Logs in with user name and password (OMH-01, OMS-06), and stores the login.
    ///
    /// - Parameters:
    ///   - method: nil for the default of the profile: `mobile` with a service domain, `oauth` with a client secret,
    ///     else `basic`.
    ///   - mode: whether the login may be offline (OMS-12).
    ///   - level: the required authentication level of `mobile`; nil for that of a password. For a higher one the
    ///     server may ask further questions.
    @discardableResult
    public func authenticate(
        user: String, password: String, method: LoginMethod? = nil, mode: ConnectivityMode = .online, level: Int? = nil
    ) async throws(ClientError) -> AuthenticationContext {
        try await authenticate(
            .init(user: user, password: password), method: method, mode: mode, .init(level: level))
    }

    /// The same for a login that a challenge requires.
    @discardableResult
    func authenticate(
        _ subject: MobileService.Subject, method: LoginMethod?, mode: ConnectivityMode, _ demand: MobileService.Demand
    ) async throws(ClientError) -> AuthenticationContext {
        do throws(ClientError) {
            let context = try await logIn(subject, method ?? defaultMethod, mode, demand)
            delegate?.didFinishAuthentication(context, error: nil)
            return context
        } catch {
            delegate?.didFinishAuthentication(nil, error: error)
            throw error
        }
    }

    private var defaultMethod: LoginMethod {
        if profile.serviceDomain != nil, profile.appName != nil { return .mobile }
        return profile.clientSecret != nil ? .oauth : .basic
    }

    private func logIn(
        _ subject: MobileService.Subject, _ method: LoginMethod, _ mode: ConnectivityMode,
        _ demand: MobileService.Demand
    ) async throws(ClientError) -> AuthenticationContext {
        guard !subject.user.isEmpty, !subject.password.isEmpty else {
            throw ClientError(.invalidArgument, "user name and password must not be empty")
        }
        switch place(for: subject.user, mode) {
        case .refused(let code): throw GatewayClient.offlineError(code)
        case .local:
            if let context = try logInOffline(subject, mayAskServer: true) { return context }
            return try await logInOnline(subject, method, demand)
        case .server: return try await logInOnline(subject, method, demand)
        case .wipeThenServer:
            try change { $0.verifier = nil }
            return try await logInOnline(subject, method, demand)
        case .serverThenLocal:
            do throws(ClientError) {
                return try await logInOnline(subject, method, demand)
            } catch {
                guard error.isOutage, let context = try logInOffline(subject, mayAskServer: false) else { throw error }
                return context
            }
        }
    }

    private func place(for user: String, _ mode: ConnectivityMode) -> LoginLocation {
        let verifier = verifier(of: user)
        let settings = settings
        return LoginLocation(
            mode, isAllowed: settings.offlineAuthentication, isKept: verifier != nil, failures: verifier?.failures ?? 0,
            maximum: settings.maxLoginAttempts)
    }

    private func verifier(of user: String) -> OfflineVerifier? {
        live.withLock { $0.session.verifier }.flatMap { $0.isOf(user, scope) ? $0 : nil }
    }

    /// Checks the password with the stored verifier, which is deleted after too many failures (OMS-13). Nil if the
    /// server must decide.
    private func logInOffline(
        _ subject: MobileService.Subject, mayAskServer: Bool
    ) throws(ClientError) -> AuthenticationContext? {
        guard var verifier = verifier(of: subject.user) else { throw GatewayClient.offlineError(.offlineUnknown) }
        guard CryptoService().verify(Array(subject.password.utf8), stored: verifier.stored) else {
            verifier.failures += 1
            let isExhausted = verifier.failures > (settings.maxLoginAttempts ?? 1)
            let left = isExhausted ? nil : verifier
            try change { $0.verifier = left }
            if isExhausted, mayAskServer { return nil }
            throw ClientError(.invalidCredentials, "the password is not the one of the last login with the server")
        }
        verifier.failures = 0
        let (kept, login) = (verifier, verifier.login)
        try change { $0.verifier = kept }
        // Earlier tokens remain valid.
        let before = live.withLock { $0.session.login }
        let hasTokens = before.flatMap { try? check($0) } != nil
        live.withLock { live in
            live.unsavedLogin = hasTokens ? nil : login
            live.isOffline = true
        }
        return AuthenticationContext(login, isOffline: true)
    }

    /// Logs in at the server.
    private func logInOnline(
        _ subject: MobileService.Subject, _ method: LoginMethod, _ demand: MobileService.Demand
    ) async throws(ClientError) -> AuthenticationContext {
        let (user, password) = (subject.user, subject.password)
        let login: StoredLogin
        switch method {
        case .mobile: login = try await logInMobile(subject, demand)
        case .oauth: login = try await logInOAuth(user, password)
        case .basic: login = try await logInBasic(user, password)
        case .application: login = try await logInApplication(user, password)
        case .exchange, .facebook:
            throw ClientError(.invalidArgument, "\(method.rawValue) takes a token, not a password")
        }
        let verifier = settings.offlineAuthentication == true ? try newVerifier(user, password, login) : nil
        return try AuthenticationContext(adopting: login, verifier, in: self)
    }

    /// Stored by the scheme of the server (CRYPTO-02), unless it is reversible.
    private func newVerifier(
        _ user: String, _ password: String, _ login: StoredLogin
    ) throws(ClientError) -> OfflineVerifier {
        var scheme = settings.cryptoScheme.flatMap(PasswordScheme.init) ?? .scrypt
        if scheme == .plainText || scheme == .aes { scheme = .scrypt }
        var placeholder = login
        placeholder.token = nil
        placeholder.password = nil
        placeholder.expiresAt = nil
        do throws(PasswordError) {
            let stored = try PasswordHasher().make(Array(password.utf8).span, scheme: scheme)
            return OfflineVerifier(scope: scope, user: user, stored: stored, login: placeholder)
        } catch {
            throw ClientError(.invalidArgument, "the password cannot be kept for logins without the server")
        }
    }

    private static func offlineError(_ code: ClientError.Code) -> ClientError {
        code == .offlineNotAllowed
            ? ClientError(code, "logins without the server are not allowed for this application")
            : ClientError(code, "this user has not logged in with the server from here before")
    }
}

extension ClientError {
    /// Whether the error is an unreachable server, regardless of credentials.
    var isOutage: Bool { code == .unreachable || code == .unavailable }
}

extension AuthenticationContext {
    /// Stores a login that takes the place of the one before.
    init(adopting login: StoredLogin, _ verifier: OfflineVerifier?, in client: GatewayClient) throws(ClientError) {
        try client.change { session in
            // Tokens of another user are not used.
            if session.login?.isSameUser(as: login) != true { session.webgates = [] }
            session.login = login
            session.verifier = verifier
        }
        client.live.withLock { $0.use(unsaved: nil) }
        self.init(login)
    }
}
