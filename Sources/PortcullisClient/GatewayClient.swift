import Bytes
import ClientStore
import Model
import Reactor
import Synchronization

/// The client of a gateway: logs in, stores tokens, sends requests and answers challenges (OMS, RST, OMH). The state is
/// stored for the next start of the program.
///
/// Safe for concurrent use.
public final class GatewayClient: Sendable {
    public let profile: ClientProfile
    public let store: CredentialStore
    let transport: any Transport
    let prompts: ClientPrompts
    /// The agent that logs in for this application (AGT-04), if any.
    let agent: (any SSOAgentChannel)?
    /// Seconds since 1970.
    let now: @Sendable () -> Int64
    let live: Mutex<Live>

    /// The cached state.
    struct Live {
        var session = SessionState()
        /// A login that is not stored.
        var unsavedLogin: StoredLogin?
        /// Whether the exchanged token of the store is in use (OMH-04).
        var isExchangeLoaded = false
        var isOffline = false
        var loadProblem: ClientError?
        /// Pending requests for webgate tokens, which concurrent requests share.
        var pendingTokens: [String: Task<Result<WebgateToken, ClientError>, Never>] = [:]
        weak var delegate: (any GatewayClientDelegate)?

        /// Uses a login that is not stored, or the stored one.
        mutating func use(unsaved login: StoredLogin?, isExchangeLoaded: Bool = false) {
            unsavedLogin = login
            self.isExchangeLoaded = isExchangeLoaded
            isOffline = false
        }
    }

    /// - Parameters:
    ///   - profile: the gateway and the application.
    ///   - store: the store of tokens. Tokens of earlier runs are used at once, except exchanged ones, see
    ///     `loadSSOTokenExchange`.
    ///   - transport: nil for the default, which verifies servers with the profile's `caFile`.
    ///   - prompts: asks the user.
    ///   - agent: issues tokens instead of a login (AGT-04). They are not stored, since the next login at the agent may
    ///     be another user's, and stored tokens are not used.
    public convenience init(
        profile: ClientProfile, store: CredentialStore, transport: (any Transport)? = nil,
        prompts: ClientPrompts = ClientPrompts(), agent: (any SSOAgentChannel)? = nil
    ) throws(ClientError) {
        let own: any Transport
        if let transport { own = transport } else { own = try ConnectionTransport(profile: profile) }
        self.init(
            profile: profile, store: store, transport: own, prompts: prompts, agent: agent, now: { Clock.wallSeconds })
    }

    init(
        profile: ClientProfile, store: CredentialStore, transport: any Transport, prompts: ClientPrompts,
        agent: (any SSOAgentChannel)? = nil, now: @escaping @Sendable () -> Int64
    ) {
        self.profile = profile
        self.store = store
        self.transport = transport
        self.prompts = prompts
        self.agent = agent
        self.now = now
        var live = Live()
        do throws(ClientError) {
            if agent == nil { live.session = try store.session() }
        } catch {
            live.loadProblem = error
        }
        self.live = Mutex(live)
    }

    public var delegate: (any GatewayClientDelegate)? {
        get { live.withLock { $0.delegate } }
        set { live.withLock { $0.delegate = newValue } }
    }

    /// The current login (OMS-05).
    public var authenticationContext: AuthenticationContext? {
        let isOffline = live.withLock { $0.isOffline }
        return (try? login()).map { AuthenticationContext($0, isOffline: isOffline) }
    }

    /// The access or user token of the current login, if any.
    public var accessToken: String? { (try? login())?.token }

    /// The webgates with stored tokens.
    public var webgates: [(name: String, level: Int, origin: String)] {
        live.withLock { $0.session.webgates.map { ($0.webgate, $0.level, $0.origin) } }
    }

    /// The server, application and backend that stored state is bound to.
    var scope: Scope {
        Scope(origin: origin, serviceDomain: profile.serviceDomain, appName: profile.appName)
    }

    /// The origin of the gateway.
    var origin: String { (try? WebURL(client: profile.baseURL))?.place ?? profile.baseURL }

    /// The current login.
    /// - Throws: the reason if there is none.
    func login() throws(ClientError) -> StoredLogin {
        let (unsaved, kept, isLoaded) = live.withLock { ($0.unsavedLogin, $0.session.login, $0.isExchangeLoaded) }
        guard let login = unsaved ?? kept else { throw ClientError(.notLoggedIn, "not logged in") }
        if unsaved == nil, login.method == .exchange, !isLoaded {
            throw ClientError(.notLoggedIn, "the exchanged token is not loaded")
        }
        try check(login)
        return login
    }

    /// Whether a login is valid for this server, application and backend, and not expired (OMH-04, OMH-06).
    func check(_ login: StoredLogin) throws(ClientError) {
        guard login.scope == scope else {
            throw ClientError(.wrongBackend, "the login is for another server or application; log in again")
        }
        guard login.backend.isExactly(profile.backend) else {
            throw ClientError(
                .wrongBackend,
                "the token is bound to the backend \(login.backend), and not good for \(profile.backend); log in again")
        }
        if let end = login.expiresAt, end <= now() { throw ClientError(.expired, "the login has expired") }
    }

    /// Changes the stored and the cached state.
    func change(_ body: (inout SessionState) -> Void) throws(ClientError) {
        if agent != nil { return live.withLock { body(&$0.session) } }
        let outcome = try store.changeSession(body)
        live.withLock { $0.session = outcome }
    }

    /// Sends a request with the common fields (RST-02).
    func send(_ request: ClientRequest) async throws(ClientError) -> ClientResponse {
        try await transport.send(
            request.has("user-agent") ? request : request.adding(.init("User-Agent", profile.userAgent)))
    }

    /// Sends a request to a service of the gateway. An order to wipe is executed first (OMS-16).
    func ask(_ request: ClientRequest) async throws(ClientError) -> ServiceReply {
        let reply = ServiceReply(try await send(request))
        guard reply.isWipe else { return reply }
        try wipe()
        throw reply.refusal
    }

    /// Deletes credentials, properties and tokens.
    private func wipe() throws(ClientError) {
        live.withLock { live in
            live.session = SessionState()
            live.use(unsaved: nil)
        }
        try store.removeAll()
        live.withLock { $0.loadProblem = nil }
    }

    /// Removes a part of the stored state, or all of it if the store is unreadable.
    func forget(_ body: (inout SessionState) -> Void) throws(ClientError) {
        do throws(ClientError) {
            try change(body)
        } catch {
            guard error.code == .storeUnreadable else { throw error }
            try wipe()
        }
    }
}

extension ConnectionTransport {
    /// The transport with the authorities and time-out of a profile.
    init(profile: ClientProfile) throws(ClientError) {
        var authorities: [UInt8]?
        if let file = profile.caFile {
            do throws(KernelError) { authorities = try FileSystem.read(file) } catch {
                throw ClientError(.invalidProfile, "/caFile: \(file) cannot be read: \(error.text)")
            }
        }
        try self.init(authorities: authorities, timeoutSeconds: profile.timeoutSeconds)
    }
}
