import Bytes
import ClientStore
import Crypto
import HTTP
import Model
import Synchronization

/// Access tokens for webgates: one for each, got at most once at a time (RST-01).
extension GatewayClient {
    /// A token for a challenge: the stored one, unless it was just refused or its level is too low, otherwise a new
    /// one.
    func token(
        for challenge: WebgateChallenge, _ address: WebURL, refused: WebgateToken?
    ) async throws(ClientError) -> WebgateToken {
        if let refused, refused.isFor(challenge.webgate, at: address.place), refused.level >= challenge.level {
            try forget(refused)
        }
        let name = "\(address.place) \(challenge.level) \(challenge.webgate)"
        let source = live.withLock { live -> TokenSource in
            let kept = live.session.webgates.first {
                $0.isFor(challenge.webgate, at: address.place) && $0.isValid(now())
            }
            if let kept, kept.level >= challenge.level, kept.token != refused?.token { return .kept(kept) }
            if let pending = live.pendingTokens[name] { return .pending(pending) }
            let pending = Task { await fetchToken(name, challenge, address) }
            live.pendingTokens[name] = pending
            return .pending(pending)
        }
        let token: WebgateToken
        switch source {
        case .kept(let kept): token = kept
        case .pending(let pending): token = try await pending.value.get()
        }
        try remember(token, at: address.path)
        return token
    }

    private enum TokenSource {
        case kept(WebgateToken)
        case pending(Task<Result<WebgateToken, ClientError>, Never>)
    }

    /// Gets a token for all concurrent requests. It is stored before the pending request ends, so that no other request
    /// misses both.
    private func fetchToken(
        _ name: String, _ challenge: WebgateChallenge, _ address: WebURL
    ) async -> Result<WebgateToken, ClientError> {
        defer { live.withLock { $0.pendingTokens[name] = nil } }
        do throws(ClientError) {
            let token = try await obtain(challenge, address)
            try remember(token, at: address.path)
            return .success(token)
        } catch {
            return .failure(error)
        }
    }

    private func obtain(_ challenge: WebgateChallenge, _ address: WebURL) async throws(ClientError) -> WebgateToken {
        if let agent { return try await obtain(by: agent, challenge, address) }
        var login = try login()
        var reply = try await access(context: challenge.context, resource: address.description, login)
        if reply.status == 401 || reply.status == 403 {
            // The session has ended or its level is too low, so that only the user can log in again.
            guard let credentials = await prompts.credentials?() else {
                throw ClientError(
                    .loginRequired,
                    "the login is not good for \(challenge.webgate), level \(challenge.level); log in again")
            }
            let subject = MobileService.Subject(user: credentials.user, password: credentials.password)
            try await authenticate(subject, method: .mobile, mode: .online, .init(context: challenge.context))
            login = try self.login()
            reply = try await access(context: challenge.context, resource: address.description, login)
        }
        let token = try reply.token("ACCESSTOKEN")
        let level = reply.number("level").flatMap { Int(exactly: $0) } ?? challenge.level
        return WebgateToken(
            origin: address.place, webgate: challenge.webgate, level: max(level, challenge.level), token: token,
            expiresAt: end(reply.number("expires_in")))
    }

    /// Asks the agent of single sign-on, which has the login (AGT-02).
    private func obtain(
        by agent: any SSOAgentChannel, _ challenge: WebgateChallenge, _ address: WebURL
    ) async throws(ClientError) -> WebgateToken {
        guard let serviceDomain = profile.serviceDomain, let application = profile.appName else {
            throw ClientError(.missingProperty, "/serviceDomain or /appName is missing in the profile")
        }
        let request = SSORequest(
            application: application, serviceDomain: serviceDomain, gateway: origin, resource: address.description,
            context: challenge.context,
            state: String(decoding: Base64.encode(SecureRandom.bytes(24).span, .url), as: UTF8.self))
        let grant = try parseSSOResponse(try await agent.ask(AgentSocket.url(request)), to: request)
        return WebgateToken(
            origin: address.place, webgate: challenge.webgate, level: max(grant.level ?? 0, challenge.level),
            token: grant.token, expiresAt: end(grant.seconds))
    }

    /// Gets an access token for what was challenged.
    ///
    /// - Parameters:
    ///   - context: the context of the challenge, verbatim.
    ///   - resource: the URL that was challenged.
    ///   - application: the application of the token; nil for this one. Only an agent gets tokens for others (AGT-02).
    func access(
        context: String, resource: String, _ login: StoredLogin, onBehalfOf application: String? = nil
    ) async throws(ClientError) -> ServiceReply {
        guard let userToken = login.token else {
            throw ClientError(.loginRequired, "a login without the server gets no tokens")
        }
        let service = try await MobileService(of: self, live.withLock { $0.session.registration })
        return try await ask(
            service.access(userToken: userToken, context: context, resource: resource, onBehalfOf: application))
    }

    /// Stores a token with the path of its webgate.
    private func remember(_ token: WebgateToken, at path: String) throws(ClientError) {
        let isKnown = live.withLock {
            $0.session.webgates.contains { $0.token == token.token && $0.paths.contains(path) }
        }
        if isKnown { return }
        try change { session in
            let index = session.webgates.firstIndex { $0.isFor(token.webgate, at: token.origin) }
            var kept = token
            kept.paths = index.map { session.webgates[$0].paths } ?? []
            if !kept.paths.contains(path) { kept.paths.append(path) }
            kept.paths = kept.paths.suffix(WebgateToken.maximumPaths)
            if let index { session.webgates[index] = kept } else { session.webgates.append(kept) }
        }
    }

    func forget(_ token: WebgateToken) throws(ClientError) {
        try change { $0.webgates.removeAll { $0.isFor(token.webgate, at: token.origin) && $0.token == token.token } }
    }
}

extension WebgateToken {
    /// Limit of stored paths of a webgate.
    static let maximumPaths = 64

    fileprivate func isFor(_ webgate: String, at origin: String) -> Bool {
        self.origin == origin && self.webgate.isExactly(webgate)
    }

    fileprivate func isValid(_ now: Int64) -> Bool { expiresAt.map { $0 > now } ?? true }

    /// The token to try first: that of the webgate which has challenged at this path or the nearest one, similar to the
    /// protection spaces of RFC 7617 section 2.2. A wrong guess only costs a challenge.
    static func fitting(_ address: WebURL, in tokens: [WebgateToken], now: Int64) -> WebgateToken? {
        var best: (token: WebgateToken, length: Int)?
        for token in tokens where token.origin == address.place && token.isValid(now) {
            for path in token.paths {
                let space = path.prefix(through: path.lastIndex(of: "/") ?? path.startIndex)
                let isBelow = address.path.hasPrefix("\(path)/")
                let length =
                    path == address.path
                    ? Int.max : isBelow ? path.utf8.count : address.path.hasPrefix(space) ? space.utf8.count : 0
                // The root is too general.
                if length > 1, length > best?.length ?? 0 { best = (token, length) }
            }
        }
        return best?.token
    }
}
