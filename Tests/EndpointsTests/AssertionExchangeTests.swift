import Bytes
import Crypto
import Endpoints
import Foundation
import HTTP
import Identity
import JOSE
import Model
import OAuthServer
import Outbound
import Synchronization
import TestSupport
import Testing

/// `POST /mobile/platform/auth/token` (JTX-01 to JTX-12).
@Suite struct AssertionExchangeTests {
    @Test(
        "X01 to X17 (JWT-15, JTX-03 to JTX-06, CON-02): clients authenticate as specified", arguments: ClientVector.all)
    func client(_ vector: ClientVector) throws {
        let exchange = Exchange(#""requireClientAuth":\#(vector.requiresClientAuth)"#)
        let clientToken = exchange.service.answer(tokenRequest("grant_type=client_credentials"))
        let token = try #require(clientToken.json?["access_token"]?.string)
        let fields = vector.body.map { name, value -> (String, String) in
            switch value {
            case "CT": (name, token)
            case "CT-expired-or-tampered": (name, token.dropLast(2) + (token.hasSuffix("AA") ? "BB" : "AA"))
            default: (name, value)
            }
        }
        let response = exchange.answer(Exchange.request(Exchange.token(), vector.header, with: fields))
        #expect(response.status == vector.status)
        #expect(response.error == vector.error)
        if response.status == 401 { #expect(response.values("WWW-Authenticate").count == 1) }
        if vector.id == "X14" {
            let old = exchange.service.answer(tokenRequest("grant_type=client_credentials"), at: Service.now - 604_801)
            let expired = try #require(old.json?["access_token"]?.string)
            let fields = vector.body.map { $0.1.hasPrefix("CT") ? ($0.0, expired) : $0 }
            #expect(exchange.answer(Exchange.request(Exchange.token(), nil, with: fields)).error == "invalid_client")
        }
    }

    @Test("all vectors are present")
    func thereAreAllVectors() { #expect(ClientVector.all.count == 17) }

    @Test("JTX-06: user tokens and revoked tokens do not authenticate a client")
    func clientTokensAreOfLivingClients() throws {
        let exchange = Exchange()
        func ask(_ token: String) -> EndpointResponse {
            exchange.answer(
                Exchange.request(
                    Exchange.token(), nil,
                    with: [
                        ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                        ("client_assertion", token),
                    ]))
        }
        let user = exchange.service.answer(tokenRequest("grant_type=password&username=joe&password=Welcome1"))
        #expect(ask(try #require(user.json?["access_token"]?.string)).status == 401)
        let client = exchange.service.answer(tokenRequest("grant_type=client_credentials"))
        #expect(ask(try #require(client.json?["access_token"]?.string)).status == 200)
        exchange.revocations.revoke(tokenID: try client.claims().tokenID, until: .max)
        #expect(ask(try #require(client.json?["access_token"]?.string)).reasonText == "client_assertion_invalid")
    }

    @Test("JTX-07: the response has exactly four members, and the header fields of OAUTH-04")
    func reply() throws {
        let response = Exchange(#""virtualUserEnabled":true,"roleAttributes":["roles"]"#)
            .answer(#""sub":"zoe","roles":["Manager","Boss"]"#)
        #expect(response.status == 200)
        #expect(response.names == ["access_token", "expires_in", "id_token", "token_type"])
        #expect(response.json?["id_token"]?.isNull == true)
        #expect(response.json?["token_type"]?.string == "Bearer")
        #expect(response.json?["expires_in"]?.integer == 28_800)
        #expect(response.values("Cache-Control") == ["no-store"])
        #expect(response.values("Pragma") == ["no-cache"])
        let claims = try response.claims()
        #expect(claims.subject == "zoe" && claims.virtual && claims.kind == .user)
        #expect(claims.roles == ["Manager"] && claims.backendID == "mbe-inv-1" && claims.level == 2)
        #expect(claims.expiresAt - claims.issuedAt == 28_800)
        #expect(response.audit?.action == "grant.jwt_exchange" && response.audit?.outcome == .granted)
        #expect(response.audit?.subject == "zoe" && response.audit?.client == "inventory/1.0")
    }

    @Test("MAP-03, CON-04: a provisioned user keeps the assigned roles")
    func provisionedUser() throws {
        let exchange = Exchange(#""roleAttributes":["roles"],"issuerRoles":["Employee"],"level":1"#)
        let claims = try exchange.answer(#""roles":"Clerk""#).claims()
        #expect(claims.subject == "joe" && !claims.virtual && claims.level == 1)
        #expect(claims.roles == ["Manager", "Clerk", "Employee"])
        #expect(exchange.answer(#""sub":"zoe""#).reasonText == "assertion_user_unknown")
        #expect(exchange.answer(#""sub":"off""#).reasonText == "assertion_user_disabled")
        // MBE-09: joe is not of the realm of this client.
        let other = Exchange.request(Exchange.token(), basic("oth-client", "oth-secret"))
        #expect(exchange.answer(other).reasonText == "assertion_user_unknown")
    }

    @Test(
        "JTX-01, CON-08: the specified content types are accepted",
        arguments: [
            ("application/x-www-form-urlencoded", 200), ("application/x/www-form-urlencoded", 200),
            ("Application/X-WWW-Form-URLencoded; charset=utf-8", 200), ("application/json", 400), ("text/plain", 400),
            (nil, 400),
        ])
    func contentType(_ type: String?, _ status: Int) {
        var request = Exchange.request()
        request.contentType = type
        let response = Exchange().answer(request)
        #expect(response.status == status)
        if status == 400 { #expect(response.error == "invalid_request") }
        // The misspelling is known here only.
        var other = tokenRequest("grant_type=client_credentials")
        other.contentType = "application/x/www-form-urlencoded"
        #expect(Exchange().service.answer(other).error == "invalid_request")
    }

    @Test("JTX-01, JTX-02: malformed requests are refused")
    func malformedRequests() {
        let exchange = Exchange()
        func ask(_ body: String, _ method: HTTP.Method = .post) -> EndpointResponse {
            var request = Exchange.request()
            request.method = method
            request.body = Array(body.utf8)
            return exchange.answer(request)
        }
        let grant = "grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer"
        #expect(ask("", .get).status == 405)
        #expect(ask("", .get).values("Allow") == ["POST"])
        #expect(ask("assertion=x").error == "invalid_request")
        #expect(ask("grant_type=&assertion=x").error == "invalid_request")
        #expect(ask(grant).error == "invalid_request")
        #expect(ask("\(grant)&assertion=").error == "invalid_request")
        #expect(ask("\(grant)&assertion=x&assertion=x").error == "invalid_request")
        #expect(ask("grant_type=password&assertion=x").error == "unsupported_grant_type")
        #expect(ask("\(grant)&assertion=x").error == "invalid_grant")
        var query = Exchange.request()
        query.query = Array("assertion=x".utf8)
        #expect(exchange.answer(query).reasonText == "token_credential_in_query")
    }

    @Test("JTX-10: all faults of a token have the same answer, and distinct reasons")
    func refusalsLookAlike() {
        let exchange = Exchange(#""filters":[{"name":"dept","values":["sales"]}],"clientIdAttribute":"azp""#)
        let good = #""dept":"sales""#
        let refused: [(EndpointResponse, String)] = [
            (exchange.answer(#""aud":"https://other""#), "assertion_audience_wrong"),
            (exchange.answer(""), "assertion_filter_not_satisfied"),
            (exchange.answer(#""iss":"https://idp.example.com/""#), "assertion_issuer_unknown"),
            (exchange.answer(#""iss":null"#), "assertion_issuer_unknown"),
            (exchange.answer(#""exp":1"#), "assertion_expired"),
            (exchange.answer(#""exp":null"#), "assertion_expiry_missing"),
            (exchange.answer(#""nbf":1800000000"#), "assertion_not_yet_valid"),
            (exchange.answer("\(good),\"sub\":\"zoe\""), "assertion_user_unknown"),
            (exchange.answer("\(good),\"sub\":null"), "assertion_username_missing"),
            (exchange.answer("\(good),\"azp\":\"joe\""), "assertion_of_client"),
            (exchange.answer(Exchange.request("a.b.c")), "assertion_malformed"),
            (
                exchange.answer(Exchange.request(Exchange.token(good, key: .generate(.es256)))),
                "assertion_signature_invalid"
            ),
            (
                exchange.answer(Exchange.request(Exchange.token(good, key: .generate(.es384)))),
                "assertion_algorithm_unsupported"
            ),
            (Exchange(#""enabled":false"#).answer(""), "assertion_issuer_disabled"),
            (Exchange(#""enabled":7"#).answer(""), "assertion_issuer_invalid"),
            (Exchange(policy: "{}").answer(""), "assertion_issuer_invalid"),
        ]
        for (response, reason) in refused {
            #expect(response.reasonText == reason)
            #expect(response.status == 400)
            #expect(response.body == refused[0].0.body)
            #expect(response.headers.map(\.value) == refused[0].0.headers.map(\.value))
        }
        #expect(exchange.answer(good).status == 200)
        #expect(refused[0].0.error == "invalid_grant")
    }

    @Test("JWT-23, JTX-09, JTX-10: clients are checked after the issuer, before the token is verified")
    func clientsAndBackends() {
        let exchange = Exchange(#""allowedMbes":[{"name":"inventory","version":"1.0"}]"#)
        let foreign = Exchange.token(key: .generate(.es256))
        func ask(_ token: String, _ client: String, _ secret: String) -> String {
            exchange.answer(Exchange.request(token, basic(client, secret))).reasonText
        }
        #expect(ask(foreign, "inv-client", "wrong") == "invalid_client")
        #expect(ask(foreign, "sch-client", "sch-secret") == "assertion_client_not_allowed")
        #expect(ask(foreign, "off-client", "off-secret") == "unauthorized_client")
        #expect(ask(foreign, "inv-client", "inv-secret") == "assertion_signature_invalid")
        #expect(ask(Exchange.token(#""iss":"x""#), "inv-client", "wrong") == "assertion_issuer_unknown")
        #expect(ask(Exchange.token(), "inv-client", "inv-secret") == "token_issued")
        let refused = exchange.answer(Exchange.request(Exchange.token(), basic("sch-client", "sch-secret")))
        #expect(refused.status == 400 && refused.error == "unauthorized_client")
    }

    @Test("revoking an outside token or its subject ends derived tokens and prevents exchanges")
    func revocation() throws {
        let exchange = Exchange()
        func isRevoked(_ response: EndpointResponse) throws -> Bool {
            let claims = try response.claims()
            return exchange.revocations.isRevoked(
                tokenID: claims.tokenID, subject: claims.subject, backendID: claims.backendID,
                issuedAt: claims.issuedAt, origins: claims.origins)
        }
        let (one, other, nameless) = (
            exchange.answer(#""jti":"one""#), exchange.answer(#""jti":"other""#), exchange.answer("")
        )
        #expect(try one.claims().origins == [TokenOrigin(tokenID: "one", backendID: nil)])
        #expect(try nameless.claims().origins.isEmpty)
        exchange.revocations.revoke(tokenID: "one", until: .max)
        #expect(try isRevoked(one) && !isRevoked(other) && !isRevoked(nameless))
        #expect(exchange.answer(#""jti":"one""#).reasonText == "assertion_revoked")
        #expect(exchange.answer(#""jti":"other""#).status == 200)
        exchange.revocations.revoke(subject: "joe", issuedBefore: Service.now - 5, until: .max)
        #expect(exchange.answer(#""iat":\#(Service.now - 5)"#).reasonText == "assertion_revoked")
        #expect(exchange.answer(#""iat":\#(Service.now - 4)"#).status == 200)
        // Its issuer says nothing of dates: its users are not locked out.
        #expect(exchange.answer("").status == 200)
        // It is carried in every token, so that there is an end to it.
        let long = exchange.answer("\"jti\":\"\(String(repeating: "x", count: 257))\"")
        #expect(try long.claims().origins.isEmpty)
    }

    @Test("JTX-11: assertions may be reused unless the issuer's entry forbids it")
    func singleUse() throws {
        let often = Exchange()
        let token = Exchange.request()
        let first = try often.answer(token).claims()
        #expect(try often.answer(token).claims().tokenID != first.tokenID)
        let once = Exchange(#""singleUseAssertions":true"#)
        #expect(once.answer(token).status == 200)
        #expect(once.answer(token).reasonText == "assertion_used_before")
        // Another signature makes no other token.
        let again = Exchange.token(#""jti":"1""#)
        #expect(once.answer(Exchange.request(again)).status == 200)
        #expect(once.answer(#""jti":"1","x":1"#).reasonText == "assertion_used_before")
        #expect(once.answer(#""jti":"2""#).status == 200)
        // One that was refused for another reason is not used up.
        #expect(once.answer(#""jti":"3","aud":"x""#).status == 400)
        #expect(once.answer(#""jti":"3""#).status == 200)
    }

    @Test("JWT-35: unavailable keys are not an authentication failure")
    func keysThatCannotBeHad() {
        let exchange = Exchange()
        exchange.fetched.withLock { $0 = .failure(.unavailable) }
        let response = exchange.answer("")
        #expect(response.status == 503 && response.error == "temporarily_unavailable")
        exchange.fetched.withLock { $0 = .failure(.unusable) }
        #expect(exchange.answer("").reasonText == "assertion_keys_unusable")
        #expect(exchange.answer("").error == "invalid_grant")
    }

    @Test("JWT-04, JWT-05, JWT-08: an unknown issuer or an old policy causes a reload")
    func policyIsReadAnew() {
        let exchange = Exchange(policy: #"{"issuers":[]}"#)
        exchange.policyText.withLock { $0 = Exchange.policy("") }
        #expect(exchange.answer("", at: Service.now + 9).reasonText == "assertion_issuer_unknown")
        #expect(exchange.answer("", at: Service.now + 10).status == 200)
        exchange.policyText.withLock { $0 = Exchange.policy(#""enabled":false"#) }
        #expect(exchange.answer("", at: Service.now + 130).status == 200)
        #expect(exchange.answer("", at: Service.now + 131).reasonText == "assertion_issuer_disabled")
        exchange.policyText.withLock { $0 = Exchange.policy("") }
        #expect(exchange.answer("", at: Service.now + 252).status == 200)
        exchange.policyText.withLock { $0 = "{" }
        #expect(exchange.answer("", at: Service.now + 400).status == 200)
        #expect(exchange.failures.count == 1)
        // JWT-03: valid JSON without issuers is no failure, and no token is good; a later policy heals it.
        exchange.policyText.withLock { $0 = "{}" }
        #expect(exchange.answer("", at: Service.now + 521).reasonText == "assertion_issuer_invalid")
        exchange.policyText.withLock { $0 = Exchange.policy("") }
        #expect(exchange.answer("", at: Service.now + 531).status == 200)
    }

    @Test("JWT-06, JWT-07: added and removed certificates are noticed")
    func certificatesAreReadAnew() throws {
        // The certificate begins in 2026.
        let now: Int64 = 1_800_000_000
        let exchange = Exchange(
            #""certificateSubjectNames":["CN=idp.example.com, O=Example"],"requireClientAuth":true"#)
        let key = try SigningKey(pem: ClientVector.fixture("idp-key.pem"), algorithm: .es256)
        let certificate = try SignerCertificate(pem: Array(ClientVector.fixture("idp-cert.pem").utf8))
        func ask(_ now: Int64) -> String {
            exchange.answer(Exchange.request(Exchange.token(key: key, at: now)), at: now).reasonText
        }
        exchange.certificates.withLock { $0 = CertificateStore() }
        #expect(ask(now) == "assertion_key_unknown")
        exchange.certificates.withLock { $0 = CertificateStore([.init(alias: "idp", certificate: certificate)]) }
        #expect(ask(now + 9) == "assertion_key_unknown")
        #expect(ask(now + 10) == "token_issued")
        exchange.certificates.withLock { $0 = CertificateStore() }
        #expect(ask(now + 310) == "token_issued")
        #expect(ask(now + 311) == "assertion_key_unknown")
    }

    @Test("JTX-12, OAUTH-09: the backend's own issuer gets user, roles and lifetime")
    func issuerModule() {
        let stub = StubIssuer()
        let exchange = Exchange(#""roleAttributes":["roles"],"tokenTimeoutSeconds":900"#) { settings in
            var client = Service.client("inventory", "mbe-inv-1", "inv-client", "inv-secret")
            client.issuer = "remote"
            settings.clients = Clients([client])
            settings.grantIssuers = ["remote": stub]
        }
        let response = exchange.answer(#""roles":"Clerk""#)
        #expect(response.json?["access_token"]?.string == "made-elsewhere")
        #expect(response.names == ["access_token", "expires_in", "id_token", "token_type"])
        let grant = stub.seen.withLock { $0 }
        #expect(grant?.subject == "joe" && grant?.lifetimeSeconds == 900)
        #expect(grant?.roles == ["Manager", "Clerk"])
        stub.answer.withLock { $0 = .failure(GrantIssuerFailure()) }
        #expect(exchange.answer("").status == 503)
    }

    private final class StubIssuer: GrantIssuer {
        let seen = Mutex<AccessTokenMinter.Grant?>(nil)
        let answer = Mutex<Result<GrantedToken, GrantIssuerFailure>>(
            .success(GrantedToken(value: Array("made-elsewhere".utf8), expiresIn: nil)))

        func issue(
            _ grant: AccessTokenMinter.Grant, now: Int64
        ) -> Effect<Result<GrantedToken, GrantIssuerFailure>> {
            seen.withLock { $0 = grant }
            return .done(answer.withLock { $0 })
        }
    }
}

/// One case of section 4.8.
struct ClientVector: Sendable, CustomTestStringConvertible {
    let id: String
    let requiresClientAuth: Bool
    let header: String?
    let body: [(String, String)]
    let status: Int
    let error: String?

    var testDescription: String { id }

    static let all: [ClientVector] = {
        guard let file = try? JSONNode.parse(Array(fixture("clientauth.json").utf8).span) else { return [] }
        return (file["cases"]?.array ?? []).map { node in
            ClientVector(
                id: node["id"]?.string ?? "?", requiresClientAuth: node["requireClientAuth"]?.bool ?? true,
                header: node["hdr"]?.string,
                body: (node["body"]?.members ?? []).map { ($0.name, $0.node.string ?? "") },
                status: Int(node["status"]?.integer ?? 0), error: node["error"]?.string)
        }
    }()

    static func fixture(_ name: String) -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return (try? String(contentsOf: root.appending(path: "Fixtures/identity/\(name)"), encoding: .utf8)) ?? ""
    }
}
