import Foundation
import Testing

/// The guide to identity providers: tokens of the shape that their providers document open routes (GW-05).
extension ReadmeTests {
    /// A provider of the guide.
    struct Provider: Sendable, CustomTestStringConvertible {
        let name: String
        let issuer: String
        /// Members of its access tokens, beside `iss`, `sub` and `exp`.
        let claims: String
        let user: String

        var testDescription: String { name }
    }

    static let providers = [
        Provider(
            name: "keycloak", issuer: "https://keycloak.example.com/realms/shop",
            claims: #"""
                "aud": ["my-api", "account"], "azp": "shop-web", "typ": "Bearer", "sid": "1", "acr": "1", "scope": "email",
                "preferred_username": "ann", "realm_access": {"roles": ["offline_access", "Manager"]}
                """#, user: "ann"),
        Provider(
            name: "auth0", issuer: "https://shop.eu.auth0.com/",
            claims: #"""
                "sub": "auth0|1", "aud": ["https://api.shop.example.com", "https://shop.eu.auth0.com/userinfo"],
                "azp": "CLIENT-ID-OF-THE-APPLICATION", "scope": "openid", "permissions": ["Manager"]
                """#, user: "auth0|1"),
        Provider(
            name: "entra",
            issuer: "https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0",
            claims: #"""
                "aud": "66666666-7777-8888-9999-000000000000", "azp": "CLIENT-ID-OF-THE-APPLICATION", "azpacr": "1",
                "oid": "o-1", "roles": ["Manager"], "scp": "access", "ver": "2.0", "tid": "11111111-2222-3333-4444-555555555555"
                """#, user: "o-1"),
    ]

    @Test("tokens of the guide's providers are accepted with their roles", arguments: providers)
    func providerTokens(_ provider: Provider) throws {
        let directory = try ConfigurationDirectory()
        for name in ["first-steps", "identity-provider"] {
            for block in GuideBlock.all(in: "config/guides/\(name).md") { try Self.add(block, to: directory) }
        }
        try Self.makeToken(in: directory)
        let issuer = try OutsideIssuer()
        try directory.write("keys.jwks", issuer.keySet)
        var entries = try #require(
            JSONSerialization.jsonObject(with: Data(directory.read("trustedIssuers.json").utf8)) as? [[String: Any]])
        entries = entries.filter { $0["name"] as? String == provider.name }
        #expect(entries.count == 1)
        entries = entries.map { $0.merging(["jwksFile": "keys.jwks"]) { $1 } }
        let text = try JSONSerialization.data(withJSONObject: entries)
        try directory.write("trustedIssuers.json", String(decoding: text, as: UTF8.self))
        let test = { (token: String) in
            try CommandLine.run(
                "issuer", "test", token, "--config", directory.path)
        }

        let good = try test(try issuer.token(provider.claims, issuer: provider.issuer))
        #expect(good.ending == .exit(0), "\(good.output)\(good.errors)")
        #expect(
            good.output.contains(
                "token: \(provider.user), user by bearer, issuer \(provider.name), level 1, roles Manager"))
        let identity = provider.claims + #", "nonce": "n""#
        let another = provider.claims.replacing(#/"azp": "[^"]+"/#, with: #""azp": "another""#)
        let refusal = provider.name == "keycloak" ? "wrong_token_client" : nil
        for (claims, reason) in [(identity, "wrong_token_type"), (another, refusal)] {
            let other = try test(try issuer.token(claims, issuer: provider.issuer))
            #expect(other.ending == .exit(reason == nil ? 0 : 1), "\(other.output)")
            if let reason { #expect(other.output.contains(reason), "\(other.output)") }
        }
    }
}
