import ClientStore
import Foundation
import Testing

@testable import PortcullisClient

/// Users of an ApiOmat application (AOM-25), and logins with Facebook (FB-09).
@Suite struct ApplicationTests {
    private let fixture: Fixture
    private var gateway: ScriptedGateway { fixture.gateway }

    init() throws {
        fixture = try Fixture()
        answer("first")
        for path in ["/yambas/oauth/users/revoke", "/yambas/oauth/users/revokeall"] {
            gateway.change { $0.answers[path] = .json(200, "{}") }
        }
    }

    private func answer(_ token: String) {
        gateway.change {
            $0.answers["/yambas/oauth/token"] = .json(
                200,
                #"{"access_token":"\#(token)","token_type":"Bearer","refresh_token":"\#(token)-refresh","#
                    + #""expires_in":600,"scope":"read write","module":"Basics","model":"com.example.User"}"#)
        }
    }

    private static var profile: ClientProfile {
        var profile = ClientProfile(baseURL: ScriptedGateway.base)
        profile.mobileBackendID = "mbe-inv-1"
        profile.anonymousKey = "a2V5"
        profile.apiomatApp = "testApp"
        profile.apiKey = "api-key"
        return profile
    }

    private func get(_ client: GatewayClient) async throws -> ClientRequest {
        gateway.forget()
        _ = try await client.execute(ClientRequest("GET", "\(ScriptedGateway.base)/notes/1"))
        return try #require(gateway.requests.first)
    }

    private func form() -> String { gateway.requests.first.map { String(decoding: $0.body, as: UTF8.self) } ?? "" }

    @Test("configured with name and password, requests carry these; behind a session token that, and not the password")
    func credentials() async throws {
        let client = fixture.client(Self.profile)
        try client.configure(user: "testUser", password: "s:cret")
        let plain = try await get(client)
        #expect(plain.value("authorization") == "Basic dGVzdFVzZXI6czpjcmV0")
        #expect(plain.value("x-apiomat-apikey") == "api-key")
        #expect(plain.value("oracle-mobile-backend-id") == nil, "such a login is of no backend")
        gateway.forget()
        let token = try await client.requestSessionToken(SessionTokenOptions(scope: "read write", extra: "e"))
        #expect(
            form() == "grant_type=aom_user&client_id=testApp&client_secret=api-key&app=testApp&system=LIVE"
                + "&username=testUser&password=s%3Acret&scope=read%20write&extra=e")
        #expect(token.sessionToken == "first" && token.refreshToken == "first-refresh")
        #expect(token.module == "Basics" && token.model == "com.example.User")
        #expect(token.expiresAt == 1_000_600)
        let next = try await get(client)
        #expect(next.value("authorization") == "Bearer first" && next.value("x-apiomat-apikey") == "api-key")
        // The next run of the program has the token, and nowhere the password.
        let later = fixture.client(Self.profile)
        #expect(try await get(later).value("authorization") == "Bearer first")
        #expect(later.authenticationContext?.user == "testUser" && later.authenticationContext?.method == .application)
        await #expect(throws: ClientError.self) { try await later.requestSessionToken() }
    }

    @Test("a token may be asked for without being used from then on")
    func unused() async throws {
        let client = fixture.client(Self.profile)
        try client.configure(user: "testUser", password: "secret")
        #expect(try await client.requestSessionToken(configure: false).sessionToken == "first")
        #expect(try await get(client).value("authorization")?.hasPrefix("Basic ") == true)
        try client.configure(sessionToken: "own", refreshToken: "r")
        #expect(try await get(client).value("authorization") == "Bearer own")
    }

    @Test("a refresh token gives another pair, when the session token has expired as well")
    func refresh() async throws {
        let client = fixture.client(Self.profile)
        try await client.authenticate(user: "testUser", password: "secret", method: .application)
        fixture.pass(seconds: 601)
        #expect(client.authenticationContext == nil)
        answer("second")
        gateway.forget()
        #expect(try await client.requestSessionToken(refreshToken: nil).sessionToken == "second")
        #expect(
            form() == "grant_type=refresh_token&client_id=testApp&client_secret=api-key&refresh_token=first-refresh")
        #expect(try await get(client).value("authorization") == "Bearer second")
        #expect(client.authenticationContext?.user == "testUser")
        _ = try await client.requestSessionToken(refreshToken: "given", configure: false)
        #expect(try await get(client).value("authorization") == "Bearer second")
    }

    @Test("revoked: one token or all; a logout revokes too", arguments: [false, true])
    func revocation(_ everything: Bool) async throws {
        let client = fixture.client(Self.profile)
        try await client.requestSessionToken(user: "testUser", password: "secret")
        gateway.forget()
        try await client.revokeSessionToken(everything: everything)
        let sent = try #require(gateway.requests.first)
        #expect(sent.method == "POST" && sent.url.hasSuffix(everything ? "/revokeall" : "/revoke"))
        #expect(sent.value("authorization") == "Bearer first" && sent.value("x-apiomat-apikey") == "api-key")
        #expect(client.authenticationContext == nil && fixture.client(Self.profile).authenticationContext == nil)
        try await client.requestSessionToken(user: "testUser", password: "secret")
        gateway.forget()
        try await client.logout()
        #expect(gateway.paths == ["/yambas/oauth/users/revoke"] && client.authenticationContext == nil)
    }

    @Test("what the profile does not have is named")
    func missing() async throws {
        var profile = Self.profile
        profile.apiKey = nil
        let client = fixture.client(profile)
        await #expect(throws: ClientError(.missingProperty, "/apiKey is missing in the profile")) {
            try await client.requestSessionToken(user: "u", password: "p")
        }
        profile.apiomatApp = nil
        let other = fixture.client(profile)
        await #expect(throws: ClientError(.missingProperty, "/apiomatApp is missing in the profile")) {
            try await other.requestSessionToken(user: "u", password: "p")
        }
    }

    @Test("FB-09: a token of Facebook goes with the anonymous key, the backend and the provider's name; it is not kept")
    func facebook() async throws {
        let client = fixture.client(Self.profile)
        try client.configure(facebookToken: "EAAB")
        let sent = try await get(client)
        #expect(sent.value("authorization") == "Basic a2V5" && sent.value("oracle-mobile-backend-id") == "mbe-inv-1")
        #expect(sent.value("oracle-mobile-social-identity-provider") == "facebook")
        #expect(sent.value("oracle-mobile-social-access-token") == "EAAB")
        #expect(fixture.client(Self.profile).authenticationContext == nil)
        #expect(throws: ClientError.self) { try client.configure(facebookToken: "a b") }
    }
}
