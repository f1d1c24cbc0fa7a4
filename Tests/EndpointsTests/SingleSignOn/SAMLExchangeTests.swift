import Model

#if SAML
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
    import SingleSignOn
    import Synchronization
    import TestSupport
    import Testing
    import TokenStorage

    /// `GET /mobile/platform/sso/exchange-token` with a bearer token (SAML-01 to SAML-15).
    @Suite struct SAMLExchangeTests {
        /// The certificates begin in 2026.
        private static let now: Int64 = 1_800_000_000
        private static let names =
            #""issuerName":"https://idp.example.com/saml","certificateSubjectNames":["\#(subject)"]"#
        private static let subject = "CN=idp.example.com,O=Example"

        private static let forge = Result {
            SAMLForge(key: try SigningKey(pem: ClientVector.fixture("idp-key.pem"), algorithm: .es256), now: now)
        }
        private let forge: SAMLForge

        init() throws { forge = try Self.forge.get() }

        /// - Parameters:
        ///   - members: of the issuer, as JSON without braces.
        ///   - others: of the configuration.
        private func exchange(
            _ members: String = #""virtualUserEnabled":true"#, others: String = "",
            _ change: (inout TokenServiceSettings) -> Void = { _ in }
        ) throws -> Exchange {
            let comma = members.isEmpty ? "" : ","
            let exchange = Exchange(
                policy: #"{"samlIssuers":[{\#(Self.names)\#(comma)\#(members)}]\#(others)}"#, change)
            let certificate = try SignerCertificate(pem: Array(ClientVector.fixture("idp-cert.pem").utf8))
            exchange.certificates.withLock { $0 = CertificateStore([.init(alias: "idp", certificate: certificate)]) }
            return exchange
        }

        private func request(
            _ token: String, client: [String] = ["mbe-inv-1"], query: String = ""
        ) -> EndpointRequest {
            EndpointRequest(
                method: .get, path: ExchangePaths.browsers, query: Array(query.utf8),
                authorization: ["Bearer \(token)"],
                fields: client.map { (name: "oracle-mobile-backend-id", value: $0) })
        }

        private func answer(
            _ exchange: Exchange, _ token: String, client: [String] = ["mbe-inv-1"], at now: Int64 = now
        ) -> EndpointResponse {
            exchange.service.answer(request(token, client: client), .singleSignOn, at: now)
        }

        // MARK: Replies

        @Test("SAML-14: the response has the four members of JTX-07, for six hours")
        func reply() throws {
            var forge = forge
            forge.attributes = [("groups", ["Manager", "Boss"])]
            let exchange = try exchange(
                #""virtualUserEnabled":true,"rules":[{"type":"roleAttribute","attributes":"groups"}]"#)
            let response = answer(exchange, forge.packed)
            #expect(response.status == 200, "\(response.reason)")
            #expect(response.names == ["access_token", "expires_in", "id_token", "token_type"])
            #expect(response.json?["expires_in"]?.integer == 21_600)
            #expect(response.values("Cache-Control") == ["no-store"])
            let claims = try response.claims(at: Self.now)
            #expect(claims.subject == "joe" && claims.virtual && claims.kind == .user)
            #expect(claims.roles == ["Manager"] && claims.backendID == "mbe-inv-1" && claims.level == 2)
            #expect(response.audit?.action == "grant.saml_exchange" && response.audit?.outcome == .granted)
            #expect(response.audit?.subject == "joe" && response.audit?.client == "inventory/1.0")
            // The form of SAML-03, and again (JTX-11).
            let packed = try PackedAssertion.pack(Array(forge.assertion.utf8))
            #expect(answer(exchange, String(decoding: packed, as: UTF8.self)).status == 200)
        }

        @Test("AMB-11, SAML-02, CON-16: invalid requests are refused")
        func requests() throws {
            let off = Clients([
                Service.client("inventory", "mbe-inv-1", "inv-client", "inv-secret"),
                {
                    var client = Service.client("b", "mbe-b", "b-client", "b-secret")
                    client.httpBasic = false
                    return client
                }(),
                Service.client("c", "mbe-c", "c-client", "c-secret", oauthConsumer: false),
            ])
            let exchange = try exchange(#""virtualUserEnabled":true,"allowedMbes":[{"clientId":"inv-client"}]"#) {
                $0.clients = off
            }
            for (client, status, reason) in [
                ([], 400, "sso_backend_missing"), ([""], 400, "sso_backend_missing"),
                (["mbe-inv-1", "mbe-inv-1"], 400, "sso_backend_missing"), (["nobody"], 401, "sso_backend_unknown"),
                (["inv-client"], 401, "sso_backend_unknown"), (["mbe-b"], 403, "sso_basic_not_enabled"),
                // CON-17: OAuth Consumer does not matter here; the issuer's list does.
                (["mbe-c"], 403, "sso_backend_not_allowed"), (["mbe-inv-1"], 200, "token_issued"),
            ] as [([String], Int, String)] {
                let response = answer(exchange, forge.packed, client: client)
                #expect(response.status == status && response.reasonText == reason, "\(client) \(response.reason)")
            }
            #expect(answer(exchange, forge.packed, client: ["nobody"]).values("WWW-Authenticate").count == 1)
            for query in ["clientID=inv-client", "client_id=inv-client"] {
                let both = exchange.service.answer(request(forge.packed, query: query), .singleSignOn, at: Self.now)
                #expect(both.status == 400 && both.reasonText == "sso_two_credentials")
            }
        }

        @Test("SAML-03: all faults of an assertion have one answer, except for a response in its place")
        func refusals() throws {
            func changed(_ change: (inout SAMLForge) -> Void) -> String {
                var forge = forge
                change(&forge)
                return forge.packed
            }
            let tokens: [(String, String)] = [
                ("saml_package_malformed", "AAAA"), ("saml_package_malformed", "not+base64!"),
                ("saml_malformed", SAMLForge.packed("<a/>")), ("saml_unsigned", SAMLForge.packed(forge.unsigned)),
                ("saml_declaration_forbidden", SAMLForge.packed("<!DOCTYPE a>" + forge.assertion)),
                (
                    "saml_signature_invalid",
                    SAMLForge.packed(forge.assertion.replacing(">joe<", with: ">ann<"))
                ),
                (
                    "saml_audience_wrong",
                    changed { $0.restrictions = [["https://gw.example.com/mobile/platform/auth/token"]] }
                ),
                ("saml_audience_missing", changed { $0.restrictions = [] }),
                ("saml_expired", changed { $0.validFor = -60 }), ("saml_not_yet_valid", changed { $0.validFrom = 61 }),
                ("saml_expiry_missing", changed { $0.validFor = nil }),
                ("saml_recipient_wrong", changed { $0.confirmation = [("Recipient", "https://x")] }),
                ("saml_not_confirmed", changed { $0.method = "urn:oasis:names:tc:SAML:2.0:cm:holder-of-key" }),
                (
                    "saml_condition_unknown",
                    changed { $0.moreConditions = "<saml:Condition></saml:Condition>" }
                ),
                ("assertion_issuer_unknown", changed { $0.issuer = "https://idp.example.com/saml/" }),
                ("assertion_username_missing", changed { $0.subject = nil }),
            ]
            let exchange = try exchange()
            let expected = answer(exchange, tokens[0].1)
            #expect(expected.error == "invalid_grant")
            for (reason, token) in tokens {
                let response = answer(exchange, token)
                #expect(response.status == 400 && response.reasonText == reason, "\(reason): \(response.reason)")
                #expect(response.body == expected.body)
                #expect(response.audit?.action == "grant.saml_exchange" && response.audit?.outcome == .refused)
            }
            let whole = answer(exchange, SAMLForge.packed(forge.response()))
            #expect(whole.status == 400 && whole.error == "invalid_grant" && whole.body != expected.body)
            #expect(whole.json?["error_description"]?.string?.contains("Assertion") == true)
            let disabled = try self.exchange(#""virtualUserEnabled":true,"enabled":false"#)
            #expect(answer(disabled, forge.packed).reasonText == "assertion_issuer_disabled")
            let wrong = try self.exchange(#""rules":1"#)
            #expect(answer(wrong, forge.packed).reasonText == "assertion_issuer_invalid")
            #expect(answer(Exchange(policy: #"{"issuers":[]}"#), forge.packed).reasonText == "assertion_issuer_unknown")
        }

        // MARK: Users, roles, times

        @Test("JTX-11, SAML core section 2.5.1.5: single-use assertions are accepted once")
        func singleUse() throws {
            let strict = try exchange(#""virtualUserEnabled":true,"singleUseAssertions":true"#)
            #expect(answer(strict, forge.packed).status == 200)
            #expect(answer(strict, forge.packed).reasonText == "assertion_used_before")
            // Another form of the same assertion is the same.
            let packed = try PackedAssertion.pack(Array(forge.assertion.utf8))
            #expect(answer(strict, String(decoding: packed, as: UTF8.self)).reasonText == "assertion_used_before")
            // So is one that is a minute past its end, as long as it would be taken.
            #expect(answer(strict, forge.packed, at: Self.now + 630).reasonText == "assertion_used_before")
            var other = forge
            other.id = "_a2"
            #expect(answer(strict, other.packed).status == 200)
            let lenient = try exchange()
            other.moreConditions = "<saml:OneTimeUse></saml:OneTimeUse>"
            #expect(answer(lenient, other.packed).status == 200)
            #expect(answer(lenient, other.packed).reasonText == "assertion_used_before")
        }

        @Test("a revoked assertion is refused")
        func revocation() throws {
            let exchange = try exchange()
            let token = try answer(exchange, forge.packed).claims(at: Self.now)
            #expect(token.origins.map(\.tokenID) == ["_a1"])
            exchange.revocations.revoke(tokenID: "_a1", until: .max)
            #expect(answer(exchange, forge.packed).reasonText == "assertion_revoked")
        }

        @Test("SAML-08: certificates are reloaded by interval, and immediately if none verifies")
        func certificates() throws {
            let exchange = try exchange()
            let store = exchange.certificates.withLock { $0 }
            exchange.certificates.withLock { $0 = CertificateStore() }
            func ask(_ now: Int64) -> String {
                var forge = forge
                forge.now = now
                return answer(exchange, forge.packed, at: now).reasonText
            }
            #expect(ask(Self.now) == "saml_key_unknown")
            exchange.certificates.withLock { $0 = store }
            #expect(ask(Self.now + 9) == "saml_key_unknown")
            #expect(ask(Self.now + 10) == "token_issued")
            exchange.certificates.withLock { $0 = CertificateStore() }
            #expect(ask(Self.now + 310) == "token_issued")
            #expect(ask(Self.now + 311) == "saml_key_unknown")
        }

        private static func cases(_ name: String) throws -> [JSONNode] {
            let file = try JSONNode.parse(Array(ClientVector.fixture(name).utf8).span)
            return try #require(file["cases"]?.array ?? file.array)
        }

        /// The entry that means the same as one for JWTs, and the attributes that mean the same as claims.
        private func issuer(_ node: JSONNode) -> String {
            func text(_ node: JSONNode?) -> String {
                var writer = JSONWriter()
                if let node { writer.value(node) }
                return String(decoding: writer.bytes, as: UTF8.self)
            }
            var rules: [String] = []
            for name in (node["roleAttributes"]?.array ?? []).compactMap(\.string) {
                rules.append(#"{"type":"roleAttribute","attributes":"\#(name)"}"#)
            }
            for mapping in node["roleMappings"]?.array ?? [] {
                rules.append(text(mapping).replacing("{", with: #"{"type":"roleMapping","#, maxReplacements: 1))
            }
            if let roles = node["defaultRoles"] { rules.append(#"{"type":"defaultRole","roles":\#(text(roles))}"#) }
            if let roles = node["issuerRoles"] { rules.append(#"{"type":"issuerRole","roles":\#(text(roles))}"#) }
            if let name = node["usernameAttribute"] {
                rules.append(#"{"type":"userMapping","attribute":\#(text(name))}"#)
            }
            var members = [#""rules":[\#(rules.joined(separator: ","))]"#]
            for name in ["virtualUserEnabled", "userMappingAttribute"] {
                if let member = node[name] { members.append("\"\(name)\":\(text(member))") }
            }
            return members.joined(separator: ",")
        }

        private func forged(_ claims: JSONNode?) -> SAMLForge {
            var forge = forge
            for claim in claims?.members ?? [] where !["sub", "prn"].contains(claim.name) {
                let values = claim.node.array ?? [claim.node]
                forge.attributes.append((claim.name, values.compactMap(\.string)))
            }
            return forge
        }

        @Test("M01 to M25 (SAML-10 to SAML-12, MAP-03): roles are mapped as specified")
        func roles() throws {
            let cases = try Self.cases("roles.json")
            #expect(cases.count == 25)
            for vector in cases {
                let exchange = try exchange(issuer(try #require(vector["issuer"])))
                var forge = forged(vector["claims"])
                // Who has the roles that the case gives to its local user.
                forge.subject = vector["localUserRoles"] == nil ? "zoe" : "ann"
                let response = answer(exchange, forge.packed)
                let roles = try response.claims(at: Self.now).roles
                let expected = (vector["roles"]?.array ?? []).compactMap(\.string)
                #expect(roles.sorted() == expected.sorted(), "\(vector["id"]?.string ?? "")")
            }
        }

        @Test("U01 to U18 without client ids (SAML-13, MAP-01): users are identified as specified")
        func users() throws {
            var count = 0
            for vector in try Self.cases("usermap.json") {
                let members = try #require(vector["issuer"])
                guard members["clientIdAttribute"] == nil else { continue }
                count += 1
                let id = vector["id"]?.string ?? ""
                // Of the cases' two users joe is here in the realm of the client, and ann is not.
                let exchange = try exchange(issuer(members)) {
                    $0.users = UserStore(
                        users: [
                            User(username: "joe", email: "joe@example.com"),
                            User(username: "ann", email: "ann@example.com", realm: "Other"),
                        ], hasher: PasswordHasher())
                }
                var forge = forged(vector["claims"])
                forge.subject = vector["claims"]?["sub"]?.string ?? vector["claims"]?["prn"]?.string
                let response = answer(exchange, forge.packed)
                guard let user = vector["user"]?.string else {
                    #expect(response.status == 400 && response.error == "invalid_grant", "\(id)")
                    continue
                }
                #expect(response.status == 200, "\(id): \(response.reason)")
                let claims = try response.claims(at: Self.now)
                #expect(claims.subject == user && claims.virtual == vector["virtual"]?.bool, "\(id)")
            }
            #expect(count == 14)
        }

        @Test("MAP-04: a disabled user is refused")
        func disabledUser() throws {
            var forge = forge
            forge.subject = "off"
            #expect(answer(try exchange(""), forge.packed).reasonText == "assertion_user_disabled")
        }

        @Test("T14 to T16 (SAML-14, CON-01): lifetimes are as specified")
        func lifetimes() throws {
            func seconds(_ members: String, _ lifetime: TokenLifetime = TokenLifetime()) throws -> Int64? {
                let exchange = try exchange(#""virtualUserEnabled":true\#(members)"#)
                exchange.lifetime.withLock { $0 = lifetime }
                return answer(exchange, forge.packed, at: Self.now).json?["expires_in"]?.integer
            }
            #expect(try seconds("") == 21_600)
            #expect(try seconds("", TokenLifetime(seconds: 28_800)) == 28_800)
            #expect(try seconds("", TokenLifetime(policy: .fromExternalToken)) == 600)
            #expect(try seconds(#","tokenTimeoutSeconds":60"#, TokenLifetime(seconds: 28_800)) == 60)
            #expect(
                try seconds(
                    #","tokenTimeoutSeconds":60000,"tokenTimeoutPolicy":"FromExternalTokenLimitedByTimeoutSecs""#)
                    == 600)
        }

        // MARK: JWTs

        @Test("SAML-15: other outside tokens are exchanged")
        func outsideTokens() throws {
            let key = #"{"issuerName":"\#(Exchange.name)","jwks":{"jwksUri":"https://idp.example.com/keys"}}"#
            let exchange = try exchange(others: #","issuers":[\#(key)]"#)
            func ask(_ claims: String, client: [String] = ["mbe-inv-1"]) -> EndpointResponse {
                answer(exchange, Exchange.token(claims, at: Self.now), client: client)
            }
            for audience in ["\(Service.baseURL)/mobile/platform/sso/exchange-token", Service.baseURL] {
                let response = ask("\"aud\":\"\(audience)\"")
                #expect(response.status == 200, "\(response.reason)")
                #expect(response.json?["expires_in"]?.integer == 21_600)
                #expect(try response.claims(at: Self.now).backendID == "mbe-inv-1")
            }
            #expect(ask(#""aud":"https://x""#).reasonText == "assertion_audience_wrong")
            #expect(ask("", client: []).status == 400)
            #expect(answer(exchange, "a.b.c").reasonText == "assertion_malformed")
            // The endpoint of assertions alone does not take the audience of this one.
            let path = "\"aud\":\"\(Service.baseURL)/mobile/platform/sso/exchange-token\""
            #expect(exchange.answer(path, at: Self.now).reasonText == "assertion_audience_wrong")
        }
    }
#endif
