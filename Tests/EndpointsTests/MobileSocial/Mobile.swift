import Authorization
import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import JOSE
import LoginPages
import MobileSocial
import Model
import OAuthServer
import Outbound
import Synchronization
import TestSupport
import Testing
import TokenStorage

/// Service domains on a store and a clock of their own, behind the token service as the gateway asks it.
final class Mobile: Sendable {
    static let start = Service.now
    static let path = "/oic_rest/rest/mobileoamauthentication"
    /// The secret of the test vectors of RFC 6238.
    static let oneTimeSecret = Array("12345678901234567890".utf8)

    let service: Families
    let store: any TokenStore
    let sessions: SessionRegister
    let revocations = RevocationList()

    init(
        store: any TokenStore = MemoryTokenStore(), key: TokenDigestKey = Service.storeKey,
        providers: [any BrowserIdentityProvider] = [], throttle: LoginThrottle = LoginThrottle(),
        _ change: (inout ServiceDomain) -> Void = { _ in }
    ) {
        self.store = store
        let sessions = SessionRegister(store: store, remains: MobileSocialService.remains)
        self.sessions = sessions
        var settings = Service.settings(store: store)
        settings.revocations = revocations
        settings.storeKey = key
        var mobile = MobileSocialSettings(
            users: Mobile.users, hasher: PasswordHasher(), catalogue: Service.catalogue, store: store,
            key: key, seals: Mobile.seals, signer: JWTSigner(key: Service.key), contexts: StubContexts())
        mobile.domains = Mobile.domains(change)
        mobile.issuer = Service.baseURL
        mobile.audience = [Service.baseURL]
        mobile.baseURL = Service.baseURL
        mobile.names = PublicNames(
            origins: ["\(Service.baseURL)", "http://gw.example.com:8080"], hosts: ["*.api.example.com"])
        mobile.webgates = ["InventoryWG", "HighWG"]
        mobile.revocations = revocations
        mobile.sessions = sessions
        mobile.throttle = LoginThrottle(LoginThrottle.Settings(unlimited: ()))
        let social = MobileSocialService(settings: mobile)
        let login = ProviderLogin(
            providers, seals: Mobile.seals, store: store, revocations: revocations, baseURL: Service.baseURL,
            furtherOrigins: ["https://gw.example.org", "http://gw.example.org:8080"], throttle: throttle)
        settings.users = Mobile.users
        let tokens = TokenService(settings: settings)
        let browser = BrowserLogin(
            social: social, tokens: tokens,
            settings: LoginFlow.Settings(seals: Mobile.seals, sessions: sessions),
            forms: [BrowserLogin.Form(path: "/oic_rest/mobilesso", domain: "MobileServiceDomain")],
            providers: login)
        var families = Families(tokens)
        families.add(social.handlers(ownTokens: tokens.ownTokens, browser))
        families.add(browser.handlers, returns: browser.returns)
        families.add(login)
        service = families
    }

    private static func domains(_ change: (inout ServiceDomain) -> Void) -> [ServiceDomain] {
        let (inventory, scheduler) = (Service.clients.clients[0], Service.clients.clients[1])
        var mobile = ServiceDomain(
            name: "MobileServiceDomain", services: ["mobileoamauthentication"], isMobile: true)
        mobile.wipesDevices = true
        mobile.browserApplication = "DemoApp"
        mobile.deviceRules = [DeviceRule(denying: [JSONMember(name: "jailbroken", node: JSONNode(.bool(true)))])]
        mobile.applications = [
            MobileApplication(name: "DemoApp", backend: inventory),
            MobileApplication(name: "OtherApp", backend: inventory),
        ]
        change(&mobile)
        var plain = ServiceDomain(
            name: "Default", services: ["oamauthentication", "jwtauthentication"], isMobile: false)
        var application = MobileApplication(name: "inventory", backend: inventory)
        application.sharedSecret = "shared"
        plain.applications = [application]
        var circle = ServiceDomain(name: "Circle", services: [], isMobile: false)
        let circled: [(String, Int?, Client)] = [
            ("agent", 1, inventory), ("reserve", 2, inventory), ("client", nil, scheduler),
        ]
        for (name, priority, client) in circled {
            var application = MobileApplication(name: name, backend: client)
            application.participates = true
            application.agentPriority = priority
            circle.applications.append(application)
        }
        circle.applications.append(MobileApplication(name: "loner", backend: scheduler))
        return [mobile, plain, circle]
    }

    static let seals: BrowserSeals = {
        let bytes = [UInt8](repeating: 4, count: 32)
        guard let key = AEADKey(bytes.span), let ring = AEADKeyRing([key]) else { fatalError("no key") }
        return BrowserSeals(keys: ring)
    }()

    static let users: UserStore = {
        let hasher = PasswordHasher()
        func hash(_ text: String) -> String {
            (try? hasher.make(Array(text.utf8).span, scheme: .saltedSHA512)) ?? ""
        }
        var joe = User(username: "joe", passwordHash: hash("Welcome1"), roles: ["Manager"])
        joe.securityQuestions = [SecurityQuestion(question: "First pet?", answer: hash("rex"))]
        joe.oneTimeSecret = oneTimeSecret
        let ann = User(username: "ann", passwordHash: hash("Welcome2"), roles: ["Clerk"])
        let off = User(username: "off", passwordHash: hash("Welcome4"), enabled: false)
        let namesake = User(username: "joe", realm: "Other", passwordHash: hash("Welcome5"))
        return UserStore(users: [joe, ann, off, namesake], hasher: hasher)
    }()

    // MARK: Requests

    func post(
        _ target: String, _ body: String, domain: String? = "MobileServiceDomain", proof: String? = nil,
        authorization: [String] = [], fields more: [(name: String, value: String)] = [], at seconds: Int64 = 0
    ) -> EndpointResponse {
        begin(target, body, domain: domain, proof: proof, authorization: authorization, fields: more, at: seconds)
            .settled()
    }

    /// A request that has not been answered yet.
    func begin(
        _ target: String, _ body: String, domain: String? = "MobileServiceDomain", proof: String? = nil,
        authorization: [String] = [], fields more: [(name: String, value: String)] = [], at seconds: Int64 = 0
    ) -> Effect<EndpointResponse> {
        var fields = more
        if let domain { fields.append((name: "x-idaas-servicedomain", value: domain)) }
        if let proof { fields.append((name: "x-idaas-rest-authorization", value: Mobile.uidPassword(proof))) }
        let request = EndpointRequest(
            method: .post, path: target, contentType: "application/json", authorization: authorization,
            body: Array(body.utf8), fields: fields)
        return service.handle(request, endpoint: .mobileSocial, now: Mobile.start + seconds)
    }

    func get(
        _ target: String, query: String = "", domain: String? = nil,
        fields more: [(name: String, value: String)] = [], at seconds: Int64 = 0
    ) -> EndpointResponse {
        var fields = more
        if let domain { fields.append((name: "x-idaas-servicedomain", value: domain)) }
        let request = EndpointRequest(method: .get, path: target, query: Array(query.utf8), fields: fields)
        return service.handle(request, endpoint: .mobileSocial, now: Mobile.start + seconds).settled()
    }

    static func uidPassword(_ pair: String) -> String {
        #"UIDPASSWORD cred="\#(String(decoding: Base64.encode(Array(pair.utf8).span), as: UTF8.self))""#
    }

    static func login(
        _ type: String, user: String = "joe", password: String = "Welcome1", app: String? = "DemoApp",
        device: String = #"{"hardwareIds":{}}"#, more: String = ""
    ) -> String {
        let client = app.map { #","deviceProfile":\#(device),"clientId":"\#($0)""# } ?? ""
        return """
            {"X-Idaas-Rest-Subject-Type":"USERCREDENTIAL","X-Idaas-Rest-Subject-Username":"\(user)",
             "X-Idaas-Rest-Subject-Password":"\(password)","X-Idaas-Rest-New-Token-Type-To-Create":"\(type)"\(client)\(more)}
            """
    }

    func handle(_ app: String = "DemoApp", device: String = #"{"hardwareIds":{}}"#) throws -> String {
        try value(post(Mobile.path + "/register", Mobile.login("CLIENTREGHANDLE", app: app, device: device)))
    }

    func authenticate(
        _ handle: String, user: String = "joe", password: String = "Welcome1", more: String = "", at seconds: Int64 = 0
    ) -> EndpointResponse {
        post(
            Mobile.path + "/authenticate", Mobile.login("USERTOKEN", user: user, password: password, more: more),
            proof: "DemoApp:\(handle)", at: seconds)
    }

    static func accessBody(
        _ token: String, _ context: String = StubContexts.inventory,
        resource: String = "https://gw.example.com/inventory/items", more: String = ""
    ) -> String {
        """
        {"X-Idaas-Rest-Subject-Type":"TOKEN","X-Idaas-Rest-Subject-Value":"\(token)",
         "X-Idaas-Rest-Application-Context":"\(context)","X-Idaas-Rest-Application-Resource":"\(resource)",
         "X-Idaas-Rest-New-Token-Type-To-Create":"ACCESSTOKEN"\(more)}
        """
    }

    func access(
        _ token: String, _ handle: String, _ context: String = StubContexts.inventory, at seconds: Int64 = 0
    ) -> EndpointResponse {
        post(Mobile.path + "/access", Mobile.accessBody(token, context), proof: "DemoApp:\(handle)", at: seconds)
    }

    func value(_ response: EndpointResponse, sourceLocation: SourceLocation = #_sourceLocation) throws -> String {
        let text = String(decoding: response.body, as: UTF8.self)
        #expect(response.status == 200 || response.status == 201, "\(text)", sourceLocation: sourceLocation)
        return try #require(
            response.json?["X-Idaas-Rest-Token-Value"]?.string, "\(text)", sourceLocation: sourceLocation)
    }
}

/// Contexts in plain text: webgate, level, target and end.
struct StubContexts: RequestContextReader {
    static let inventory = "InventoryWG:2:/inventory/items"
    static let high = "HighWG:3:/inventory/items"

    func open(_ context: Span<UInt8>, now: Int64) -> RequestContext? {
        var bytes: [UInt8] = []
        for i in context.indices { bytes.append(context[i]) }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: ":", maxSplits: 2).map(String.init)
        guard parts.count == 3, let level = Int(parts[1]) else { return nil }
        return RequestContext(webgate: parts[0], level: level, method: "GET", target: parts[2], expiresAt: now + 1)
    }
}

extension LoginThrottle.Settings {
    init(unlimited: Void) {
        self.init()
        failuresPerUser = 0
        failuresPerNetwork = 0
    }
}
