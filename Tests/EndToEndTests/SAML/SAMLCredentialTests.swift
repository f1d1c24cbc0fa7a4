#if SAML
    import Bytes
    import Crypto
    import Foundation
    import Glibc
    import Identity
    import Model
    import TestSupport
    import Testing

    /// SAML assertions as credentials of routes, and as grants at upstream token endpoints (RFC 7522).
    @Suite(.enabled(if: SAMLProvider.isThere)) struct SAMLCredentialTests {
        private static let elliptic = Result { try SAMLProvider(key: ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]) }
        private static let roles = #"""
            "virtualUserEnabled": true, "rules": [{"type": "roleAttribute", "attributes": "groups"}]
            """#
        private let provider: SAMLProvider

        init() throws { provider = try Self.elliptic.get() }

        private func fixture(
            _ members: String = roles, _ change: (inout FixtureSettings) -> Void = { _ in }
        ) throws -> Fixture {
            try Fixture(saml: members, provider) {
                $0["limits"] = #"{"maxHeaderBytes": "64KiB"}"#
                $0.addRoutes(
                    #"""
                    {"path": "/partner", "upstream": "stub", "authenticators": [
                     {"type": "saml", "issuer": "\#(SAMLProvider.name)", "header": "X-Assertion"}, "basic"]},
                    {"path": "/managers", "upstream": "stub", "authenticators": ["saml"], "roles": ["Manager"]},
                    {"path": "/tokens", "upstream": "stub", "authenticators": ["bearer"]},
                    {"path": "/any", "upstream": "stub"}
                    """#)
                change(&$0)
            }
        }

        /// By the provider's key, but of this project: for documents that no provider makes.
        private func forge() throws -> SAMLForge {
            let key = try SigningKey(pem: provider.directory.read("key.pem"), algorithm: .es256)
            var forge = SAMLForge(key: key, now: Int64(Date().timeIntervalSince1970))
            forge.issuer = SAMLProvider.name
            forge.restrictions = [[SAMLProvider.audience]]
            return forge
        }

        private static func saml(_ packed: String) -> Field { "Authorization: SAML \(packed)" }

        private func packed(_ members: String = "") throws -> String {
            try provider.packed(#""algorithm": "ecdsa-sha256"\#(members.isEmpty ? "" : ", ")\#(members)"#)
        }

        private func reason(_ fixture: Fixture, _ response: Response) -> String? {
            line(fixture, response)?["reason"].string
        }

        private func line(_ fixture: Fixture, _ response: Response) -> JSONText? {
            let id = response.only("X-Request-Id")
            return fixture.gateway.waitForAccess { $0["request_id"].string == id }
        }

        @Test("an assertion in Authorization or the route's field opens the route, and the upstream does not get it")
        func credential() throws {
            let fixture = try fixture()
            let zoe = try packed(#""user": "zoe", "attributes": {"groups": ["Manager"]}"#)
            for (path, field) in [
                ("/partner", Self.saml(zoe)), ("/partner", "X-Assertion: \(zoe)"), ("/partner", "x-assertion: \(zoe)"),
                ("/managers", "Authorization: saml \(zoe)"),
            ] {
                let response = try fixture.request("GET", path, [field])
                #expect(response.status == 200, "\(reason(fixture, response) ?? "")")
                let got = try fixture.lastRequest(path).head
                #expect(got.only("X-Gateway-User") == "zoe" && got.only("X-Gateway-Roles") == "Manager")
                #expect(got.only("Authorization") == nil && got.only("X-Assertion") == nil)
            }
            #expect(try fixture.request("GET", "/managers", [Self.saml(packed(#""user": "eve""#))]).status == 403)
            let password: [Field] = [.basic("ann:Welcome2"), "Oracle-Mobile-Backend-ID: mbe-inv-1"]
            #expect(try fixture.request("GET", "/partner", password).status == 200)
            #expect(try fixture.request("GET", "/partner", password + ["X-Assertion: \(zoe)"]).status == 400)
            for (path, fields, expected) in [
                ("/tokens", [Self.saml(zoe)], "authenticator_not_listed"),
                ("/any", [Self.saml(zoe)], "unsupported_scheme"), ("/any", [.bearer(zoe)], "malformed_token"),
                ("/partner", [.bearer(zoe)], "authenticator_not_listed"), ("/partner", [], "missing_credential"),
            ] {
                let response = try fixture.request("GET", path, fields)
                #expect(response.status == 401 && reason(fixture, response) == expected, "\(path) \(expected)")
            }
            #expect(
                try fixture.request("GET", "/partner").values("WWW-Authenticate") == [
                    #"SAML realm="portcullis""#, #"Basic realm="portcullis", charset="UTF-8""#,
                ])
            let directory = fixture.gateway.configuration.path
            try fixture.gateway.configuration.write("fields", "Authorization: SAML \(zoe)\n")
            let told = try Program.run(
                GatewayProcess.binary,
                ["explain", "GET", "/managers", "--config", directory, "--headers", "\(directory)/fields"])
            #expect(told.output.contains("by saml") && told.output.contains("zoe"), "\(told)")
        }

        @Test("a verified assertion is kept, and is verified again when the configuration changes")
        func kept() throws {
            let fixture = try fixture()
            let joe = try packed()
            func hits() throws -> Double {
                try fixture.gateway.metrics().sum("portcullis_cache_hits_total", ["cache": "verified_tokens"]) ?? 0
            }
            #expect(try fixture.request("GET", "/partner", [Self.saml(joe)]).status == 200)
            let before = try hits()
            let connection = try fixture.connect()
            for _ in 0..<2 {
                try connection.send(RawConnection.request("GET", "/partner", [Self.saml(joe)]))
                #expect(try connection.readResponse().status == 200)
            }
            #expect(try hits() > before)
            try fixture.gateway.configuration.write(
                "policies.json", SAMLProvider.policies(#""enabled": false"#))
            let reloaded = fixture.gateway.events("reloaded").count
            fixture.gateway.program.signal(SIGHUP)
            _ = try #require(fixture.gateway.waitForEvent("reloaded", skipping: reloaded))
            let refused = try fixture.request("GET", "/partner", [Self.saml(joe)])
            #expect(refused.status == 401 && reason(fixture, refused) == "unknown_issuer")
        }

        @Test("forged, wrapped, outdated and foreign assertions are refused alike")
        func attacks() throws {
            let fixture = try fixture()
            let forge = try forge()
            let (signed, bare) = (forge.assertion, forge.unsigned)
            #expect(try fixture.request("GET", "/partner", [Self.saml(SAMLForge.packed(signed))]).status == 200)
            var other = forge
            other.id = "_a2"
            other.subject = "admin"
            let forged = other.unsigned
            let signature = forge.signature(of: bare, id: forge.id)
            let head = "</saml:Issuer>"
            func inside(_ outer: String, _ inner: String) -> String {
                outer.replacing("</saml:Subject>", with: "</saml:Subject><saml:Advice>\(inner)</saml:Advice>")
            }
            func changed(_ change: (inout SAMLForge) -> Void) -> String {
                var forge = forge
                change(&forge)
                return forge.assertion
            }
            let documents: [(String, String)] = [
                // Signature wrapping: the signed assertion, or its signature, inside a forged one and the other way round.
                (inside(forged, signed), "bad_signature"),
                (inside(forged.replacing(head, with: head + signature), bare), "bad_signature"),
                (
                    inside(forged.replacing("_a2", with: forge.id).replacing(head, with: head + signature), bare),
                    "bad_signature"
                ),
                (inside(signed, forged), "bad_signature"), (inside(signed, "<x ID=\"_a1\"></x>"), "bad_signature"),
                (
                    forged.replacing(
                        head,
                        with: head
                            + signature.replacing(
                                "</ds:Signature>", with: "<ds:Object>\(bare)</ds:Object></ds:Signature>")),
                    "malformed_token"
                ),
                (signed.replacing(head, with: head + signature), "malformed_token"),
                (forge.response(forged + signed), "malformed_token"),
                (
                    forge.response(forged).replacing("<samlp:Status>", with: signed + "<samlp:Status>"),
                    "malformed_token"
                ),
                (bare, "bad_signature"), (signed.replacing(">joe<", with: ">admin<"), "bad_signature"),
                (changed { $0.key = .generate(.es256) }, "bad_signature"),
                (changed { $0.issuer = "https://idp.example.com/other" }, "unknown_issuer"),
                (changed { $0.restrictions = [["https://else.example.com"]] }, "wrong_audience"),
                (changed { $0.confirmation = [("Recipient", "https://else.example.com")] }, "invalid_token"),
                (changed { $0.validFor = -61 }, "token_expired"),
                (changed { $0.validFrom = 300 }, "token_not_yet_valid"),
                ("<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]>" + signed, "malformed_token"),
            ]
            var bodies: Set<String> = []
            func refused(_ packed: String, _ expected: String) throws {
                let response = try fixture.request("GET", "/partner", [Self.saml(packed)])
                #expect(response.status == 401 && reason(fixture, response) == expected, "\(packed)")
                bodies.insert(response.text)
            }
            for (document, expected) in documents { try refused(SAMLForge.packed(document), expected) }
            let elsewhere = "https://else.example.com"
            for (document, compared) in [
                (
                    changed { $0.restrictions = [[elsewhere]] },
                    #"audience "\#(elsewhere)", accepted "\#(SAMLProvider.audience)""#
                ),
                (changed { $0.confirmation = [("Recipient", elsewhere)] }, #"recipient "\#(elsewhere)", accepted "#),
                (changed { $0.validFor = -61 }, " s ago; NotBefore "),
            ] {
                let response = try fixture.request("GET", "/partner", [Self.saml(SAMLForge.packed(document))])
                let detail = line(fixture, response)?["detail"].string ?? ""
                #expect(detail.contains(compared) && !response.text.contains(elsewhere), "\(detail)")
            }
            let bomb = try PackedAssertion.pack([UInt8](repeating: 0x20, count: 20_000_000))
            try refused(String(decoding: bomb, as: UTF8.self), "malformed_token")
            try refused("%%%", "malformed_token")
            #expect(bodies.count == 1)
            #expect(fixture.upstream.requests("/partner").allSatisfy { $0.only("X-Gateway-User") == "joe" })
        }

        @Test("OneTimeUse: an assertion is taken once, by a route or by the exchange")
        func oneTimeUse() throws {
            let fixture = try fixture("")
            var once = try forge()
            once.id = "_\(UUID().uuidString)"
            once.moreConditions = "<saml:OneTimeUse></saml:OneTimeUse>"
            #expect(try fixture.request("GET", "/partner", [Self.saml(once.packed)]).status == 200)
            let again = try fixture.request("GET", "/partner", [Self.saml(once.packed)])
            #expect(again.status == 401 && reason(fixture, again) == "assertion_replayed")
            #expect(try fixture.samlExchange(once.packed).status == 400)
            once.id = "_\(UUID().uuidString)"
            #expect(try fixture.samlExchange(once.packed).status == 200)
            #expect(try fixture.request("GET", "/partner", [Self.saml(once.packed)]).status == 401)
        }

        // MARK: RFC 7522

        /// A gateway whose upstream takes tokens of a token endpoint that knows assertions of one issuer.
        private func upstream(
            _ issuer: String, _ certificate: String, _ audience: String, _ assertion: String
        ) throws -> (Fixture, Program) {
            let script = Vectors.root.appending(path: "Tests/Interop/saml_bearer_server.py").path
            let server = try Program(
                try #require(SAMLProvider.python), ["-W", "ignore", script, issuer, certificate, audience])
            let url = try #require(server.wait(.output) { $0.first }, "\(server.lines(.errors))")
            let fixture = try fixture {
                $0["issuers"] = """
                    {"local": {"module": "embedded", "audience": "inventory"},
                     "partner": {"module": "oauth2", "tokenEndpoint": "\(url)", "allowHttp": true, "clientId": "gateway",
                                 "grant": "saml2-bearer", "assertion": \(assertion)}}
                    """
                $0.addRoutes(
                    #"""
                    {"path": "/granted", "upstream": "stub", "injection": {"issuer": "partner"},
                     "authenticators": ["saml", "basic"]}
                    """#)
            }
            return (fixture, server)
        }

        @Test("RFC 7522: another server gives tokens for the gateway's assertions about its callers")
        func minted() throws {
            let (fixture, server) = try upstream(
                "https://gw.example.com/assertions", provider.directory.path + "/cert.pem", "-",
                #"{"keyFile": "\#(provider.directory.path)/key.pem", "issuer": "https://gw.example.com/assertions"}"#)
            defer { server.signal(SIGTERM) }
            let joe: [Field] = [.basic("joe:Welcome1"), "Oracle-Mobile-Backend-ID: mbe-inv-1"]
            for _ in 0..<3 {
                let response = try fixture.request("GET", "/granted", joe)
                #expect(response.status == 200, "\(fixture.gateway.everythingWritten)")
                #expect(try fixture.lastRequest("/granted").only("Authorization") == "Bearer saml-joe-0")
            }
            #expect(try fixture.request("GET", "/granted", [Self.saml(packed(#""user": "zoe""#))]).status == 200)
            #expect(try fixture.lastRequest("/granted").only("Authorization") == "Bearer saml-zoe-1")
        }

        @Test("RFC 7522: another server gives tokens for the callers' own assertions")
        func callersOwn() throws {
            let (fixture, server) = try upstream(
                SAMLProvider.name, provider.directory.path + "/cert.pem", SAMLProvider.audience,
                #"{"from": "caller"}"#)
            defer { server.signal(SIGTERM) }
            let zoe = try packed(#""user": "zoe""#)
            for _ in 0..<2 {
                let response = try fixture.request("GET", "/granted", [Self.saml(zoe)])
                #expect(response.status == 200, "\(fixture.gateway.everythingWritten)")
                #expect(try fixture.lastRequest("/granted").only("Authorization") == "Bearer saml-zoe-0")
            }
            // Another assertion of the same user is worth another token.
            #expect(try fixture.request("GET", "/granted", [Self.saml(packed(#""user": "zoe""#))]).status == 200)
            #expect(try fixture.lastRequest("/granted").only("Authorization") == "Bearer saml-zoe-1")
            let joe = try fixture.request(
                "GET", "/granted", [.basic("joe:Welcome1"), "Oracle-Mobile-Backend-ID: mbe-inv-1"])
            #expect(joe.status == 403 && reason(fixture, joe) == "issuer_credential_missing")
            #expect(!fixture.gateway.everythingWritten.contains(zoe))
        }

        @Test("RFC 7522: a server that does not know the gateway's key refuses its callers")
        func foreignKey() throws {
            let (fixture, server) = try upstream(
                "https://gw.example.com/assertions", SAMLProvider().directory.path + "/cert.pem", "-",
                #"{"keyFile": "\#(provider.directory.path)/key.pem", "issuer": "https://gw.example.com/assertions"}"#)
            defer { server.signal(SIGTERM) }
            let refused = try fixture.request(
                "GET", "/granted", [.basic("joe:Welcome1"), "Oracle-Mobile-Backend-ID: mbe-inv-1"])
            #expect(refused.status == 403 && reason(fixture, refused) == "issuer_refused")
        }
    }
#endif
