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

@Suite struct DocumentTests {
    private func get(_ principal: Principal? = nil, _ method: Method = .get) -> EndpointRequest {
        EndpointRequest(method: method, path: "/", principal: principal)
    }

    private func principal(
        _ subject: String, kind: Principal.Kind = .user, client: String? = "mbe-inv-1", roles: [String] = [],
        virtual: Bool = false
    ) -> Principal {
        Principal(
            kind: kind, method: .bearer, subject: subject, issuer: "own", backendID: client,
            roles: Service.catalogue.roles(named: roles), catalogue: Service.catalogue, level: 2, virtual: virtual)
    }

    @Test(
        "ISS-02: the published keys verify tokens, and contain no secrets",
        arguments: [SignatureAlgorithm.es256, .edDSA, .rs256])
    func keySetVerifiesTokens(_ algorithm: SignatureAlgorithm) throws {
        let key = SigningKey.generate(algorithm)
        let service = TokenService(settings: Service.settings(key))
        let response = service.answer(get(), .jwks)
        #expect(response.status == 200)
        #expect(response.values("Cache-Control") == ["public, max-age=300"])
        let published = try KeySet(jwks: response.body.span)
        #expect(published.keys.map(\.kid) == [JWTSigner(key: key).keyID])
        for member in ["d", "p", "q", "k"] { #expect(response.json?["keys"]?.array?.first?[member] == nil) }
        let token = service.answer(tokenRequest("grant_type=client_credentials")).json?["access_token"]?.string ?? ""
        let issuer = TrustedIssuer(
            name: "own", issuer: Service.baseURL, audiences: [Service.baseURL], keys: published)
        guard case .verified = JWTVerifier(issuers: [issuer]).verify(Array(token.utf8).span, now: Service.now) else {
            Issue.record("the published key does not verify the token")
            return
        }
    }

    @Test("DEC-11: a shared secret is not published")
    func secretKeyIsNotPublished() {
        let service = TokenService(settings: Service.settings(SigningKey.generate(.hs256)))
        #expect(service.answer(get(), .jwks).json?["keys"]?.array?.isEmpty == true)
        #expect(service.answer(get(), .metadata).json?["jwks_uri"] == nil)
    }

    @Test("RFC 8414 section 2: the metadata lists existing features")
    func metadataNamesWhatIsThere() {
        let response = Service.service().answer(get(), .metadata)
        #expect(response.status == 200)
        #expect(response.json?["issuer"]?.string == "https://gw.example.com")
        #expect(response.json?["token_endpoint"]?.string == "https://gw.example.com/oauth2/token")
        #expect(response.json?["jwks_uri"]?.string == "https://gw.example.com/oauth2/jwks")
        #expect(response.json?["response_types_supported"]?.array?.isEmpty == true)
        #expect(
            response.json?["grant_types_supported"]?.array?.compactMap(\.string) == ["client_credentials", "password"])
        #expect(response.json?["authorization_endpoint"] == nil)
        #expect(response.json?["scopes_supported"] == nil)
        #expect(response.json?["revocation_endpoint"]?.string == "https://gw.example.com/oauth2/revoke")
        let methods = response.json?["token_endpoint_auth_methods_supported"]?.array?.compactMap(\.string)
        #expect(methods == ["client_secret_basic", "client_secret_post"])
        #expect(response.json?["introspection_endpoint"] == nil)
    }

    @Test("RFC 8414 section 2: features of some clients are listed once there is such a client")
    func metadataNamesWhatSomeMayDo() {
        let response = Standards().service.answer(get(), .metadata)
        #expect(
            response.json?["grant_types_supported"]?.array?.compactMap(\.string) == [
                "client_credentials", "password", "refresh_token", "urn:ietf:params:oauth:grant-type:token-exchange",
            ])
        #expect(response.json?["introspection_endpoint"]?.string == "https://gw.example.com/oauth2/introspect")
        for endpoint in ["token", "revocation", "introspection"] {
            let methods = response.json?["\(endpoint)_endpoint_auth_methods_supported"]?.array?.compactMap(\.string)
            #expect(methods == ["client_secret_basic", "client_secret_post", "private_key_jwt"])
            let name = "\(endpoint)_endpoint_auth_signing_alg_values_supported"
            let algorithms = response.json?[name]?.array?.compactMap(\.string) ?? []
            #expect(algorithms.contains("ES256") && !algorithms.contains { $0.hasPrefix("HS") || $0 == "none" })
        }
        let server = Service.service {
            $0.resourceServers = [ResourceServer(clientID: "rs", clientSecret: "secret")]
        }
        #expect(server.answer(get(), .metadata).json?["introspection_endpoint"] != nil)
    }

    @Test("documents are read by GET and HEAD only", arguments: [EndpointDescriptor.jwks, .metadata, .whoAmI])
    func documentsAreRead(_ endpoint: EndpointDescriptor) {
        let service = Service.service()
        let joe = principal("joe")
        #expect(service.answer(get(joe, .head), endpoint).status == 200)
        for method in [Method.post, .put, .delete, .patch] {
            let response = service.answer(get(joe, method), endpoint)
            #expect(response.status == 405)
            #expect(response.values("Allow") == ["GET, HEAD"])
        }
    }

    @Test("BASIC-04: a local user is described with account data")
    func localUserIsShownWithAccount() {
        let response = Service.service().answer(get(principal("joe", roles: ["Manager"])), .whoAmI)
        #expect(response.status == 200)
        #expect(response.values("Cache-Control") == ["no-store"])
        #expect(
            String(decoding: response.body, as: UTF8.self)
                == #"{"username":"joe","email":"joe@example.com","firstName":"JOE","lastName":"Doe","realm":"Default","#
                + #""roles":["Manager"],"virtual":false}"#)
    }

    @Test("a virtual user is described without the account of a local namesake")
    func virtualUserIsShownWithoutAccount() {
        let response = Service.service().answer(
            get(principal("joe", client: nil, roles: ["Guest"], virtual: true)), .whoAmI)
        #expect(
            String(decoding: response.body, as: UTF8.self)
                == #"{"username":"joe","email":null,"firstName":null,"lastName":null,"realm":null,"#
                + #""roles":["Guest"],"virtual":true}"#)
    }

    @Test("BASIC-04, MAP-04: callers that are not active users are refused")
    func callersThatAreNoUsersAreRefused() {
        let nobody: [Principal?] = [
            nil, principal("inv-client", kind: .client), principal("anonymous", kind: .anonymous), principal("off"),
            principal("gone"), principal("joe", client: "mbe-oth-1"),
        ]
        for principal in nobody {
            let response = Service.service().answer(get(principal), .whoAmI)
            #expect(response.status == 401)
            #expect(response.names == ["code", "detail", "status", "title"])
            #expect(response.json?["status"]?.integer == 401)
            #expect(response.json?["code"]?.string == "unauthorized")
            #expect(response.values("Content-Type") == ["application/json"])
            #expect(response.values("WWW-Authenticate").count == 1)
        }
    }
}
