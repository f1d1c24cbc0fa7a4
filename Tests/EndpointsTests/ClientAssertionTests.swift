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

/// RFC 7523 section 3: `private_key_jwt`.
@Suite struct ClientAssertionTests {
    /// The claims of an assertion; each test changes what it is about.
    struct Assertion {
        var members: [(String, JSONValue)] = [
            ("iss", .string("key-client")), ("sub", .string("key-client")),
            ("aud", .string("https://gw.example.com/oauth2/token")), ("jti", .string("1")),
            ("iat", .number("\(Service.now)")), ("exp", .number("\(Service.now + 60)")),
        ]
        var key = Standards.clientKey
        var type = "JWT"

        subscript(_ name: String) -> JSONValue? {
            get { members.first { $0.0 == name }?.1 }
            set {
                members.removeAll { $0.0 == name }
                if let newValue { members.append((name, newValue)) }
            }
        }

        var token: String {
            var writer = JSONWriter()
            writer.value(JSONNode(.object(members.map { JSONMember(name: $0.0, node: JSONNode($0.1)) })))
            return String(decoding: JWTSigner(key: key).sign(claims: writer.bytes, type: type), as: UTF8.self)
        }
    }

    private static let type = "client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"

    private func grant(
        _ assertion: Assertion, _ more: String = "", _ standards: Standards = Standards(), at now: Int64 = Service.now
    ) -> EndpointResponse {
        let form = "grant_type=client_credentials&\(Self.type)&client_assertion=\(assertion.token)\(more)"
        return standards.service.answer(tokenRequest(form, nil), at: now)
    }

    @Test("a valid assertion authenticates its client")
    func accepted() throws {
        let response = grant(Assertion())
        #expect(response.status == 200)
        #expect(try response.claims().clientID == "key-client")
    }

    @Test(
        "the token endpoint and the issuer are accepted audiences",
        arguments: [
            JSONValue.string("https://gw.example.com"),
            .array([JSONNode(.string("https://gw.example.com/oauth2/token"))]),
        ])
    func audiences(_ audience: JSONValue) {
        var assertion = Assertion()
        assertion["aud"] = audience
        #expect(grant(assertion).status == 200)
    }

    static let changes: [(String, JSONValue?)] = [
        ("iss", .string("inv-client")), ("iss", .string("nobody")), ("iss", nil), ("sub", .string("joe")), ("sub", nil),
        ("aud", nil), ("aud", .string("https://evil.example.com")), ("aud", .string("https://gw.example.com/")),
        // Addressed to another server as well, which could use it here.
        (
            "aud",
            .array([JSONNode(.string("https://gw.example.com")), JSONNode(.string("https://evil.example.com"))])
        ),
        ("jti", nil), ("jti", .string("")), ("jti", .string(String(repeating: "x", count: 257))),
        ("exp", nil), ("exp", .number("\(Service.now - 31)")), ("exp", .string("soon")),
        ("nbf", .number("\(Service.now + 60)")), ("iat", .number("\(Service.now + 60)")),
        ("iat", .number("\(Service.now - 400)")),
    ]

    @Test("an assertion with an invalid claim is refused", arguments: changes)
    func refused(_ name: String, _ value: JSONValue?) {
        var assertion = Assertion()
        assertion[name] = value
        // Long enough to outlive its own making.
        if name == "iat" { assertion["exp"] = .number("\(Service.now + 600)") }
        let response = grant(assertion)
        #expect(response.status == 401 && response.error == "invalid_client")
        #expect(response.reasonText == "client_assertion_invalid")
    }

    @Test("a foreign signature and a token of another type are refused")
    func wrongKeyAndType() {
        var assertion = Assertion()
        assertion.key = .generate(.es256)
        #expect(grant(assertion).status == 401)
        assertion = Assertion()
        assertion.type = "at+jwt"
        #expect(grant(assertion).status == 401)
        assertion.type = "client-authentication+jwt"
        #expect(grant(assertion).status == 200)
    }

    @Test("symmetric signatures are refused, with the public key's bytes or a secret as the key")
    func noSharedSecrets() throws {
        var assertion = Assertion()
        assertion.key = try SigningKey(secret: Array("inv-secret-inv-secret-inv-secret".utf8), algorithm: .hs256)
        assertion["iss"] = .string("inv-client")
        assertion["sub"] = .string("inv-client")
        #expect(grant(assertion).status == 401)
    }

    @Test("RFC 7523 section 3, item 7: each assertion is accepted once during its validity")
    func replay() {
        let standards = Standards()
        #expect(grant(Assertion(), "", standards).status == 200)
        let second = grant(Assertion(), "", standards)
        #expect(second.status == 401 && second.error == "invalid_client")
        #expect(second.reasonText == "client_assertion_replayed")
        #expect(grant(Assertion(), "", standards, at: Service.now + 89).status == 401)
        var other = Assertion()
        other["jti"] = .string("2")
        #expect(grant(other, "", standards).status == 200)
        #expect(grant(Assertion(), "", Standards(store: BrokenStore())).status == 503)
    }

    @Test("an assertion that expires after an hour is accepted once, within five minutes of its issue")
    func longLived() {
        let standards = Standards()
        var assertion = Assertion()
        assertion["exp"] = .number("\(Service.now + 3600)")
        #expect(grant(assertion, "", standards, at: Service.now + 331).status == 401)
        #expect(grant(assertion, "", standards, at: Service.now + 300).status == 200)
        #expect(grant(assertion, "", standards, at: Service.now + 329).status == 401)
        assertion["iat"] = nil
        #expect(grant(assertion).status == 401)
    }

    @Test("a second authentication method is refused")
    func oneMethodOnly() {
        let standards = Standards()
        let form = "grant_type=client_credentials&\(Self.type)&client_assertion=\(Assertion().token)"
        for (body, authorization) in [(form + "&client_secret=x", nil), (form, basic("inv-client", "inv-secret"))] {
            let response = standards.service.answer(tokenRequest(body, authorization))
            #expect(response.status == 400 && response.reasonText == "token_two_credentials")
        }
        #expect(grant(Assertion(), "&client_id=key-client").status == 200)
        #expect(grant(Assertion(), "&client_id=inv-client").error == "invalid_request")
        for form in [
            "grant_type=client_credentials&client_assertion=x", "grant_type=client_credentials&\(Self.type)",
        ] {
            #expect(standards.service.answer(tokenRequest(form, nil)).error == "invalid_request")
        }
        let saml = "grant_type=client_credentials&client_assertion=x&client_assertion_type=saml2-bearer"
        #expect(standards.service.answer(tokenRequest(saml, nil)).error == "invalid_client")
    }

    @Test("assertions are accepted at the revocation and introspection endpoints")
    func otherEndpoints() {
        let standards = Standards()
        let form = "token=x&\(Self.type)&client_assertion="
        var assertion = Assertion()
        #expect(standards.service.answer(tokenRequest(form + assertion.token, nil), .revocation).status == 200)
        assertion["jti"] = .string("2")
        let response = standards.service.answer(tokenRequest(form + assertion.token, nil), .introspection)
        #expect(response.isActive == false)
    }

    @Test("a client without a secret cannot authenticate with an empty one")
    func noSecret() {
        let response = Standards().service.answer(
            tokenRequest("grant_type=client_credentials", basic("key-client", "")))
        #expect(response.status == 401)
    }
}
