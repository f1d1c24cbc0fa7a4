import Bytes
import Crypto
import Identity
import JOSE
import Model
import Outbound
import TestSupport
import Testing

/// Everything that a login at a provider is refused for, one case each; and never by a 401.
@Suite struct ProviderRefusalTests {
    typealias Script = FakeProvider.Script

    private func failure(
        code: String? = "c-1", error: String? = nil, issuer: String? = nil,
        settings: (inout AuthorizationCodeProvider.Settings) -> Void = { _ in }, _ script: (inout Script) -> Void
    ) throws -> ProviderFailure? {
        let provider = try FakeProvider(script).provider(settings)
        let result = FakeProvider.finish(provider, code: code, error: error, issuer: issuer)
        return result.error
    }

    @Test("OpenID Connect Core 3.1.3.7: an ID token with wrong claims is refused")
    func claims() throws {
        let now = FakeProvider.now
        let cases: [(String, JSONNode?, ProviderFailure)] = [
            ("iss", .text("https://evil.example"), .token(.unknownIssuer)),
            ("auth_time", .int(-5), .answer("id_token: auth_time")),
            ("auth_time", .text("5"), .answer("id_token: auth_time")),
            ("iss", .text("https://idp.example/"), .token(.unknownIssuer)), ("iss", nil, .token(.unknownIssuer)),
            ("aud", .text("other"), .token(.wrongAudience)), ("aud", nil, .token(.wrongAudience)),
            ("aud", .list("gateway", "other"), .answer("id_token: several aud and no azp")),
            ("azp", .text("other"), .answer("id_token: azp")), ("azp", .int(1), .answer("id_token: azp")),
            ("exp", .int(now - 61), .token(.expired)), ("exp", nil, .token(.missingExpiry)),
            ("iat", .int(now + 61), .token(.issuedInFuture)), ("iat", nil, .answer("id_token: iat")),
            ("nbf", .int(now + 61), .token(.notYetValid)),
            ("nonce", .text("another"), .wrongNonce), ("nonce", nil, .wrongNonce), ("nonce", .int(1), .wrongNonce),
            ("sub", nil, .answer("id_token: sub")), ("sub", .text(""), .answer("id_token: sub")),
            ("sub", .text("a\nb"), .answer("id_token: sub")),
            ("sub", .text(String(repeating: "x", count: 256)), .answer("id_token: sub")),
            ("at_hash", .text("AAAAAAAAAAAAAAAAAAAAAA"), .answer("id_token: at_hash")),
            ("at_hash", .int(1), .answer("id_token: at_hash")),
        ]
        for (name, value, expected) in cases {
            #expect(try failure { $0.claims = [(name, value)] } == expected, "\(name) \(String(describing: value))")
        }
        // What the log says of the values.
        let compared: [(String, JSONNode, String)] = [
            ("aud", .text("other"), #"token_audience_wrong; issuer "idp"; aud "other", accepted "gateway""#),
            ("iss", .text("https://evil.example"), #"iss "https://evil.example", known "https://idp.example""#),
            ("exp", .int(now - 100), "expired 100 s ago (exp \(now - 100)), tolerance 60 s"),
            ("azp", .text("other"), #"id_token: azp "other", expected gateway"#),
        ]
        for (name, value, text) in compared {
            let detail = try failure { $0.claims = [(name, value)] }?.detail ?? ""
            #expect(detail.contains(text), "\(detail)")
        }
        // What is right of several, and of azp.
        #expect(
            try failure { $0.claims = [("aud", .list("gateway", "other")), ("azp", .text("gateway"))] } == nil)
    }

    @Test("foreign, missing and symmetric signatures, and tokens of another purpose, are refused")
    func signatures() throws {
        #expect(try failure { $0.signer = "b" } == .token(.unknownKey))
        let good = FakeProvider.token([])
        let parts = good.split(separator: ".").map(String.init)
        let first = parts[2].hasPrefix("A") ? "B" : "A"
        let forged = "\(parts[0]).\(parts[1]).\(first)\(parts[2].dropFirst())"
        #expect(try failure { $0.idToken = forged } == .token(.badSignature))
        func header(_ json: String) -> String {
            String(decoding: Base64.encode(Array(json.utf8).span, .url), as: UTF8.self)
        }
        let none = "\(header(#"{"alg":"none"}"#)).\(parts[1])."
        #expect(try failure { $0.idToken = none } == .token(.unsupportedAlgorithm))
        // RFC 8725 section 3.1: the public key, or the client secret, is no secret to sign with.
        let secret = try SigningKey(secret: Array("s3cret-s3cret-s3cret-s3cret-s3cret".utf8), algorithm: .hs256)
        let payload = Base64.decode(Array(parts[1].utf8).span, .url) ?? []
        let node = try JSONNode.parse(payload.span)
        var writer = JSONWriter()
        writer.value(node)
        let symmetric = String(decoding: JWTSigner(key: secret).sign(claims: writer.bytes), as: UTF8.self)
        #expect(try failure { $0.idToken = symmetric } == .token(.unsupportedAlgorithm))
        #expect(try failure(settings: { $0.flow.algorithms = [.rs256] }) { _ in } == .token(.unsupportedAlgorithm))
        for type in ["logout+jwt", "at+jwt"] {
            #expect(try failure { $0.type = type } == .answer("id_token: typ"), "\(type)")
        }
        #expect(try failure { $0.idToken = "" } == .answer("token: id_token"))
        #expect(try failure { $0.idToken = "a.b" } == .token(.malformed))
    }

    @Test("RFC 9207: an answer of another issuer, or without an announced issuer, is refused")
    func mixUp() throws {
        #expect(try failure(issuer: "https://evil.example") { _ in } == .foreignAnswer)
        #expect(
            try failure(code: nil, error: "access_denied", issuer: "https://evil.example") { _ in } == .foreignAnswer)
        #expect(try failure(issuer: FakeProvider.issuer) { _ in } == nil)
        func announce(_ script: inout Script) {
            script.discovery.removeLast()
            script.discovery += #","authorization_response_iss_parameter_supported":true}"#
        }
        #expect(try failure(announce) == .foreignAnswer)
        #expect(try failure(issuer: FakeProvider.issuer, announce) == nil)
        // A foreign answer's code goes nowhere.
        let idp = FakeProvider()
        _ = FakeProvider.finish(try idp.provider(), issuer: "https://evil.example")
        #expect(idp.calls(to: "/token").isEmpty)
    }

    @Test("a denied, empty or malformed callback is refused")
    func callbacks() throws {
        for code in ["access_denied", "login_required", "consent_required"] {
            #expect(try failure(code: nil, error: code) { _ in } == .denied(code))
        }
        #expect(
            try failure(code: nil, error: "temporarily_unavailable") { _ in } == .unavailable("temporarily_unavailable")
        )
        #expect(try failure(code: nil, error: "invalid_scope") { _ in } == .misconfigured("invalid_scope"))
        // An error beside a code is an error.
        #expect(try failure(error: "access_denied") { _ in } == .denied("access_denied"))
        #expect(try failure(code: nil) { _ in } == .malformedCallback)
        #expect(try failure(code: "") { _ in } == .malformedCallback)
        #expect(try failure(code: nil, error: "a\nb") { _ in } == .malformedCallback)
        #expect(try failure(code: nil, error: String(repeating: "a", count: 65)) { _ in } == .malformedCallback)
    }

    @Test("refusals, invalid answers and outages of the token endpoint are distinguished")
    func tokenEndpoint() throws {
        func said(_ text: String, _ status: Int) throws -> ProviderFailure? {
            try failure { $0.token = FakeProvider.json(text, status: status) }
        }
        #expect(try said(#"{"error":"invalid_grant"}"#, 400) == .codeRefused("invalid_grant"))
        #expect(try said(#"{"error":"invalid_client"}"#, 401) == .misconfigured("invalid_client"))
        #expect(try said(#"{"error":"server_error"}"#, 400) == .unavailable("server_error"))
        #expect(try said("nonsense", 400) == .answer("token: status 400"))
        #expect(try said("", 400) == .codeRefused("status 400"))
        #expect(try said("", 401) == .answer("token: status 401"))
        #expect(try said("{}", 200) == .answer("token: no token"))
        #expect(try said(#"{"access_token":"a","token_type":"mac","id_token":"x"}"#, 200) == .answer("token: no token"))
        #expect(try said("", 302) == .answer("token: status 302"))
        for status in [429, 500, 502, 503] {
            #expect(try said(#"{"error":"invalid_grant"}"#, status) == .unavailable("token: status \(status)"))
        }
        for outage in [OutboundFailure.connect, .timeout, .tls, .resolve, .unavailable] {
            let found = try #require(try failure { $0.token = .failed(outage) })
            #expect(found == .unavailable("token: \(outage.rawValue)"))
        }
        let found = try #require(try failure { $0.token = .failed(.tooLarge) })
        #expect(found == .answer("token: too_large"))
    }

    @Test(
        "foreign, incomplete and unencrypted discovery, outages and missing keys are failures")
    func discovery() throws {
        let path = "/.well-known/openid-configuration"
        func said(_ text: String, _ status: Int = 200) throws -> ProviderFailure? {
            try failure { $0.results[path] = FakeProvider.json(text, status: status) }
        }
        let foreign = Script().discovery.replacing("\"https://idp.example\"", with: "\"https://evil.example\"")
        #expect(try said(foreign) == .answer("discovery: the document of another issuer"))
        #expect(try said("[]") == .answer("discovery: no JSON object"))
        #expect(try said("", 404) == .answer("discovery: status 404"))
        #expect(try said("", 503) == .unavailable("discovery: status 503"))
        #expect(
            try said(#"{"issuer":"https://idp.example"}"#) == .answer("discovery: authorization_endpoint is missing"))
        let clear = Script().discovery.replacing("https://idp.example/token", with: "http://idp.example/token")
        #expect(try said(clear) == .answer("discovery: token_endpoint"))
        #expect(try failure { $0.results[path] = .failed(.connect) } == .unavailable("discovery: connect"))
        #expect(try failure { $0.results["/keys"] = .failed(.connect) } == .unavailable("keys"))
    }

    @Test("userinfo of another user, and missing or unavailable userinfo, is refused")
    func userInfo() throws {
        func said(_ result: OutboundResult) throws -> ProviderFailure? {
            try failure(settings: { $0.flow.userInfo = .always }) { $0.userInfo = result }
        }
        #expect(try said(FakeProvider.json(#"{"sub":"1"}"#)) == .answer("userinfo: sub of another user"))
        #expect(try said(FakeProvider.json("{}")) == .answer("userinfo: sub of another user"))
        #expect(try said(FakeProvider.json("[]")) == .answer("userinfo: no JSON object"))
        #expect(try said(FakeProvider.json("", status: 401)) == .answer("userinfo: status 401"))
        #expect(try said(.failed(.timeout)) == .unavailable("userinfo: timeout"))
    }

    @Test("OpenID Connect Back-Channel Logout 2.6: invalid logout tokens are refused")
    func logoutTokens() throws {
        let event = JSONNode(
            .object([
                JSONMember(
                    name: "http://schemas.openid.net/event/backchannel-logout", node: JSONNode(.object([])))
            ]))
        func notice(
            _ changes: [(String, JSONNode?)], _ signer: String = "a", type: String = "logout+jwt"
        ) throws -> Result<LogoutNotice, ProviderFailure> {
            let base: [(String, JSONNode?)] = [
                ("nonce", nil), ("jti", .text("j-1")), ("events", event), ("sid", .text("s-1")),
            ]
            let token = FakeProvider.token(base + changes, signer, type: type)
            return try FakeProvider().provider().logoutNotice(Array(token.utf8), now: FakeProvider.now).settled()
        }
        let now = FakeProvider.now
        #expect(
            try notice([]).value
                == LogoutNotice(scope: .session("s-1", of: "248289"), tokenID: "j-1", issuedAt: now))
        #expect(
            try notice([("sub", nil)]).value
                == LogoutNotice(scope: .session("s-1"), tokenID: "j-1", issuedAt: now))
        #expect(try notice([], type: "JWT").value != nil)
        #expect(
            try notice([("sid", nil)]).value
                == LogoutNotice(scope: .subject("248289"), tokenID: "j-1", issuedAt: now))
        let cases: [([(String, JSONNode?)], ProviderFailure)] = [
            ([("nonce", .text("n"))], .answer("logout_token: nonce")),
            ([("events", nil)], .answer("logout_token: events")),
            ([("events", .text("x"))], .answer("logout_token: events")),
            ([("jti", nil)], .answer("logout_token: jti")), ([("iat", nil)], .answer("logout_token: iat")),
            ([("sid", nil), ("sub", nil)], .answer("logout_token: sub")),
            ([("sid", .int(1))], .answer("logout_token: sid")),
            ([("aud", .text("other"))], .token(.wrongAudience)),
            ([("iss", .text("https://evil.example"))], .token(.unknownIssuer)),
            ([("exp", .int(now - 61))], .token(.expired)), ([("exp", nil)], .token(.missingExpiry)),
        ]
        for (changes, expected) in cases { #expect(try notice(changes).error == expected, "\(changes)") }
        #expect(try notice([], "b").error == .token(.unknownKey))
        #expect(try notice([], type: "at+jwt").error == .answer("logout_token: typ"))
        // An ID token is none.
        let idToken = FakeProvider.token([("sid", .text("s-1")), ("jti", .text("j"))])
        let provider = try FakeProvider().provider()
        #expect(provider.logoutNotice(Array(idToken.utf8), now: now).settled().error == .answer("logout_token: events"))
    }

    @Test("an e-mail address is accepted as a name only if verified by the provider (RP-03)")
    func emails() throws {
        func name(_ claim: JSONNode?, _ rule: EmailRule) -> Result<String, ExternalIdentityRejection> {
            var rules = ProviderRules(
                identity: ExternalIdentityRules(usernameSources: ["email"], virtualUserEnabled: true))
            rules.emailRule = rule
            let members =
                [JSONMember(name: "email", node: .text("ann@example.com"))]
                + (claim.map { [JSONMember(name: "email_verified", node: $0)] } ?? [])
            let identity = ProvidedIdentity(
                provider: "idp", subject: "1", sessionID: nil, claims: JSONNode(.object(members)), accessToken: nil)
            return Result { () throws(ExternalIdentityRejection) in try rules.username(identity) }
        }
        let (yes, no) = (JSONNode(.bool(true)), JSONNode(.bool(false)))
        #expect(name(yes, .verified).value == "ann@example.com")
        #expect(name(.text("true"), .verified).value != nil)
        for claim in [nil, no, .text("yes"), .int(1)] {
            #expect(name(claim, .verified).error == .unverifiedEmail, "\(String(describing: claim))")
        }
        #expect(name(nil, .notUnverified).value != nil)
        #expect(name(no, .notUnverified).error == .unverifiedEmail)
        #expect(name(no, .any).value != nil)
    }

    @Test("email_verified covers only the claim email, not addresses in other claims")
    func otherAddresses() throws {
        func name(_ claims: [(String, JSONNode)], of attribute: String?) -> Result<String, ExternalIdentityRejection> {
            var rules = ProviderRules(
                identity: ExternalIdentityRules(
                    usernameSources: attribute.map { [ClaimSource(literal: $0)] } ?? [], userMapping: .mail))
            rules.emailRule = .verified
            let members = (claims + [("email_verified", JSONNode(.bool(true)))]).map {
                JSONMember(name: $0.0, node: $0.1)
            }
            let identity = ProvidedIdentity(
                provider: "idp", subject: "1", sessionID: nil, claims: JSONNode(.object(members)), accessToken: nil)
            return Result { () throws(ExternalIdentityRejection) in try rules.username(identity) }
        }
        let (victim, own) = (JSONNode.text("ceo@example.com"), JSONNode.text("mallory@example.net"))
        for attribute in ["upn", "preferred_username"] {
            #expect(name([(attribute, victim), ("email", own)], of: attribute).error == .unverifiedEmail)
            #expect(name([(attribute, victim)], of: attribute).error == .unverifiedEmail)
            #expect(name([(attribute, own), ("email", own)], of: attribute).value == "mallory@example.net")
        }
        #expect(name([("sub", victim), ("email", own)], of: nil).error == .unverifiedEmail)
    }

    @Test("an address and its verification must come from the same source")
    func sources() throws {
        func verified(_ signed: [(String, JSONNode)], _ userInfo: String) throws -> (String?, Bool?) {
            let idp = FakeProvider { script in
                script.claims = signed.map { ($0.0, Optional($0.1)) }
                script.userInfo = FakeProvider.json(userInfo)
            }
            let identity = try FakeProvider.finish(idp.provider { $0.flow.userInfo = .always }).get()
            return (identity.claims["email"]?.string, identity.claims["email_verified"]?.bool)
        }
        let (ann, yes) = (JSONNode.text("ann@example.com"), JSONNode(.bool(true)))
        let other = #"{"sub":"248289","email":"bob@example.com","email_verified":true}"#
        #expect(try verified([("email", ann)], other) == ("ann@example.com", nil))
        #expect(
            try verified([("email", ann)], #"{"sub":"248289","email":"ann@example.com","email_verified":true}"#)
                == ("ann@example.com", true))
        #expect(try verified([("email", ann), ("email_verified", yes)], other) == ("ann@example.com", true))
        #expect(
            try verified([("email_verified", yes)], #"{"sub":"248289","email":"bob@example.com"}"#)
                == ("bob@example.com", nil))
        #expect(try verified([], other) == ("bob@example.com", true))
    }

    @Test("users of a provider have prefixed names unless they have accounts (JWT-13)")
    func prefixes() throws {
        let users = UserStore(users: [User(username: "joe", roles: ["Manager"])], hasher: PasswordHasher())
        let catalogue = RoleCatalogue(["Manager", "Guest"])
        func identify(_ subject: String, virtual: Bool) throws -> ExternalIdentity {
            var rules = ProviderRules(identity: ExternalIdentityRules(virtualUserEnabled: virtual))
            rules.identity.usernamePrefix = "idp:"
            let claims = JSONNode(.object([JSONMember(name: "sub", node: .text(subject))]))
            return try rules.identify(
                ProvidedIdentity(provider: "idp", subject: subject, sessionID: nil, claims: claims, accessToken: nil),
                realm: "Default", users: users, catalogue: catalogue)
        }
        let virtual = try identify("joe", virtual: true)
        #expect(virtual.username == "idp:joe" && virtual.virtual && catalogue.names(of: virtual.roles).isEmpty)
        let known = try identify("joe", virtual: false)
        #expect(known.username == "joe" && !known.virtual && catalogue.names(of: known.roles) == ["Manager"])
        #expect(throws: ExternalIdentityRejection.unknownUser) { try identify("ann", virtual: false) }
    }
}
