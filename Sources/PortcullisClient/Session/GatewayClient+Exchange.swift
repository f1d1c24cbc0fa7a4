import ClientStore
import Synchronization

extension GatewayClient {
    /// Exchanges an outside token for one of the gateway (OMH-03).
    ///
    /// - Parameters:
    ///   - token: a JWT, or a SAML assertion that is compressed and Base64.
    ///   - storeAccessToken: whether the gateway's token is stored for the next start of the program.
    @discardableResult
    public func authenticateSSOTokenExchange(
        _ token: String, storeAccessToken: Bool
    ) async throws(ClientError) -> AuthenticationContext {
        do throws(ClientError) {
            let reply = try await ask(try OAuthService(profile: profile).exchange(token))
            // Here 401 and 400 mean an invalid token.
            let login = try bearer(reply, .exchange, nil)
            try take(login, stores: storeAccessToken)
            let context = AuthenticationContext(login)
            delegate?.didFinishAuthentication(context, error: nil)
            return context
        } catch {
            delegate?.didFinishAuthentication(nil, error: error)
            throw error
        }
    }

    /// Stores a token that the gateway has posted after a login by browser (SSO-11), and uses it like an exchanged one.
    public func keepSSOToken(_ posted: PostedToken) throws(ClientError) -> AuthenticationContext {
        let login = StoredLogin(
            method: .exchange, scope: scope, backend: profile.backend, user: nil, token: posted.token,
            expiresAt: end(posted.seconds))
        try take(login, stores: true)
        return AuthenticationContext(login)
    }

    private func take(_ login: StoredLogin, stores: Bool) throws(ClientError) {
        if stores {
            try change { session in
                session.login = login
                session.webgates = []
            }
        }
        live.withLock { $0.use(unsaved: stores ? nil : login, isExchangeLoaded: stores) }
    }

    /// Uses a token of Facebook for further requests, with the anonymous key of the backend (FB-01, FB-09). Sends
    /// nothing and does not store the token.
    @discardableResult
    public func configure(facebookToken: String) throws(ClientError) -> AuthenticationContext {
        guard !facebookToken.isEmpty, facebookToken.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
            throw ClientError(.invalidArgument, "the token of Facebook is empty, or not visible ASCII")
        }
        let login = StoredLogin(
            method: .facebook, scope: scope, backend: profile.backend, user: nil, token: facebookToken)
        try take(login, stores: false)
        return AuthenticationContext(login)
    }

    /// Uses the exchanged token of the store (OMH-04). Returns false if there is none, if it has expired or cannot be
    /// decrypted, or if it is bound to another backend or version, see `loadProblem`.
    public func loadSSOTokenExchange() -> Bool {
        do throws(ClientError) {
            let kept = agent == nil ? try store.session() : SessionState()
            guard let login = kept.login, login.method == .exchange else {
                throw ClientError(.notLoggedIn, "no exchanged token is stored")
            }
            try check(login)
            live.withLock { live in
                live.session = kept
                live.unsavedLogin = nil
                live.isExchangeLoaded = true
                live.loadProblem = nil
            }
            return true
        } catch {
            live.withLock { $0.loadProblem = error }
            return false
        }
    }

    /// Why the last `loadSSOTokenExchange` has failed, or why the store was unreadable at the start.
    public var loadProblem: ClientError? { live.withLock { $0.loadProblem } }

    /// Deletes the exchanged token, also from the store (OMH-05). An unreadable store is removed.
    public func clearSSOTokenExchange() throws(ClientError) {
        try forget { session in if session.login?.method == .exchange { session.login = nil } }
        live.withLock { live in
            if live.unsavedLogin?.method == .exchange { live.unsavedLogin = nil }
            live.isExchangeLoaded = false
        }
    }

    /// Ends the login at the gateway, if it is reachable, and deletes user name, password and tokens (OMH-02, OMS-17).
    ///
    /// - Throws: the error of the gateway. The stored state is deleted nevertheless.
    public func logout() async throws(ClientError) {
        let (unsaved, kept) = live.withLock { ($0.unsavedLogin, $0.session) }
        try forget { $0 = SessionState(profile: $0.profile) }
        live.withLock { $0.use(unsaved: nil) }
        // Tokens of another server are not sent to this one.
        for login in [unsaved, kept.login].compactMap(\.self) where login.scope == scope {
            guard let request = try await ending(login, kept.registration) else { continue }
            let reply = try await ask(request)
            // An invalid token has ended too.
            if !reply.isSuccess, reply.status != 401 { throw reply.refusal }
        }
    }

    /// The request that ends a login; nil if none is needed.
    private func ending(
        _ login: StoredLogin, _ registration: Registration?
    ) async throws(ClientError) -> ClientRequest? {
        guard let token = login.token else { return nil }
        switch login.method {
        case .basic, .facebook: return nil
        case .application: return try ApplicationService(profile: profile).revoke(token, everything: false)
        case .oauth, .exchange:
            // Only clients with a secret can revoke tokens (RFC 7009 section 2.1).
            return profile.clientSecret == nil ? nil : try OAuthService(profile: profile).revoke(token)
        case .mobile:
            return try await MobileService(of: self, registration).logout(userToken: token)
        }
    }
}
