import Bytes
import Identity
import Issuers
import Model
import Outbound

/// Obtains access tokens for a Webgate from a Mobile & Social server: Oracle's, or another gateway of this kind. Module
/// `oam`: a login yields a user token; that and the request context of the Webgate's challenge yield an access token
/// (oam-wire 8.2).
///
/// The user token is kept in place of a refresh token, so that further access tokens take one call.
final class MobileSocialIssuer: TokenIssuer {
    struct Settings: Sendable {
        /// URL prefix of all calls.
        let base: String
        let serviceDomain: String
        var login: Login
        /// The application, and whether it registers a device and presents the handle from then on.
        var clientID: String?
        var registers = false
        /// A JSON object.
        var deviceProfile: [UInt8] = Array("{}".utf8)
        /// Used if the answer has no lifetime; the attested answer has none.
        var lifetimeSeconds: Int64 = 3600
        var transport = OutboundTransport()
    }

    /// Which session the tokens belong to.
    enum Login: Sendable {
        /// An account of the gateway: all callers share its tokens.
        case account(username: String, password: String)
        /// The caller's session, identified by the caller's token.
        case caller
    }

    let kind = "oam"
    let configurationID: String
    let needsChallenge = true
    private let settings: Settings
    private let caller: any OutboundCaller

    init(_ settings: Settings, configurationID: String, caller: any OutboundCaller) {
        self.settings = settings
        self.configurationID = configurationID
        self.caller = caller
    }

    var dependsOnCaller: Bool { settings.isCallers }
    var dependsOnCredential: Bool { settings.isCallers }

    func issue(_ request: IssueRequest, now: Int64) -> Effect<Result<IssuedToken, IssueFailure>> {
        guard let challenge = request.challenge else {
            return .done(.failure(.misconfigured.because("the upstream has not challenged")))
        }
        if settings.isCallers, request.credential.isEmpty { return .done(.failure(.credentialMissing)) }
        guard let session = request.previous?.usableRefresh(now: now).flatMap(Session.init) else {
            return begin(request, challenge, now: now)
        }
        return access(session, challenge, now: now).then { [self] result in
            // The session has ended: start a new one.
            guard case .failure(let failure) = result, failure.kind == .refused || failure.kind == .misconfigured
            else { return .done(result) }
            return begin(request, challenge, now: now)
        }
    }

    private func begin(
        _ request: IssueRequest, _ challenge: UpstreamChallenge, now: Int64
    ) -> Effect<Result<IssuedToken, IssueFailure>> {
        logIn(request).then { [self] result in
            switch result {
            case .success(let session): access(session, challenge, now: now)
            case .failure(let failure): .done(.failure(failure))
            }
        }
    }

    // MARK: Calls

    /// Registers if the service requires it, and logs in.
    private func logIn(_ request: IssueRequest) -> Effect<Result<Session, IssueFailure>> {
        guard settings.registers else { return authenticate(request, handle: nil) }
        return call("register", wanted: .registration, request, handle: nil).then { [self] result in
            switch result {
            case .success(let answer): authenticate(request, handle: answer.value)
            case .failure(let failure): .done(.failure(failure))
            }
        }
    }

    private func authenticate(_ request: IssueRequest, handle: String?) -> Effect<Result<Session, IssueFailure>> {
        call("authenticate", wanted: .user, request, handle: handle).map { result in
            result.map { Session(userToken: $0.value, handle: handle) }
        }
    }

    private func call(
        _ name: String, wanted: MobileSocialAnswer.Wanted, _ request: IssueRequest, handle: String?
    ) -> Effect<Result<MobileSocialAnswer, IssueFailure>> {
        var body = JSONWriter()
        body.beginObject()
        switch settings.login {
        case .account(let username, let password):
            body.credentials(PresentedLogin(username: username, password: password))
        case .caller:
            body.member("X-Idaas-Rest-Subject-Type", "TOKEN")
            body.member("X-Idaas-Rest-Subject-Value", String(decoding: request.credential, as: UTF8.self))
        }
        finish(&body, wanted)
        return post(name, body.bytes, handle: handle, wanted)
    }

    /// Appends the requested token type and the application.
    private func finish(_ body: inout JSONWriter, _ wanted: MobileSocialAnswer.Wanted) {
        body.member("X-Idaas-Rest-New-Token-Type-To-Create", wanted.rawValue)
        if let clientID = settings.clientID {
            body.name("deviceProfile")
            let profile = settings.deviceProfile
            body.value(json: profile.span)
            body.member("clientId", clientID)
        }
        body.endObject()
    }

    /// The token for the challenging Webgate.
    private func access(
        _ session: Session, _ challenge: UpstreamChallenge, now: Int64
    ) -> Effect<Result<IssuedToken, IssueFailure>> {
        var body = JSONWriter()
        body.beginObject()
        body.member("X-Idaas-Rest-Subject-Type", "TOKEN")
        body.member("X-Idaas-Rest-Subject-Value", session.userToken)
        body.member("X-Idaas-Rest-Application-Context", String(decoding: challenge.requestContext, as: UTF8.self))
        body.member("X-Idaas-Rest-Application-Resource", challenge.resource)
        body.member("X-Idaas-Rest-New-Token-Type-To-Create", MobileSocialAnswer.Wanted.access.rawValue)
        body.endObject()
        return post("access", body.bytes, handle: session.handle, .access).map { [settings] result in
            result.map { answer in
                IssuedToken(
                    value: Array(answer.value.utf8), issuedAt: now,
                    expiresAt: now + (answer.lifetimeSeconds ?? settings.lifetimeSeconds), refresh: session.bytes)
            }
        }
    }

    private func post(
        _ name: String, _ body: [UInt8], handle: String?, _ wanted: MobileSocialAnswer.Wanted
    ) -> Effect<Result<MobileSocialAnswer, IssueFailure>> {
        let isCallers = settings.isCallers
        return send(name, body, handle: handle) { MobileSocialAnswer.read($0, wanted, isCallers: isCallers) }
    }

    private func send<Value: Sendable>(
        _ name: String, _ body: [UInt8], handle: String?,
        _ read: @escaping @Sendable (OutboundResult) -> Result<Value, IssueFailure>
    ) -> Effect<Result<Value, IssueFailure>> {
        guard let url = try? WebURL("\(settings.base)/\(name)") else { return .done(.failure(.misconfigured)) }
        var headers = [
            (name: "Accept", value: "application/json"), (name: "Content-Type", value: "application/json"),
            (name: "X-IDAAS-SERVICEDOMAIN", value: settings.serviceDomain),
        ]
        if let handle, let clientID = settings.clientID {
            let pair = Base64.encode(Array("\(clientID):\(handle)".utf8).span, .standard)
            let proof = "UIDPASSWORD cred=\"\(String(decoding: pair, as: UTF8.self))\""
            headers.append((name: "X-Idaas-Rest-Authorization", value: proof))
        }
        let transport = settings.transport
        // Calls with a password are never retried: servers lock accounts after a few wrong ones.
        let call = OutboundCall(
            method: "POST", url: url, headers: headers, body: body, tls: transport.tls,
            connectTimeoutMilliseconds: transport.connectTimeoutMilliseconds,
            readTimeoutMilliseconds: transport.readTimeoutMilliseconds, maximumBytes: 1 << 18)
        return .answer(of: { [caller] in caller.perform(call, then: $0) }) { .done(read($0)) }
    }

    // MARK: Passwords

    var verifiesPasswords: Bool { true }

    /// A single call: if devices are registered, registration includes the password and proves as much as a login.
    func verify(_ login: PresentedLogin, now: Int64) -> Effect<Result<PasswordVerdict, IssueFailure>> {
        let wanted: MobileSocialAnswer.Wanted = settings.registers ? .registration : .user
        var body = JSONWriter()
        body.beginObject()
        body.credentials(login)
        finish(&body, wanted)
        return send(settings.registers ? "register" : "authenticate", body.bytes, handle: nil) {
            MobileSocialAnswer.verdict($0, wanted)
        }
    }

    /// Data for obtaining further access tokens.
    private struct Session: Sendable {
        let userToken: String
        let handle: String?

        init(userToken: String, handle: String?) {
            self.userToken = userToken
            self.handle = handle
        }

        init?(_ bytes: [UInt8]) {
            let parts = bytes.split(separator: ASCII.lineFeed, maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = parts.first, !first.isEmpty else { return nil }
            userToken = String(decoding: first, as: UTF8.self)
            handle = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : nil
        }

        var bytes: [UInt8] { Array(userToken.utf8) + (handle.map { [ASCII.lineFeed] + Array($0.utf8) } ?? []) }
    }
}

extension MobileSocialIssuer.Settings {
    var isCallers: Bool {
        if case .caller = login { return true }
        return false
    }
}

extension JSONWriter {
    fileprivate mutating func credentials(_ login: PresentedLogin) {
        member("X-Idaas-Rest-Subject-Type", "USERCREDENTIAL")
        member("X-Idaas-Rest-Subject-Username", login.username)
        member("X-Idaas-Rest-Subject-Password", login.password)
    }
}
