import Crypto
import HTTP
import Identity
import Model
import TestSupport
import Testing

@testable import Policy

/// Callers whose credential is the certificate of their connection.
@Suite struct CertificateUserTests {
    static func certificate(
        subject: String = "CN=billing,O=Example", hosts: [String] = ["a.jobs.example.com"], mailboxes: [String] = [],
        uris: [String] = ["spiffe://example.com/ns/a"], notAfter: Int64 = TestPolicy.now + 100,
        isReadable: Bool = true
    ) -> PeerCertificate {
        PeerCertificate(
            subject: subject, commonName: nil, hostNames: hosts, emailAddresses: mailboxes, uris: uris, addresses: [],
            fingerprint: "ab", serial: "1", notAfter: notAfter, name: DistinguishedName(subject),
            isReadable: isReadable)
    }

    private static let clerk = CertificateUserRule(
        condition: .commonName(Array("billing".utf8)), username: .fixed("billing"), roles: ["Clerk"])

    private static func rule(
        _ condition: CertificateUserRule.Condition, _ username: CertificateUserRule.Username = .fixed("billing")
    ) -> CertificateUserRule {
        CertificateUserRule(condition: condition, username: username, roles: ["Clerk"])
    }

    private static func pattern(_ text: String) throws -> CertificateUserRule.Condition {
        .name(try #require(CertificatePattern(text)))
    }

    private func snapshot(
        users: UserStore = TestPolicy.users(), _ change: (inout ResolvedRoute) -> Void = { _ in }
    ) -> PolicySnapshot {
        var settings = TestPolicy.settings(users: users)
        var route = ResolvedRoute(RouteEntry(name: "certified", path: "/certified"))
        route.access.roles.any = ["Manager", "Clerk"]
        route.options.takesCertificates = true
        change(&route)
        settings.routes.append(route)
        return TestPolicy.snapshot(settings)
    }

    /// The outcome of the credential and of what follows it.
    private func decision(
        _ certificate: PeerCertificate? = certificate(), _ rules: [CertificateUserRule] = [clerk],
        _ fields: [(String, String)] = [], method: String = "GET", policy: PolicySnapshot? = nil
    ) -> DecisionOutcome {
        decide(
            TestRequest(method, "/certified", fields), policy ?? snapshot(),
            certificate: certificate.map { PresentedCertificate($0, rules: rules) })
    }

    @Test("a certificate counts where the route says so, by a rule of its listener")
    func counts() {
        #expect(decision() == .allowed("billing"))
        #expect(decision(nil) == .denied(.missingCredential))
        #expect(decision(Self.certificate(), []) == .denied(.certificateUserUnknown))
        #expect(decision(policy: snapshot { $0.options.takesCertificates = false }) == .denied(.missingCredential))
        #expect(decision(policy: snapshot { $0.access.roles.any = ["Auditor"] }) == .denied(.roleRequired))
        #expect(decision(policy: snapshot { $0.access.issuers = ["certificates"] }) == .allowed("billing"))
        #expect(decision(policy: snapshot { $0.access.issuers = ["own"] }) == .denied(.issuerNotAllowed))
        #expect(decision(policy: snapshot { $0.clients = ["mbe-inv-1"] }) == .denied(.clientNotAllowed))
        #expect(decision(policy: snapshot { $0.access.isPublic = true }) == .allowed("no caller"))
    }

    @Test("another credential is checked, and no certificate makes up for a bad one")
    func besideToken() {
        let joe = [bearer(TestPolicy.token())]
        #expect(decision(Self.certificate(), [Self.clerk], joe) == .allowed("joe"))
        for bad in [
            "x", TestPolicy.token(issuedAt: TestPolicy.now - 9000), TestPolicy.token(signer: TestPolicy.strangerKey),
        ] {
            guard case .denied(let reason) = decision(Self.certificate(), [Self.clerk], [bearer(bad)]) else {
                Issue.record("\(bad) was accepted")
                continue
            }
            #expect(reason.status == 401 && reason != .missingCredential)
        }
        #expect(
            decision(Self.certificate(), [Self.clerk], [("Authorization", "Digest x")]) == .denied(.unsupportedScheme))
        #expect(decision(Self.certificate(), [Self.clerk], joe + joe) == .denied(.duplicateCredential))
        // A token alone is all that the listener's rules need.
        #expect(decision(Self.certificate(), [], joe) == .allowed("joe"))
    }

    @Test(
        "subjects are compared as values",
        arguments: [
            ("CN=billing,O=Example", true), ("cn=billing, o=Example", true), (#"CN=bill\69ng,O=Example"#, true),
            ("O=Example,CN=billing", false), ("CN=billing", false), (#"CN=billing\,O=Example"#, false),
            ("CN=billing,O=example", false), ("CN=billing+O=Example", false), ("CN=billing,O=Example,C=DE", false),
        ])
    func subjects(_ subject: String, _ isSame: Bool) throws {
        let rule = Self.rule(.subject(try #require(DistinguishedName("CN=billing,O=Example"))))
        let expected: DecisionOutcome = isSame ? .allowed("billing") : .denied(.certificateUserUnknown)
        #expect(decision(Self.certificate(subject: subject), [rule]) == expected)
    }

    @Test("a common name is the only one, and its commas are its own")
    func commonNames() {
        for subject in [#"CN=billing\,O=Example"#, "CN=billing,CN=admin", "O=billing", "CN=Billing"] {
            #expect(
                decision(Self.certificate(subject: subject)) == .denied(.certificateUserUnknown), "\(subject)")
        }
        #expect(decision(Self.certificate(isReadable: false)) == .denied(.certificateUserUnknown))
    }

    @Test("patterns of alternative names, of which the first rule that applies counts")
    func patterns() throws {
        let rules = [
            Self.rule(try Self.pattern("dns:*.jobs.example.com"), .taken(.dns)),
            Self.rule(try Self.pattern("uri:spiffe://example.com/ns/*"), .taken(.commonName)),
        ]
        #expect(decision(Self.certificate(), rules) == .allowed("a.jobs.example.com"))
        #expect(decision(Self.certificate(hosts: ["x.example.com"]), rules) == .allowed("billing"))
        let several = ["a.jobs.example.com", "b.jobs.example.com"]
        // A second rule does not rescue a certificate whose name is ambiguous for the first.
        #expect(decision(Self.certificate(hosts: several), rules) == .denied(.certificateUserUnknown))
        #expect(
            decision(Self.certificate(hosts: ["a.jobs.example.com", "x.example.com"]), rules)
                == .allowed("a.jobs.example.com"))
        for host in ["a.b.jobs.example.com", "jobs.example.com", "a.jobs.example.com.evil.net"] {
            let stranger = Self.certificate(hosts: [host], uris: [])
            #expect(decision(stranger, rules) == .denied(.certificateUserUnknown), "\(host)")
        }
        let mail = Self.rule(Self.clerk.condition, .taken(.email))
        #expect(decision(Self.certificate(), [mail]) == .denied(.certificateUserUnknown))
        #expect(decision(Self.certificate(mailboxes: ["a@b.example"]), [mail]) == .allowed("a@b.example"))
    }

    @Test("without roles the user needs an account, and has its roles")
    func accounts() {
        func rule(_ name: String, realm: String? = nil) -> CertificateUserRule {
            CertificateUserRule(condition: Self.clerk.condition, username: .fixed(name), realm: realm)
        }
        #expect(decision(Self.certificate(), [rule("joe")]) == .allowed("joe"))
        #expect(decision(Self.certificate(), [rule("joe", realm: "Default")]) == .allowed("joe"))
        #expect(decision(Self.certificate(), [rule("joe", realm: "Staff")]) == .denied(.unknownSubject))
        #expect(decision(Self.certificate(), [rule("bob")]) == .denied(.roleRequired))
        #expect(decision(Self.certificate(), [rule("billing")]) == .denied(.unknownSubject))
        let locked = UserStore(users: [User(username: "joe", roles: ["Manager"], enabled: false)], hasher: .init())
        #expect(
            decision(Self.certificate(), [rule("joe")], policy: snapshot(users: locked)) == .denied(.unknownSubject))
        // With roles of its own, the rule gives none of an account of that name.
        var joe = rule("joe")
        joe.roles = ["Auditor"]
        #expect(decision(Self.certificate(), [joe]) == .denied(.roleRequired))
    }

    @Test("a certificate that ends while its connection lasts is refused")
    func expiry() {
        #expect(decision(Self.certificate(notAfter: TestPolicy.now)) == .allowed("billing"))
        #expect(decision(Self.certificate(notAfter: TestPolicy.now - 1)) == .denied(.certificateExpired))
    }

    @Test("pages of other sites cannot use the certificate of a browser")
    func crossSite() {
        func post(_ fields: [(String, String)], _ method: String = "POST") -> DecisionOutcome {
            decision(Self.certificate(), [Self.clerk], fields, method: method)
        }
        #expect(post([]) == .allowed("billing"))
        #expect(post([("Sec-Fetch-Site", "same-origin")]) == .allowed("billing"))
        #expect(post([("Origin", "https://gw.example.com")]) == .allowed("billing"))
        for site in ["cross-site", "same-site", "none"] {
            #expect(post([("Sec-Fetch-Site", site)]) == .denied(.crossSiteRequest), "\(site)")
        }
        // Allowed to read answers, but not to act as the user of the browser's certificate.
        #expect(post([("Origin", "https://myexample.com")]) == .denied(.crossSiteRequest))
        #expect(post([("Origin", "https://myexample.com")], "GET") == .denied(.crossSiteRequest))
        #expect(post([("Sec-Fetch-Site", "cross-site")], "GET") == .allowed("billing"))
    }

    @Test("what goes on for long is decided anew by the certificate")
    func readmission() {
        let first = snapshot()
        guard
            case .principal(let principal) = first.certificates.authenticate(
                PresentedCertificate(Self.certificate(), rules: [Self.clerk]), now: TestPolicy.now)
        else {
            Issue.record("no caller")
            return
        }
        #expect(principal.expiresAt == TestPolicy.now + 100 && principal.tokenID == "ab")
        func readmit(
            _ certificate: PeerCertificate?, _ rules: [CertificateUserRule] = [Self.clerk],
            _ change: (inout ResolvedRoute) -> Void = { _ in }
        ) -> String {
            let host = Array("gw.example.com".utf8)
            let path = Array("/certified".utf8)
            let outcome = snapshot(change).readmit(
                principal, BufferedRequest(.get, host: host.span), path: path.span,
                certificate: { certificate.map { PresentedCertificate($0, rules: rules) } }, now: TestPolicy.now,
                cache: VerifiedTokenCache(capacity: 8))
            switch outcome {
            case .admitted(_, let principal): return principal?.subject ?? "nobody"
            case .refused(let reason): return reason.code
            }
        }
        #expect(readmit(Self.certificate()) == "billing")
        #expect(readmit(nil) == "missing_credential")
        let revoked = PresentedCertificate(Self.certificate(), rules: [Self.clerk], isOnList: true)
        #expect(first.route("certified").refusal(of: revoked) == .clientCertificateRevoked)
        #expect(readmit(Self.certificate(), []) == "certificate_user_unknown")
        #expect(readmit(Self.certificate(notAfter: 0)) == "certificate_expired")
        #expect(readmit(Self.certificate()) { $0.options.takesCertificates = false } == "missing_credential")
        #expect(readmit(Self.certificate()) { $0.access.roles.any = ["Auditor"] } == "role_required")
    }

    private func snapshot(_ change: (inout ResolvedRoute) -> Void) -> PolicySnapshot {
        snapshot(users: TestPolicy.users(), change)
    }
}
