import Bytes
import Crypto
import HTTP
import Identity
import JOSE
import Model
import TestSupport
import Testing

@testable import Policy

/// Tokens that are bound to a key or a certificate, at routes (RFC 9449 section 7, RFC 8705 section 3).
@Suite struct PossessionTests {
    private static let url = "https://gw.example.com/inventory/items"
    private let maker = ProofMaker()

    private static func settings() -> PolicySettings {
        var settings = TestPolicy.settings(
            outsidePurpose: .accessToken(parties: .only(["portcullis", "inv-client"]), checksProofs: true))
        settings.issuers[0].trust.purpose = .accessToken(isTyped: true, checksProofs: true)
        var strict = ResolvedRoute(RouteEntry(name: "strict", path: "/strict"))
        strict.access.requiresProof = true
        strict.options.takesCertificates = true
        var shop = ResolvedRoute(RouteEntry(name: "shop", path: "/shop"))
        shop.hosts = ["shop.example.com"]
        var places = ResolvedRoute(RouteEntry(name: "places", path: "/places"))
        places.options.tokenSources = [
            .authorization, .cookie("token"), .query("access_token"), .header("X-Token", scheme: nil),
        ]
        settings.routes += [strict, shop, places]
        return settings
    }

    private static func snapshot(_ change: (inout PolicySettings) -> Void = { _ in }) -> PolicySnapshot {
        var settings = settings()
        change(&settings)
        return TestPolicy.snapshot(settings)
    }

    private let snapshot = snapshot()

    private func token(certificate: [UInt8]? = nil, _ maker: ProofMaker? = nil) -> String {
        var confirmation = #""jkt":"\#((maker ?? self.maker).jkt)""#
        if let certificate {
            let text = String(decoding: Base64.encode(certificate.span, .url), as: UTF8.self)
            confirmation = (maker == nil ? "" : confirmation + ",") + #""x5t#S256":"\#(text)""#
        }
        return TestPolicy.outsideToken(more: #","cnf":{\#(confirmation)}"#)
    }

    private func proof(_ token: String, _ method: String = "GET", _ url: String = url, at time: Int64 = TestPolicy.now)
        -> String
    {
        maker.proof(url, method, at: time, token: token)
    }

    private func decision(
        _ fields: [(String, String)], _ target: String = "/inventory/items", method: String = "GET",
        host: String = "gw.example.com", on snapshot: PolicySnapshot? = nil, certificate: PresentedCertificate? = nil,
        cache: VerifiedTokenCache = VerifiedTokenCache(capacity: 8)
    ) -> DecisionOutcome {
        decide(
            TestRequest(method, target, host: host, fields), snapshot ?? self.snapshot, certificate: certificate,
            cache: cache)
    }

    private func dpop(_ token: String, _ scheme: String = "DPoP") -> (String, String) {
        ("Authorization", "\(scheme) \(token)")
    }

    @Test("a bound token with a proof opens the route, each proof once, from the cache too")
    func proved() {
        let (token, cache) = (token(), VerifiedTokenCache(capacity: 8))
        for scheme in ["DPoP", "dpop", "DPOP"] {
            let proof = proof(token)
            #expect(decision([dpop(token, scheme), ("DPoP", proof)], cache: cache) == .allowed("eve"))
            #expect(decision([dpop(token, scheme), ("dpop", proof)], cache: cache) == .denied(.dpopReplayed))
        }
        #expect(cache.hits == 5)
    }

    @Test("a cached token needs a proof of its own key with each request")
    func cached() {
        let (token, cache) = (token(), VerifiedTokenCache(capacity: 8))
        #expect(decision([dpop(token), ("DPoP", proof(token))], cache: cache) == .allowed("eve"))
        #expect(decision([dpop(token)], cache: cache) == .denied(.dpopProofMissing))
        #expect(decision([bearer(token)], cache: cache) == .denied(.dpopSchemeWrong))
        let thief = ProofMaker().proof(Self.url, at: TestPolicy.now, token: token)
        #expect(decision([dpop(token), ("DPoP", thief)], cache: cache) == .denied(.dpopKeyWrong))
        #expect(cache.hits == 3)
    }

    @Test("a bound token is no bearer token, with a proof or without")
    func downgrade() {
        let token = token()
        for scheme in ["Bearer", "OAM-Auth"] {
            #expect(decision([dpop(token, scheme)]) == .denied(.dpopSchemeWrong))
            #expect(decision([dpop(token, scheme), ("DPoP", proof(token))]) == .denied(.dpopSchemeWrong))
        }
    }

    @Test("a token that is not bound to a key is none for the scheme DPoP")
    func unbound() {
        let digest = [UInt8](repeating: 7, count: 32)
        for token in [TestPolicy.outsideToken(), TestPolicy.token(), token(certificate: digest)] {
            #expect(decision([dpop(token), ("DPoP", proof(token))]) == .denied(.dpopSchemeWrong))
        }
        #expect(decision([dpop("")]) == .denied(.malformedToken))
        // A proof beside a bearer token means nothing.
        #expect(decision([bearer(TestPolicy.token()), ("DPoP", "x")]) == .allowed("joe"))
    }

    @Test("proofs that are not for the request")
    func otherProofs() {
        let token = token()
        func outcome(_ proof: String, method: String = "GET") -> DecisionOutcome {
            decision([dpop(token), ("DPoP", proof)], method: method)
        }
        #expect(outcome(proof(token, "POST")) == .denied(.dpopRequestWrong))
        #expect(outcome(proof(token), method: "POST") == .denied(.dpopRequestWrong))
        #expect(outcome(proof(token), method: "HEAD") == .denied(.dpopRequestWrong))
        for url in [
            "https://gw.example.com/inventory/me", "http://gw.example.com/inventory/items",
            "https://evil.net/inventory/items",
            "https://gw.example.com/inventory/items/", "/inventory/items",
        ] {
            #expect(outcome(proof(token, "GET", url)) == .denied(.dpopRequestWrong), "\(url)")
        }
        #expect(outcome(maker.proof(Self.url, at: TestPolicy.now)) == .denied(.dpopTokenWrong))
        #expect(outcome(proof(TestPolicy.token())) == .denied(.dpopTokenWrong))
        #expect(outcome(proof(token, at: TestPolicy.now - 61)) == .denied(.dpopTimeWrong))
        #expect(outcome(proof(token, at: TestPolicy.now + 6)) == .denied(.dpopTimeWrong))
        #expect(outcome("x") == .denied(.dpopProofMalformed))
        #expect(outcome("\(proof(token)), \(proof(token))") == .denied(.dpopProofMalformed))
        let (one, two) = (proof(token), proof(token))
        #expect(decision([dpop(token), ("DPoP", one), ("DPoP", two)]) == .denied(.dpopProofRepeated))
        #expect(outcome(one) == .allowed("eve"))
    }

    @Test("the URL of a proof may be written in another form, and is without query")
    func forms() {
        let token = token()
        for url in [
            "https://GW.example.com:443/inventory/items", "https://gw.example.com/%69nventory/items?x=y",
            "https://gw.example.com/a/../inventory/items",
        ] {
            #expect(
                decision([dpop(token), ("DPoP", proof(token, "GET", url))], "/inventory/items?q=1") == .allowed("eve"))
        }
        let proof = proof(token)
        #expect(decision([dpop(token), ("DPoP", proof)], "/inventory/./x/../%69tems") == .allowed("eve"))
    }

    @Test("a proof for another host does not count because the request names that host")
    func hosts() {
        let token = token()
        let evil = proof(token, "GET", "https://evil.net/inventory/items")
        #expect(decision([dpop(token), ("DPoP", evil)], host: "evil.net") == .denied(.dpopRequestWrong))
        let shop = proof(token, "GET", "https://shop.example.com/shop")
        #expect(
            decision([dpop(token), ("DPoP", shop), inventoryID], "/shop", host: "shop.example.com") == .allowed("eve"))
        #expect(
            decision([dpop(token), ("DPoP", proof(token, "GET", "https://shop.example.com/inventory/items"))])
                == .denied(.dpopRequestWrong))
    }

    @Test("a bound token in a cookie, the query or another field has no proof")
    func places() {
        let token = token()
        func outcome(_ fields: [(String, String)], _ target: String = "/places") -> DecisionOutcome {
            let proof = proof(token, "GET", "https://gw.example.com/places")
            return decision(fields + [("DPoP", proof), ("Sec-Fetch-Site", "same-origin")], target)
        }
        #expect(outcome([("Cookie", "token=\(token)")]) == .denied(.dpopSchemeWrong))
        #expect(outcome([], "/places?access_token=\(token)") == .denied(.dpopSchemeWrong))
        #expect(outcome([("X-Token", token)]) == .denied(.dpopSchemeWrong))
        #expect(outcome([dpop(token)]) == .allowed("eve"))
        #expect(outcome([dpop(token), ("X-Token", token)]) == .denied(.duplicateCredential))
        let other = self.token(ProofMaker())
        #expect(outcome([dpop(token), ("Cookie", "token=\(other)")]) == .allowed("eve"))
    }

    @Test("the gateway's own tokens")
    func own() throws {
        var claims = AccessTokenClaims(
            TokenRights(subject: "joe", kind: .user, roles: ["Manager"], level: 2),
            of: TestPolicy.inventory, issuer: "https://gw.example.com", audience: ["https://gw.example.com"],
            issuedAt: TestPolicy.now,
            expiresAt: TestPolicy.now + 60, tokenID: "t")
        claims.binding = TokenBinding(key: maker.thumbprint)
        let token = String(
            decoding: TestPolicy.ownKey.sign(claims: claims.json(), type: AccessTokenClaims.type), as: UTF8.self)
        #expect(decision([bearer(token)]) == .denied(.dpopSchemeWrong))
        #expect(decision([dpop(token), ("DPoP", proof(token))]) == .allowed("joe"))
    }

    @Test("unknown confirmations are refused, also beside known ones")
    func unknownConfirmations() {
        for confirmation in [#"{"kid":"a"}"#, #"{"jkt":"\#(maker.jkt)","kid":"a"}"#, "{}", "null"] {
            let token = TestPolicy.outsideToken(more: #","cnf":\#(confirmation)"#)
            #expect(decision([dpop(token), ("DPoP", proof(token))]) == .denied(.proofRequired))
        }
    }

    // MARK: Certificates

    private static func shown(_ byte: UInt8, notAfter: Int64 = TestPolicy.now + 100, isOnList: Bool = false)
        -> PresentedCertificate
    {
        PresentedCertificate(
            PeerCertificate(
                subject: "CN=a", commonName: nil, hostNames: [], emailAddresses: [], uris: [], addresses: [],
                fingerprint: String(repeating: byte == 7 ? "07" : "08", count: 32), serial: "1", notAfter: notAfter),
            rules: [], isOnList: isOnList)
    }

    @Test("a token that is bound to a certificate needs the connection's own")
    func certificates() {
        let token = token(certificate: [UInt8](repeating: 7, count: 32))
        func outcome(_ shown: PresentedCertificate?) -> DecisionOutcome {
            decision([bearer(token)], certificate: shown)
        }
        #expect(outcome(Self.shown(7)) == .allowed("eve"))
        #expect(outcome(Self.shown(8)) == .denied(.tokenCertificateWrong))
        #expect(outcome(nil) == .denied(.tokenCertificateWrong))
        #expect(outcome(Self.shown(7, notAfter: TestPolicy.now - 1)) == .denied(.tokenCertificateWrong))
        #expect(outcome(Self.shown(7, isOnList: true)) == .denied(.tokenCertificateWrong))
    }

    @Test("a token that is bound to both needs both")
    func both() {
        let token = token(certificate: [UInt8](repeating: 7, count: 32), maker)
        func fields() -> [(String, String)] { [dpop(token), ("DPoP", proof(token))] }
        #expect(decision(fields(), certificate: Self.shown(7)) == .allowed("eve"))
        #expect(decision(fields(), certificate: Self.shown(8)) == .denied(.tokenCertificateWrong))
        #expect(decision([bearer(token)], certificate: Self.shown(7)) == .denied(.dpopSchemeWrong))
    }

    // MARK: Requirements

    @Test("a route or an issuer may require bound tokens")
    func required() {
        let token = token()
        #expect(decision([bearer(TestPolicy.token()), inventoryID], "/strict") == .denied(.tokenUnbound))
        #expect(decision([basic("joe:Welcome1"), inventoryID], "/strict") == .denied(.tokenUnbound))
        let strict = proof(token, "GET", "https://gw.example.com/strict")
        #expect(decision([dpop(token), ("DPoP", strict)], "/strict") == .allowed("eve"))
        let certified = self.token(certificate: [UInt8](repeating: 7, count: 32))
        #expect(decision([bearer(certified)], "/strict", certificate: Self.shown(7)) == .allowed("eve"))
        let snapshot = Self.snapshot { $0.issuers[1].requiresProof = true }
        #expect(decision([bearer(TestPolicy.outsideToken())], on: snapshot) == .denied(.tokenUnbound))
        #expect(decision([bearer(TestPolicy.token())], on: snapshot) == .allowed("joe"))
        #expect(decision([dpop(token), ("DPoP", proof(token))], on: snapshot) == .allowed("eve"))
    }

    // MARK: Challenges

    private func challenge(_ route: String, _ reason: Reason, _ fields: [(String, String)] = []) -> String {
        TestRequest("GET", "/", fields).challenge(snapshot, snapshot.route(route), reason)
    }

    @Test("challenges for proofs")
    func challenges() {
        let algorithms = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA"
        let start = #"DPoP realm="portcullis", algs="\#(algorithms)""#
        #expect(challenge("strict", .missingCredential) == start)
        #expect(challenge("open", .dpopKeyWrong) == start + #", error="invalid_dpop_proof""#)
        #expect(challenge("open", .dpopNonceRequired) == start + #", error="use_dpop_nonce""#)
        #expect(challenge("open", .dpopSchemeWrong) == start + #", error="invalid_token""#)
        #expect(challenge("open", .tokenExpired, [dpop("x")]) == start + #", error="invalid_token""#)
        #expect(challenge("open", .tokenExpired, [bearer("x")]).hasPrefix("Bearer "))
        #expect(challenge("open", .missingCredential) == #"Bearer realm="portcullis""#)
        #expect(challenge("items", .dpopReplayed).hasPrefix(#"DPoP realm="InventoryWG""#))
    }
}
