import Bytes
import HTTP
import Identity
import Model
import Policy

/// Decides about described requests by the rules of a configuration, by the same steps as a gateway. Opens no connection, and
/// counts nothing: rates, revocations and stored sessions have no part in it.
package struct Simulator: Sendable {
    package let policy: PolicySnapshot
    /// That of requests which name none.
    private let host: String
    /// Rules of the identity providers, by name.
    private let providers: [String: ProviderRules]
    private let accounts: Accounts
    /// Seconds since 1970.
    let now: Int64

    /// What becomes of logins.
    package struct Accounts: Sendable {
        let users: UserStore
        /// The realm of users who log in by browser at routes.
        let realm: String

        package init(users: UserStore, realm: String) {
            self.users = users
            self.realm = realm
        }
    }

    /// - Parameters:
    ///   - host: of requests that name none.
    ///   - providers: rules of the identity providers, by name.
    ///   - now: seconds since 1970.
    package init(
        _ policy: PolicySnapshot, host: String, accounts: Accounts, providers: [String: ProviderRules], now: Int64
    ) {
        self.policy = policy
        self.host = host
        self.accounts = accounts
        self.providers = providers
        self.now = now
    }

    /// What becomes of a request.
    package func verdict(on request: RequestDescription) -> Verdict {
        verdict(on: request) { (route) throws(Reason) in try caller(request.caller, on: route) }
    }

    /// What becomes of a request of a caller about which a log tells.
    func verdict(on request: RequestDescription, by caller: KnownCaller) -> Verdict {
        var described = request
        // A field stands for the credential.
        if caller.method != Principal.Method.cookie.rawValue {
            described.fields.append(("Authorization", "Bearer logged"))
        }
        return verdict(on: described) { (route) throws(Reason) in
            try callers.caller(on: route) { callers.known(caller) }
        }
    }

    /// What a request reaches, before anything is asked of its caller.
    func target(of request: RequestDescription) -> RequestTarget {
        guard let head = try? BufferedRequest(request.head(host: host)),
            var run = try? DecisionRun(policy, head, steps: .target, now: now)
        else { return .none }
        let hasMethod = (try? run.finish { _, _ in }) == .admitted
        if let endpoint = run.decision.endpoint { return .endpoint(endpoint.descriptor.name) }
        return run.decision.route.map { hasMethod ? .route($0.index) : .lackingMethod($0.index) } ?? .none
    }

    private func verdict(
        on request: RequestDescription, caller: (Route?) throws(Reason) -> Principal?
    ) -> Verdict {
        // No request that a client could send.
        guard let head = try? BufferedRequest(request.head(host: host)) else { return Verdict(.refused, status: 400) }
        guard var run = try? DecisionRun(policy, head, now: now) else {
            return Verdict(.refused, status: Reason.ambiguousPath.status, reason: .ambiguousPath)
        }
        run.decision.isConfidential = request.isEncrypted
        var (servers, judgesMessages) = ([] as [String], false)
        do throws(Reason) {
            let end = try run.finish { (step, run) throws(Reason) in
                let route = run.decision.route
                switch step {
                case .address:
                    if route?.entry.options.addresses?.accepts(request.address) == false { throw .addressNotAllowed }
                case .certificate:
                    if let reason = route?.refusal(of: nil), route?.certificateRule != nil { throw reason }
                case .credential: run.decision.principal = try caller(route)
                case .policy: servers = route?.policyServers.askers.map(\.server.name) ?? []
                case .message: judgesMessages = true
                // Counted, proved or read by a running gateway alone; a rule on trial refuses nothing.
                default: break
                }
            }
            switch end {
            case .preflight: return located(Verdict(.answered, status: 204), run.decision)
            case .icon: return Verdict(.answered, status: 204)
            case .admitted:
                var verdict = admitted(run.decision, path: run.path, request: request)
                (verdict.policyServers, verdict.judgesMessages) = (servers, judgesMessages)
                return verdict
            }
        } catch {
            let isLogin = run.loginLocation(for: error) != nil
            var verdict = Verdict(isLogin ? .login : .refused, status: isLogin ? 302 : error.status, reason: error)
            verdict.principal = run.decision.principal
            return located(verdict, run.decision)
        }
    }

    private func located(_ verdict: Verdict, _ decision: borrowing Decision) -> Verdict {
        var verdict = verdict
        verdict.route = decision.route?.name
        verdict.endpoint = decision.endpoint?.descriptor.name
        return verdict
    }

    private func admitted(_ decision: borrowing Decision, path: [UInt8], request: RequestDescription) -> Verdict {
        guard let route = decision.route else { return located(Verdict(.answered), decision) }
        var verdict = Verdict(.forwarded)
        switch route.entry.answer {
        case .redirect(let redirect)?: verdict = Verdict(.answered, status: redirect.status)
        case .response(let response)?: verdict = Verdict(.answered, status: response.status)
        case nil:
            verdict.upstream = route.entry.upstream
            let sent = route.rewrite.map { String(decoding: $0.path(path), as: UTF8.self) }
            let host = route.host.isEmpty ? nil : "Host \(String(decoding: route.host, as: UTF8.self))"
            let changes = [sent, host].compactMap(\.self)
            verdict.rewritten = changes.isEmpty ? nil : changes.joined(separator: ", ")
            verdict.fields = ForwardedFields.of(decision.principal, on: route, from: request.address)
            verdict.passesCredential = route.passesCredential
            // A token is for a caller.
            if decision.principal != nil {
                verdict.tokens = route.injections.map {
                    (issuer: $0.issuer, field: String(decoding: $0.headerName, as: UTF8.self))
                }
            }
        }
        verdict.principal = decision.principal
        return located(verdict, decision)
    }

    // MARK: Callers

    private var callers: PolicyDescription { PolicyDescription(policy, now: now) }

    private func caller(_ described: CallerDescription, on route: Route?) throws(Reason) -> Principal? {
        let callers = callers
        return try callers.caller(on: route) { () throws(Reason) in
            switch described {
            case .anonymous: nil
            case .token(let issuer, let claims): try callers.token(of: issuer, claims)
            case .client(let id, let user, let scopes): try callers.accessToken(of: id, user: user, scopes: scopes)
            case .consumer(let name, let key): try callers.consumer(name, key: key)
            case .user(let name, nil) where route.map({ DescribedRoute($0).takesLogins }) == true:
                try callers.session(session(of: name), on: route)
            case .user(let name, let backend): try callers.user(name, client: backend, on: route)
            case .login(let provider, let claims):
                try callers.session(try session(at: provider, claims), on: route)
            }
        }
    }

    private func session(of user: String) -> Session {
        var login = LoginFacts(authenticatedAt: now, level: Principal.standardLevel)
        login.methods = ["pwd"]
        return Session(
            id: "described", subject: user, realm: accounts.realm, login: login, expiresAt: now + 60)
    }

    /// The session of a login at a provider, as the login makes it.
    private func session(at provider: String, _ claims: JSONNode) throws(Reason) -> Session {
        guard let rules = providers[provider] else { throw .sessionInvalid }
        let identity: ExternalIdentity
        do throws(ExternalIdentityRejection) {
            identity = try rules.identity.identify(
                claims: claims, realm: accounts.realm, users: accounts.users, catalogue: policy.roles)
        } catch {
            throw .unknownSubject
        }
        var login = LoginFacts(authenticatedAt: now, level: Principal.standardLevel)
        login.providerTime = claims["auth_time"]?.integer ?? now
        login.isVirtual = identity.virtual
        login.roles = policy.roles.names(of: identity.roles)
        var session = Session(
            id: "described", subject: identity.username, realm: accounts.realm, provider: provider, login: login,
            expiresAt: now + 60)
        session.claims = claims.serialized
        session.levels = [claims["acr"]?.string].compactMap(\.self)
        return session
    }
}

extension RequestDescription {
    /// The head as a client would send it. A field stands for the credential, since it matters whether there is one.
    fileprivate func head(host: String) -> [UInt8] {
        var lines = ["\(method) \(target) HTTP/1.1", "Host: \(self.host ?? host)"]
        lines += fields.map { "\($0.name): \($0.value)" }
        switch caller {
        case .token, .client, .consumer: lines.append("Authorization: Bearer described")
        // A page of the gateway's own site sends them: others must not (CSRF).
        case .login, .user: lines.append("Sec-Fetch-Site: same-origin")
        case .anonymous: break
        }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }
}

/// What an upstream gets about a caller.
private enum ForwardedFields {
    static func of(
        _ principal: Principal?, on route: Route, from address: IPAddress?
    ) -> [(name: String, value: String)] {
        let chunk = Chunk(capacity: 1024)
        principal?.appendIdentity(to: chunk)
        for line in route.requestFields?.lines ?? [] {
            let start = chunk.count
            for piece in line.pieces where !append(piece, of: principal, at: address, to: chunk) {
                chunk.truncate(to: start)
                break
            }
        }
        return String(copying: chunk.readable).split(separator: "\r\n").map { line in
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            return (String(line[..<colon]), line[colon...].dropFirst().trimming(\.isWhitespace))
        }
    }

    private static func append(
        _ piece: RouteFields.Line.Piece, of principal: Principal?, at address: IPAddress?, to chunk: Chunk
    ) -> Bool {
        switch piece {
        case .text(let text): chunk.append(text)
        // Another one for each request.
        case .requestID: chunk.append("{requestId}")
        case .clientIP:
            guard let address else { return false }
            address.append(to: chunk)
        case .user, .issuer, .roles, .claim, .userinfo: return piece.append(principal, to: chunk)
        }
        return true
    }
}
