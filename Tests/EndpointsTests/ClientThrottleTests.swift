import Bytes
import Endpoints
import HTTP
import Identity
import MobileSocial
import Model
import OAuthServer
import TestSupport
import Testing

/// Secrets of clients cannot be guessed without end, and guesses do not lock a client out at its own address.
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
        _ endpoint: EndpointDescriptor = .token
    ) -> String {
        let body = endpoint == .token ? "grant_type=client_credentials" : "token=x"
        let response = service.answer(request(body, authorization, from: address), endpoint, at: Service.now + seconds)
        return "\(response.status) \(response.reasonText)"
    }

    @Test("after ten wrong secrets an address is throttled, and others are not")
    func holdsBack() {
        let service = Service.service()
        for number in 0..<10 {
            #expect(grant(service, basic("inv-client", "bad\(number)"), from: Self.away) == "401 invalid_client")
        }
        let refused = service.answer(
            request("grant_type=client_credentials", basic("inv-client", "inv-secret"), from: Self.away))
        #expect(refused.status == 429 && refused.reasonText == "client_throttled")
        #expect(refused.values("Retry-After") == ["30"])
        #expect(grant(service, basic("inv-client", "inv-secret"), from: Self.home).hasPrefix("200"))
        #expect(grant(service, basic("sch-client", "sch-secret"), from: Self.away).hasPrefix("200"))
        // What was used up comes back.
        #expect(grant(service, basic("inv-client", "inv-secret"), from: Self.away, at: 31).hasPrefix("200"))
        // One count for all the places where the secret is shown.
        for number in 0..<10 { _ = grant(service, basic("oth-client", "bad\(number)"), from: Self.away, .revocation) }
        for endpoint in [EndpointDescriptor.token, .revocation, .introspection] {
            #expect(
                grant(service, basic("oth-client", "oth-secret"), from: Self.away, endpoint) == "429 client_throttled")
        }
    }

    @Test("guessing from a client's own address is limited, and does not lock the client out")
    func sharedAddress() {
        let service = Service.service()
        #expect(grant(service, basic("inv-client", "inv-secret"), from: Self.home).hasPrefix("200"))
        // Two a minute for an hour, then as many at once as a whole address has.
        for minute in 0..<60 {
            for half in 0..<2 {
                let guess = basic("inv-client", "\(minute) \(half)")
                #expect(grant(service, guess, from: Self.home, at: Int64(minute * 60)) == "401 invalid_client")
            }
            #expect(
                grant(service, basic("inv-client", "inv-secret"), from: Self.home, at: Int64(minute * 60))
                    .hasPrefix("200"))
        }
        let looked = (0..<500).filter {
            grant(service, basic("inv-client", "guess \($0)"), from: Self.home, at: 7200) == "401 invalid_client"
        }
        #expect(looked == Array(0..<100))
        #expect(grant(service, basic("inv-client", "inv-secret"), from: Self.home, at: 7200) == "429 client_throttled")
    }

    @Test("the same wrong secret does not count as another guess, even when throttled")
    func repeated() {
        let service = Service.service()
        for _ in 0..<500 {
            #expect(grant(service, basic("inv-client", "old"), from: Self.away) == "401 invalid_client")
        }
        for number in 0..<8 { _ = grant(service, basic("inv-client", "bad\(number)"), from: Self.away) }
        #expect(grant(service, basic("inv-client", "inv-secret"), from: Self.away).hasPrefix("200"))
        #expect(grant(service, basic("sch-client", "old"), from: Self.away) == "401 invalid_client")
    }

    @Test("a wrong secret may become right, after which its address is known for the client")
    func changed() {
        let throttle = ClientThrottle()
        let before = Service.service { $0.clientThrottle = throttle }
        #expect(grant(before, basic("inv-client", "next"), from: Self.home) == "401 invalid_client")
        let service = Service.service {
            $0.clientThrottle = throttle
            $0.clients = Clients([Service.client("inventory", "mbe-inv-1", "inv-client", "next")])
        }
        for _ in 0..<2 { #expect(grant(service, basic("inv-client", "next"), from: Self.home).hasPrefix("200")) }
        for number in 0..<40 { _ = grant(service, basic("inv-client", "\(number)"), from: Self.home) }
        #expect(grant(service, basic("inv-client", "next"), from: Self.home).hasPrefix("200"))
    }

    @Test("RFC 6749 section 10.10: an unguessable secret is always checked")
    func unguessable() {
        let secret = String(repeating: "Ab3-", count: 10) + "xyz"
        let service = Service.service {
            $0.clients = Clients([
                Service.client("strong", "mbe-1", "strong", secret),
                Service.client("weak", "mbe-2", "weak", String(secret.dropLast())),
            ])
        }
        for client in ["strong", "weak"] {
            for number in 0..<20 { _ = grant(service, basic(client, "bad\(number)"), from: Self.away) }
            #expect(grant(service, basic(client, "bad"), from: Self.away) == "429 client_throttled")
        }
        #expect(grant(service, basic("strong", secret), from: Self.away).hasPrefix("200"))
        #expect(grant(service, basic("strong", secret + "a"), from: Self.away) == "401 invalid_client")
        #expect(grant(service, basic("weak", String(secret.dropLast())), from: Self.away) == "429 client_throttled")
    }

    @Test("right secrets are never counted, in any spelling and number")
    func rightOnes() {
        let service = Service.service()
        for _ in 0..<50 {
            #expect(grant(service, basic("inv-client", "inv-secret"), from: Self.home).hasPrefix("200"))
            #expect(grant(service, basic("odd%20client", "a%2Bb%26c%3D%25%3Ax"), from: Self.home).hasPrefix("200"))
        }
        // However the id is written, it is the same client.
        for number in 0..<10 {
            _ = grant(
                service, basic(number % 2 == 0 ? "odd+client" : "odd%20client", "bad%20\(number)"), from: Self.away)
        }
        #expect(grant(service, basic("odd client", "a+b&c=%:x"), from: Self.away) == "429 client_throttled")
    }

    @Test("resource servers and Mobile & Social applications are throttled too")
    func others() {
        let service = Service.service {
            $0.resourceServers = [ResourceServer(clientID: "orders", clientSecret: "orders-secret")]
        }
        for number in 0..<10 { _ = grant(service, basic("orders", "bad\(number)"), from: Self.away, .introspection) }
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
        let token = clientToken("shared", from: Self.home).json?["X-Idaas-Rest-Token-Value"]?.string ?? ""
        #expect(!token.isEmpty)
        for number in 0..<10 { #expect(clientToken("guess\(number)", from: Self.away).status == 401) }
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
