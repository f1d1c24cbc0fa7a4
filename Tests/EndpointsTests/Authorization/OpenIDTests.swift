import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import JOSE
import Model
import OAuthServer
import TestSupport
import Testing

/// ID tokens and the UserInfo endpoint (OpenID Connect Core).
@Suite struct OpenIDTests {
    private static func fields(_ scope: String) -> [(String, String)] {
        Authorizing.fields("inv-client", Authorizing.redirect, [("scope", scope), ("nonce", "n-1")])
    }

    @Test("the scope openid yields an ID token for the client")
    func idToken() throws {
        let app = Authorizing()
        let reply = app.redeem(try app.code(Self.fields("openid")), at: 5)
        let claims = try app.identity(reply, at: 5)
        #expect(claims["iss"]?.string == Service.baseURL && claims["sub"]?.string == "joe")
        #expect(claims["aud"]?.string == "inv-client" && claims["nonce"]?.string == "n-1")
        #expect(claims["auth_time"]?.integer == Mobile.start && claims["iat"]?.integer == Mobile.start + 5)
        #expect(claims["exp"]?.integer == Mobile.start + 5 + 3600)
        #expect(claims["amr"]?.array?.compactMap(\JSONNode.string) == ["pwd"])
        let token = try #require(reply.accessToken)
        let digest = DigestAlgorithm.sha256.digest(Array(token.utf8).span)
        let half = Array(digest.prefix(16))
        #expect(claims["at_hash"]?.string == String(decoding: Base64.encode(half.span, .url), as: UTF8.self))
        #expect(claims["sid"]?.string == (try reply.claims(at: Mobile.start + 5)).session)
        // It is no access token.
        let idToken = try #require(reply.json?["id_token"]?.string)
        #expect(app.userInfo(idToken, at: 5).status == 401)
        let settings = app.signOn.settings.tokens
        #expect(TokenService(settings: settings).ownTokens.signed(idToken, now: Mobile.start + 5) == nil)
    }

    @Test("without the scope there is none, and with a shared secret neither")
    func none() throws {
        let app = Authorizing()
        #expect(app.redeem(try app.code(Self.fields("read"))).json?["id_token"] == nil)
        let key = try SigningKey(secret: [UInt8](repeating: 7, count: 32), algorithm: .hs256)
        let shared = Authorizing {
            $0.tokens.keys = ServiceKeys([SigningKeyRing(active: key)], published: KeySet(keys: []))
        }
        let reply = shared.redeem(try shared.code(Self.fields("openid read")))
        #expect(reply.status == 200 && reply.json?["id_token"] == nil && reply.json?["scope"]?.string == "read")
    }

    @Test("userinfo has the attributes that the scopes allow")
    func userInfo() throws {
        func info(
            _ scope: String, _ change: (inout SignOn.Settings) -> Void = { _ in }
        ) throws -> EndpointResponse {
            let app = Authorizing(change)
            return app.userInfo(app.redeem(try app.code(Self.fields(scope))).accessToken)
        }
        #expect(try info("openid").text == #"{"sub":"joe"}"#)
        let all = try info("openid profile email")
        #expect(all.names == ["email", "family_name", "given_name", "name", "preferred_username", "sub"])
        #expect(all.json?["name"]?.string == "JOE Doe" && all.json?["email"]?.string == "joe@example.com")
        #expect(all.field("Cache-Control") == "no-store" && all.reason == .userInfoServed)
        let sparse = try info("openid profile email") { settings in
            let users = settings.users.users.map { user in
                var user = user
                (user.firstName, user.lastName, user.email) = ("", "Doe", "")
                return user
            }
            settings.users = UserStore(users: users, hasher: PasswordHasher())
        }
        #expect(sparse.names == ["family_name", "name", "preferred_username", "sub"])
        #expect(sparse.json?["name"]?.string == "Doe")
        let without = try info("profile")
        #expect(without.status == 403 && without.field("WWW-Authenticate")?.contains("insufficient_scope") == true)
    }

    @Test("userinfo wants a valid token of a user")
    func refused() throws {
        let app = Authorizing()
        #expect(app.userInfo(nil).field("WWW-Authenticate") == #"Bearer realm="portcullis""#)
        #expect(app.userInfo("x.y.z").field("WWW-Authenticate")?.contains("invalid_token") == true)
        let reply = app.redeem(try app.code(Self.fields("openid")))
        let claims = try reply.claims(at: Mobile.start)
        app.signOn.revocations.revoke(tokenID: claims.tokenID, until: .max)
        #expect(app.userInfo(reply.accessToken).status == 401)
    }

    @Test("a refreshed token keeps its scopes, and may have fewer")
    func refreshed() throws {
        let app = Authorizing()
        let reply = app.redeem(try app.code(Self.fields("openid email read")))
        let next = app.signOn.settings.families.answer(
            tokenRequest("grant_type=refresh_token&refresh_token=\(reply.refreshToken ?? "")&scope=openid"),
            at: Mobile.start)
        #expect(app.userInfo(next.accessToken).text == #"{"sub":"joe"}"#)
        let last = app.signOn.settings.families.answer(
            tokenRequest("grant_type=refresh_token&refresh_token=\(next.refreshToken ?? "")"), at: Mobile.start)
        #expect(app.userInfo(last.accessToken).names == ["email", "sub"])
    }

    @Test("the metadata describe what there is")
    func metadata() throws {
        func document(_ change: (inout SignOn.Settings) -> Void = { _ in }) -> JSONNode? {
            Authorizing(change).signOn.settings.families.answer(
                EndpointRequest(method: .get, path: "/"), .metadata
            ).json
        }
        let full = document()
        #expect(full?["authorization_endpoint"]?.string == Service.baseURL + "/oauth2/authorize")
        #expect(full?["userinfo_endpoint"]?.string == Service.baseURL + "/oauth2/userinfo")
        func texts(_ name: String, _ node: JSONNode?) -> [String]? { node?[name]?.array?.compactMap(\.string) }
        #expect(texts("response_types_supported", full) == ["code"])
        #expect(full?["pushed_authorization_request_endpoint"]?.string == Service.baseURL + "/oauth2/par")
        #expect(texts("code_challenge_methods_supported", full) == ["S256"])
        #expect(full?["authorization_response_iss_parameter_supported"]?.bool == true)
        #expect(texts("id_token_signing_alg_values_supported", full) == ["ES256"])
        #expect(texts("subject_types_supported", full) == ["public"])
        #expect(texts("scopes_supported", full) == ["openid", "profile", "email", "read", "write"])
        #expect(texts("grant_types_supported", full)?.contains("authorization_code") == true)
        #expect(texts("token_endpoint_auth_methods_supported", full)?.contains("none") == true)
        let bare = document { $0.clients = SignOn.clients }
        #expect(bare?["authorization_endpoint"] == nil && texts("response_types_supported", bare) == [])
        #expect(texts("token_endpoint_auth_methods_supported", bare)?.contains("none") == false)
    }
}
