import Crypto
import Foundation
import JOSE
import Model
import TestSupport
import Testing

/// Token exchange at the running gateway (JWT-01 to JWT-29, JTX-01 to JTX-11, story 5 and 6).
@Suite struct AssertionExchangeTests {
    private static let idp = Result { try OutsideIssuer() }
    private let idp: OutsideIssuer

    init() throws { idp = try Self.idp.get() }

    @Test("JTX-07, JTX-08, JWT-29: the exchanged token opens the backend's routes by its roles")
    func exchangedTokenOpensRoutes() throws {
        let entry = OutsideIssuer.entry(#""virtualUserEnabled": true, "roleAttributes": ["roles"]"#)
        let fixture = try Fixture(exchanging: OutsideIssuer.configuration(entry), idp)
        let assertion = try idp.token(#""sub": "zoe", "roles": ["Manager"]"#)
        let response = try fixture.exchange(assertion)
        #expect(response.status == 200)
        let reply = JSONText(response.text)
        #expect(Set(reply.names) == ["access_token", "token_type", "id_token", "expires_in"])
        #expect(response.text.contains(#""id_token":null"#) && response.text.contains(#""expires_in":28800"#))
        #expect(response.only("Cache-Control") == "no-store" && response.only("Pragma") == "no-cache")
        let token = try #require(reply["access_token"].string)
        #expect(try fixture.request("POST", "/inventory/items", [.bearer(token)], body: "{}").status == 200)
        #expect(try fixture.lastRequest("/inventory/items").only("X-Gateway-User") == "zoe")
        let me = JSONText(try fixture.request("GET", "/mobile/platform/users/~", [.bearer(token)]).text)
        #expect(me["username"].string == "zoe" && me["virtual"].bool == true)
        // JTX-11.
        let again = JSONText(try fixture.exchange(assertion).text)["access_token"].string
        #expect(again != nil && again != token)
        // JTX-01, CON-08.
        #expect(try fixture.exchange(assertion, type: "application/x/www-form-urlencoded").status == 200)
        #expect(try fixture.exchange(assertion, type: "application/json").status == 400)
        #expect(try fixture.request("GET", "/mobile/platform/auth/token").only("Allow") == "POST")
    }

    @Test("X01 to X17: clients authenticate for the exchange as specified")
    func clientAuthentication() throws {
        let open = "https://open.example.com"
        let fixture = try Fixture(
            exchanging: OutsideIssuer.configuration(
                OutsideIssuer.entry(), OutsideIssuer.entry(#""requireClientAuth": false"#, name: open)), idp)
        let clientToken = try fixture.clientToken()
        let cases = Vectors.json("identity/clientauth.json")["cases"].list
        #expect(cases.count == 17)
        for vector in cases {
            let isOpen = vector["requireClientAuth"].bool == false
            let assertion = try idp.token(issuer: isOpen ? open : OutsideIssuer.name)
            let fields = vector["hdr"].string.map { [Field("Authorization: \($0)")] } ?? []
            let form = vector["body"].names.map { name -> (String, String) in
                switch vector["body"][name].string {
                case "CT": (name, clientToken)
                case "CT-expired-or-tampered": (name, clientToken + "A")
                case let value: (name, value ?? "")
                }
            }
            let response = try fixture.exchange(assertion, fields, with: form)
            let id = vector["id"].string ?? ""
            #expect(response.status == vector["status"].integer, "\(id) \(response.text)")
            #expect(JSONText(response.text)["error"].string == vector["error"].string, "\(id)")
        }
        // JTX-06: a user's token proves no client.
        let response = try fixture.exchange(
            idp.token(), [],
            with: [
                ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                ("client_assertion", try fixture.token("joe")),
            ])
        #expect(response.status == 401)
    }

    @Test("JWT-01: the policy may be an object, a string or a file", arguments: ["object", "string", "file"])
    func formsOfThePolicy(_ form: String) throws {
        let configuration = OutsideIssuer.configuration(OutsideIssuer.entry())
        let quoted = "\"" + configuration.replacing("\"", with: "\\\"") + "\""
        let value = ["object": configuration, "string": quoted, "file": #""file:outside/issuers.txt""#][form] ?? ""
        let fixture = try Fixture(files: [
            "policies.json": OutsideIssuer.policies(value), "certificates.json": idp.store,
            "outside/issuers.txt": configuration,
        ])
        #expect(try fixture.exchange(idp.token()).status == 200)
    }

    @Test("JTX-10: all invalid tokens get the same answer; the log distinguishes them")
    func refusalsLookAlike() throws {
        let off = "https://off.example.com"
        let fixture = try Fixture(
            exchanging: OutsideIssuer.configuration(
                OutsideIssuer.entry(#""filters": [{"name": "dept", "values": ["sales"]}]"#),
                OutsideIssuer.entry(#""enabled": false"#, name: off)), idp)
        let parts = try idp.token(#""dept": "sales""#).split(separator: ".")
        let header = Data(#"{"alg":"none"}"#.utf8).base64EncodedString().replacing("=", with: "")
        let secret = JWTSigner(
            key: try SigningKey(secret: Array(idp.certificate.utf8), algorithm: .hs256), keyID: "first")
        let other = JWTSigner(key: .generate(.es256), keyID: "first")
        let tokens: [(String, String)] = [
            ("assertion_audience_wrong", try idp.token(#""dept": "sales", "aud": "https://other""#)),
            ("assertion_filter_not_satisfied", try idp.token(#""dept": "hr""#)),
            ("assertion_expired", try idp.token(#""dept": "sales", "exp": 1000"#)),
            ("assertion_not_yet_valid", try idp.token(#""dept": "sales", "nbf": 32503680000"#)),
            ("assertion_issuer_unknown", try idp.token(issuer: OutsideIssuer.name + "/")),
            ("assertion_issuer_disabled", try idp.token(issuer: off)),
            ("assertion_user_unknown", try idp.token(#""dept": "sales", "sub": "zoe""#)),
            ("assertion_signature_invalid", try idp.token(#""dept": "sales""#, signer: other)),
            ("assertion_algorithm_unsupported", try idp.token(#""dept": "sales""#, signer: secret)),
            ("assertion_algorithm_unsupported", "\(header).\(parts[1])."),
            ("assertion_malformed", "no.token"),
        ]
        let expected = try fixture.exchange(tokens[0].1)
        for (reason, token) in tokens {
            let response = try fixture.exchange(token, [.basic("inv-client:inv-secret"), "X-Request-Id: \(reason)"])
            #expect(response.status == 400, "\(reason)")
            #expect(response.body == expected.body, "\(reason)")
            let line = fixture.gateway.waitForAccess { $0["request_id"].string == reason }
            #expect(line?["reason"].string == reason)
            let compared = [
                "assertion_audience_wrong": #"aud "https://other", accepted "http://gw.example.com", "#,
                "assertion_filter_not_satisfied": "unmet: ", "assertion_expired": "(exp 1000), tolerance 0 s",
                "assertion_not_yet_valid": "s ahead (32503680000), tolerance 60 s",
                "assertion_issuer_unknown": #"iss "\#(OutsideIssuer.name)/"; known "#,
                "assertion_signature_invalid": #"kid "first", alg "ES256", keys "#,
                "assertion_malformed": "with 2 parts separated by dots",
            ]
            if let compared = compared[reason] {
                #expect(line?["detail"].string?.contains(compared) == true, "\(line?["detail"].string ?? "")")
                let audits = fixture.gateway.events("audit").filter { $0["request_id"].string == reason }
                #expect(audits.allSatisfy { $0["detail"].string == line?["detail"].string })
            }
        }
        #expect(JSONText(expected.text)["error"].string == "invalid_grant")
        #expect(try fixture.exchange(idp.token(#""dept": "sales""#)).status == 200)
    }

    @Test("JWT-12: the audience is the configured base URL, not the requested host")
    func audienceFollowsTheConfiguration() throws {
        let fixture = try Fixture(exchanging: OutsideIssuer.configuration(OutsideIssuer.entry()), idp)
        let port = try fixture.gateway.port()
        #expect(try fixture.exchange(idp.token(#""aud": "http://127.0.0.1:\#(port)/mobile""#)).status == 400)
        for path in ["", "/", "/mobile/platform/auth/token", "/mobile/platform/auth/token/"] {
            #expect(try fixture.exchange(idp.token(#""aud": ["x", "http://gw.example.com\#(path)"]"#)).status == 200)
        }
        // AMB-01.
        #expect(try fixture.exchange(idp.token(#""aud": null"#)).status == 200)
    }

    @Test("JWT-23, JTX-09, MBE-02: other backends, and those without OAuth, cannot exchange")
    func backends() throws {
        let entry = OutsideIssuer.entry(#""allowedMbes": [{"name": "inventory", "version": "1.0"}]"#)
        let fixture = try Fixture(exchanging: OutsideIssuer.configuration(entry), idp)
        let refused = try fixture.exchange(idp.token(), [.basic("sch-client:sch-secret")])
        #expect(refused.status == 400 && refused.text.contains("unauthorized_client"))
        #expect(try fixture.exchange(idp.token()).status == 200)
        try fixture.reload {
            $0["backends"] = FixtureSettings.backends.replacing(
                #""enableSso": true"#, with: #""oauthConsumer": false"#)
        }
        let off = try fixture.exchange(idp.token())
        #expect(off.status == 400 && off.text.contains("unauthorized_client"))
    }

    @Test("MAP-04: a disabled user is refused everywhere, including with earlier tokens")
    func disabledUser() throws {
        let fixture = try Fixture(exchanging: OutsideIssuer.configuration(OutsideIssuer.entry()), idp)
        let token = try #require(JSONText(try fixture.exchange(idp.token()).text)["access_token"].string)
        #expect(try fixture.request("GET", "/inventory/items", [.bearer(token)]).status == 200)
        try fixture.reload {
            $0["users"] = FixtureSettings.users().replacing(
                #""username": "joe""#, with: #""username": "joe", "enabled": false"#)
        }
        #expect(try fixture.exchange(idp.token()).status == 400)
        #expect(try fixture.request("GET", "/inventory/items", [.bearer(token)]).status == 401)
        let basic: [Field] = [.basic("joe:Welcome1"), "Oracle-Mobile-Backend-ID: mbe-inv-1"]
        #expect(try fixture.request("GET", "/inventory/items", basic).status == 401)
    }

    @Test("JTX-11: an assertion is accepted only once if the issuer's entry requires it")
    func singleUse() throws {
        let fixture = try Fixture(
            exchanging: OutsideIssuer.configuration(OutsideIssuer.entry(#""singleUseAssertions": true"#)), idp)
        let token = try idp.token(#""jti": "1""#)
        #expect(try fixture.exchange(token).status == 200)
        #expect(try fixture.exchange(token).status == 400)
    }
}
