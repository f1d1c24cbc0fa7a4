import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import Model
import OAuthServer
import Outbound
import TokenStorage

/// User objects: created, read, given a manual token or a password (AOM-17 to AOM-20, AOM-26).
extension ApplicationTokens {
    /// The caller of a request for a user object.
    enum Caller: Sendable {
        case administrator
        /// Authenticated by password.
        case user(User)
        /// Authenticated by an access token only.
        case holder(TokenRecord)

        var name: String {
            switch self {
            case .administrator: "administrator"
            case .user(let user): user.username
            case .holder(let record): record.subject
            }
        }

        /// Whether the caller may change the objects of others (AOM-18).
        func mayWrite(_ application: Application) -> Bool {
            switch self {
            case .administrator: true
            case .user(let user): application.isWriter(user.username)
            case .holder: false
            }
        }

        func isUser(_ id: String) -> Bool {
            if case .user(let user) = self { user.username.isExactly(id) } else { false }
        }

        func isHolder(_ id: String) -> Bool {
            if case .holder(let record) = self { !record.isOfFacebook && record.subject.isExactly(id) } else { false }
        }
    }

    /// Answers requests for user objects.
    package func userObject(_ request: EndpointRequest, now: Int64) -> Effect<EndpointResponse> {
        guard let path = UserObjectPath(request.path),
            let application = settings.applications.application(named: path.application),
            path.module.isExactly(application.userClass.module), path.className.isExactly(application.userClass.name)
        else { return .refuse(.noSuchObject) }
        guard let key = request.field("x-apiomat-apikey") else { return .refuse(.missingKey) }
        guard application.hasKey(Array(key.utf8).span) else { return .refuse(.mismatch) }
        guard let id = path.id else { return signUp(request, application) }
        switch request.method {
        case .get, .head:
            return identify(request, application, now: now) { [self] in read(id, by: $0, application) }
        case .put:
            return identify(request, application, now: now) { [self] in
                change(id, request, by: $0, application, now: now)
            }
        default: return .done(.methodNotAllowed("GET, HEAD, PUT"))
        }
    }

    // MARK: Authentication

    private func identify(
        _ request: EndpointRequest, _ application: Application, now: Int64,
        _ next: @escaping @Sendable (Caller) -> Effect<EndpointResponse>
    ) -> Effect<EndpointResponse> {
        guard request.authorization.count == 1 else { return .refuse(.missingCredential) }
        guard let pair = PresentedSecret.pair(request.authorization[0]) else {
            return bearer(request, now: now) { [self] record, other in
                guard isOf(application, record), other.name.isExactly(application.name) else {
                    return .refuse(.mismatch)
                }
                return next(.holder(record))
            }
        }
        guard let name = String(streamSafe: pair.id) else { return .refuse(.wrongPassword) }
        return check(name, pair.secret, application, request, now: now).then { result in
            switch result {
            case .success(let caller): next(caller)
            case .failure(.wrongPassword): .refuse(.wrongPassword)
            case .failure(.throttled): .refuse(.loginThrottled)
            }
        }
    }

    /// The caller with this name and password.
    private func check(
        _ name: String, _ password: [UInt8], _ application: Application, _ request: EndpointRequest, now: Int64
    ) -> Effect<Result<Caller, PasswordLogin.Refusal>> {
        let network = request.address?.subscriberBytes ?? []
        guard let administrator = application.administrator, application.isAdministrator(name) else {
            return logins.login(name, password: password, realm: application.realm, network: network, now: now)
                .map { $0.map { .user($0) } }
        }
        // Counted apart from users: no realm has a control character in its name.
        let (throttle, hasher) = (settings.throttle, settings.hasher)
        let realm = "\u{1f}\(application.name)"
        return throttle.attempt(user: administrator.mail, realm: realm, network: network, now: now).then { result in
            let attempt: LoginAttempt
            switch result {
            case .failure(let refusal): return .done(.failure(.throttled(retryAfter: refusal.retryAfter)))
            case .success(let admitted): attempt = admitted
            }
            return .hash(attempt.priority) {
                guard hasher.verify(password.span, stored: administrator.passwordHash) else {
                    attempt.failed()
                    return .done(.failure(.wrongPassword))
                }
                attempt.succeeded()
                return .done(.success(.administrator))
            }
        }
    }

    // MARK: Sign-up

    /// `POST` to the class.
    private func signUp(_ request: EndpointRequest, _ application: Application) -> Effect<EndpointResponse> {
        guard request.method == .post else { return .done(.methodNotAllowed("POST")) }
        guard application.allowSignUp, let registry = settings.registry else { return .refuse(.signUpDisabled) }
        guard request.hasJSONBody else { return .refuse(.unsupportedMediaType) }
        let wanted: SignUp
        do throws(UserObjectChange.Refusal) {
            wanted = try SignUp(request.body, application.userClass)
        } catch {
            return .done(.invalidObject(error.expected))
        }
        guard !application.isAdministrator(wanted.name),
            settings.users.user(named: wanted.name, realm: application.realm) == nil
        else { return .refuse(.nameTaken) }
        let origin = request.origin(application)
        return hash(wanted.password).then { [self] hash in
            guard let hash else { return .done(.unfitPassword) }
            let user = User(username: wanted.name, realm: application.realm, passwordHash: hash)
            return .answer(of: { registry.perform(.add(user), from: origin, then: $0) }) { [self] outcome in
                .done(outcome.failure?.response ?? created(user, application))
            }
        }
    }

    private func created(_ user: User, _ application: Application) -> EndpointResponse {
        var response = EndpointResponse.personal(json(of: user, application), reason: .userCreated)
        response.status = 201
        let path =
            "\(ApplicationEndpoints.userClassPath(of: application))/\(PathSegment.encode(user.username))"
        response.headers.append((name: "Location", value: path))
        return response.audited("user.create", .changed, subject: user.username, client: application.name)
    }

    /// The hash of a password, from the pool of hashes; nil if it cannot be stored.
    private func hash(_ password: String) -> Effect<String?> {
        .hash { [hasher = settings.hasher] in .done(try? hasher.makeNew(Array(password.utf8).span)) }
    }

    // MARK: Reading and changing

    private func read(_ id: String, by caller: Caller, _ application: Application) -> Effect<EndpointResponse> {
        guard caller.isUser(id) || caller.isHolder(id) || caller.mayWrite(application) else {
            return .refuse(.writePermissionRequired)
        }
        guard let user = settings.users.user(named: id, realm: application.realm) else { return .refuse(.noSuchObject) }
        return .done(.personal(json(of: user, application), reason: .userObject))
    }

    /// AOM-20: the secret members of a user object are present and null.
    private func json(of user: User, _ application: Application) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("@type", application.userClass.type)
            writer.member("id", user.username)
            writer.member("userName", user.username)
            for (name, value) in [("email", user.email), ("firstName", user.firstName), ("lastName", user.lastName)] {
                writer.name(name)
                if value.isEmpty { writer.null() } else { writer.value(value) }
            }
            for secret in ["sessionToken", "password"] {
                writer.name(secret)
                writer.null()
            }
        }
    }

    private func change(
        _ id: String, _ request: EndpointRequest, by caller: Caller, _ application: Application, now: Int64
    ) -> Effect<EndpointResponse> {
        let isWriter = caller.mayWrite(application)
        // AOM-17: a stolen access token must not be enough to take over the account.
        guard isWriter || caller.isUser(id) else { return .refuse(.writePermissionRequired) }
        guard let user = settings.users.user(named: id, realm: application.realm) else { return .refuse(.noSuchObject) }
        guard request.hasJSONBody else { return .refuse(.unsupportedMediaType) }
        let wanted: UserObjectChange
        do throws(UserObjectChange.Refusal) {
            wanted = try UserObjectChange(request.body, of: user, application.userClass)
        } catch {
            return .done(.invalidObject(error.expected))
        }
        guard isWriter || wanted.sessionToken == nil else { return .refuse(.writePermissionRequired) }
        let done = EndpointResponse.personal(json(of: user, application), reason: .userChanged)
        let origin = request.origin(application, caller: caller.name)
        return setPassword(wanted.password, user, from: origin).then { [self] refusal in
            if let refusal { return .done(refusal) }
            return setManualToken(wanted.sessionToken, user, application, now: now).map { refusal in
                (refusal ?? done).audited(
                    "user.change by \(caller.name)", refusal == nil ? .changed : .refused, subject: user.username,
                    client: application.name)
            }
        }
    }

    /// The refusal, or nil if the password is set or none was given.
    private func setPassword(
        _ password: String?, _ user: User, from origin: ChangeOrigin
    ) -> Effect<EndpointResponse?> {
        guard let password else { return .done(nil) }
        guard let registry = settings.registry else { return .done(ApplicationFailure.usersUnavailable.response) }
        return hash(password).then { hash in
            guard let hash else { return .done(.unfitPassword) }
            let change = UserChange.setPassword(username: user.username, realm: user.realm, passwordHash: hash)
            return .answer(of: { registry.perform(change, from: origin, then: $0) }) { outcome in
                .done(outcome.failure?.response)
            }
        }
    }

    /// Stores a token that the caller has chosen: read-only, in the slot of manual tokens, so that it replaces an
    /// earlier one (AOM-18, AOM-19).
    private func setManualToken(
        _ token: String?, _ user: User, _ application: Application, now: Int64
    ) -> Effect<EndpointResponse?> {
        guard let token else { return .done(nil) }
        let lifetimes = application.expirations
        let digest = settings.key.digest(token)
        var record = TokenRecord(
            id: AccessTokenMinter.randomID(), kind: .pair, application: application.name, subject: user.username,
            tokenID: AccessTokenMinter.randomID(), accessExpiresAt: now + lifetimes.manualAccess, issuedAt: now)
        record.slot = PairRequest.slot(
            application, system: application.systems[0], subject: user.username, extra: PairRequest.manual)
        record.accessDigest = digest
        record.refreshExpiresAt = now + lifetimes.manualRefresh
        record.scope = ApplicationScope.readOnly.text
        record.extra = PairRequest.manual
        return ask(.replace(record), now: now) { [unknown] answer in
            switch answer {
            case .success(.conflict): return .done(ApplicationFailure.tokenInUse.response)
            case .success:
                unknown.forget(digest)
                return .done(nil)
            case .failure: return .done(ApplicationFailure.storeUnavailable.response)
            }
        }
    }
}

extension UserChangeOutcome {
    /// The refusal that the application sees; nil on success.
    var failure: ApplicationFailure? {
        switch self {
        case .done, .saved: nil
        case .exists: .nameTaken
        case .unknown: .noSuchObject
        case .changedMeanwhile, .unfit, .failed: .usersUnavailable
        }
    }
}

extension EndpointResponse {
    /// - Parameter detail: what was expected.
    static func invalidObject(_ detail: String) -> EndpointResponse { .problem(.invalidRequest, detail) }

    fileprivate static var unfitPassword: EndpointResponse { .invalidObject("\"password\" cannot be stored") }
}
