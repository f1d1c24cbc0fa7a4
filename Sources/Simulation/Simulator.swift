import Bytes
import Crypto
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
        verdict(on: request) { holder(of: request.caller, on: $0) }
    }

    private func verdict(
        on request: RequestDescription, holder: (Route?) -> Result<Principal?, Reason>
    ) -> Verdict {
        let bytes = request.head(host: host)
        let fields = HeaderTable()
        var parser = RequestParser(limits: HTTPLimits())
        switch parser.parse(bytes.span, into: fields) {
        case .head(let head):
            return verdict(on: request, ParsedRequest(bytes: bytes, head: head, fields: fields), holder)
        // No request that a client could send.
        case .invalid, .needMore: return Verdict(.refused, status: 400)
        }
    }

    /// What becomes of a request of a caller about which a log tells.
    func verdict(on request: RequestDescription, by caller: KnownCaller) -> Verdict {
        var described = request
        // A field stands for the credential.
        if caller.method != Principal.Method.cookie.rawValue {
            described.fields.append(("Authorization", "Bearer logged"))
        }
        return verdict(on: described) { PolicyDescription(policy).holder(of: .known(caller), on: $0, now: now) }
    }

    /// What a request reaches, before anything is asked of its caller.
    func target(of request: RequestDescription) -> RequestTarget {
        let bytes = request.head(host: host)
        let fields = HeaderTable()
        var parser = RequestParser(limits: HTTPLimits())
        guard case .head(let head) = parser.parse(bytes.span, into: fields) else { return .none }
        let parsed = ParsedRequest(bytes: bytes, head: head, fields: fields)
        guard let path = parsed.canonicalPath(policy) else { return .none }
        return PolicyDescription(policy).target(path: path.span, bytes: bytes.span, head: head, headers: fields)
    }

    private func verdict(
        on request: RequestDescription, _ parsed: borrowing ParsedRequest,
        _ holder: (Route?) -> Result<Principal?, Reason>
    ) -> Verdict {
        guard let path = parsed.canonicalPath(policy) else {
            return Verdict(.refused, status: Reason.ambiguousPath.status, reason: .ambiguousPath)
        }
        var decision = Decision(
            policy, path: path.span, bytes: parsed.bytes.span, head: parsed.head, headers: parsed.fields, now: now)
        decision.isConfidential = request.isEncrypted
        var (servers, judgesMessages) = ([] as [String], false)
        while true {
            switch decision.advance(
                policy, path: path.span, bytes: parsed.bytes.span, head: parsed.head, headers: parsed.fields)
            {
            case .deny(let reason): return denied(reason, decision, parsed: parsed)
            case .answerPreflight: return located(Verdict(.answered, status: 204), decision)
            case .answerIcon: return Verdict(.answered, status: 204)
            case .admit:
                var verdict = admitted(decision, path: path, request: request)
                (verdict.policyServers, verdict.judgesMessages) = (servers, judgesMessages)
                return verdict
            case .ask(.address):
                if decision.route?.entry.options.addresses?.accepts(request.address) == false {
                    return denied(.addressNotAllowed, decision, parsed: parsed)
                }
            case .ask(.certificate):
                if let reason = decision.route?.refusal(of: nil), decision.route?.certificateRule != nil {
                    return denied(reason, decision, parsed: parsed)
                }
            case .ask(.credential):
                switch holder(decision.route) {
                case .success(let principal): decision.principal = principal
                case .failure(let reason): return denied(reason, decision, parsed: parsed)
                }
            case .ask(.policy): servers = decision.route?.policyServers.askers.map(\.server.name) ?? []
            case .ask(.message): judgesMessages = true
            // Counted, proved or read by a running gateway alone; a rule on trial refuses nothing.
            case .ask: continue
            }
        }
    }

    private func denied(
        _ reason: Reason, _ decision: borrowing Decision, parsed: borrowing ParsedRequest
    ) -> Verdict {
        var verdict = Verdict(.refused, status: reason.status, reason: reason)
        if let route = decision.route, reason.status == 401 || reason.status == 403,
            policy.loginLocation(
                route, for: reason, of: decision.principal, bytes: parsed.bytes.span, head: parsed.head,
                headers: parsed.fields, now: now) != nil
        {
            verdict = Verdict(.login, status: 302, reason: reason)
        }
        verdict.principal = decision.principal
        return located(verdict, decision)
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

    private func holder(of caller: CallerDescription, on route: Route?) -> Result<Principal?, Reason> {
        switch caller {
        case .anonymous: return PolicyDescription(policy).holder(of: .none, on: route, now: now)
        case .token(let issuer, let claims):
            return PolicyDescription(policy).holder(of: .token(issuer: issuer, claims: claims), on: route, now: now)
        case .client(let id, let user, let scopes):
            return PolicyDescription(policy).holder(
                of: .accessToken(client: id, user: user, scopes: scopes), on: route, now: now)
        case .consumer(let name, let key):
            return PolicyDescription(policy).holder(of: .key(consumer: name, id: key), on: route, now: now)
        case .user(let name, let backend):
            guard backend == nil, route.map({ DescribedRoute($0).takesLogins }) == true else {
                return PolicyDescription(policy).holder(of: .password(user: name, client: backend), on: route, now: now)
            }
            return PolicyDescription(policy).holder(of: .session(session(of: name)), on: route, now: now)
        case .login(let provider, let claims):
            if route?.isPublic == true { return .success(nil) }
            do throws(Reason) {
                let session = try session(at: provider, claims)
                return PolicyDescription(policy).holder(of: .session(session), on: route, now: now)
            } catch {
                return .failure(error)
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

/// A request head with its buffer.
private struct ParsedRequest: ~Copyable {
    let bytes: [UInt8]
    let head: RequestHead
    let fields: HeaderTable

    /// The path as its route wants it; nil for an ambiguous one.
    func canonicalPath(_ policy: PolicySnapshot) -> [UInt8]? {
        let received = Array(bytes[Int(head.path.start)..<Int(head.path.end)])
        let scratch = Chunk(capacity: 3 * received.count + 1)
        return
            switch RequestPath.canonicalise(
                received.span, policy, bytes: bytes.span, head: head, headers: fields, into: scratch)
        {
        case .unchanged: received
        case .rewritten: [UInt8](copying: scratch.readable)
        case .ambiguous: nil
        }
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
