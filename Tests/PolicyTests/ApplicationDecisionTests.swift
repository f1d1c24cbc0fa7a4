import Bytes
import HTTP
import Identity
import Model
import Outbound
import TestSupport
import Testing

@testable import Policy

@Suite("AOM-08, AOM-15, AOM-16: tokens of applications on routes")
struct ApplicationDecisionTests {
    private static let users = Application.UserClass(module: "Basics", model: "User")
    private static let first = Application(name: "testApp", apiKey: "1234567890123456789", userClass: users)
    private static let second = Application(name: "otherApp", apiKey: "9876543210987654321", userClass: users)
    private static let key = ("X-Apiomat-Apikey", "1234567890123456789")

    private let snapshot: PolicySnapshot = {
        var settings = TestPolicy.settings()
        settings.opaqueTokens = Keeper()
        for (name, application) in [("notes", first), ("others", second)] {
            var route = ResolvedRoute(RouteEntry(name: name, path: "/\(name)/**"))
            route.application = application
            settings.routes.append(route)
        }
        var managers = ResolvedRoute(RouteEntry(name: "managers", path: "/managers"))
        managers.application = first
        managers.access.roles = RoleNames(any: ["Manager"])
        settings.routes.append(managers)
        settings.endpoints.append(("/yambas/rest/apps/", .applicationUsers))
        return TestPolicy.snapshot(settings)
    }()

    private func decision(
        _ token: String, _ fields: [(String, String)] = [key], _ method: String = "GET", _ path: String = "/notes/1"
    ) -> DecisionOutcome {
        decide(TestRequest(method, path, [("Authorization", "Bearer \(token)")] + fields), snapshot)
    }

    @Test("token and key of the route's application, in any case of the field's name")
    func allowed() {
        #expect(decision("writer-token") == .allowed("testUser"))
        #expect(decision("writer-token", [("x-apiomat-apikey", Self.key.1)], "DELETE") == .allowed("testUser"))
    }

    @Test("the key is asked for (401), and must be the application's (403)")
    func keys() {
        #expect(decision("writer-token", []) == .denied(.missingApplicationKey))
        #expect(decision("writer-token", [Self.key, Self.key]) == .denied(.missingApplicationKey))
        #expect(decision("writer-token", [("X-Apiomat-Apikey", Self.second.apiKey)]) == .denied(.applicationMismatch))
        #expect(decision("writer-token", [("X-Apiomat-Apikey", "1234")]) == .denied(.applicationMismatch))
        #expect(Reason.missingApplicationKey.status == 401 && Reason.applicationMismatch.status == 403)
        #expect(decide(TestRequest("GET", "/notes/1", [Self.key]), snapshot) == .denied(.missingCredential))
    }

    @Test("tokens open routes of their application, and no others; other credentials open none of these")
    func bindings() {
        let other = [("X-Apiomat-Apikey", Self.second.apiKey)]
        #expect(decision("writer-token", other, "GET", "/others/1") == .denied(.applicationMismatch))
        #expect(decision("writer-token", [Self.key], "GET", "/anyone") == .denied(.applicationMismatch))
        #expect(decision("writer-token", [Self.key], "GET", "/inventory/me") == .denied(.clientNotAllowed))
        #expect(decision(TestPolicy.token()) == .denied(.applicationMismatch))
        #expect(
            decide(TestRequest("GET", "/notes/1", [basic("joe:Welcome1"), inventoryID, Self.key]), snapshot)
                == .denied(.applicationMismatch))
        #expect(decision("writer-token", [Self.key, inventoryID]) == .denied(.backendMismatch))
    }

    @Test(
        "for reading only",
        arguments: [
            ("GET", true), ("HEAD", true), ("OPTIONS", true), ("POST", false), ("PATCH", false), ("PURGE", false),
        ])
    func readOnly(_ method: String, _ allowed: Bool) {
        #expect(
            decision("reader-token", [Self.key], method)
                == (allowed ? .allowed("testUser") : .denied(.insufficientScope)))
        #expect(decision("writer-token", [Self.key], method) == .allowed("testUser"))
    }

    @Test("a tunnel has no method, so that a token for reading opens none")
    func readOnlyTunnel() {
        let upgrade = [Self.key, ("Connection", "Upgrade"), ("Upgrade", "websocket")]
        #expect(decision("reader-token", upgrade) == .denied(.insufficientScope))
        #expect(decision("writer-token", upgrade) == .allowed("testUser"))
    }

    @Test("why a token is worth nothing; to the client they are all 401 with invalid_token (AOM-15)")
    func refusals() {
        #expect(decision("unknown-token") == .denied(.invalidToken))
        #expect(decision("expired-token") == .denied(.tokenExpired))
        #expect(decision("homeless-token") == .denied(.unknownSubject))
        for reason in [Reason.invalidToken, .tokenExpired, .unknownSubject] {
            #expect(reason.token.code.map { "\($0)" } == "invalid_token")
        }
        #expect(decision("stalled-token") == .denied(.storeUnavailable))
        #expect(Reason.storeUnavailable.status == 503)
        #expect(decision("short") == .denied(.malformedToken))
    }

    @Test("what is a JWT is judged as one: the keeper of opaque tokens is not asked")
    func jwt() {
        #expect(decision(TestPolicy.token(signer: TestPolicy.strangerKey)) == .denied(.badSignature))
    }

    @Test("roles are those of the user")
    func roles() {
        #expect(decision("writer-token", [Self.key], "GET", "/managers") == .denied(.roleRequired))
        #expect(decision("manager-token", [Self.key], "GET", "/managers") == .allowed("boss"))
    }

    @Test("what lasts goes on as the user of today (GW-11)")
    func readmission() throws {
        let principal = Keeper.principal("boss", ["Manager"], readOnly: false)
        #expect(readmit(principal, "/managers", snapshot) == nil)
        #expect(
            readmit(Keeper.principal("gone", ["Manager"], readOnly: false), "/managers", snapshot) == .unknownSubject)
        snapshot.revocations.revoke(tokenID: "id-boss", until: TestPolicy.now + 1000)
        #expect(readmit(principal, "/managers", snapshot) == .tokenRevoked)
    }

    @Test("an endpoint that ends in a slash is everything below")
    func endpoints() {
        let path = "/yambas/rest/apps/testApp/models/Basics/User/1"
        guard case .endpoint(let endpoint) = TestRequest("PUT", path).match(snapshot),
            endpoint.descriptor == .applicationUsers
        else {
            Issue.record("no endpoint")
            return
        }
        for other in ["/yambas/rest/apps/", "/yambas/rest/apps", "/yambas/rest/appsX"] {
            guard case .notFound = TestRequest("PUT", other).match(snapshot) else {
                Issue.record("\(other) leads somewhere")
                return
            }
        }
    }
}

/// Keeps the tokens of the test.
private struct Keeper: OpaqueTokens {
    func resolve(_ token: Span<UInt8>, now: Int64) -> Effect<Result<Principal, OpaqueTokenRefusal>>? {
        guard token.count > 5 else { return nil }
        var copy: [UInt8] = []
        for i in token.indices { copy.append(token[i]) }
        let name = String(decoding: copy, as: UTF8.self)
        return .offload {
            switch name {
            case "writer-token": .done(.success(Keeper.principal("testUser", [], readOnly: false)))
            case "reader-token": .done(.success(Keeper.principal("testUser", [], readOnly: true)))
            case "manager-token": .done(.success(Keeper.principal("boss", ["Manager"], readOnly: false)))
            case "expired-token": .done(.failure(.expired))
            case "homeless-token": .done(.failure(.unknownSubject))
            case "stalled-token": .done(.failure(.unavailable))
            default: .done(.failure(.unknown))
            }
        }
    }

    func renew(_ principal: Principal) -> Principal? { principal.subject == "gone" ? nil : principal }

    static func principal(_ subject: String, _ roles: [String], readOnly: Bool) -> Principal {
        let catalogue = TestPolicy.catalogue
        return Principal(
            kind: .user, method: .bearer, subject: subject, issuer: "apiomat", backendID: nil,
            roles: catalogue.roles(named: roles), catalogue: catalogue, level: 2, expiresAt: TestPolicy.now + 600,
            issuedAt: TestPolicy.now, tokenID: "id-\(subject)", token: Array("\(subject)-token".utf8),
            application: "testApp", isReadOnly: readOnly)
    }
}
