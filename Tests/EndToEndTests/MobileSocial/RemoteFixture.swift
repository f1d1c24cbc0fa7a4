import Foundation
import Testing

/// A gateway whose service domain has its users' passwords verified by a stub of an authorization server.
final class RemoteFixture: Sendable {
    /// How the server is.
    enum Health: Sendable {
        case well
        /// It accepts calls and answers none.
        case silent
        /// 200 with something that is no answer.
        case garbage
        case overloaded
        /// It asks to be called less.
        case throttling
        /// The gateway itself is not known.
        case unknownClient
        /// It hangs up on every client.
        case hangingUp
    }

    private struct State: Sendable {
        var passwords = ["joe": "Remote1", "ann": "Remote2", "zoe": "Remote3"]
        var forbidden: Set<String> = []
        var health = Health.well
    }

    static let path = "/oic_rest/rest/oamauthentication"
    static let offlineApplication = #", "offlineAuthentication": true"#

    let server: StubUpstream
    let gateway: Fixture
    private let state: Monitor<State>
    private let silence = Gate()

    /// - Parameters:
    ///   - mode: `offline` of the domain.
    ///   - authentication: further members of it, each with a comma in front.
    ///   - application: further members of the application `inventory`.
    init(
        mode: String = "auto", authentication: String = "", application: String = RemoteFixture.offlineApplication,
        files: [String: String] = [:], _ change: @escaping (inout FixtureSettings) -> Void = { _ in }
    ) throws {
        let server = try StubUpstream()
        let state = Monitor(State())
        let silence = silence
        server.on("/token") { Self.answer($0, state.current, silence) }
        self.server = server
        self.state = state
        gateway = try Fixture(files: files) {
            Self.configure(&$0, server.url, mode, authentication, application)
            change(&$0)
        }
    }

    deinit {
        silence.open()
        server.stop()
    }

    private static func configure(
        _ settings: inout FixtureSettings, _ url: String, _ mode: String, _ authentication: String,
        _ application: String
    ) {
        settings["issuers"] = """
            {"local": {"module": "embedded", "audience": "inventory"},
             "elsewhere": {"module": "oauth2", "tokenEndpoint": "\(url)/token", "allowHttp": true,
               "clientId": "gateway", "clientSecret": "secret", "readTimeout": "300ms",
               "circuitBreaker": {"failures": 0}}}
            """
        settings["serviceDomains"] = """
            {"Default": {
              "authentication": {"type": "remote", "issuer": "elsewhere", "offline": "\(mode)"\(authentication)},
              "applications": {"inventory": {"backend": "inventory/1.0", "maxLoginAttempts": 2, "lockoutSeconds": 1,
                "mobileCustomAttributes": {"CryptoScheme": "SaltedSHA-512"}\(application)}}}}
            """
        settings["passwords"] = #"{"throttle": {"failuresPerUser": 1000, "failuresPerAddress": 1000}}"#
    }

    func reload(
        mode: String, authentication: String = "", application: String = RemoteFixture.offlineApplication
    ) throws {
        let url = server.url
        try gateway.reload { Self.configure(&$0, url, mode, authentication, application) }
    }

    // MARK: The server

    private static func answer(_ request: RecordedRequest, _ state: State, _ silence: Gate) -> [StubUpstream.Step] {
        switch state.health {
        case .hangingUp: return [.reset]
        case .silent: return [.wait(silence)]
        case .garbage: return [.reply("200 OK", ["Content-Type: text/html"], body: "<h1>Welcome to the hotel</h1>")]
        case .overloaded: return [.reply("503 Service Unavailable", ["Retry-After: 7"])]
        case .throttling: return [.reply("429 Too Many Requests", ["Retry-After: 9"])]
        case .unknownClient: return refusal("invalid_client", "401 Unauthorized")
        case .well: break
        }
        let form = fields(request)
        guard form["grant_type"] == "password", let user = form["username"] else { return refusal("invalid_request") }
        if state.forbidden.contains(user) { return refusal("access_denied") }
        guard let password = state.passwords[user], form["password"] == password else {
            return refusal("invalid_grant")
        }
        return IssuedElsewhere.token("secret-of-the-server")
    }

    private static func refusal(_ code: String, _ status: String = "400 Bad Request") -> [StubUpstream.Step] {
        [.reply(status, ["Content-Type: application/json"], body: #"{"error": "\#(code)"}"#)]
    }

    static func fields(_ request: RecordedRequest) -> [String: String] {
        var fields: [String: String] = [:]
        for pair in String(decoding: request.body, as: UTF8.self).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1).map { String($0).removingPercentEncoding ?? "" }
            fields[parts[0]] = parts.count > 1 ? parts[1] : ""
        }
        return fields
    }

    var health: Health {
        get { state.current.health }
        set { state.withLock { $0.health = newValue } }
    }

    func setPassword(_ user: String, _ password: String) { state.withLock { $0.passwords[user] = password } }

    func forbid(_ user: String) { _ = state.withLock { $0.forbidden.insert(user) } }

    func allow(_ user: String) { _ = state.withLock { $0.forbidden.remove(user) } }

    /// How often it was asked.
    var calls: Int { server.requests("/token").count }

    // MARK: Logins

    /// - Parameter device: logins from different devices open different sessions.
    func logIn(
        _ user: String = "joe", _ password: String = "Remote1", device: String = "phone",
        at process: GatewayProcess? = nil
    ) throws -> Response {
        let body = """
            {"appName": "inventory", "username": "\(user)", "password": "\(password)",
             "deviceProfile": {"hardwareIds": {"oracle:idm:claims:client:udid": "\(device)"}}}
            """
        return try (process ?? gateway.gateway).request(
            "POST", Self.path + "/authenticate", ["Content-Type: application/json"], body: body)
    }

    /// Logs in and answers `status reason-of-the-body`.
    func outcome(
        _ user: String = "joe", _ password: String = "Remote1", at process: GatewayProcess? = nil
    ) throws -> String {
        let response = try logIn(user, password, at: process)
        let body = JSONText(response.text)
        if response.status == 200 { return body["offline"].bool == true ? "200 offline" : "200 online" }
        return "\(response.status) \(body["code"].string ?? "")"
    }

    /// Tries until a lock-out of this second is over.
    func outcomeUnlocked(
        _ user: String = "joe", _ password: String = "Remote1", at process: GatewayProcess? = nil
    ) throws -> String {
        let deadline = Deadline.usual
        while true {
            let outcome = try outcome(user, password, at: process)
            if outcome != "403 login_attempts_exceeded" || deadline.isPast { return outcome }
        }
    }
}
