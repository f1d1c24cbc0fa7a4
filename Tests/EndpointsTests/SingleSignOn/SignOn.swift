import Authorization
import Crypto
import Endpoints
import HTTP
import Identity
import JOSE
import LoginPages
import Model
import OAuthServer
import SingleSignOn
import Synchronization
import TestSupport
import Testing
import TokenStorage

/// Single sign-on on a store of its own, with a browser.
final class SignOn {
    static let target = "https://www.example.com/cb"
    static let whitelist = "https://www.example.com, https://*.example2.com/cb, http://127.0.0.1:*"

    let store: any TokenStore
    let revocations = RevocationList()
    var settings: Settings
    let browser: Browser

    /// Those of the token service, and what single sign-on has beside.
    @dynamicMemberLookup
    struct Settings {
        var tokens: TokenServiceSettings
        var logins: LoginFlow.Settings?
        var whitelist = RedirectWhitelist(nil)
        var providerLogin: ProviderLogin?
        var capturesRedirect = false

        subscript<Value>(dynamicMember path: WritableKeyPath<TokenServiceSettings, Value>) -> Value {
            get { tokens[keyPath: path] }
            set { tokens[keyPath: path] = newValue }
        }

        var families: Families {
            let tokens = TokenService(settings: tokens)
            var flow: LoginFlow?
            if var logins {
                SignOnService.prepare(&logins, whitelist: whitelist, assertions: tokens.settings.assertions)
                flow = LoginFlow(service: tokens, settings: logins, providers: providerLogin)
            }
            let service = SignOnService(
                tokens, flow: flow, whitelist: whitelist, capturesRedirect: capturesRedirect)
            var families = Families(tokens)
            families.add(service.handlers)
            if let authorization = flow.map(AuthorizationService.init) {
                families.add(authorization.handlers, returns: authorization.returns)
            }
            families.add(providerLogin)
            return families
        }
    }

    init(
        store: any TokenStore = MemoryTokenStore(), whitelist: String? = SignOn.whitelist,
        seals: BrowserSeals = Mobile.seals, _ change: (inout Settings) -> Void = { _ in }
    ) {
        self.store = store
        settings = Settings(
            tokens: Service.settings(clients: SignOn.clients, users: SignOn.users, store: store))
        settings.revocations = revocations
        settings.throttle = LoginThrottle(LoginThrottle.Settings(unlimited: ()))
        settings.logins = LoginFlow.Settings(seals: seals, sessions: SessionRegister(store: store))
        settings.whitelist = RedirectWhitelist(whitelist)
        change(&settings)
        browser = Browser(settings.families)
    }

    static let clients: Clients = {
        var list = Service.clients.clients
        for i in list.indices where ["inventory", "other", "off"].contains(list[i].name) { list[i].enableSSO = true }
        var second = Service.client("orders", "mbe-ord-1", "ord-client", "ord-secret")
        second.enableSSO = true
        return Clients(list + [second])
    }()

    /// Besides those of the fixture a user of another realm, and a namesake.
    static let users: UserStore = {
        let hasher = PasswordHasher()
        let hash = try? hasher.make(Array("Welcome6".utf8).span, scheme: .saltedSHA512)
        let others = [
            User(username: "eve", realm: "Other", passwordHash: hash),
            User(username: "ann", realm: "Other", passwordHash: hash),
        ]
        return UserStore(users: Service.users.users + others, hasher: hasher)
    }()

    static func query(_ client: String = "inv-client", _ more: [(String, String)] = []) -> String {
        Browser.form([("clientID", client)] + more)
    }

    func ask(
        _ query: String = query(), fields: [(name: String, value: String)] = [], at seconds: Int64 = 0
    ) -> EndpointResponse {
        browser.get(
            ExchangePaths.browsers, query: query, endpoint: .singleSignOn, fields: fields, at: seconds)
    }

    /// Goes where a response leads to.
    @discardableResult
    func follow(_ response: EndpointResponse, at seconds: Int64 = 0) -> EndpointResponse {
        let parts = (response.field("Location") ?? "").split(separator: "?", maxSplits: 1).map(String.init)
        let path = parts.first ?? ""
        return browser.get(
            path, query: parts.count > 1 ? parts[1] : "",
            endpoint: path == ExchangePaths.browsers ? .singleSignOn : .login, at: seconds)
    }

    /// Asks, logs in and follows to what comes then.
    @discardableResult
    func logIn(
        _ query: String = query(), as user: String = "joe", _ password: String = "Welcome1", at seconds: Int64 = 0
    ) -> EndpointResponse {
        follow(ask(query, at: seconds), at: seconds)
        return follow(submit(user, password, at: seconds), at: seconds)
    }

    /// Sends the login form that is open.
    func submit(_ user: String, _ password: String, at seconds: Int64 = 0) -> EndpointResponse {
        browser.submit([("username", user), ("password", password)], endpoint: .login, at: seconds)
    }

    var cookie: String? { browser.cookies[browser.name("portcullis")] }

    /// Whether a token opens routes, as far as revocation goes.
    func isGood(_ claims: AccessTokenClaims) -> Bool {
        !revocations.isRevoked(
            tokenID: claims.tokenID, subject: claims.subject, backendID: claims.backendID,
            issuedAt: claims.issuedAt, session: claims.session)
    }
}

/// A store that answers or does not.
final class UnsteadyStore: TokenStore {
    private let store: MemoryTokenStore
    private let failing = Atomic<Bool>(false)

    init(_ store: MemoryTokenStore) { self.store = store }

    var fails: Bool {
        get { failing.load(ordering: .relaxed) }
        set { failing.store(newValue, ordering: .relaxed) }
    }

    var kind: StaticString { store.kind }
    var state: StoreState { store.state }

    func perform(
        _ operation: StoreOperation, now: Int64, then: @escaping @Sendable (Result<StoreAnswer, StoreFailure>) -> Void
    ) {
        if fails { then(.failure(.unavailable)) } else { store.perform(operation, now: now, then: then) }
    }
}

extension EndpointResponse {
    /// The token on a page: shown, or in the form for an application.
    var pageToken: String? {
        (text.firstMatch(of: /<textarea id="token"[^>]*>([^<]*)</)
            ?? text.firstMatch(
                of: /name="access_token" value="([^"]*)"/)).map { String($0.1) }
    }

    /// What stands in it.
    func pageClaims(at now: Int64 = Service.now) throws -> AccessTokenClaims {
        let token = try #require(pageToken)
        let plain = EndpointResponse(
            status: 200, headers: [], body: Array(#"{"access_token":"\#(token)"}"#.utf8), reason: .tokenIssued)
        return try plain.claims(at: now)
    }
}
