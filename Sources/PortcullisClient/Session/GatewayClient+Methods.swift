import ClientStore
import Synchronization

extension GatewayClient {
    /// Registers this device, if the domain requires it, and gets a user token (oam-wire 3.3, 3.4).
    func logInMobile(
        _ subject: MobileService.Subject, _ demand: MobileService.Demand
    ) async throws(ClientError) -> StoredLogin {
        var service = try await MobileService(of: self, live.withLock { $0.session.registration })
        let isRegistered = service.handle != nil
        if !isRegistered { try await register(&service, subject) }
        var reply = try await ask(service.authenticate(subject, demand))
        if reply.status == 401, isRegistered, service.handle != nil, reply.number("remainingAttempts") == nil {
            // The handle is unknown: a wrong password would be answered with the remaining attempts.
            service.handle = nil
            try change { $0.registration = nil }
            try await register(&service, subject)
            reply = try await ask(service.authenticate(subject, demand))
        }
        return try await finish(reply, service, subject.user)
    }

    private func register(
        _ service: inout MobileService, _ subject: MobileService.Subject
    ) async throws(ClientError) {
        guard let request = service.register(subject) else { return }
        let handle = try await ask(request).token("CLIENTREGHANDLE")
        let registration = Registration(scope: scope, handle: handle)
        try change { $0.registration = registration }
        service.handle = handle
    }

    /// Answers the questions after the password (OMS-14), and returns the token.
    func finish(
        _ first: ServiceReply, _ service: MobileService, _ user: String?
    ) async throws(ClientError) -> StoredLogin {
        var reply = first
        var steps = 0
        while let (id, question) = reply.question {
            guard steps < 8 else { throw ClientError(.malformedResponse, "the server asks without end") }
            guard let answer = await prompts.answer?(question) else {
                throw ClientError(.missingAnswer, "the server asks a further question, and it was not answered")
            }
            reply = try await ask(service.answer(id, answer))
            steps += 1
        }
        let token = try reply.token("USERTOKEN")
        return StoredLogin(
            method: .mobile, scope: scope, backend: profile.backend,
            user: reply.text("X-Idaas-Rest-User-Principal") ?? user, token: token,
            level: reply.number("level").flatMap { Int(exactly: $0) }, expiresAt: end(reply.number("expires_in")))
    }

    /// The four fields of FB-01.
    private func social(_ request: ClientRequest, _ login: StoredLogin) throws(ClientError) -> ClientRequest {
        guard let key = profile.anonymousKey, let backend = profile.mobileBackendID else {
            throw ClientError(.missingProperty, "/anonymousKey or /mobileBackendId is missing in the profile")
        }
        var request = request
        request.fields += [
            .init("Authorization", "Basic \(key)"),
            .init("Oracle-Mobile-Social-Identity-Provider", "facebook"),
            .init("Oracle-Mobile-Social-Access-Token", login.token ?? ""),
        ]
        return request.naming(backend: backend)
    }

    func logInOAuth(_ user: String, _ password: String) async throws(ClientError) -> StoredLogin {
        let request = try OAuthService(profile: profile).login(user: user, password: password)
        let reply = try await ask(request)
        return try bearer(reply, .oauth, user)
    }

    /// Verifies the credentials at once, so that no wrong password is stored (OMH-01).
    func logInBasic(_ user: String, _ password: String) async throws(ClientError) -> StoredLogin {
        let login = StoredLogin(
            method: .basic, scope: scope, backend: profile.backend, user: user, password: password)
        let reply = try await ask(try authorized(OAuthService(profile: profile).whoAmI(), login))
        guard reply.isSuccess else { throw reply.refusal }
        return login
    }

    /// The login of a token response (RFC 6749 section 5.1).
    func bearer(_ reply: ServiceReply, _ method: LoginMethod, _ user: String?) throws(ClientError) -> StoredLogin {
        guard reply.isSuccess else { throw reply.refusal }
        guard let token = reply.text("access_token"), !token.isEmpty,
            (reply.text("token_type") ?? "Bearer").lowercased() == "bearer"
        else { throw ClientError(.malformedResponse, "the answer has no bearer token") }
        return StoredLogin(
            method: method, scope: scope, backend: profile.backend, user: user, token: token,
            expiresAt: end(reply.number("expires_in")))
    }

    /// The expiry by `expires_in` only (OMH-07).
    func end(_ seconds: Int64?) -> Int64? {
        guard let seconds, seconds > 0, seconds < Int64(Int32.max) else { return nil }
        return now() + seconds
    }

    /// The request with the credentials of a login, except for `mobile`, whose tokens are for one webgate each.
    func authorized(_ request: ClientRequest, _ login: StoredLogin) throws(ClientError) -> ClientRequest {
        var request = request
        switch login.method {
        case .mobile: break
        case .application:
            if let token = login.token {
                request.fields.append(.init("Authorization", "Bearer \(token)"))
            } else {
                request.fields.append(try OAuthService.basic(user: login.user ?? "", password: login.password ?? ""))
            }
            // Such a login has no backend.
            return request.has("x-apiomat-apikey")
                ? request : request.adding(try ApplicationService(profile: profile).keyField())
        case .facebook: return try social(request, login)
        case .basic:
            request.fields.append(try OAuthService.basic(user: login.user ?? "", password: login.password ?? ""))
        case .oauth, .exchange: request.fields.append(.init("Authorization", "Bearer \(login.token ?? "")"))
        }
        return request.naming(backend: profile.mobileBackendID)
    }
}

extension MobileService {
    /// The service of the client's application, with the handle of this device.
    init(of client: GatewayClient, _ registration: Registration?) async throws(ClientError) {
        let handle = registration.flatMap { $0.scope == client.scope ? $0.handle : nil }
        self.init(profile: client.profile, application: try await client.applicationProfile(), handle: handle)
    }
}
