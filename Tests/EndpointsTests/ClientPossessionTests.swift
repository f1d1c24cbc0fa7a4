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

/// Tokens of the token endpoint that are bound to a key or a certificate (RFC 9449 section 5, RFC 8705 section 3).
@Suite struct ClientPossessionTests {
    private static let url = "https://gw.example.com/oauth2/token"
    private static let digest = [UInt8](repeating: 7, count: 32)
    private let maker = ProofMaker()
    private let service = service()

    private static func service(
        nonces: Bool = false, _ change: (inout ClientGrants) -> Void = { _ in }
    ) -> TokenService {
        let keys = nonces ? AEADKey([UInt8](repeating: 1, count: 32).span).flatMap { AEADKeyRing([$0]) } : nil
        return Service.service { settings in
            var clients = Service.clients.clients
            clients[0].grants.refresh = RefreshLifetimes()
            clients[0].grants.exchange = ExchangeRules()
            clients[0].grants.introspection = true
            change(&clients[0].grants)
            settings.clients = Clients(clients)
            if let origin = try? WebOrigin(Service.baseURL) {
                settings.possession = ClientPossession(ProofVerifier(nonceKeys: keys), origins: [origin])
            }
        }
    }

    private func request(
        _ body: String = "grant_type=password&username=joe&password=Welcome1", _ proofs: String...,
        certificate: [UInt8]? = nil
    ) -> EndpointRequest {
        var request = tokenRequest(body)
        request.fields = proofs.map { (name: "dpop", value: $0) }
        request.certificateDigest = certificate
        return request
    }

    private func proof(_ method: String = "POST", _ url: String = url, nonce: String? = nil) -> String {
        maker.proof(url, method, at: Service.now, nonce: nonce)
    }

    /// The claims of a token in an answer.
    private func claims(_ response: EndpointResponse) throws -> AccessTokenClaims {
        let token = try #require(response.json?["access_token"]?.string)
        return try #require(service.ownTokens.signed(token, now: Service.now))
    }

    @Test(
        "a proof binds the token to its key",
        arguments: ["grant_type=client_credentials", "grant_type=password&username=joe&password=Welcome1"])
    func bound(_ body: String) throws {
        let response = service.answer(request(body, proof()))
        #expect(response.status == 200)
        #expect(response.json?["token_type"]?.string == "DPoP")
        #expect(try claims(response).binding == TokenBinding(key: maker.thumbprint))
        let bearer = service.answer(request(body))
        #expect(bearer.json?["token_type"]?.string == "Bearer")
        #expect(try claims(bearer).binding == nil)
    }

    @Test("a bad proof is refused, not ignored")
    func badProofs() throws {
        let used = proof()
        #expect(service.answer(request("grant_type=client_credentials", used)).status == 200)
        let bad = [
            used, "x", proof("GET"), proof("POST", "https://gw.example.com/other"),
            proof("POST", "https://evil.net/oauth2/token"),
            maker.proof(Self.url, "POST", at: Service.now - 61), maker.proof(Self.url, "POST", at: Service.now + 6),
        ]
        for proof in bad {
            let response = service.answer(request("grant_type=client_credentials", proof))
            #expect(response.status == 400 && response.error == "invalid_dpop_proof", "\(proof)")
        }
        let two = service.answer(request("grant_type=client_credentials", proof(), proof()))
        #expect(two.status == 400 && two.error == "invalid_dpop_proof")
    }

    @Test("who is no client uses up no proof")
    func clientFirst() {
        let proof = proof()
        var stranger = tokenRequest("grant_type=client_credentials", basic("inv-client", "wrong"))
        stranger.fields = [(name: "dpop", value: proof)]
        #expect(service.answer(stranger).error == "invalid_client")
        #expect(service.answer(request("grant_type=client_credentials", proof)).status == 200)
    }

    @Test("nonces: required, given with the refusal, and renewed")
    func nonces() throws {
        let service = Self.service(nonces: true)
        let refused = service.answer(request("grant_type=client_credentials", proof()))
        #expect(refused.status == 400 && refused.error == "use_dpop_nonce")
        let nonce = try #require(refused.values("DPoP-Nonce").first)
        let good = service.answer(request("grant_type=client_credentials", proof(nonce: nonce)))
        #expect(good.status == 200 && good.values("DPoP-Nonce").isEmpty)
        let later = maker.proof(Self.url, "POST", at: Service.now + 200, nonce: nonce)
        let renewed = service.answer(request("grant_type=client_credentials", later), at: Service.now + 200)
        #expect(renewed.status == 200 && renewed.values("DPoP-Nonce").count == 1)
        let old = maker.proof(Self.url, "POST", at: Service.now + 300, nonce: nonce)
        #expect(
            service.answer(request("grant_type=client_credentials", old), at: Service.now + 300).error
                == "use_dpop_nonce")
        // A bearer token needs none.
        #expect(service.answer(request("grant_type=client_credentials")).status == 200)
    }

    @Test("a refreshed token is bound to the key of the refresh")
    func refresh() throws {
        let first = service.answer(request("grant_type=password&username=joe&password=Welcome1", proof()))
        let token = try #require(first.json?["refresh_token"]?.string)
        let other = ProofMaker()
        let second = service.answer(
            request("grant_type=refresh_token&refresh_token=\(token)", other.proof(Self.url, "POST", at: Service.now)))
        #expect(second.json?["token_type"]?.string == "DPoP")
        #expect(try claims(second).binding == TokenBinding(key: other.thumbprint))
    }

    @Test("a client may have bound tokens only")
    func requiredProof() throws {
        let service = Self.service { $0.requiresProofKey = true }
        for body in [
            "grant_type=client_credentials", "grant_type=password&username=joe&password=Welcome1",
            "grant_type=refresh_token&refresh_token=x",
        ] {
            let response = service.answer(request(body))
            #expect(response.status == 400 && response.reason == .tokenProofRequired, "\(body)")
        }
        let response = service.answer(request("grant_type=client_credentials", proof()))
        #expect(response.json?["token_type"]?.string == "DPoP")
    }

    @Test("tokens of a client that are bound to its certificate")
    func certificates() throws {
        let service = Self.service { $0.bindsToCertificate = true }
        #expect(service.answer(request("grant_type=client_credentials")).reason == .tokenProofRequired)
        let response = service.answer(request("grant_type=client_credentials", certificate: Self.digest))
        #expect(response.json?["token_type"]?.string == "Bearer")
        #expect(try claims(response).binding == TokenBinding(certificate: Self.digest))
        let both = service.answer(request("grant_type=client_credentials", proof(), certificate: Self.digest))
        #expect(both.json?["token_type"]?.string == "DPoP")
        #expect(try claims(both).binding == TokenBinding(key: maker.thumbprint, certificate: Self.digest))
        // Of other clients the certificate means nothing.
        let plain = self.service.answer(request("grant_type=client_credentials", certificate: Self.digest))
        #expect(try claims(plain).binding == nil)
    }

    @Test("introspection tells of the binding")
    func introspection() throws {
        let token = try #require(
            service.answer(request("grant_type=client_credentials", proof())).json?["access_token"]?.string)
        let answer = service.answer(tokenRequest("token=\(token)"), .introspection)
        #expect(answer.json?["active"]?.bool == true)
        #expect(answer.json?["token_type"]?.string == "DPoP")
        #expect(answer.json?["cnf"]?["jkt"]?.string == maker.jkt)
    }

    @Test("a bound token is no subject of an exchange, but can be revoked")
    func exchange() throws {
        let token = try #require(service.answer(request(request().text, proof())).json?["access_token"]?.string)
        let type = "urn:ietf:params:oauth:token-type:access_token"
        let body =
            "grant_type=urn:ietf:params:oauth:grant-type:token-exchange&subject_token_type=\(type)&subject_token=\(token)"
        let response = service.answer(request(body, proof()))
        #expect(response.status == 400 && response.reason == .subjectTokenInvalid)
        #expect(service.answer(tokenRequest("token=\(token)"), .revocation).reason == .tokenEnded)
        #expect(try service.ownTokens.live(token, includingBound: true, now: Service.now) == nil)
    }

    @Test("the metadata name the algorithms of proofs")
    func metadata() throws {
        func document(_ service: TokenService) -> JSONNode? {
            service.answer(EndpointRequest(method: .get, path: "/"), .metadata).json
        }
        let names = document(service)?["dpop_signing_alg_values_supported"]?.array?.compactMap(\.string) ?? []
        #expect(names.contains("ES256") && !names.contains("HS256") && !names.contains("none"))
        #expect(document(service)?["tls_client_certificate_bound_access_tokens"] == nil)
        let bound = Self.service { $0.bindsToCertificate = true }
        #expect(document(bound)?["tls_client_certificate_bound_access_tokens"]?.bool == true)
    }
}

extension EndpointRequest {
    fileprivate var text: String { String(decoding: body, as: UTF8.self) }
}
