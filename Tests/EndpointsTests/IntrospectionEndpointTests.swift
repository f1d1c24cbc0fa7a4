import Bytes
import Crypto
import Endpoints
import Identity
import JOSE
import Model
import OAuthServer
import TestSupport
import Testing
import TokenStorage

/// RFC 7662, as the server.
@Suite struct IntrospectionEndpointTests {
    private static let inactive = Array(#"{"active":false}"#.utf8)

    @Test("an active token is described")
    func goodToken() throws {
        let standards = Standards { $0.terms.scopes = ["read"] }
        let login = standards.login("&scope=read")
        let response = standards.introspect(login.accessToken)
        #expect(response.status == 200 && response.isActive == true)
        #expect(response.values("Cache-Control") == ["no-store"])
        let claims = try login.claims()
        for (name, value) in [
            ("sub", "joe"), ("username", "joe"), ("client_id", "inv-client"), ("token_type", "Bearer"),
            ("scope", "read"), ("iss", Service.baseURL), ("aud", Service.baseURL), ("jti", claims.tokenID),
        ] {
            #expect(response.json?[name]?.string == value, "\(name)")
        }
        #expect(response.json?["exp"]?.integer == claims.expiresAt)
        #expect(response.names.count == Set(response.names).count)
    }

    @Test("section 2.2: anything else is inactive, without details")
    func whatIsNotGood() throws {
        let standards = Standards()
        let login = standards.login()
        let ring = SigningKeyRing(active: .generate(.es256))
        let foreign = Service.service { $0.keys = ServiceKeys([ring], published: ring.accepted) }
            .answer(tokenRequest("grant_type=client_credentials"))
        let later = Service.now + 604_800
        for response in [
            standards.introspect("nonsense"), standards.introspect("a.b.c"), standards.introspect(foreign.accessToken),
            standards.introspect(login.accessToken, at: later), standards.introspect(login.refreshToken),
        ] {
            #expect(response.status == 200)
            #expect(response.body == Self.inactive)
        }
        _ = standards.revoke(login.accessToken)
        #expect(standards.introspect(login.accessToken).body == Self.inactive)
    }

    @Test("another client's token is inactive")
    func tokenOfAnotherBackend() {
        let standards = Standards()
        #expect(standards.introspect(standards.login("", "sch").accessToken).body == Self.inactive)
    }

    @Test("a token of a disabled user is inactive")
    func userIsGone() {
        let store = MemoryTokenStore()
        let login = Standards(store: store).login()
        let off = User(username: "joe", enabled: false)
        let standards = Standards(users: UserStore(users: [off], hasher: PasswordHasher()), store: store)
        #expect(standards.introspect(login.accessToken).body == Self.inactive)
    }

    @Test("only authenticated clients with the permission may introspect")
    func whoMayAsk() {
        let standards = Standards()
        let token = standards.login().accessToken
        let unflagged = standards.introspect(token, "sch")
        #expect(unflagged.status == 403 && unflagged.error == "unauthorized_client")
        let anonymous = standards.service.answer(tokenRequest("token=x", nil), .introspection)
        #expect(anonymous.status == 401)
        let wrong = standards.service.answer(
            tokenRequest("token=x", basic("inv-client", "wrong")), .introspection)
        #expect(wrong.status == 401)
    }

    @Test("resource servers may introspect the tokens of their backends")
    func resourceServers() {
        let standards = Standards {
            $0.resourceServers = [
                ResourceServer(clientID: "rs1-client", clientSecret: "rs1-secret"),
                ResourceServer(clientID: "rs2-client", clientSecret: "rs2-secret", clients: ["mbe-sch-1"]),
                ResourceServer(clientID: "rs3-client", clientSecret: ""),
            ]
        }
        let inventory = standards.login().accessToken
        let scheduler = standards.login("", "sch").accessToken
        #expect(standards.introspect(inventory, "rs1").isActive == true)
        #expect(standards.introspect(scheduler, "rs1").isActive == true)
        #expect(standards.introspect(inventory, "rs2").isActive == false)
        #expect(standards.introspect(scheduler, "rs2").isActive == true)
        let empty = standards.service.answer(tokenRequest("token=x", basic("rs3-client", "")), .introspection)
        #expect(empty.status == 401)
        // It is no client of the other endpoints.
        #expect(standards.grant("grant_type=client_credentials", "rs1").status == 401)
        // Clients go on asking.
        #expect(standards.introspect(inventory).isActive == true)
    }
}
