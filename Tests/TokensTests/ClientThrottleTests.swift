import Bytes
import HTTP
import Identity
import TestSupport
import Testing
import Tokens

/// Secrets of clients cannot be guessed without end, and nobody keeps a client out of where it is at home.
@Suite struct ClientThrottleTests {
    private static let home = "192.0.2.1"
    private static let away = "198.51.100.7"

    private func request(_ body: String, _ authorization: String, from address: String) -> EndpointRequest {
        var request = tokenRequest(body, authorization)
        request.address = IPAddress(text: Array(address.utf8).span)
        return request
    }

    private func grant(
        _ service: TokenService, _ authorization: String, from address: String, at seconds: Int64 = 0,
        _ endpoint: TokenService.Endpoint = .token
    ) -> String {
        let body = endpoint == .token ? "grant_type=client_credentials" : "token=x"
        let response = service.answer(request(body, authorization, from: address), endpoint, at: Service.now + seconds)
        return "\(response.status) \(response.reasonText)"
    }

    @Test("after ten wrong secrets from an address none is looked at there, and elsewhere they are")
    func holdsBack() {
        let service = Service.service()
        for _ in 0..<10 { #expect(grant(service, basic("inv-client", "bad"), from: Self.away) == "401 invalid_client") }
        let refused = service.answer(
            request("grant_type=client_credentials", basic("inv-client", "inv-secret"), from: Self.away))
        #expect(refused.status == 429 && refused.reasonText == "client_throttled")
        #expect(refused.values("Retry-After") == ["30"])
        #expect(grant(service, basic("inv-client", "inv-secret"), from: Self.home).hasPrefix("200"))
        #expect(grant(service, basic("sch-client", "sch-secret"), from: Self.away).hasPrefix("200"))
        // What was used up comes back.
        #expect(grant(service, basic("inv-client", "inv-secret"), from: Self.away, at: 31).hasPrefix("200"))
        // One count for all the places where the secret is shown.
        for _ in 0..<10 { _ = grant(service, basic("sch-client", "bad"), from: Self.away, .revocation) }
        for endpoint in [TokenService.Endpoint.token, .revocation, .introspection] {
            #expect(
                grant(service, basic("sch-client", "sch-secret"), from: Self.away, endpoint) == "429 client_throttled")
        }
    }

    @Test("a right secret is no failure, however it is written and however many come")
    func rightOnes() {
        let service = Service.service()
        for _ in 0..<50 {
            #expect(grant(service, basic("inv-client", "inv-secret"), from: Self.home).hasPrefix("200"))
            #expect(grant(service, basic("odd%20client", "a%2Bb%26c%3D%25%3Ax"), from: Self.home).hasPrefix("200"))
        }
        // However the id is written, it is the same client.
        for number in 0..<10 {
            _ = grant(service, basic(number % 2 == 0 ? "odd+client" : "odd%20client", "bad%20"), from: Self.away)
        }
        #expect(grant(service, basic("odd client", "a+b&c=%:x"), from: Self.away) == "429 client_throttled")
    }

    @Test("resource servers and applications of Mobile & Social are held back as well")
    func others() {
        let service = Service.service {
            $0.resourceServers = [ResourceServer(clientID: "orders", clientSecret: "orders-secret")]
        }
        for _ in 0..<10 { _ = grant(service, basic("orders", "bad"), from: Self.away, .introspection) }
        #expect(grant(service, basic("orders", "orders-secret"), from: Self.away, .introspection).hasPrefix("429"))
        #expect(grant(service, basic("orders", "orders-secret"), from: Self.home, .introspection).hasPrefix("200"))

        let mobile = Mobile()
        func clientToken(_ secret: String, from address: String) -> EndpointResponse {
            var request = EndpointRequest(
                method: .post, path: "/oic_rest/rest/oamauthentication/authenticate", contentType: "application/json",
                body: Array(Mobile.login("CLIENTTOKEN", user: "inventory", password: secret, app: nil).utf8),
                fields: [(name: "x-idaas-servicedomain", value: "Default")])
            request.address = IPAddress(text: Array(address.utf8).span)
            return mobile.service.handle(request, endpoint: .mobileSocial, now: Mobile.start).settled()
        }
        let token = clientToken("shared", from: Self.away).json?["X-Idaas-Rest-Token-Value"]?.string ?? ""
        #expect(!token.isEmpty)
        for _ in 0..<10 { #expect(clientToken("guess", from: Self.away).status == 401) }
        #expect(clientToken("shared", from: Self.away).reasonText == "client_throttled")
        #expect(clientToken("shared", from: Self.home).status == 200)

        func logIn(_ secret: String, from address: String) -> EndpointResponse {
            var request = EndpointRequest(
                method: .post, path: "/oic_rest/rest/oamauthentication/authenticate", contentType: "application/json",
                body: Array(Mobile.login("USERTOKEN", app: "inventory").utf8),
                fields: [
                    (name: "x-idaas-servicedomain", value: "Default"),
                    (name: "x-idaas-rest-authorization", value: Mobile.uidPassword("inventory:\(secret)")),
                ])
            request.address = IPAddress(text: Array(address.utf8).span)
            return mobile.service.handle(request, endpoint: .mobileSocial, now: Mobile.start).settled()
        }
        #expect(logIn("shared", from: Self.away).reasonText == "client_throttled")
        #expect(logIn(token, from: Self.away).status == 200, "a token is random: nobody guesses one")
        #expect(logIn("shared", from: Self.home).status == 200)
        #expect(logIn("guess", from: Self.home).reasonText == "oic_client_proof_invalid")
    }
}
