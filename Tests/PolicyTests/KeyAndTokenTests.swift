import Crypto
import HTTP
import Identity
import Model
import TestSupport
import Testing

@testable import Policy

/// Routes that require an API key and another credential, or list both.
@Suite struct KeyAndTokenTests {
    private static let key = APIKey.make()
    private static let field = ("X-API-Key", key)
    private static let unknown = ("X-API-Key", APIKey.make())
    private static let token = bearer(TestPolicy.token("ann"))
    private static let forged = bearer(TestPolicy.token("ann", signer: TestPolicy.strangerKey))
    private static let outside = bearer(TestPolicy.outsideToken("eve"))
    private static let password = basic("ann:Welcome2")

    private static func paired(_ kind: Authenticator.Kind, issuer: String? = nil) -> Authenticator {
        var entry = Authenticator(kind, issuer: issuer)
        entry.needsKey = true
        return entry
    }

    private static func settings(_ list: [Authenticator]?, keyEnd: Int64? = nil) -> PolicySettings {
        var settings = TestPolicy.settings()
        let digest = DigestAlgorithm.sha256.digest(Array(key.utf8).span)
        let keys = [Consumer.Key(id: "k1", digest: digest, expiresAt: keyEnd)]
        settings.consumers = [Consumer(name: "app", roles: ["Manager"], enabled: true, keys: keys)]
        var route = ResolvedRoute(RouteEntry(name: "both", path: "/both"))
        route.access.loginRequired = false
        route.options.authenticators = list
        settings.routes.append(route)
        return settings
    }

    /// Subject and consumer of the caller, or the code of the refusal.
    private func caller(_ list: [Authenticator]?, _ fields: (String, String)...) -> String {
        let snapshot = TestPolicy.snapshot(Self.settings(list))
        let request = TestRequest("GET", "/both", fields)
        guard case .route(let route)? = request.match(snapshot) else { return "no route" }
        func text(_ principal: Principal) -> String { "\(principal.subject) \(principal.consumerName ?? "-")" }
        switch request.authenticate(snapshot, route) {
        case .none: return "none"
        case .principal(let principal): return text(principal)
        case .rejected(let reason), .malformed(let reason): return reason.code
        case .resolve(let effect):
            switch effect.settled() {
            case .success(let principal): return text(principal)
            case .failure(let reason): return reason.code
            }
        }
    }

    @Test("both must hold: the token gives the user, the key the consumer")
    func both() {
        let list = [Self.paired(.bearer)]
        #expect(caller(list, Self.field, Self.token) == "ann app")
        #expect(caller(list, Self.token, Self.field) == "ann app")
        #expect(caller(list) == "none")
        #expect(caller(list, Self.token) == "api_key_missing")
        #expect(caller(list, Self.field) == "user_credential_missing")
        #expect(caller(list, bearer(Self.key)) == "user_credential_missing")
        #expect(caller(list, Self.unknown, Self.token) == "api_key_unknown")
        #expect(caller(list, ("X-API-Key", "pck_x"), Self.token) == "api_key_unknown")
        #expect(caller(list, Self.field, Self.forged) == "bad_signature")
        #expect(caller(list, Self.unknown, Self.forged) == "api_key_unknown")
        #expect(caller(list, Self.field, bearer("x")) == "malformed_token")
        // Two keys, two tokens, and what is no key at its place.
        #expect(caller(list, Self.field, bearer(Self.key)) == "duplicate_credential")
        #expect(caller(list, Self.field, Self.field, Self.token) == "duplicate_credential")
        #expect(caller(list, Self.field, Self.token, Self.token) == "duplicate_credential")
        #expect(caller(list, ("X-API-Key", TestPolicy.token("joe")), Self.token) == "issuer_not_allowed")
        // Another kind.
        #expect(caller(list, Self.field, Self.password, inventoryID) == "key_beside_credential")
    }

    @Test("a password, and the issuer of a token")
    func otherKinds() {
        let list = [Self.paired(.basic), Self.paired(.bearer, issuer: "own")]
        #expect(caller(list, Self.field, Self.password, inventoryID) == "ann app")
        #expect(caller(list, Self.password, inventoryID) == "api_key_missing")
        #expect(caller(list, Self.field, basic("ann:wrong"), inventoryID) == "wrong_password")
        #expect(caller(list, Self.field, Self.token) == "ann app")
        #expect(caller(list, Self.field, Self.outside) == "issuer_not_allowed")
        #expect(caller(list, basic("\(Self.key):")) == "user_credential_missing")
    }

    @Test("alternatives need no key, and a bad one beside them is refused")
    func alternatives() {
        let list = [Authenticator(.basic), Authenticator(.bearer, issuer: "idp"), Self.paired(.bearer)]
        #expect(caller(list, Self.password, inventoryID) == "ann -")
        #expect(caller(list, Self.field, Self.password, inventoryID) == "ann app")
        #expect(caller(list, Self.unknown, Self.password, inventoryID) == "api_key_unknown")
        #expect(caller(list, Self.outside) == "eve -")
        #expect(caller(list, Self.token) == "api_key_missing")
        #expect(caller(list, Self.field, Self.token) == "ann app")
    }

    @Test("where both are listed apart, the first counts; elsewhere the two are refused")
    func apart() {
        let next = Authenticator(.apiKey, fallsThrough: true)
        #expect(caller([next, Authenticator(.bearer)], Self.field, Self.token) == "app app")
        #expect(caller([next, Authenticator(.bearer)], Self.unknown, Self.token) == "ann -")
        #expect(caller([next, Authenticator(.bearer)], Self.unknown) == "api_key_unknown")
        #expect(caller([next, Authenticator(.bearer)], Self.unknown, Self.forged) == "bad_signature")
        #expect(
            caller([Authenticator(.apiKey), Authenticator(.bearer)], Self.unknown, Self.token) == "api_key_unknown")
        #expect(caller([Authenticator(.bearer), Authenticator(.apiKey)], Self.field, Self.token) == "ann -")
        let token = Authenticator(.bearer, fallsThrough: true)
        #expect(caller([token, Authenticator(.apiKey)], Self.field, Self.forged) == "app app")
        for list in [[Authenticator(.bearer)], [Authenticator(.apiKey)], nil] {
            #expect(caller(list, Self.field, Self.token) == "key_beside_credential")
            #expect(caller(list, Self.token, Self.token) == "duplicate_credential")
        }
        #expect(caller(nil, Self.field, bearer(Self.key)) == "duplicate_credential")
        #expect(caller(nil, Self.field, Self.password) == "key_beside_credential")
    }

    @Test("the roles are those of the token's user, and a credential alone is not admitted")
    func rights() {
        var settings = Self.settings([Self.paired(.bearer)])
        settings.routes[settings.routes.count - 1].access.roles.all = ["Manager"]
        let snapshot = TestPolicy.snapshot(settings)
        func answer(_ fields: (String, String)...) -> DecisionOutcome {
            decide(TestRequest("GET", "/both", fields), snapshot)
        }
        #expect(answer(Self.field, bearer(TestPolicy.token("ann", roles: ["Clerk"]))) == .denied(.roleRequired))
        #expect(answer(Self.field, bearer(TestPolicy.token())) == .allowed("joe"))
        #expect(answer(bearer(TestPolicy.token())) == .denied(.apiKeyMissing))
    }

    @Test("the token is remembered without the key")
    func cache() {
        let snapshot = TestPolicy.snapshot(Self.settings([Self.paired(.bearer)]))
        let cache = VerifiedTokenCache(capacity: 8)
        func answer(_ fields: (String, String)...) -> DecisionOutcome {
            decide(TestRequest("GET", "/both", fields), snapshot, cache: cache)
        }
        for _ in 0..<2 {
            #expect(answer(Self.field, Self.token) == .allowed("ann"))
            #expect(answer(Self.token) == .denied(.apiKeyMissing))
        }
    }

    @Test("the challenge is that of the missing one")
    func challenge() {
        let list = [Self.paired(.basic)]
        let snapshot = TestPolicy.snapshot(Self.settings(list))
        let request = TestRequest("GET", "/both")
        guard case .route(let route)? = request.match(snapshot) else { return #expect(Bool(false), "no route") }
        #expect(request.challenge(snapshot, route, .apiKeyMissing).hasPrefix("Bearer realm="))
        #expect(!request.challenge(snapshot, route, .apiKeyMissing).contains("Basic"))
        #expect(request.challenge(snapshot, route, .userCredentialMissing).hasPrefix("Basic realm="))
        let both = request.challenge(snapshot, route, .missingCredential)
        #expect(both.contains("Bearer realm=") && both.contains("WWW-Authenticate: Basic realm="))
    }

    @Test("what goes on for long ends with the key, too")
    func readmission() {
        let end = TestPolicy.now + 60
        let settings = Self.settings([Self.paired(.bearer)], keyEnd: end)
        let first = TestPolicy.snapshot(settings)
        let request = TestRequest("GET", "/both", [Self.field, Self.token])
        guard case .route(let route)? = request.match(first),
            case .principal(let principal) = request.authenticate(first, route)
        else { return #expect(Bool(false), "not admitted") }
        #expect(route.end(of: principal) == end)
        func readmit(_ change: (inout PolicySettings) -> Void) -> String {
            var settings = settings
            settings.generation = 2
            change(&settings)
            let (host, path) = (Array("gw.example.com".utf8), Array("/both".utf8))
            let outcome = TestPolicy.snapshot(settings).readmit(
                principal, BufferedRequest(.get, host: host.span), path: path.span, now: TestPolicy.now,
                cache: VerifiedTokenCache(capacity: 8))
            switch outcome {
            case .admitted(_, let caller): return "\(caller?.subject ?? "-") \(caller?.consumerName ?? "-")"
            case .refused(let reason): return reason.code
            }
        }
        #expect(readmit { _ in } == "ann app")
        #expect(readmit { $0.consumers[0].keys = [] } == "api_key_unknown")
        #expect(readmit { $0.consumers[0].enabled = false } == "api_key_unknown")
        #expect(readmit { $0.routes[$0.routes.count - 1].options.authenticators = nil } == "ann app")
    }
}
