import Bytes
import Crypto
import Identity
import JOSE
import Model
import TestSupport

@testable import Policy

/// The fixture of section 1.5 as far as decisions go, and tokens for it.
enum TestPolicy {
    /// The time of every test that does not say otherwise.
    static let now: Int64 = 1_800_000_000

    static let catalogue = RoleCatalogue(["Manager", "Clerk", "Auditor", "Guest", "Employee"])
    static let ownKey = JWTSigner(key: SigningKey.generate(.es256), keyID: "own-1")
    static let outsideKey = JWTSigner(key: SigningKey.generate(.es256), keyID: "idp-1")
    static let strangerKey = JWTSigner(key: SigningKey.generate(.es256), keyID: "own-1")

    static let inventory = Client(
        name: "inventory", version: "1.0", id: "mbe-inv-1", anonymousKey: "YW5vbi1pbnY6azN5",
        clientID: "inv-client", clientSecret: Secret("inv-secret"))
    static let scheduler = Client(
        name: "scheduler", version: "1.0", id: "mbe-sch-1", anonymousKey: "", clientID: "sch-client",
        clientSecret: Secret("sch-secret"))

    static func users(joesRoles: [String] = ["Manager"]) -> UserStore {
        let hasher = PasswordHasher()
        func user(_ name: String, _ password: String, _ roles: [String]) -> User {
            let bytes = Array(password.utf8)
            guard let hash = try? hasher.make(bytes.span, scheme: .saltedSHA512) else { fatalError("no hash") }
            return User(username: name, passwordHash: hash, roles: roles)
        }
        return UserStore(
            users: [
                user("joe", "Welcome1", joesRoles), user("ann", "Welcome2", ["Clerk"]), user("bob", "a:b", []),
                User(username: "sso1"),
            ], hasher: hasher)
    }

    static func challenges(_ key: UInt8 = 1, more: [UInt8] = [], lifetime: Int64 = 300) -> ChallengeIssuer {
        let keys = ([key] + more).compactMap { byte in
            let bytes = [UInt8](repeating: byte, count: 32)
            return AEADKey(bytes.span)
        }
        guard let ring = AEADKeyRing(keys) else { fatalError("no key") }
        let origins: [WebOrigin] = ["https://gw.example.com"]
        return ChallengeIssuer(
            keys: ring, lifetimeSeconds: lifetime, possession: PossessionRules(origins: origins))
    }

    static func settings(
        outsidePurpose: TokenPurpose = .accessToken(parties: .only(["portcullis", "inv-client"])),
        clients: [Client] = [inventory, scheduler], users: UserStore = users(),
        revocations: RevocationList = RevocationList()
    ) -> PolicySettings {
        var settings = PolicySettings(
            clients: Clients(clients), users: users, revocations: revocations, challenges: challenges())
        settings.ownOrigins = ["https://gw.example.com"]
        settings.allowOrigin = "https://myexample.com, https://*.example.com, https://*.example2.com"
        settings.roles = catalogue
        settings.routes = routes
        settings.endpoints = [("/oauth2/token", .token), ("/token", .token), ("/mobile/platform/users/~", .whoAmI)]
        settings.issuers = [
            IssuerSettings(
                trust: TrustedIssuer(
                    name: "own", issuer: "https://gw.example.com", audiences: ["https://gw.example.com"],
                    keys: KeySet(keys: [ownKey.publishedKey]), purpose: .accessToken(isTyped: true), own: true),
                claims: .own),
            IssuerSettings(
                trust: TrustedIssuer(
                    name: "idp", issuer: "https://idp.example.com", audiences: ["portcullis"],
                    keys: KeySet(keys: [outsideKey.publishedKey]), purpose: outsidePurpose),
                claims: .outside(
                    ExternalIdentityRules(
                        virtualUserEnabled: true, roleMapping: RoleMapping(sources: ["roles"])), level: 2,
                    backendID: "mbe-inv-1")),
        ]
        return settings
    }

    private static func route(
        _ name: String, _ path: PathPattern, _ change: (inout ResolvedRoute) -> Void = { _ in }
    ) -> ResolvedRoute {
        var route = ResolvedRoute(RouteEntry(name: name, path: path))
        change(&route)
        return route
    }

    static let routes: [ResolvedRoute] = [
        route("items", "/inventory/items") {
            $0.methods = [
                MethodEntry("GET", RoleNames(any: ["Manager", "Clerk"])),
                MethodEntry("POST", RoleNames(any: ["Manager"])),
            ]
            $0.webgate = Webgate(name: "InventoryWG", level: 2)
            $0.clients = ["mbe-inv-1"]
        },
        route("ping", "/open/ping") { $0.access.isPublic = true },
        route("public", "/inventory/public") {
            $0.access.loginRequired = false
            $0.webgate = Webgate(name: "InventoryWG", level: 2)
            $0.clients = ["mbe-inv-1"]
        },
        route("me", "/inventory/me") { $0.clients = ["mbe-inv-1"] },
        route("payroll", "/payroll/**") { $0.webgate = Webgate(name: "HighWG", level: 3) },
        route("mobile", "/mobileapp") {
            $0.webgate = Webgate(name: "MobileWG", level: 2, userAgents: ["OAMMS-Agent"])
        },
        route("feed", "/social/feed") { $0.access.socialLogin = true },
        route("inventory", "/inventory/**") {
            $0.webgate = Webgate(name: "InventoryWG", level: 2)
            $0.clients = ["mbe-inv-1"]
        },
        route("only", "/only") { $0.options.allowOrigin = "https://only.example.com" },
        route("open", "/anyone"),
    ]

    static func snapshot(_ settings: PolicySettings = settings()) -> PolicySnapshot {
        PolicySnapshot(settings)
    }

    /// An access token of the embedded issuer.
    static func token(
        _ subject: String = "joe", kind: Principal.Kind = .user, client: Client = inventory,
        roles: [String] = ["Manager"], level: Int = 2, issuedAt: Int64 = now, lifetime: Int64 = 600,
        audience: String = "https://gw.example.com", id: String = "jti-1", type: String = AccessTokenClaims.type,
        origins: [TokenOrigin] = [], signer: JWTSigner = ownKey
    ) -> String {
        var claims = AccessTokenClaims(
            TokenRights(subject: subject, kind: kind, roles: roles, level: level),
            of: client, issuer: "https://gw.example.com", audience: [audience], issuedAt: issuedAt,
            expiresAt: issuedAt + lifetime, tokenID: id)
        claims.origins = origins
        return String(decoding: signer.sign(claims: claims.json(), type: type), as: UTF8.self)
    }

    /// A token of the outside issuer; `roles` is JSON.
    static func outsideToken(
        _ subject: String = "eve", roles: String = #"["Clerk"]"#, type: String = "JWT", more: String = ""
    ) -> String {
        let claims =
            #"{"iss":"https://idp.example.com","aud":"portcullis","sub":"\#(subject)","exp":\#(now + 600),"#
            + #""roles":\#(roles)\#(more)}"#
        return String(decoding: outsideKey.sign(claims: Array(claims.utf8), type: type), as: UTF8.self)
    }
}

extension MethodEntry {
    init(_ method: String, _ roles: RoleNames = RoleNames()) {
        self.init(method: method, access: AccessRule())
        access.roles = roles
    }
}

/// What a test may change of a Webgate.
struct WebgateValues {
    var level: Int
    var userAgents: [String]
    var mismatch: UserAgentMismatch?
    var scheme: AuthenticationScheme?
}

extension PolicySettings {
    /// Replaces the Webgate of this name on its routes.
    mutating func change(_ name: String, _ change: (inout WebgateValues) -> Void) {
        guard let old = routes.compactMap(\.webgate).first(where: { $0.name == name }) else { return }
        var values = WebgateValues(
            level: old.level, userAgents: old.userAgents.map(\.description), mismatch: old.mismatch, scheme: old.scheme)
        change(&values)
        let webgate = Webgate(
            name: name, level: values.level, userAgents: values.userAgents, mismatch: values.mismatch,
            scheme: values.scheme)
        for i in routes.indices where routes[i].webgate?.name == name { routes[i].webgate = webgate }
    }
}

extension UserAgentPattern {
    fileprivate var description: String { String(decoding: text, as: UTF8.self) + (isPrefix ? "*" : "") }
}

extension PolicySnapshot {
    /// The route of this name.
    func route(_ name: String) -> Route {
        guard let route = routes.routes.first(where: { $0.name == name }) else { fatalError("no route \(name)") }
        return route
    }
}
