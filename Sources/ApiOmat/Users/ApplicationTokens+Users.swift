import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import Model
import OAuthServer
import Outbound
import TokenStorage

/// User objects: read, given a manual token or a password (AOM-17 to AOM-20).
extension ApplicationTokens {
    /// Who asks about a user object.
    enum Caller: Sendable {
        case administrator
        /// Somebody who has shown a password.
        case user(User)
        /// Somebody who has shown an access token only.
        case holder(TokenRecord)

        var name: String {
            switch self {
            case .administrator: "administrator"
            case .user(let user): user.username
            case .holder(let record): record.subject
            }
        }
    }

    /// Answers for the objects of users: reading, changing and signing up.
    package func userObject(_ request: EndpointRequest, now: Int64) -> Effect<EndpointResponse> {
        guard let path = UserObjectPath(request.path),
            let application = settings.applications.application(named: path.application),
            path.module.utf8.elementsEqual(application.userClass.module.utf8),
            path.className.utf8.elementsEqual(application.userClass.name.utf8)
        else { return .refuse(.noSuchObject) }
        guard let key = request.field("x-apiomat-apikey") else { return .refuse(.missingKey) }
        guard application.hasKey(Array(key.utf8).span) else {
            return .refuse(.mismatch)
        }
        guard let id = path.id else { return signUp(request, application) }
        switch request.method {
        case .get, .head:
            return identify(request, application, now: now) { [self] in .done(read(id, by: $0, application)) }
        case .put:
            return identify(request, application, now: now) { [self] in
                change(id, request, by: $0, application, now: now)
            }
        default: return .done(.methodNotAllowed("GET, HEAD, PUT"))
        }
    }

    // MARK: Who

    private func identify(
        _ request: EndpointRequest, _ application: Application, now: Int64,
        _ next: @escaping @Sendable (Caller) -> Effect<EndpointResponse>
    ) -> Effect<EndpointResponse> {
        guard request.authorization.count == 1 else { return .refuse(.missingCredential) }
        guard let pair = PresentedSecret.pair(request.authorization[0]) else {
            return bearer(request, now: now) { [self] record, other in
                guard isOf(application, record), other.name.utf8.elementsEqual(application.name.utf8) else {
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

    /// The one whom name and password belong to.
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
        switch throttle.admit(user: administrator.mail, realm: realm, network: network, now: now) {
        case .refused(let seconds): return .done(.failure(.throttled(retryAfter: seconds)))
        case .admitted(let attempt):
            return .hash {
                guard hasher.verify(password.span, stored: administrator.passwordHash) else {
                    return .done(.failure(.wrongPassword))
                }
                throttle.succeeded(attempt)
                return .done(.success(.administrator))
            }
        }
    }

    /// Whether somebody may change the objects of others (AOM-18).
    private func mayWrite(_ caller: Caller, _ application: Application) -> Bool {
        switch caller {
        case .administrator: true
        case .user(let user): application.isWriter(user.username)
        case .holder: false
        }
    }

    // MARK: What

    /// AOM-20: what is secret in a user object is there, and empty.
    private func read(_ id: String, by caller: Caller, _ application: Application) -> EndpointResponse {
        let isOwn =
            switch caller {
            case .administrator: false
            case .user(let user): user.username.utf8.elementsEqual(id.utf8)
            case .holder(let record): !record.isOfFacebook && record.subject.utf8.elementsEqual(id.utf8)
            }
        guard isOwn || mayWrite(caller, application) else { return ApplicationFailure.writePermissionRequired.response }
        guard let user = settings.users.user(named: id, realm: application.realm) else {
            return ApplicationFailure.noSuchObject.response
        }
        return .personal(json(of: user, application), reason: .userObject)
    }

    func json(of user: User, _ application: Application) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
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
        writer.endObject()
        return writer.bytes
    }

    private func change(
        _ id: String, _ request: EndpointRequest, by caller: Caller, _ application: Application, now: Int64
    ) -> Effect<EndpointResponse> {
        let isWriter = mayWrite(caller, application)
        // AOM-17: whoever has stolen an access token has not got the account with it.
        guard case .user(let asking) = caller else {
            return isWriter
                ? change(id, request, isWriter: true, caller, application, now: now) : .refuse(.writePermissionRequired)
        }
        guard isWriter || asking.username.utf8.elementsEqual(id.utf8) else { return .refuse(.writePermissionRequired) }
        return change(id, request, isWriter: isWriter, caller, application, now: now)
    }

    private func change(
        _ id: String, _ request: EndpointRequest, isWriter: Bool, _ caller: Caller, _ application: Application,
        now: Int64
    ) -> Effect<EndpointResponse> {
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
                var response = refusal ?? done
                let isDone = refusal == nil
                response.audit = AuditEntry(
                    action: "user.change by \(caller.name)", outcome: isDone ? .changed : .refused,
                    subject: user.username, client: application.name)
                return response
            }
        }
    }

    /// What stands against it; nil where it is done, or nothing was to be done.
    private func setPassword(
        _ password: String?, _ user: User, from origin: ChangeOrigin
    ) -> Effect<EndpointResponse?> {
        guard let password else { return .done(nil) }
        guard let registry = settings.registry else { return .done(ApplicationFailure.usersUnavailable.response) }
        let hasher = settings.hasher
        return .hash {
            guard let hash = try? hasher.make(Array(password.utf8).span) else {
                return .done(.invalidObject("\"password\" cannot be stored"))
            }
            let change = UserChange.setPassword(username: user.username, realm: user.realm, passwordHash: hash)
            return .answer(of: { registry.perform(change, from: origin, then: $0) }) { outcome in
                .done(outcome.failure?.response)
            }
        }
    }

    /// Makes a token that the caller has chosen: for reading, and in the slot of manual tokens, so that setting it again
    /// replaces it (AOM-18, AOM-19).
    private func setManualToken(
        _ token: String?, _ user: User, _ application: Application, now: Int64
    ) -> Effect<EndpointResponse?> {
        guard let token else { return .done(nil) }
        let lifetimes = application.expirations
        var record = TokenRecord(
            id: AccessTokenMinter.randomID(), kind: .pair, application: application.name, subject: user.username,
            tokenID: AccessTokenMinter.randomID(), accessExpiresAt: now + lifetimes.manualAccess, issuedAt: now)
        record.slot = PairRequest.slot(
            application, system: application.systems[0], subject: user.username, extra: PairRequest.manual)
        record.accessDigest = settings.key.digest(token)
        record.refreshExpiresAt = now + lifetimes.manualRefresh
        record.scope = ApplicationScope.readOnly.text
        record.extra = PairRequest.manual
        return ask(.replace(record), now: now) { [unknown, record] answer in
            switch answer {
            case .success(.conflict): return .done(ApplicationFailure.tokenInUse.response)
            case .success:
                if let digest = record.accessDigest { unknown.forget(digest) }
                return .done(nil)
            case .failure: return .done(ApplicationFailure.storeUnavailable.response)
            }
        }
    }
}

extension UserChangeOutcome {
    /// What an application is told of it; nil where it is done.
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
    static func invalidObject(_ detail: String) -> EndpointResponse {
        .problem(.invalidRequest, detail)
    }
}
