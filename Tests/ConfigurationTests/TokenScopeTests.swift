import Model
import Testing

@testable import Configuration

@Suite struct TokenScopeTests {
    @Test("a resource that is the audience of all tokens is reported where other routes take them")
    func resourceOfAllTokens() throws {
        func found(_ service: String, _ other: String) throws -> [String] {
            try ConfigurationDirectory([
                "gateway.json": ConfigurationDirectory.gateway(#""tokenService": \#(service)"#),
                "routes.json":
                    #"[{"path": "/**", "upstream": "inventory", "protectedResource": true}, {"path": "/a/b", "upstream": "inventory"\#(other)}]"#,
            ]).load().lines(.warning).filter { $0.contains("protectedResource") }
        }
        let warning =
            #"routes.json:1: warning: /routes/0/protectedResource: tokens for this resource open other routes as well: it is the audience of all tokens of the token service (expected another "audience" of "tokenService")"#
        #expect(try found("{}", "") == [warning])
        #expect(try found("{}", #", "protectedResource": true"#) == [warning])
        #expect(try found(#"{"audience": "api"}"#, "") == [])
        #expect(try found(#"{"enabled": false}"#, "") == [])
        #expect(try found("{}", #", "public": true"#) == [])
        #expect(try found("{}", #", "authenticators": ["apiKey"]"#) == [])
    }

    @Test("a scope that the token service never grants opens no route that takes its tokens alone")
    func scopesOfTheTokenService() throws {
        func found(_ route: String, _ more: [String: String] = [:]) throws -> [String] {
            let files = [
                "gateway.json": ConfigurationDirectory.gateway(#""tokenService": {"scopes": ["read"]}"#),
                "routes.json": #"[{"path": "/a", "upstream": "inventory", \#(route)}]"#,
            ]
            return try ConfigurationDirectory(files.merging(more) { $1 }).load().lines(.warning)
                .filter { !$0.contains("/store/kind") }
        }
        func warning(_ place: String, _ scopes: String) -> [String] {
            [
                #"routes.json:1: warning: /routes/0/\#(place)scopes: no caller has \#(scopes): the route takes tokens of the token service, which never grants it (expected scopes out of "scopes" of "tokenService")"#
            ]
        }
        #expect(try found(#""scopes": ["read", "profile"]"#) == [])
        #expect(try found(#""scopes": ["read", "write"]"#) == warning("", #""write""#))
        #expect(try found(#""scopes": {"any": ["read", "write"]}"#) == [])
        #expect(try found(#""scopes": {"any": ["list", "write"]}"#) == warning("", #""list", "write""#))
        #expect(try found(#""methods": {"GET": {}, "PUT": {"scopes": ["w"]}}"#) == warning("methods/PUT/", #""w""#))
        #expect(try found(#""trial": {"scopes": ["write"]}"#) == warning("trial/", #""write""#))
        let issuers = [
            "trustedIssuers.json":
                #"[{"name": "a", "issuer": "https://a.example", "audience": ["api"], "jwksUri": "https://a.example/k"}]"#
        ]
        #expect(try found(#""scopes": ["write"]"#, issuers) == [])
        #expect(try found(#""scopes": ["write"], "issuers": ["a"]"#, issuers) == [])
        #expect(try found(#""scopes": ["write"], "issuers": ["local"]"#, issuers) == warning("", #""write""#))
    }
}
