import Bytes
import Crypto
import Identity
import JOSE
import Model
import Testing

/// The vectors of sections 4.3, 4.4, 4.6 and 4.7, each through the reading of its configuration.
@Suite struct AssertionVectorTests {
    @Test("F01 to F33 (JWT-21, JWT-22, AMB-08): filters match as specified", arguments: Vector.all("filters.json"))
    func filter(_ vector: Vector) throws {
        let members = try [("filters", #require(vector.node["filters"]))]
        let policy = AssertionPolicy(issuer: JSONNode(.object([])).adding(members))
        let issuer = try #require(policy.first)
        let satisfied = issuer.filters.allSatisfy { $0.isSatisfied(by: vector.claims) }
        #expect(satisfied == vector.node["satisfied"]?.bool)
        // JWT-22: what can never be satisfied is said at load.
        let isMisspecified = (16...22).map { "F\($0)" } + ["F29", "F30", "F33"]
        #expect(policy.findings.isEmpty == !isMisspecified.contains(vector.id))
    }

    @Test("A01 to A23 (JWT-12, AMB-01): audiences are accepted as specified", arguments: Vector.all("aud.json"))
    func audience(_ vector: Vector) throws {
        var members: [(String, JSONNode)] = []
        if let audience = vector.node["audience"], !audience.isNull { members.append(("audience", audience)) }
        let issuer = try #require(AssertionPolicy(issuer: JSONNode(.object([])).adding(members)).first)
        var claims = Assertion.claims
        if let audience = vector.node["aud"], audience.string != "__ABSENT__" {
            claims = claims.adding([("aud", audience)])
        }
        #expect((Assertion.rejection(claims, issuer) == nil) == vector.node["valid"]?.bool)
    }

    @Test(
        "T01 to T22 (JWT-17, JWT-18, POL-02, POL-03, CON-01, AMB-02): lifetimes are as specified",
        arguments: Vector.all("timeouts.json"))
    func lifetime(_ vector: Vector) throws {
        let policies = vector.node["policies"]
        let environment = TokenLifetime(
            seconds: policies?["Security_TokenExchangeTimeoutSecs"]?.integer,
            policy: policies?["Security_TokenExchangeTimeoutPolicy"]?.string.flatMap(TokenLifetimePolicy.init))
        let policy = AssertionPolicy(issuer: vector.issuer, lifetime: environment)
        guard vector.node["lifetime"]?.string != "CONFIG_ERROR" else {
            #expect(policy.first == nil)
            #expect(policy.findings.contains { $0.pointer.hasPrefix("/issuers/0/tokenTimeout") })
            return
        }
        let issuer = try #require(policy.first)
        guard let remaining = vector.node["extRemaining"]?.integer, vector.node["lifetime"]?.string != "REJECT" else {
            let exp = vector.node["extRemaining"]?.integer.map { JSONNode(.number(String(Assertion.now + $0))) }
            var claims = try json(#"{"iss":"https://idp.example.com","sub":"joe"}"#)
            if let exp { claims = claims.adding([("exp", exp)]) }
            #expect(Assertion.rejection(claims, issuer) == (exp == nil ? .missingExpiry : .expired))
            return
        }
        let standard =
            vector.node["endpoint"]?.string == "sso" ? TokenLifetime.ofSSOEndpoint : TokenLifetime.ofTokenEndpoint
        let lifetime = issuer.lifetime.effective(policy.lifetime, remaining: remaining, standard: standard)
        #expect(lifetime == vector.node["lifetime"]?.integer)
    }

    @Test("B01 to B12 (JWT-23, AMB-04): backends are allowed as specified", arguments: Vector.all("mbes.json"))
    func allowedClients(_ vector: Vector) throws {
        let client = Client(
            name: vector.file["backend"]?["name"]?.string ?? "",
            version: vector.file["backend"]?["version"]?.string ?? "",
            id: "mbe-inv-1", anonymousKey: "", clientID: vector.file["backend"]?["clientId"]?.string ?? "",
            clientSecret: Secret("s"))
        var members: [(String, JSONNode)] = []
        if let allowed = vector.node["allowedMbes"], !allowed.isNull { members.append(("allowedMbes", allowed)) }
        let policy = AssertionPolicy(issuer: JSONNode(.object([])).adding(members))
        #expect(try #require(policy.first).allows(client) == vector.node["allowed"]?.bool)
        #expect(policy.findings.isEmpty == !["B07", "B08", "B09", "B10"].contains(vector.id))
    }

    @Test(
        "L01 to L12 (JWT-04 to JWT-07): the configured intervals determine reloads",
        arguments: Vector.all("reload.json").filter { $0.node["cache"]?.string != "jwks" })
    func reload(_ vector: Vector) throws {
        let members = (vector.node["config"]?.members ?? []).map { ($0.name, $0.node) }
        let policy = AssertionPolicy(
            JSONNode(.object([])).adding(members + [("issuers", JSONNode(.array([])))]),
            baseURL: "https://gw.example.com",
            lifetime: TokenLifetime(), catalogue: RoleCatalogue([]))
        #expect(policy.findings == [])
        let intervals = vector.node["cache"]?.string == "policy" ? policy.policyReload : policy.certificateReload
        let age = try #require(vector.node["age"]?.integer)
        let hit = vector.node["hit"]?.bool == true
        let isDue = vector.node["reload"]?.bool == true
        #expect(intervals.isDue(age: age, hit: hit) == isDue)
        var state = ReloadState(attemptedAt: 1_000_000)
        #expect(state.ask(now: 1_000_000 + age, hit: hit, intervals) == (isDue ? .start : .use))
    }

    @Test(
        "all vectors are present",
        arguments: [
            ("filters.json", 33), ("aud.json", 23), ("timeouts.json", 22), ("mbes.json", 12), ("reload.json", 19),
        ])
    func thereAreAllVectors(_ name: String, _ count: Int) {
        #expect(Vector.all(name).count == count)
    }
}

/// Signed tokens of `https://idp.example.com`, and what a verifier says of them.
enum Assertion {
    static let now: Int64 = 1_800_000_000
    static let key = signingKey("idp-key.pem", .es256)
    static let otherKey = signingKey("other-key.pem", .es256)
    static let rsaKey = signingKey("rsa-key.pem", .rs256)

    private static func signingKey(_ name: String, _ algorithm: SignatureAlgorithm) -> SigningKey {
        let pem = String(decoding: fixture(name), as: UTF8.self)
        guard let key = try? SigningKey(pem: pem, algorithm: algorithm) else { fatalError("\(name) holds no key") }
        return key
    }

    /// Of joe, for ten minutes.
    static let claims = JSONNode(.object([])).adding([
        ("iss", .text("https://idp.example.com")), ("sub", .text("joe")),
        ("exp", JSONNode(.number(String(now + 600)))),
    ])

    static let users = IdentityTests.store([User(username: "joe", email: "joe@example.com", roles: ["Clerk"])])

    static func sign(_ claims: JSONNode, _ key: SigningKey = key, kid: String = "k", type: String = "JWT") -> [UInt8] {
        var writer = JSONWriter()
        writer.value(claims)
        return JWTSigner(key: key, keyID: kid).sign(claims: writer.bytes, type: type)
    }

    static func certificate(_ name: String) throws -> SignerCertificate {
        try SignerCertificate(pem: fixture("\(name)-cert.pem"))
    }

    /// The store with the certificates of these names.
    static func store(of names: String...) throws -> CertificateStore {
        CertificateStore(try names.map { CertificateStore.Entry(alias: $0, certificate: try certificate($0)) })
    }

    /// Why the claims, well signed, are refused.
    static func rejection(_ claims: JSONNode, _ issuer: AssertionIssuer) -> AssertionRejection? {
        rejection(token: sign(claims), issuer)
    }

    static func rejection(
        token: [UInt8], _ issuer: AssertionIssuer, keys: KeySet? = nil, now: Int64 = now
    ) -> AssertionRejection? {
        let verifier = AssertionVerifier(issuer: issuer, users: users, catalogue: AssertionPolicy.standardCatalogue)
        let received: ReceivedToken
        do throws(TokenRejection) {
            received = try ReceivedToken(token.span)
        } catch {
            return AssertionRejection(error)
        }
        let keys = keys ?? KeySet(keys: [JSONWebKey(key, kid: "k")])
        let assertion = AssertionVerifier.Assertion(received, token: token, keys: keys)
        do throws(AssertionRejection) {
            _ = try verifier.verify(assertion, realm: "Default", now: now)
            return nil
        } catch {
            return error
        }
    }
}
