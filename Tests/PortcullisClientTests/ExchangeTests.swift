import ClientStore
import Foundation
import Testing

@testable import PortcullisClient

/// Tokens of another issuer, and what is kept of them (OMH-03 to OMH-06).
@Suite struct ExchangeTests {
    private let fixture: Fixture
    private var gateway: ScriptedGateway { fixture.gateway }
    private static let jwt = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJqb2UifQ.c2ln"

    init() throws {
        fixture = try Fixture()
        let answer = #"{"access_token":"bearer-1","token_type":"Bearer","id_token":null,"expires_in":600}"#
        for path in ["/mobile/platform/auth/token", "/mobile/platform/sso/exchange-token"] {
            gateway.change { $0.answers[path] = .json(200, answer) }
        }
    }

    private func get(_ client: GatewayClient) async throws -> ClientRequest? {
        gateway.forget()
        _ = try await client.execute(ClientRequest("GET", "\(ScriptedGateway.base)/items"))
        return gateway.requests.first
    }

    @Test("OMH-03: a JWT goes to one endpoint, anything else to the other")
    func endpoints() async throws {
        let client = fixture.client()
        try await client.authenticateSSOTokenExchange(Self.jwt, storeAccessToken: false)
        let first = gateway.requests[0]
        #expect(first.url == "\(ScriptedGateway.base)/mobile/platform/auth/token")
        #expect(
            String(decoding: first.body, as: UTF8.self)
                == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(Self.jwt)")
        try await client.authenticateSSOTokenExchange("H4sIAAAA+/=", storeAccessToken: false)
        let second = gateway.requests[1]
        #expect(second.method == "GET")
        #expect(second.url == "\(ScriptedGateway.base)/mobile/platform/sso/exchange-token")
        #expect(second.value("authorization") == "Bearer H4sIAAAA+/=")
        #expect(second.value("oracle-mobile-backend-id") == "mbe-inv-1")
    }

    @Test("OMH-03: stored, it is there in the next run once it is loaded; not stored, in this one only")
    func storing() async throws {
        let client = fixture.client()
        try await client.authenticateSSOTokenExchange(Self.jwt, storeAccessToken: false)
        #expect(try await get(client)?.value("authorization") == "Bearer bearer-1")
        let next = fixture.client()
        #expect(!next.loadSSOTokenExchange())
        #expect(next.loadProblem?.code == .notLoggedIn)
        #expect(try await get(next)?.value("authorization") == nil)
        try await client.authenticateSSOTokenExchange(Self.jwt, storeAccessToken: true)
        let third = fixture.client()
        #expect(try await get(third)?.value("authorization") == nil)
        #expect(third.loadSSOTokenExchange())
        #expect(try await get(third)?.value("authorization") == "Bearer bearer-1")
    }

    @Test("OMH-04, OMH-06: not loaded where it is absent, expired, undecryptable, or bound to another backend")
    func loading() async throws {
        #expect(!fixture.client().loadSSOTokenExchange())
        try await fixture.client().authenticateSSOTokenExchange(Self.jwt, storeAccessToken: true)
        var profile = Fixture.profile
        profile.backendVersion = "2.0"
        let other = fixture.client(profile)
        #expect(!other.loadSSOTokenExchange())
        #expect(other.loadProblem?.code == .wrongBackend)
        #expect(other.loadProblem?.description.contains("inventory/1.0") == true)
        #expect(other.authenticationContext == nil)
        #expect(fixture.client().loadSSOTokenExchange())
        fixture.pass(seconds: 600)
        let late = fixture.client()
        #expect(!late.loadSSOTokenExchange())
        #expect(late.loadProblem?.code == .expired)
        try Data([UInt8](repeating: 1, count: 32)).write(to: URL(filePath: "\(fixture.directory)/credentials.key"))
        let undecryptable = fixture.client()
        #expect(!undecryptable.loadSSOTokenExchange())
        #expect(undecryptable.loadProblem?.domain == .store)
    }

    @Test("OMH-05: a token that cannot be opened is cleared all the same")
    func clearedUnread() async throws {
        try await fixture.client().authenticateSSOTokenExchange(Self.jwt, storeAccessToken: true)
        try Data([UInt8](repeating: 7, count: 32)).write(to: URL(filePath: "\(fixture.directory)/credentials.key"))
        let client = fixture.client()
        #expect(client.loadProblem?.code == .storeUnreadable)
        try client.clearSSOTokenExchange()
        #expect(client.loadProblem == nil)
        #expect(try fixture.store.session() == SessionState())
    }

    @Test("OMH-05: cleared, it is gone; twice is no error")
    func clearing() async throws {
        let client = fixture.client()
        try await client.authenticateSSOTokenExchange(Self.jwt, storeAccessToken: true)
        try client.clearSSOTokenExchange()
        try client.clearSSOTokenExchange()
        #expect(!client.loadSSOTokenExchange())
        #expect(client.authenticationContext == nil)
        #expect(!fixture.client().loadSSOTokenExchange())
    }

    @Test("a token that is not accepted leaves nothing")
    func refused() async throws {
        gateway.change { $0.answers["/mobile/platform/auth/token"] = .json(400, #"{"error":"invalid_grant"}"#) }
        let client = fixture.client()
        await #expect(throws: ClientError.self) {
            try await client.authenticateSSOTokenExchange(Self.jwt, storeAccessToken: true)
        }
        #expect(try fixture.store.session() == SessionState())
    }

    @Test(
        "what is a JWT",
        arguments: [
            (jwt, true), ("a.b.c", false), ("eyJhbGciOiJSUzI1NiJ9.x", false), ("H4sIAAAA", false), ("..", false),
            ("W10.a.b", false),
        ])
    func kinds(_ token: String, _ isJWT: Bool) { #expect(OAuthService.isJWT(token) == isJWT) }
}
