import Model
import Reactor
import Synchronization

/// An application's end of the gateway: it logs in, keeps what proves it, and sends requests that are answered
/// (OMS, RST, OMH). Everything is kept in the store, for the next start of the program.
///
/// Any number of tasks may use one client.
public final class GatewayClient: Sendable {
    public let profile: ClientProfile
    public let store: CredentialStore
    let transport: any Transport
    let prompts: ClientPrompts
    /// Who logs in for this application (AGT-04); nil for itself.
    let agent: (any SSOAgentChannel)?
    /// Seconds since 1970.
    let now: @Sendable () -> Int64
    let live: Mutex<Live>

    /// What is known in this process.
    struct Live {
        var session = SessionState()
        /// A login that is not kept, or not the one that is.
        var passing: KeptLogin?
        /// Whether the exchanged token in the store was asked for (OMH-04).
        var isExchangeLoaded = false
        var isOffline = false
        var loadProblem: ClientError?
        /// Tokens for webgates that are being got, so that requests at the same time get one.
        var flights: [String: Task<Result<WebgateToken, ClientError>, Never>] = [:]
        weak var delegate: (any GatewayClientDelegate)?
    }

    /// - Parameters:
    ///   - profile: which gateway, and which application.
    ///   - store: where tokens are kept. What an earlier run of the program left there is in use at once, but for
    ///     exchanged tokens, which `loadSSOTokenExchange` takes.
    ///   - transport: nil for the client's own, which checks the server's certificate with the profile's `caFile`.
    ///   - prompts: how to ask the person.
    ///   - agent: whom to get tokens from in the place of a login (AGT-04). They are not kept: whoever logs in at the agent
    ///     next may be somebody else. What is in the store stays out of use.
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

    /// Who is logged in; nil for nobody (OMS-05).
    public var authenticationContext: AuthenticationContext? {
        let isOffline = live.withLock { $0.isOffline }
        return (try? login()).map { AuthenticationContext($0, isOffline: isOffline) }
    }

    /// The access or user token of the login in force; nil where there is none.
    public var accessToken: String? { (try? login())?.token }

    /// The webgates that there are tokens for.
    public var webgates: [(name: String, level: Int, origin: String)] {
        live.withLock { $0.session.webgates.map { ($0.webgate, $0.level, $0.origin) } }
    }

    /// What the client is for: all that it keeps is bound to it.
    var scope: Scope {
        Scope(origin: origin, serviceDomain: profile.serviceDomain, appName: profile.appName)
    }

    /// Of the gateway that the profile names.
    var origin: String { (try? WebURL(client: profile.baseURL))?.place ?? profile.baseURL }

    /// The login in force.
    /// - Throws: why there is none.
    func login() throws(ClientError) -> KeptLogin {
        let (passing, kept, isLoaded) = live.withLock { ($0.passing, $0.session.login, $0.isExchangeLoaded) }
        guard let login = passing ?? kept else { throw ClientError(.notLoggedIn, "nobody is logged in") }
        if passing == nil, login.method == .exchange, !isLoaded {
            throw ClientError(.notLoggedIn, "the exchanged token is not loaded")
        }
        try check(login)
        return login
    }

    /// A login is used for the server, application and backend that it was for, and not beyond its time (OMH-04, OMH-06).
    func check(_ login: KeptLogin) throws(ClientError) {
        guard login.scope == scope else {
            throw ClientError(.wrongBackend, "the login is for another server or application; log in again")
        }
        guard login.backend.utf8.elementsEqual(profile.backend.utf8) else {
            throw ClientError(
                .wrongBackend,
                "the token is bound to the backend \(login.backend), and not good for \(profile.backend); log in again")
        }
        if let end = login.expiresAt, end <= now() { throw ClientError(.expired, "the login has expired") }
    }

    /// Changes what is kept, in the store and here.
    func change(_ body: (inout SessionState) -> Void) throws(ClientError) {
        if agent != nil { return live.withLock { body(&$0.session) } }
        let outcome = try store.changeSession(body)
        live.withLock { $0.session = outcome }
    }

    /// Sends a request with what every request has (RST-02).
    func send(_ request: ClientRequest) async throws(ClientError) -> ClientResponse {
        try await transport.send(
            request.has("user-agent") ? request : request.adding(.init("User-Agent", profile.userAgent)))
    }

    /// Sends a request to a service of the gateway. An order to wipe is carried out before anything else (OMS-16).
    func ask(_ request: ClientRequest) async throws(ClientError) -> ServiceReply {
        let reply = ServiceReply(try await send(request))
        guard reply.isWipe else { return reply }
        try wipe()
        throw reply.refusal
    }

    /// Forgets credentials, properties and tokens.
    private func wipe() throws(ClientError) {
        live.withLock { live in
            live.session = SessionState()
            live.passing = nil
            live.isExchangeLoaded = false
            live.isOffline = false
        }
        try store.removeAll()
        live.withLock { $0.loadProblem = nil }
    }

    /// Changes what is kept so that less of it is. Where that cannot be read, nobody can say what would be left: then
    /// nothing is.
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
    /// With the authorities and the patience of a profile.
    init(profile: ClientProfile) throws(ClientError) {
        var authorities: [UInt8]?
        if let file = profile.caFile {
            guard let text = ClientProfile.contents(of: file) else {
                throw ClientError(.invalidProfile, "/caFile: \(file) cannot be read")
            }
            authorities = text
        }
        try self.init(authorities: authorities, timeoutSeconds: profile.timeoutSeconds)
    }
}
