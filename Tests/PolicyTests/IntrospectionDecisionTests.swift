import Identity
import JOSE
import Model
import Outbound
import Synchronization
import TestSupport
import Testing

@testable import Policy

/// RFC 7662: tokens that only another server can tell anything of.
@Suite struct IntrospectionDecisionTests {
    /// One server's answers by token; it remembers which tokens it was shown.
    private final class Server: OutboundCaller {
        let seen = Mutex<[String]>([])
        private let answers: [String: String]

        init(_ answers: [String: String]) { self.answers = answers }

        func perform(_ call: OutboundCall, then: @escaping @Sendable (OutboundResult) -> Void) {
            let body = String(decoding: call.body, as: UTF8.self)
            seen.withLock { $0.append(body) }
            guard let answer = answers.first(where: { body.hasPrefix("token=\($0.key)&") })?.value else {
                then(.failed(.connect))
                return
            }
            then(.response(OutboundResponse(status: 200, body: Array(answer.utf8))))
        }
    }

    private static let end = TestPolicy.now + 600

    private static func active(_ subject: String, _ more: String = "") -> String {
        #"{"active":true,"sub":"\#(subject)","exp":\#(end),"aud":"gateway","roles":["Clerk"]\#(more)}"#
    }

    private func snapshot(
        _ server: Server, other: Server? = nil, revocations: RevocationList = RevocationList()
    ) throws -> PolicySnapshot {
        TestPolicy.snapshot(try settings(server, other: other, revocations: revocations))
    }

    private func settings(
        _ server: Server, other: Server? = nil, revocations: RevocationList = RevocationList()
    ) throws -> PolicySettings {
        var settings = TestPolicy.settings(revocations: revocations)
        let rules = ExternalIdentityRules(
            virtualUserEnabled: true, roleMapping: RoleMapping(sources: ["roles"]))
        func issuer(_ name: String, _ server: Server, prefix: String) throws -> IntrospectedIssuerSettings {
            var settings = IntrospectionServer(
                name: name, issuer: "https://\(name).example.com",
                url: try WebURL("https://\(name).example.com/introspect"),
                client: OAuth2Client(id: "x", authentication: .secretBasic("y")),
                audiences: ["gateway"])
            settings.tokenPrefix = prefix
            return IntrospectedIssuerSettings(
                introspector: Introspector(server: settings, caller: server), rules: rules, level: 2,
                backendID: "mbe-inv-1")
        }
        settings.introspectedIssuers = [try issuer("as", server, prefix: "")]
        if let other { settings.introspectedIssuers.append(try issuer("other", other, prefix: "oth_")) }
        return settings
    }

    private func decision(_ token: String, _ snapshot: PolicySnapshot, _ path: String = "/inventory/items")
        -> DecisionOutcome
    {
        decide(TestRequest("GET", path, [bearer(token)]), snapshot)
    }

    @Test func opaqueToken() throws {
        let server = Server(["good": Self.active("eve"), "bad": #"{"active":false}"#])
        let snapshot = try snapshot(server)
        #expect(decision("good", snapshot) == .allowed("eve"))
        #expect(decision("bad", snapshot) == .denied(.invalidToken))
        // ISS-07: of the client that the issuer's tokens are bound to; its rights are checked as for any token.
        #expect(
            decide(TestRequest("POST", "/inventory/items", [bearer("good")]), snapshot) == .denied(.roleRequired))
    }

    /// RFC 9449 section 6.2, RFC 8705 section 3.2.
    @Test func provenTokens() throws {
        let maker = ProofMaker()
        let key = #","token_type":"DPoP","cnf":{"jkt":"\#(maker.jkt)"}"#
        let server = Server([
            "key": Self.active("eve", key), "plain": Self.active("eve"),
            "nokey": Self.active("eve", #","token_type":"DPoP""#),
            "other": Self.active("eve", #","cnf":{"kid":"a"}"#),
        ])
        var settings = try self.settings(server)
        settings.introspectedIssuers[0].purpose = .accessToken(checksProofs: true)
        let snapshot = TestPolicy.snapshot(settings)
        func decision(_ token: String, with proof: String? = nil) -> DecisionOutcome {
            let fields = proof.map { [("Authorization", "DPoP \(token)"), ("DPoP", $0)] } ?? [bearer(token)]
            return decide(TestRequest("GET", "/inventory/items", fields), snapshot)
        }
        func proof(_ token: String) -> String {
            maker.proof("https://gw.example.com/inventory/items", at: TestPolicy.now, token: token)
        }
        #expect(decision("key") == .denied(.dpopSchemeWrong))
        #expect(decision("key", with: proof("key")) == .allowed("eve"))
        #expect(decision("key", with: proof("plain")) == .denied(.dpopTokenWrong))
        #expect(decision("plain", with: proof("plain")) == .denied(.dpopSchemeWrong))
        #expect(decision("nokey") == .denied(.proofRequired))
        #expect(decision("other") == .denied(.proofRequired))
        settings.introspectedIssuers[0].requiresProof = true
        let strict = TestPolicy.snapshot(settings)
        #expect(self.decision("plain", strict) == .denied(.tokenUnbound))
    }

    /// RFC 9470 section 6.2: `acr` and `auth_time` of the answer; `amr` as the issuer's entry says.
    @Test func login() throws {
        let server = Server([
            "strong": Self.active("eve", #","acr":"mfa","auth_time":\#(TestPolicy.now - 60)"#),
            "mapped": Self.active("eve", #","amr":["otp"],"auth_time":\#(TestPolicy.now - 120)"#),
            "old": Self.active("eve", #","amr":["otp"],"auth_time":\#(TestPolicy.now - 121)"#),
            "silent": Self.active("eve"),
        ])
        var settings = try settings(server)
        settings.introspectedIssuers[0].levelsByMethod = ["otp": "mfa"]
        for place in settings.routes.indices {
            settings.routes[place].access.contexts = ["mfa"]
            settings.routes[place].access.maximumAge = 60
        }
        let snapshot = TestPolicy.snapshot(settings)
        #expect(decision("strong", snapshot) == .allowed("eve"))
        // The clock may differ by 60 s.
        #expect(decision("mapped", snapshot) == .allowed("eve"))
        #expect(decision("old", snapshot) == .denied(.authenticationTooOld))
        #expect(decision("silent", snapshot) == .denied(.authenticationTooWeak))
    }

    /// RFC 9449 section 6.2, RFC 8705 section 3.2: bound to a key, and without a proof.
    @Test func boundTokens() throws {
        let server = Server([
            "jkt": Self.active("eve", #","cnf":{"jkt":"x"}"#), "dpop": Self.active("eve", #","token_type":"DPoP""#),
            "tls": Self.active("eve", #","cnf":{"x5t#S256":"x"},"token_type":"Bearer""#),
            "mac": Self.active("eve", #","token_type":"mac""#), "plain": Self.active("eve", #","token_type":"Bearer""#),
        ])
        let snapshot = try snapshot(server)
        for token in ["jkt", "dpop", "tls"] {
            #expect(decision(token, snapshot) == .denied(.proofRequired), "\(token)")
        }
        #expect(decision("mac", snapshot) == .denied(.invalidToken))
        #expect(decision("plain", snapshot) == .allowed("eve"))
    }

    /// What is no access token is not even shown to the server, and its answer may say so.
    @Test func purpose() throws {
        func token(_ type: String, _ more: String = "") -> String {
            let claims = #"{"iss":"https://as.example.com","sub":"eve","exp":\#(Self.end)\#(more)}"#
            return String(decoding: TestPolicy.strangerKey.sign(claims: Array(claims.utf8), type: type), as: UTF8.self)
        }
        let (good, typed) = (token("JWT", #","azp":"app""#), token("at+jwt"))
        let server = Server([
            good: Self.active("eve", #","azp":"app""#), typed: Self.active("eve"),
            "opaque": Self.active("eve", #","nonce":"n""#),
        ])
        let snapshot = try snapshot(server)
        for token in [token("logout+jwt"), token("dpop+jwt"), token("JWT", #","at_hash":"h""#)] {
            #expect(decision(token, snapshot) == .denied(.wrongTokenType))
        }
        #expect(decision(token("JWT", #","cnf":{"jkt":"x"}"#), snapshot) == .denied(.proofRequired))
        #expect(server.seen.withLock { $0.isEmpty })
        #expect(decision(good, snapshot) == .allowed("eve"))
        #expect(decision(typed, snapshot) == .allowed("eve"))
        #expect(decision("opaque", snapshot) == .denied(.wrongTokenType))
    }

    /// An outage is 503, and never a 401.
    @Test func outage() throws {
        let snapshot = try snapshot(Server([:]))
        #expect(decision("good", snapshot) == .denied(.introspectionUnavailable))
        #expect(Reason.introspectionUnavailable.status == 503)
        #expect(Reason.introspectionUnavailable.publicCode == "introspection_unavailable")
        #expect(Reason.introspectionUnavailable.title == "Service Unavailable")
    }

    /// No server learns what is another's: own JWTs, those of issuers with keys, tokens of another prefix, nonsense.
    @Test func nobodyIsShownWhatIsNotTheirs() throws {
        let (server, other) = (Server(["good": Self.active("eve")]), Server(["oth_1": Self.active("ann")]))
        let snapshot = try snapshot(server, other: other)
        #expect(decision(TestPolicy.token(), snapshot) == .allowed("joe"))
        #expect(decision(TestPolicy.token(signer: TestPolicy.strangerKey), snapshot) == .denied(.badSignature))
        #expect(decision(TestPolicy.token(lifetime: -100), snapshot) == .denied(.tokenExpired))
        #expect(decision(TestPolicy.outsideToken(), snapshot) == .allowed("eve"))
        #expect(decision("a b", snapshot) == .denied(.malformedToken))
        #expect(decision("oth_1", snapshot) == .allowed("ann"))
        #expect(server.seen.withLock { $0.isEmpty })
        #expect(other.seen.withLock { $0.count } == 1)
    }

    /// A JWT whose `iss` is such a server's is shown to that server alone.
    @Test func tokenThatNamesItsServer() throws {
        func token(_ issuer: String) -> String {
            let claims = #"{"iss":"\#(issuer)","sub":"eve","exp":\#(Self.end)}"#
            return String(decoding: TestPolicy.strangerKey.sign(claims: Array(claims.utf8)), as: UTF8.self)
        }
        let jwt = token("https://as.example.com")
        let snapshot = try snapshot(Server([jwt: Self.active("eve")]))
        #expect(decision(jwt, snapshot) == .allowed("eve"))
        #expect(decision(token("https://nobody.example.com"), snapshot) == .denied(.unknownIssuer))
    }

    @Test func userThatMayNotBe() throws {
        let server = Server(["none": #"{"active":true,"exp":\#(Self.end),"aud":"gateway"}"#])
        #expect(decision("none", try snapshot(server)) == .denied(.unknownSubject))
    }

    /// It is believed for as long as the answer is, and not for as long as the token lives.
    @Test func principal() throws {
        let snapshot = try snapshot(Server(["good": Self.active("eve", #","jti":"7","iat":\#(TestPolicy.now)"#)]))
        let request = TestRequest("GET", "/inventory/items", [bearer("good")])
        let outcome = request.authenticate(
            snapshot, snapshot.route("items"), now: TestPolicy.now, cache: VerifiedTokenCache(capacity: 8))
        guard case .resolve(let effect) = outcome, case .success(let principal) = effect.settled() else {
            Issue.record("not resolved")
            return
        }
        #expect(principal.issuer == "as" && principal.backendID == "mbe-inv-1" && principal.virtual)
        #expect(principal.tokenID == "7" && principal.issuedAt == TestPolicy.now)
        #expect(principal.expiresAt == Self.end && principal.knownUntil == TestPolicy.now + 60)
        #expect(principal.token == Array("good".utf8))
    }
}
