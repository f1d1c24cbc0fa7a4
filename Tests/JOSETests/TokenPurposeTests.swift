import Bytes
import Crypto
import JOSE
import Model
import TestSupport
import Testing

/// RFC 8725 section 3.11: what a token was made for.
@Suite struct TokenPurposeTests {
    private static var untyped: TokenPurpose { .accessToken(parties: .only(["api", "app"])) }

    private func rejection(
        _ purpose: TokenPurpose, _ type: String? = nil, _ claims: String = "{}"
    ) throws -> TokenRejection? {
        let claims = try #require(parse(Array(claims.utf8)))
        do throws(TokenRejection) {
            try purpose.check(type: type, claims)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [nil, "JWT", "jwt", "application/jwt", "at+jwt", "AT+JWT", "application/at+jwt"])
    func accessTokens(_ type: String?) throws {
        #expect(try rejection(Self.untyped, type) == nil)
        #expect(try rejection(.assertion, type) == nil)
        let isTyped = type?.lowercased().hasSuffix("at+jwt") == true
        #expect(try rejection(.accessToken(isTyped: true), type) == (isTyped ? nil : .wrongType))
        #expect(try rejection(.accessToken(acceptsIDTokens: true), type) == nil)
    }

    @Test(arguments: [
        "logout+jwt", "dpop+jwt", "secevent+jwt", "application/logout+jwt", "id+jwt", "JWE", "JOSE", "", "at+jwt ",
        "application/", "client-authentication+jwt", "token-introspection+jwt", "oauth-authz-req+jwt", "at+jwtx",
    ])
    func otherTypes(_ type: String) throws {
        for purpose in [
            Self.untyped, .accessToken(isTyped: true), .accessToken(acceptsIDTokens: true), .assertion,
        ] {
            #expect(try rejection(purpose, type) == .wrongType)
        }
        let isOfClient = type == "client-authentication+jwt"
        #expect(try rejection(.clientAuthentication, type) == (isOfClient ? nil : .wrongType))
    }

    @Test(arguments: [
        #"{"nonce":"n"}"#, #"{"at_hash":"h"}"#, #"{"c_hash":"h"}"#, #"{"s_hash":"h"}"#, #"{"nonce":null}"#,
        #"{"azp":"other"}"#, #"{"azp":1}"#, #"{"azp":["api"]}"#, #"{"typ":"ID"}"#, #"{"token_use":"id"}"#,
    ])
    func marksOfIDTokens(_ claims: String) throws {
        #expect(try rejection(Self.untyped, nil, claims) == .wrongType)
        #expect(try rejection(Self.untyped, "JWT", claims) == .wrongType)
        // An explicit type says more than marks do.
        #expect(try rejection(Self.untyped, "at+jwt", claims) == nil)
        #expect(try rejection(.accessToken(acceptsIDTokens: true), "JWT", claims) == nil)
        #expect(try rejection(.assertion, "JWT", claims) == nil)
    }

    @Test func partiesThatAreKnown() throws {
        #expect(try rejection(Self.untyped, nil, #"{"azp":"app"}"#) == nil)
        #expect(try rejection(Self.untyped, nil, #"{"azp":"App"}"#) == .wrongType)
        #expect(try rejection(.accessToken(parties: .only([])), nil, #"{"azp":"app"}"#) == .wrongType)
        #expect(try rejection(.accessToken(), nil, #"{"azp":"other"}"#) == nil)
    }

    /// RFC 9068 section 2.2 requires `client_id`; OpenID providers write `azp`, Okta `cid`, Entra ID `appid`.
    @Test(arguments: [
        (#"{"azp":"app"}"#, nil), (#"{"client_id":"app"}"#, nil), (#"{"cid":"app"}"#, nil), (#"{"appid":"app"}"#, nil),
        (#"{"azp":"app","client_id":"other"}"#, nil), (#"{"client_id":"other","azp":"app"}"#, nil),
        (#"{"azp":"other","client_id":"app"}"#, TokenRejection.wrongClient), (#"{"azp":"App"}"#, .wrongClient),
        (#"{"client_id":"other"}"#, .wrongClient), (#"{"cid":"other"}"#, .wrongClient),
        (#"{"appid":"other"}"#, .wrongClient), (#"{"client_id":["app"]}"#, .wrongClient), ("{}", .wrongClient),
    ])
    func listedClients(_ claims: String, _ expected: TokenRejection?) throws {
        let purpose = TokenPurpose.accessToken(parties: .listed(["api", "app"]))
        for type in [nil, "JWT", "at+jwt"] { #expect(try rejection(purpose, type, claims) == expected) }
        let withIDTokens = TokenPurpose.accessToken(acceptsIDTokens: true, parties: .listed(["api", "app"]))
        #expect(try rejection(withIDTokens, nil, claims) == (claims == "{}" ? nil : expected))
        // Tokens without a list may name any client.
        #expect(try rejection(.accessToken(), "at+jwt", claims) == nil)
    }

    @Test(
        "a client that is not in aud makes no ID token, where all clients are accepted",
        arguments: [
            (#"{"azp":"shop","aud":"api"}"#, true), (#"{"azp":"shop","aud":["api","account"]}"#, true),
            (#"{"azp":"shop"}"#, true), (#"{"azp":"api","aud":"api"}"#, true), (#"{"azp":"shop","aud":"Shop"}"#, true),
            (#"{"azp":"shop","aud":"shop"}"#, false), (#"{"azp":"shop","aud":["api","shop"]}"#, false),
            (#"{"azp":"shop","aud":["api",1]}"#, false), (#"{"azp":"shop","aud":{"api":"x"}}"#, false),
            (#"{"azp":["shop"],"aud":"api"}"#, false), (#"{"azp":null,"aud":"api"}"#, false),
            (#"{"azp":"shop","aud":"api","nonce":"n"}"#, false), (#"{"azp":"shop","aud":"api","typ":"ID"}"#, false),
        ])
    func partiesOutsideTheAudience(_ claims: String, _ isAccessToken: Bool) throws {
        let purpose = TokenPurpose.accessToken(parties: .outsideAudience(known: ["api"]))
        #expect(try rejection(purpose, "JWT", claims) == (isAccessToken ? nil : .wrongType))
    }

    /// Untyped logout tokens and the tokens for the issuer's own endpoints: for nothing here.
    @Test(arguments: [
        #"{"events":{"http://schemas.openid.net/event/backchannel-logout":{}}}"#, #"{"typ":"Refresh"}"#,
        #"{"typ":"Offline"}"#, #"{"typ":"Logout"}"#,
    ])
    func otherTokens(_ claims: String) throws {
        for purpose in [Self.untyped, .accessToken(acceptsIDTokens: true), .assertion] {
            #expect(try rejection(purpose, "JWT", claims) == .wrongType)
        }
        #expect(try rejection(Self.untyped, "JWT", #"{"typ":"Bearer"}"#) == nil)
    }

    @Test(
        "claims that name a refresh or logout token, in any case and with any type in the header",
        arguments: ["token_use", "token_type", "type", "typ"],
        [
            "refresh", "Refresh", "REFRESH", "refresh_token", "Refresh-Token", "offline", "Offline_Access",
            "logout_token",
        ])
    func foreignUses(_ claim: String, _ value: String) throws {
        let claims = #"{"\#(claim)":"\#(value)"}"#
        for type in [nil, "JWT", "at+jwt"] {
            for purpose in [Self.untyped, .accessToken(acceptsIDTokens: true), .assertion] {
                #expect(try rejection(purpose, type, claims) == .wrongType)
            }
        }
    }

    @Test(
        "claims that name an ID token", arguments: ["token_use", "token_type", "type", "typ"], ["id", "ID", "id_token"])
    func loginUses(_ claim: String, _ value: String) throws {
        let claims = #"{"\#(claim)":"\#(value)"}"#
        #expect(try rejection(Self.untyped, "JWT", claims) == .wrongType)
        #expect(try rejection(.accessToken(acceptsIDTokens: true), "JWT", claims) == nil)
        #expect(try rejection(.assertion, "JWT", claims) == nil)
    }

    @Test(
        "claims that name an access token, or something else",
        arguments: [
            #"{"token_use":"access"}"#, #"{"token_type":"Bearer"}"#, #"{"type":"access"}"#, #"{"typ":"Access"}"#,
            #"{"type":"user"}"#, #"{"type":1}"#, #"{"token_use":null}"#, #"{"kind":"refresh"}"#,
        ])
    func usesOfAccessTokens(_ claims: String) throws { #expect(try rejection(Self.untyped, "JWT", claims) == nil) }

    @Test(arguments: [
        #"{"cnf":{"jkt":"x"}}"#, #"{"cnf":{"x5t#S256":"x"}}"#, #"{"cnf":{"jwk":{}}}"#, #"{"cnf":{}}"#, #"{"cnf":null}"#,
    ])
    func boundTokens(_ claims: String) throws {
        for type in [nil, "JWT", "at+jwt"] {
            #expect(try rejection(.accessToken(acceptsIDTokens: true), type, claims) == .proofRequired)
            #expect(try rejection(.assertion, type, claims) == .proofRequired)
        }
        #expect(try rejection(.clientAuthentication, "JWT", claims) == nil)
    }

    /// Skew of our own tokens is for their making alone.
    @Test(arguments: [(5, 600, nil), (6, 600, TokenRejection.issuedInFuture), (-600, 0, .expired), (-600, 1, nil)])
    func ownTokensOfAnotherClock(_ made: Int64, _ end: Int64, _ expected: TokenRejection?) throws {
        let now: Int64 = 1_800_000_000
        let signer = JWTSigner(key: SigningKey.generate(.es256))
        let verifier = JWTVerifier(issuers: [
            TrustedIssuer(
                name: "local", issuer: "https://gw", audiences: [], requireAudience: false,
                keys: KeySet(keys: [signer.publishedKey]), purpose: .accessToken(isTyped: true), clockSkewSeconds: 5,
                own: true)
        ])
        func rejection(_ claim: String) -> TokenRejection? {
            let claims = #"{"iss":"https://gw","\#(claim)":\#(now + made),"exp":\#(now + end)}"#
            let token = String(decoding: signer.sign(claims: Array(claims.utf8), type: "at+jwt"), as: UTF8.self)
            if case .rejected(let rejection) = verifier.verify(token, now: now) { return rejection }
            return nil
        }
        #expect(rejection("iat") == expected)
        #expect(rejection("nbf") == (expected == .issuedInFuture ? .notYetValid : expected))
    }
}
