import Crypto
import Foundation
import JOSE
import Model
import TestSupport
import Testing

/// Basic credentials, backends and bearer tokens at the gateway (BASIC, MBE, ISS, CRYPTO-01).
@Suite struct CredentialTests {
    private static let backend: Field = "Oracle-Mobile-Backend-ID: mbe-inv-1"
    private static let joe = Field.basic("joe:Welcome1")
    private static let anonymous: Field = "Authorization: Basic YW5vbi1pbnY6azN5"

    // MARK: Basic

    @Test("BASIC-01: Basic with the backend's id is accepted, in any case of the field's name")
    func basic() throws {
        let fixture = try Fixture()
        for name in ["Oracle-Mobile-Backend-ID", "oracle-mobile-backend-id"] {
            let response = try fixture.request("GET", "/inventory/items", [Self.joe, "\(name): mbe-inv-1"])
            #expect(response.status == 200)
        }
        #expect(try fixture.lastRequest("/inventory/items").only("X-Gateway-User") == "joe")
        #expect(
            try fixture.request(
                "GET", "/inventory/items", ["Authorization: basic \(Self.joe.value.dropFirst(6))", Self.backend]
            )
            .status == 200)
        #expect(try fixture.request("GET", "/inventory/items", [.basic("joe:wrong"), Self.backend]).status == 401)
        #expect(try fixture.request("GET", "/inventory/items", [.basic("joe"), Self.backend]).status == 401)
    }

    @Test("BASIC-02 ROLE-02: the anonymous key opens routes without login")
    func anonymousKey() throws {
        let fixture = try Fixture()
        let fields = [Self.anonymous, Self.backend]
        #expect(try fixture.request("GET", "/inventory/public", fields).status == 200)
        #expect(try fixture.request("GET", "/inventory/me", fields).status == 401)
        let other: Field = "Oracle-Mobile-Backend-ID: mbe-sch-1"
        #expect(try fixture.request("GET", "/inventory/public", [Self.anonymous, other]).status == 401)
    }

    @Test("BASIC-03: without a known backend the answer is 401 with the same body")
    func unknownClient() throws {
        let fixture = try Fixture()
        let responses = try [
            fixture.request("GET", "/inventory/me", [Self.joe]),
            fixture.request("GET", "/inventory/me", [Self.joe, "Oracle-Mobile-Backend-ID: nobody"]),
            fixture.request("GET", "/inventory/me", [.basic("joe:wrong"), Self.backend]),
        ]
        #expect(responses.map(\.status) == [401, 401, 401])
        #expect(Set(responses.map(\.text)).count == 1)
        #expect(fixture.upstream.requests.isEmpty)
    }

    @Test("BASIC-04: who am I describes callers of every method")
    func whoAmI() throws {
        let fixture = try Fixture()
        let path = "/mobile/platform/users/~"
        let expected =
            #"{"username":"joe","email":"joe@example.com","firstName":"Joe","lastName":"Example","realm":"Default","roles":["Manager"],"virtual":false}"#
        let token = try fixture.token("joe")
        for fields in [[Self.joe, Self.backend], [.bearer(token)]] {
            let response = try fixture.request("GET", path, fields)
            #expect(response.status == 200)
            #expect(response.text == expected)
            #expect(response.only("Content-Type") == "application/json")
            #expect(response.only("Cache-Control") == "no-store")
        }
        let client = try fixture.clientToken()
        for fields in [
            [], [.basic("joe:wrong"), Self.backend], [Self.anonymous, Self.backend], [.bearer(client)],
        ] {
            let response = try fixture.request("GET", path, fields)
            #expect(response.status == 401)
            #expect(JSONText(response.text)["status"].integer == 401)
            #expect(response.only("Content-Type") == "application/json")
            #expect(response.values("WWW-Authenticate").count == 1)
        }
    }

    @Test(
        "CRYPTO-01: a user with each password scheme logs in",
        arguments: Vectors.json("crypto/crypto.json").list.map(\.vectorID)
    )
    func schemes(_ id: String) throws {
        let vector = try #require(Vectors.json("crypto/crypto.json").list.first { $0.vectorID == id })
        let stored = try #require(vector["stored"].string)
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        settings["users"] = #"[{"username": "kay", "password": "\#(stored)", "roles": []}]"#
        if vector["scheme"].string == "unknown" || vector["scheme"].string == "none" {
            let directory = try ConfigurationDirectory(["gateway.json": settings.text])
            let result = try Program.run(GatewayProcess.binary, ["check", directory.path])
            #expect(result.ending == .exit(1))
            #expect(result.errors.contains("/users/0/password"))
            return
        }
        let fixture = try Fixture { $0["users"] = settings["users"] }
        let password = try #require(vector["password"].string)
        let response = try fixture.grant("grant_type=password&username=kay&password=\(password)")
        #expect(response.status == (vector["verify"].bool == true ? 200 : 400), "\(response.text)")
    }

    @Test("CRYPTO-01: hashes made by `hash` log in", arguments: ["scrypt", "SaltedSHA-512", "PBKDF2-SHA512", "AES"])
    func hashes(_ scheme: String) throws {
        let key = JSONWebToken.base64("0123456789abcdef0123456789abcdef")
        let arguments = ["hash", "--scheme", scheme] + (scheme == "AES" ? ["--aes-key", key] : [])
        let hashed = try Program.run(GatewayProcess.binary, arguments, input: "opensesame\n")
        #expect(hashed.output.hasPrefix("{\(scheme)}"))
        let fixture = try Fixture { settings in
            settings["users"] = #"[{"username": "kay", "password": "\#(hashed.output)", "roles": []}]"#
            settings["passwords"] = #"{"aesKey": "\#(key)"}"#
        }
        #expect(try fixture.grant("grant_type=password&username=kay&password=opensesame").status == 200)
        #expect(try fixture.grant("grant_type=password&username=kay&password=Opensesame").status == 400)
    }

    // MARK: Backends

    @Test("MBE-01: both methods are on by default")
    func defaults() throws {
        let fixture = try Fixture { settings in
            settings["backends"] = """
                [{"name": "inventory", "version": "1.0", "mobileBackendId": "mbe-inv-1", "clientId": "inv-client",
                  "clientSecret": "inv-secret"}]
                """
        }
        #expect(try fixture.request("GET", "/inventory/me", [Self.joe, Self.backend]).status == 200)
        #expect(try fixture.request("GET", "/inventory/me", [.bearer(fixture.token("joe"))]).status == 200)
    }

    @Test("MBE-02: with OAuth off there are no tokens, and earlier ones are refused immediately")
    func oauthOff() throws {
        let fixture = try Fixture()
        let token = try fixture.token("joe")
        #expect(try fixture.request("GET", "/inventory/me", [.bearer(token)]).status == 200)
        try fixture.reload {
            $0["backends"] = FixtureSettings.backends.replacing(
                #""enableSso": true"#, with: #""oauthConsumer": false"#)
        }
        #expect(try fixture.request("GET", "/inventory/me", [.bearer(token)]).status == 401)
        let response = try fixture.grant("grant_type=client_credentials")
        #expect(response.status == 400)
        #expect(JSONText(response.text)["error"].string == "unauthorized_client")
        #expect(try fixture.request("GET", "/inventory/me", [Self.joe, Self.backend]).status == 200)
    }

    @Test("MBE-03: with Basic off, users and the anonymous key are refused")
    func basicOff() throws {
        let fixture = try Fixture { settings in
            settings["backends"] = FixtureSettings.backends.replacing(
                #""enableSso": true"#, with: #""httpBasic": false"#)
        }
        #expect(try fixture.request("GET", "/inventory/me", [Self.joe, Self.backend]).status == 401)
        #expect(try fixture.request("GET", "/inventory/public", [Self.anonymous, Self.backend]).status == 401)
        #expect(try fixture.request("GET", "/inventory/me", [.bearer(fixture.token("joe"))]).status == 200)
        #expect(fixture.gateway.waitForAccess { $0["reason"].string == "basic_disabled" } != nil)
    }

    @Test("MBE-04: the admin listener describes a backend without its secret, to administrators only")
    func describe() throws {
        let fixture = try Fixture()
        let response = try fixture.admin("GET", "/admin/backends/inventory/1.0")
        #expect(response.status == 200)
        for part in ["mbe-inv-1", "inv-client", "http://gw.example.com", "http://gw.example.com/oauth2/token"] {
            #expect(response.text.contains("\"\(part)\""), "\(part) in \(response.text)")
        }
        #expect(!response.text.contains("inv-secret"))
        #expect(!(try fixture.admin("GET", "/admin/backends/scheduler/1.0").text.contains("ssoTokenEndpoint")))
        #expect(try fixture.admin("GET", "/admin/backends/nobody/1.0").status == 404)
        for fields in [[], [Field.bearer("wrong")], [Field.bearer("admin-secret"), .bearer("admin-secret")]] {
            let refused = try fixture.gateway.request("GET", "/admin/backends/inventory/1.0", fields, listener: "admin")
            #expect(refused.status == 401)
            #expect(!refused.text.contains("inv-client"))
        }
    }

    // MARK: Bearer

    @Test("ISS-06: the backend's id is optional with a token, and must match it")
    func backendField() throws {
        let fixture = try Fixture()
        let token = Field.bearer(try fixture.token("joe"))
        #expect(try fixture.request("GET", "/inventory/me", [token]).status == 200)
        #expect(try fixture.request("GET", "/inventory/me", [token, Self.backend]).status == 200)
        let response = try fixture.request("GET", "/inventory/me", [token, "Oracle-Mobile-Backend-ID: mbe-sch-1"])
        #expect(response.status == 403)
        #expect(JSONText(response.text)["code"].string == "backend_mismatch")
        #expect(response.values("WWW-Authenticate").isEmpty)
    }

    @Test("ISS-07: a token of one backend does not open another's routes")
    func otherBackend() throws {
        let fixture = try Fixture()
        let token = try fixture.token("joe", client: "sch-client:sch-secret")
        let response = try fixture.request("GET", "/inventory/me", [.bearer(token)])
        #expect(response.status == 403)
        #expect(JSONText(response.text)["code"].string == "client_not_allowed")
        #expect(try fixture.request("GET", "/plain", [.bearer(token)]).status == 200)
        #expect(fixture.upstream.requests("/inventory/me").isEmpty)
    }

    @Test("ISS-08: tokens are verified, the scheme is case-insensitive, and only one credential is allowed")
    func bearer() throws {
        let fixture = try Fixture()
        let token = try fixture.token("joe")
        let connection = try fixture.connect()
        #expect(try connection.exchange("GET", "/inventory/me", [.bearer(token)]).status == 200)
        let calls = try fixture.issuerCalls()
        for scheme in ["bearer", "BEARER", "Bearer"] {
            for _ in 0..<100 {
                let response = try connection.exchange("GET", "/inventory/me", ["Authorization: \(scheme) \(token)"])
                #expect(response.status == 200)
            }
        }
        #expect(try fixture.issuerCalls() <= calls + 1)
        let twice = try connection.exchange("GET", "/inventory/me", [.bearer(token), .bearer(token)])
        #expect(twice.status == 400)
        #expect(JSONText(twice.text)["code"].string == "duplicate_credential")
    }

    @Test("GW-09 ISS-08: credentials in a query, cookie or form are ignored")
    func elsewhere() throws {
        let fixture = try Fixture()
        let token = try fixture.token("joe")
        #expect(try fixture.request("GET", "/inventory/me?access_token=\(token)").status == 401)
        #expect(try fixture.request("GET", "/inventory/me", ["Cookie: access_token=\(token)"]).status == 401)
        #expect(try fixture.request("GET", "/inventory/me", ["X-Gateway-User: joe"]).status == 401)
    }

    // MARK: Outside issuers

    @Test(
        "ISS-08: a trusted issuer's tokens are verified by its keys, which determine the algorithm",
        arguments: ["RS256", "PS256", "ES256", "ES384", "EdDSA"])
    func trustedIssuer(_ algorithm: String) throws {
        // Another gateway is the outside issuer: it signs, and publishes its keys.
        let issuer = try Fixture { settings in
            settings["baseUrl"] = #""https://idp.example.com""#
            settings["issuers"] =
                #"{"local": {"module": "embedded", "algorithm": "\#(algorithm)", "keyFile": "state/i.pem"}}"#
            settings["tokenService"] = #"{"algorithm": "\#(algorithm)", "audience": "api"}"#
        }
        let keys = try issuer.request("GET", "/.well-known/jwks.json").text
        func entry(_ file: String) -> String {
            """
            [{"name": "idp", "issuer": "https://idp.example.com", "audience": ["api"], "jwksFile": "\(file)",
              "roleAttributes": ["roles"], "client": "inventory/1.0", "level": 2}]
            """
        }
        let fixture = try Fixture(files: ["idp.jwks": keys]) { $0["trustedIssuers"] = entry("idp.jwks") }
        let token = try issuer.token("ann")
        #expect(try fixture.request("GET", "/inventory/items", [.bearer(token)]).status == 200)
        let seen = try fixture.lastRequest("/inventory/items")
        #expect(seen.only("X-Gateway-User") == "ann")
        #expect(seen.only("X-Gateway-Roles") == "Clerk")
        #expect(try fixture.request("POST", "/inventory/items", [.bearer(token)], body: "x").status == 403)
        #expect(
            try fixture.request("GET", "/inventory/items", [.bearer(issuer.mint("ann", "--lifetime", "-100"))]).status
                == 401)
        // The same keys in PEM form, which have no names.
        let state = issuer.gateway.configuration.path + "/state"
        let files = try FileManager.default.contentsOfDirectory(atPath: state).filter { $0.hasSuffix(".pem") }
        let pem = try files.map { name in
            try KeyPair.publicPEM(ofPrivate: issuer.gateway.configuration.read("state/\(name)"))
        }.joined()
        try fixture.gateway.configuration.write("idp.pem", pem)
        try fixture.reload { $0["trustedIssuers"] = entry("idp.pem") }
        #expect(try fixture.request("GET", "/inventory/items", [.bearer(token)]).status == 200)
        // The signature with a bit changed, and the token of an issuer that is not trusted.
        let parts = token.split(separator: ".")
        let forged = "\(parts[0]).\(parts[1]).\(String(parts[2].reversed()))"
        #expect(try fixture.request("GET", "/inventory/items", [.bearer(forged)]).status == 401)
        let stranger = try Fixture { $0["baseUrl"] = #""https://stranger.example.com""# }
        #expect(try fixture.request("GET", "/inventory/items", [.bearer(stranger.token("joe"))]).status == 401)
        #expect(fixture.gateway.waitForAccess { $0["reason"].string == "unknown_issuer" } != nil)
    }

    @Test("tokens may be as long as `limits.maxHeaderBytes` allows")
    func longTokens() throws {
        let signer = JWTSigner(key: .generate(.es256))
        let keys = String(decoding: KeySet(keys: [signer.publishedKey]).jwks(), as: UTF8.self)
        let fixture = try Fixture(files: ["idp.jwks": keys]) { settings in
            settings["limits"] = #"{"maxHeaderBytes": "64KiB"}"#
            settings["trustedIssuers"] = """
                [{"name": "idp", "issuer": "https://idp.example.com", "audience": ["api"], "jwksFile": "idp.jwks"}]
                """
        }
        func status(_ count: Int) throws -> Int {
            let end = Int(Date().timeIntervalSince1970) + 60
            let groups = String(repeating: "g", count: count)
            let claims = #"{"iss":"https://idp.example.com","aud":"api","sub":"joe","exp":\#(end),"x":"\#(groups)"}"#
            let token = String(decoding: signer.sign(claims: Array(claims.utf8)), as: UTF8.self)
            return try fixture.request("GET", "/plain", [.bearer(token)]).status
        }
        #expect(try status(13_000) == 200)
        #expect(try status(40_000) == 200)
        #expect(try status(50_000) == 431)
    }

    @Test("ISS-08: a token for another audience is refused")
    func audience() throws {
        let issuer = try Fixture { $0["baseUrl"] = #""https://idp.example.com""# }
        let keys = try issuer.request("GET", "/.well-known/jwks.json").text
        let fixture = try Fixture(files: ["idp.jwks": keys]) { settings in
            settings["trustedIssuers"] = """
                [{"name": "idp", "issuer": "https://idp.example.com", "audience": ["api"], "jwksFile": "idp.jwks"}]
                """
        }
        #expect(try fixture.request("GET", "/plain", [.bearer(issuer.token("joe"))]).status == 401)
        #expect(fixture.gateway.waitForAccess { $0["reason"].string == "wrong_audience" } != nil)
    }
}
