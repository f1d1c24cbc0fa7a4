#if SAML
    import Bytes
    import Foundation
    import Identity
    import TestSupport
    import Testing

    /// The exchange of SAML assertions at the running gateway, of a provider that shares no code with it (story 7,
    /// SAML-01 to SAML-16).
    @Suite(.enabled(if: SAMLProvider.isThere)) struct SAMLExchangeTests {
        private static let rsa = Result { try SAMLProvider() }
        private let provider: SAMLProvider

        init() throws { provider = try Self.rsa.get() }

        private func document(_ response: String) -> [UInt8] {
            let text = Array(response.utf8)
            return Base64.decode(text.span) ?? []
        }

        @Test("story 7: a browser's SAML response becomes a token that opens routes by its roles")
        func story() throws {
            let rules = #"""
                "virtualUserEnabled": true, "rules": [{"type": "roleAttribute", "attributes": "groups"},
                {"type": "roleMapping", "tokenRole": "bosses", "mappedRoles": ["Manager"]}]
                """#
            let fixture = try Fixture(saml: rules, provider)
            let packed = try provider.packed(#""user": "zoe", "attributes": {"groups": ["bosses", "others"]}"#)
            let response = try fixture.samlExchange(packed)
            #expect(response.status == 200, "\(response.text)")
            let reply = JSONText(response.text)
            #expect(Set(reply.names) == ["access_token", "token_type", "id_token", "expires_in"])
            #expect(response.text.contains(#""id_token":null"#) && response.text.contains(#""expires_in":21600"#))
            #expect(response.only("Cache-Control") == "no-store" && response.only("Pragma") == "no-cache")
            let token = try #require(reply["access_token"].string)
            #expect(try fixture.request("POST", "/inventory/items", [.bearer(token)], body: "{}").status == 200)
            let me = JSONText(try fixture.request("GET", "/mobile/platform/users/~", [.bearer(token)]).text)
            #expect(me["username"].string == "zoe" && me["virtual"].bool == true)
            #expect(try fixture.samlExchange(packed, []).status == 400)
            #expect(try fixture.samlExchange(packed, ["Oracle-Mobile-Backend-ID: nobody"]).status == 401)
            #expect(try fixture.request("POST", "/mobile/platform/sso/exchange-token", [.bearer(packed)]).status == 405)
        }

        @Test(
            "signatures of every supported algorithm are accepted, and other keys refused",
            arguments: [
                (["rsa:2048"], "rsa-sha256", "sha256"), (["rsa:3072"], "rsa-sha384", "sha384"),
                (["rsa:2048"], "rsa-sha512", "sha512"),
                (["ec", "-pkeyopt", "ec_paramgen_curve:P-256"], "ecdsa-sha256", "sha256"),
            ])
        func algorithms(_ key: [String], _ algorithm: String, _ digest: String) throws {
            let provider = try SAMLProvider(key: key)
            let fixture = try Fixture(saml: "", provider)
            let packed = try provider.packed(#""algorithm": "\#(algorithm)", "digest": "\#(digest)""#)
            let response = try fixture.samlExchange(packed)
            #expect(response.status == 200, "\(response.text)")
            // Another provider's key under the same name.
            #expect(try fixture.samlExchange(try self.provider.packed()).status == 400)
        }

        @Test("SAML-04: SHA-1 is accepted only if allowed")
        func olderHashes() throws {
            let old = #""algorithm": "rsa-sha1", "digest": "sha1""#
            let packed = try provider.packed(old)
            #expect(try Fixture(saml: "", provider).samlExchange(packed).status == 400)
            #expect(try Fixture(saml: #""allowSha1": true"#, provider).samlExchange(packed).status == 200)
        }

        @Test("SAML-16: every form of a response is packed; anything else is refused")
        func packing() throws {
            let fixture = try Fixture(saml: "", provider)
            for sign in ["assertion", "both"] {
                let response = try provider.response(#""sign": "\#(sign)""#)
                let xml = document(response)
                let stream = try PackedAssertion.deflate(xml)
                let deflated = String(decoding: Base64.encode(stream.span), as: UTF8.self)
                let encoded = response.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                let lines = stride(from: 0, to: response.utf8.count, by: 76).map {
                    String(response.dropFirst($0).prefix(76))
                }.joined(separator: "\r\n")
                for form in [
                    response, deflated, encoded, "SAMLResponse=\(encoded)&RelayState=x", lines,
                    String(decoding: xml, as: UTF8.self),
                ] {
                    #expect(try fixture.samlExchange(SAMLProvider.pack(form)).status == 200)
                }
            }
            let response = try provider.response()
            let argument = try Program.run(GatewayProcess.binary, ["client", "saml", "pack", "--response", response])
            #expect(try fixture.samlExchange(argument.output).status == 200)
            try provider.directory.write("response.b64", response)
            let file = try Program.run(
                GatewayProcess.binary,
                ["client", "saml", "pack", "--response", provider.directory.path + "/response.b64"])
            #expect(try fixture.samlExchange(file.output).status == 200)
            for (text, message) in [
                (try provider.response(#""sign": "response""#), "no signature of its own"),
                ("%%%", "not a SAML response, in Base64 or plain"),
                ("", "not a SAML response, in Base64 or plain"), ("<a/>", "not a SAML response:"),
            ] {
                let refused = try Program.run(GatewayProcess.binary, ["client", "saml", "pack"], input: text)
                #expect(refused.ending == .exit(1) && refused.errors.contains(message), "\(refused)")
            }
            // The whole response: the answer says what to do.
            let packed = try PackedAssertion.pack(document(response))
            let whole = try fixture.samlExchange(String(decoding: packed, as: UTF8.self))
            #expect(whole.status == 400 && whole.text.contains("Assertion"))
        }

        @Test("SAML-08: a certificate added by command is used without a restart")
        func certificateByCommand() throws {
            let other = try SAMLProvider()
            let fixture = try Fixture(
                files: [
                    "policies.json": #"""
                    {"Security_AuthTokenConfiguration": {"certificatesMinReloadInterval": 0,
                     "samlIssuers": [\#(SAMLProvider.entry())]}}
                    """#, "certificates.json": other.store,
                ])
            let packed = try provider.packed()
            #expect(try fixture.samlExchange(packed).status == 400)
            let added = try Program.run(
                GatewayProcess.binary,
                [
                    "certificate", "add", "--alias", "new", provider.directory.path + "/cert.pem", "--config",
                    fixture.gateway.configuration.path,
                ])
            #expect(added.ending == .exit(0), "\(added.errors)")
            #expect(try fixture.samlExchange(packed).status == 200)
            #expect(try fixture.samlExchange(try other.packed()).status == 200)
        }

        @Test(
            "T14 to T16: the environment's policies determine the lifetime",
            arguments: [
                ("", "21600"), (#", "Security_TokenExchangeTimeoutSecs": "28800""#, "28800"),
                (#", "Security_TokenExchangeTimeoutPolicy": "FromExternalToken""#, "short"),
            ])
        func lifetimes(_ more: String, _ seconds: String) throws {
            let fixture = try Fixture(saml: "", more: more, provider)
            let reply = JSONText(try fixture.samlExchange(try provider.packed()).text)
            let lifetime = try #require(reply["expires_in"].integer)
            if seconds == "short" {
                #expect((1...600).contains(lifetime))
            } else {
                #expect(String(lifetime) == seconds)
            }
        }

        @Test("SAML-06, SAML-05: log and issuer test state the reason of a refusal; the response does not")
        func refusals() throws {
            let fixture = try Fixture(saml: "", provider)
            let cases: [(String, String)] = [
                ("saml_audience_wrong", #""audience": "http://gw.example.com/mobile/platform/auth/token""#),
                ("saml_recipient_wrong", #""recipient": "https://else.example.com""#),
                ("saml_expired", #""lifetime": -120"#),
                ("assertion_issuer_unknown", #""issuer": "https://idp.example.com/other""#),
                ("assertion_user_unknown", #""user": "zoe""#),
            ]
            var bodies: Set<String> = []
            for (reason, members) in cases {
                let packed = try provider.packed(members)
                let response = try fixture.samlExchange(
                    packed, ["Oracle-Mobile-Backend-ID: mbe-inv-1", "X-Request-Id: \(reason)"])
                #expect(response.status == 400, "\(reason)")
                bodies.insert(response.text)
                let line = fixture.gateway.waitForAccess { $0["request_id"].string == reason }
                #expect(line?["reason"].string == reason)
                let told = try Program.run(
                    GatewayProcess.binary, ["issuer", "test", "-", "--config", fixture.gateway.configuration.path],
                    input: packed)
                #expect(told.ending == .exit(1) && told.output.contains(reason), "\(told)")
            }
            #expect(bodies.count == 1)
            let good = try Program.run(
                GatewayProcess.binary,
                [
                    "issuer", "test", "-", "--config", fixture.gateway.configuration.path, "--client", "inventory/1.0",
                ], input: try provider.packed())
            #expect(good.ending == .exit(0) && good.output.contains("ok     signature"), "\(good)")
        }

        @Test("decompression bombs and floods are refused immediately; other requests continue")
        func hostile() throws {
            let fixture = try Fixture(saml: "", provider) { $0["limits"] = #"{"maxHeaderBytes": "64KiB"}"# }
            let bomb = try PackedAssertion.pack([UInt8](repeating: 0x20, count: 20_000_000))
            let laughs = (1...9).reduce("<!ENTITY l0 \"ha\">") { text, level in
                text + "<!ENTITY l\(level) \"\(String(repeating: "&l\(level - 1);", count: 10))\">"
            }
            let xml = String(decoding: document(try provider.response()), as: UTF8.self)
            let start = try #require(xml.range(of: "<ns2:Signature "))
            let end = try #require(xml.range(of: "</ns2:Signature>"))
            let signature = String(xml[start.lowerBound..<end.upperBound])
            let flood = xml.replacing(
                signature, with: String(repeating: signature, count: 65_536 / signature.utf8.count))
            let documents = [
                "<!DOCTYPE a [\(laughs)]><a>&l9;</a>", flood, String(repeating: "<a>", count: 150_000),
                "<a \((0..<40_000).map { "a\($0)=''" }.joined(separator: " "))/>",
                "<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>",
            ]
            let packed = try [bomb] + documents.map { try PackedAssertion.pack(Array($0.utf8)) }
            for token in packed where token.count < 60_000 {
                let began = ContinuousClock.now
                let response = try fixture.samlExchange(String(decoding: token, as: UTF8.self))
                #expect(response.status == 400 && JSONText(response.text)["error"].string == "invalid_grant")
                #expect(ContinuousClock.now - began < .seconds(5))
            }
            #expect(packed.filter { $0.count < 60_000 }.count >= 5)
            #expect(try fixture.samlExchange(try provider.packed()).status == 200)
        }

        @Test("SAML-18: backend show prints the audience for the identity provider")
        func audience() throws {
            let fixture = try Fixture(saml: "", provider)
            let shown = try Program.run(
                GatewayProcess.binary,
                ["backend", "show", "inventory", "--config", fixture.gateway.configuration.path])
            #expect(JSONText(shown.output)["samlAudience"].string == SAMLProvider.audience, "\(shown)")
        }

        @Test("SAML-09: an empty list of subjects is a configuration error")
        func check() throws {
            let wrong = #"{"issuerName": "i", "certificateSubjectNames": []}"#
            let directory = try ConfigurationDirectory([
                "gateway.json": FixtureSettings(upstream: "http://127.0.0.1:9").text,
                "policies.json": #"{"Security_AuthTokenConfiguration": {"samlIssuers": [\#(wrong)]}}"#,
            ])
            let result = try Program.run(GatewayProcess.binary, ["check", "--config", directory.path])
            #expect(result.ending == .exit(1))
            #expect((result.output + result.errors).contains("samlIssuers/0/certificateSubjectNames"), "\(result)")
        }
    }
#endif
