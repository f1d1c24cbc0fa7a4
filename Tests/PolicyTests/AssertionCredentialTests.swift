#if SAML
    import Bytes
    import Crypto
    import Foundation
    import HTTP
    import Identity
    import Model
    import Outbound
    import Synchronization
    import TestSupport
    import Testing

    @testable import Policy

    /// SAML assertions as credentials of routes that list them.
    @Suite struct AssertionCredentialTests {
        private static let issuer = "https://idp.example.com/saml"

        private let forge: SAMLForge
        private let used = UsedKeys()

        /// A store of used assertions, which may be down.
        private final class UsedKeys: Sendable {
            let keys = Mutex<[String]?>([])

            func remember(_ key: String) -> Bool? {
                keys.withLock { keys in
                    guard let known = keys else { return nil }
                    if known.contains(key) { return false }
                    keys?.append(key)
                    return true
                }
            }
        }

        init() throws { forge = SAMLForge(key: try Self.key("idp"), now: TestPolicy.now) }

        private static func fixture(_ name: String) throws -> [UInt8] {
            let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            return Array(try Data(contentsOf: root.appending(path: "Fixtures/identity/\(name)")))
        }

        private static func key(_ name: String) throws -> SigningKey {
            try SigningKey(pem: String(decoding: fixture("\(name)-key.pem"), as: UTF8.self), algorithm: .es256)
        }

        private func snapshot(
            _ list: [Authenticator], _ members: String = "", generation: UInt64 = 1,
            revocations: RevocationList = RevocationList(), _ change: (inout ResolvedRoute) -> Void = { _ in }
        ) throws -> PolicySnapshot {
            let text = Array(
                """
                {"samlIssuers": [{"issuerName": "\(Self.issuer)", "virtualUserEnabled": true,
                 "certificateSubjectNames": ["CN=idp.example.com,O=Example"],
                 "rules": [{"type": "roleAttribute", "attributes": "groups"}]\(members)}]}
                """.utf8)
            let policy = AssertionPolicy(
                try JSONNode.parse(text.span), baseURL: "https://gw.example.com", lifetime: TokenLifetime(),
                catalogue: TestPolicy.catalogue)
            #expect(policy.findings.isEmpty)
            let certificate = try SignerCertificate(pem: Self.fixture("idp-cert.pem"))
            let store = CertificateStore([.init(alias: "idp", certificate: certificate)])
            let failures = ReloadFailures()
            let sources = AssertionSources(
                policy: ReloadingValue(policy, loadedAt: TestPolicy.now, counter: failures, read: { $0(nil) }),
                certificates: ReloadingValue(store, loadedAt: TestPolicy.now, counter: failures, read: { $0(nil) }),
                remoteKeys: { _, _, _, _ in .done(.failure(.unavailable)) })
            var settings = TestPolicy.settings(revocations: revocations)
            settings.generation = generation
            settings.credentials.append(
                AssertionSettings(sources) { [used] key, _, _ in .done(used.remember(key)) })
            var route = ResolvedRoute(RouteEntry(name: "partner", path: "/partner"))
            route.options.authenticators = list
            change(&route)
            settings.routes = [route] + settings.routes
            return PolicySnapshot(settings)
        }

        private static let any = [Authenticator(.saml)]

        private func request(_ fields: (String, String)...) -> TestRequest { TestRequest("GET", "/partner", fields) }

        private func saml(_ document: String) -> (String, String) {
            ("Authorization", "SAML \(SAMLForge.packed(document))")
        }

        @Test("an assertion counts where its kind is listed, with the roles and attributes that it has")
        func listed() throws {
            var forge = forge
            forge.subject = "zoe"
            forge.attributes = [("groups", ["Manager"])]
            let credential = saml(forge.assertion)
            #expect(decide(request(credential), try snapshot(Self.any)) == .allowed("zoe"))
            let managers = try snapshot(Self.any) { $0.access.roles = RoleNames(any: ["Manager"]) }
            #expect(decide(request(credential), managers) == .allowed("zoe"))
            #expect(decide(request(saml(self.forge.assertion)), managers) == .denied(.roleRequired))
            #expect(decide(request(), managers) == .denied(.missingCredential))
            #expect(
                decide(request(credential), try snapshot([Authenticator(.bearer)])) == .denied(.authenticatorNotListed))
            #expect(decide(TestRequest("GET", "/anyone", [credential]), managers) == .denied(.unsupportedScheme))
            #expect(decide(request(bearer(TestPolicy.token())), managers) == .denied(.authenticatorNotListed))
            #expect(decide(request(("Authorization", "saml")), managers) == .denied(.malformedCredential))
        }

        @Test("an entry with an issuer takes assertions of that issuer alone")
        func issuers() throws {
            let own = try snapshot([Authenticator(.saml, issuer: Self.issuer)])
            #expect(decide(request(saml(forge.assertion)), own) == .allowed("joe"))
            let other = try snapshot([Authenticator(.saml, issuer: "https://other.example.com")])
            #expect(decide(request(saml(forge.assertion)), other) == .denied(.issuerNotAllowed))
            // An issuer for the clients of certain backends has no users here.
            let bound = try snapshot(Self.any, #", "allowedMbes": [{"clientId": "inv-client"}]"#)
            #expect(decide(request(saml(forge.assertion)), bound) == .denied(.issuerNotAllowed))
        }

        @Test("a header field that the entry names takes assertions, and no tokens")
        func header() throws {
            var entry = Authenticator(.saml)
            entry.header = "X-Assertion"
            let policy = try snapshot([entry, Authenticator(.bearer)])
            let field = ("x-assertion", SAMLForge.packed(forge.assertion))
            #expect(decide(request(field), policy) == .allowed("joe"))
            let token = bearer(TestPolicy.token("ann"))
            #expect(decide(request(token), policy) == .allowed("ann"))
            #expect(decide(request(token, field), policy) == .denied(.duplicateCredential))
            #expect(decide(request(field, field), policy) == .denied(.duplicateCredential))
            #expect(decide(request(("X-Assertion", TestPolicy.token("ann"))), policy) == .denied(.malformedToken))
            let route = try #require(policy.routes.routes.first { $0.name == "partner" })
            let sent = request(field)
            #expect(route.tokenSources?.isSource(sent.headers[1], sent.bytes.span) == true)
        }

        @Test("every reason for which an assertion is refused is a 401 of its own")
        func refusals() throws {
            func changed(_ change: (inout SAMLForge) -> Void) -> String {
                var forge = forge
                change(&forge)
                return forge.assertion
            }
            let stranger = try Self.key("other")
            let policy = try snapshot(Self.any)
            for (document, reason) in [
                (changed { $0.key = stranger }, Reason.badSignature), (forge.unsigned, .badSignature),
                (forge.assertion.replacing(">joe<", with: ">ann<"), .badSignature),
                (changed { $0.issuer = "https://idp.example.com" }, .unknownIssuer),
                (changed { $0.restrictions = [["https://gw.example.com"]] }, .wrongAudience),
                (changed { $0.restrictions = [] }, .wrongAudience), (changed { $0.validFor = -60 }, .tokenExpired),
                (changed { $0.validFrom = 120 }, .tokenNotYetValid), (changed { $0.validFor = nil }, .invalidToken),
                (changed { $0.confirmation = [("Recipient", "https://else.example.com")] }, .invalidToken),
                (changed { $0.method = "urn:oasis:names:tc:SAML:2.0:cm:sender-vouches" }, .invalidToken),
                (changed { $0.moreConditions = "<saml:Unknown></saml:Unknown>" }, .invalidToken),
                (changed { $0.subject = nil }, .unknownSubject), (forge.response(), .malformedToken),
                ("<!DOCTYPE a>" + forge.assertion, .malformedToken), ("", .malformedCredential),
            ] {
                #expect(decide(request(saml(document)), policy) == .denied(reason), "\(document)")
                #expect(reason.status == 401 && reason.publicCode == "unauthorized")
            }
            #expect(decide(request(("Authorization", "SAML %%%")), policy) == .denied(.malformedToken))
        }

        @Test("an assertion for one use counts once, and not at all while the store is down")
        func oneTimeUse() throws {
            var once = forge
            once.moreConditions = "<saml:OneTimeUse></saml:OneTimeUse>"
            let cache = VerifiedTokenCache(capacity: 8)
            let policy = try snapshot(Self.any)
            #expect(decide(request(saml(once.assertion)), policy, cache: cache) == .allowed("joe"))
            #expect(decide(request(saml(once.assertion)), policy, cache: cache) == .denied(.assertionReplayed))
            #expect(decide(request(saml(forge.assertion)), policy, cache: cache) == .allowed("joe"))
            let single = try snapshot(Self.any, #", "singleUseAssertions": true"#)
            var other = forge
            other.id = "_a2"
            #expect(decide(request(saml(other.assertion)), single) == .allowed("joe"))
            #expect(decide(request(saml(other.assertion)), single) == .denied(.assertionReplayed))
            used.keys.withLock { $0 = nil }
            other.id = "_a3"
            #expect(decide(request(saml(other.assertion)), single) == .denied(.storeUnavailable))
        }

        @Test("what the cache has of an assertion counts for assertions alone")
        func cached() throws {
            let policy = try snapshot([Authenticator(.saml), Authenticator(.bearer)])
            let sent = request(saml(forge.assertion))
            let route = try #require(policy.routes.routes.first { $0.name == "partner" })
            guard case .resolve(let effect) = sent.authenticate(policy, route) else {
                Issue.record("an unknown assertion is not verified")
                return
            }
            let principal = try effect.settled().get()
            // Policy and certificates are read again every two minutes.
            #expect(principal.knownUntil == TestPolicy.now + 120 && principal.expiresAt == TestPolicy.now + 660)
            let cache = VerifiedTokenCache(capacity: 8)
            cache.adopt(generation: policy.generation, keyEpoch: policy.keyEpoch)
            cache.insert(principal.token, principal, expiresAt: TestPolicy.now + 120, revocationGeneration: 0)
            guard case .principal = sent.authenticate(policy, route, cache: cache) else {
                Issue.record("a known assertion is verified again")
                return
            }
            let token = String(decoding: principal.token, as: UTF8.self)
            #expect(decide(request(bearer(token)), policy, cache: cache) == .denied(.malformedToken))
        }

        @Test("a revoked assertion, or one of a revoked subject, is refused")
        func revocation() throws {
            let revocations = RevocationList()
            let policy = try snapshot(Self.any, revocations: revocations)
            revocations.revoke(tokenID: "_a1", until: TestPolicy.now + 600)
            #expect(decide(request(saml(forge.assertion)), policy) == .denied(.tokenRevoked))
            var other = forge
            other.id = "_a2"
            #expect(decide(request(saml(other.assertion)), policy) == .allowed("joe"))
            revocations.revoke(subject: "joe", issuedBefore: TestPolicy.now, until: TestPolicy.now + 600)
            #expect(decide(request(saml(other.assertion)), policy) == .denied(.tokenRevoked))
        }

        @Test("GW-11: another configuration verifies the assertion of a long-lived exchange again")
        func readmission() throws {
            func outcome(_ members: String, at now: Int64 = TestPolicy.now) throws -> String {
                let first = try snapshot(Self.any)
                guard let route = first.routes.routes.first(where: { $0.name == "partner" }),
                    case .resolve(let effect) = request(saml(forge.assertion)).authenticate(first, route)
                else { return "no caller" }
                let (host, path) = (Array("gw.example.com".utf8), Array("/partner".utf8))
                let second = try snapshot(Self.any, members, generation: 2)
                let readmitted = second.readmit(
                    try effect.settled().get(), BufferedRequest(.get, host: host.span), path: path.span, now: now,
                    cache: VerifiedTokenCache(capacity: 8))
                switch readmitted {
                case .admitted(_, let principal): return principal?.subject ?? "nobody"
                case .refused(let reason): return reason.code
                }
            }
            #expect(try outcome("") == "joe")
            #expect(try outcome(#", "enabled": false"#) == "unknown_issuer")
            #expect(try outcome(#", "allowedMbes": [{"clientId": "c"}]"#) == "issuer_not_allowed")
            #expect(try outcome("", at: TestPolicy.now + 660) == "token_expired")
        }

        @Test("a 401 has a challenge of the scheme")
        func challenge() throws {
            let policy = try snapshot([Authenticator(.saml), Authenticator(.basic)])
            let route = try #require(policy.routes.routes.first { $0.name == "partner" })
            #expect(
                request().challenge(policy, route, .missingCredential)
                    == "SAML realm=\"portcullis\"\r\nWWW-Authenticate: Basic realm=\"portcullis\", charset=\"UTF-8\"")
        }
    }
#endif
