import Bytes
import Crypto
import HTTP
import Identity
import Model
import TestSupport
import Testing

@testable import Policy

extension Principal.Method {
    fileprivate static var badge: Self { Self("badge", isAmbient: true) }
}

/// What the doors say of badges.
private struct BadgeSettings: CredentialSettings {
    var holders = ["7": "ann"]
}

/// A kind that only these tests have: the number of a badge under a scheme of its own.
private enum BadgeKind: JudgedKind {
    static let name = "badge"
    static let takesKeyBeside = true
    static let issuer: CredentialIssuer? = CredentialIssuer(.namesItself, "the door")

    static var place: CredentialPlace { .scheme(Array("Badge".utf8)) }
    static var methods: [Principal.Method] { [.badge] }

    static func judge(
        for entry: Authenticator, _ settings: PolicySettings, _ claims: ClaimSelection
    ) -> (any CredentialJudge)? {
        settings.settings(BadgeSettings.self).map { Judge(settings: $0, catalogue: settings.roles) }
    }

    private struct Judge: CredentialJudge {
        let settings: BadgeSettings
        let catalogue: RoleCatalogue

        func judge(
            _ shown: PresentedCredentials, _ bytes: Span<UInt8>, for chain: AuthenticatorChain, policy: PolicySnapshot
        ) -> AuthenticationOutcome {
            guard case .own(_, let place) = shown.inFields else { return .none }
            return caller(of: String(copying: bytes.slice(place)))
        }

        func renew(_ principal: Principal, _ again: PresentedAgain, policy: PolicySnapshot) -> AuthenticationOutcome {
            caller(of: String(decoding: principal.token, as: UTF8.self))
        }

        func evidence(on credential: Span<UInt8>) -> Evidence? {
            Evidence(["the badge \(String(copying: credential)) opens no door"])
        }

        private func caller(of number: String) -> AuthenticationOutcome {
            guard let holder = settings.holders[number] else { return .rejected(.invalidToken) }
            return .principal(
                Principal(
                    kind: .user, method: .badge, subject: holder, issuer: "north", backendID: nil, roles: RoleSet(),
                    catalogue: catalogue, level: 2, token: Array(number.utf8)))
        }
    }
}

extension Authenticator.Kind {
    fileprivate static var badge: Self { Self(BadgeKind.self) }
}

/// A kind of credential is its own file: the list of a route takes one that no other source knows.
@Suite struct MadeUpKindTests {
    private static let key = APIKey.make()
    private let badge = ("Authorization", "badge 7")
    private let other = ("Authorization", "Badge 8")
    private let token = bearer(TestPolicy.token("joe"))

    private func settings(
        _ list: [Authenticator], _ badges: BadgeSettings? = BadgeSettings(),
        _ change: (inout ResolvedRoute) -> Void = { _ in }
    ) -> PolicySettings {
        var settings = TestPolicy.settings()
        settings.credentials = badges.map { [$0] } ?? []
        var route = ResolvedRoute(RouteEntry(name: "door", path: "/door"))
        route.access.loginRequired = false
        route.options.authenticators = list
        change(&route)
        settings.routes = [route] + settings.routes
        let digest = DigestAlgorithm.sha256.digest(Array(Self.key.utf8).span)
        settings.consumers = [
            Consumer(name: "shop", roles: [], enabled: true, keys: [Consumer.Key(id: "k1", digest: digest)])
        ]
        return settings
    }

    private func decision(_ settings: PolicySettings, _ fields: (String, String)..., method: String = "GET")
        -> DecisionOutcome
    {
        decide(TestRequest(method, "/door", fields), PolicySnapshot(settings))
    }

    @Test("it counts where it is listed, under its scheme in any case, and nowhere else")
    func listed() {
        let list = [Authenticator(.bearer), Authenticator(.badge)]
        #expect(decision(settings(list), badge) == .allowed("ann"))
        #expect(decision(settings(list), ("Authorization", "BADGE   7")) == .allowed("ann"))
        #expect(decision(settings(list), other) == .denied(.invalidToken))
        #expect(decision(settings(list), token) == .allowed("joe"))
        #expect(decision(settings(list)) == .denied(.missingCredential))
        #expect(decision(settings(list), ("Authorization", "Badger 7")) == .denied(.authenticatorNotListed))
        #expect(decision(settings([Authenticator(.bearer)]), badge) == .denied(.authenticatorNotListed))
        #expect(
            decide(TestRequest("GET", "/anyone", [badge]), PolicySnapshot(settings(list)))
                == .denied(.unsupportedScheme))
        // Nothing judges it without its settings, and other kinds still count.
        #expect(decision(settings(list, nil), badge) == .denied(.unsupportedScheme))
        #expect(decision(settings(list, nil), token) == .allowed("joe"))
    }

    @Test("an entry can name an issuer, a header field, and what a bad one leads to")
    func entries() {
        let south = [Authenticator(.badge, issuer: "south")]
        #expect(decision(settings(south), badge) == .denied(.issuerNotAllowed))
        #expect(decision(settings([Authenticator(.badge, issuer: "north")]), badge) == .allowed("ann"))
        var inField = Authenticator(.badge, fallsThrough: true)
        inField.header = "X-Badge"
        let list = settings([inField, Authenticator(.apiKey)])
        #expect(decision(list, ("x-badge", "7")) == .allowed("ann"))
        #expect(decision(list, ("x-badge", "7"), badge) == .denied(.duplicateCredential))
        #expect(decision(list, ("x-badge", "8")) == .denied(.invalidToken))
        #expect(decision(list, ("X-Badge", "7"), bearer(Self.key)) == .allowed("ann"))
        #expect(decision(list, ("X-Badge", "8"), bearer(Self.key)) == .allowed("shop"))
        var paired = Authenticator(.badge)
        paired.needsKey = true
        #expect(decision(settings([paired]), badge) == .denied(.apiKeyMissing))
        #expect(decision(settings([paired]), ("X-API-Key", Self.key)) == .denied(.userCredentialMissing))
        #expect(decision(settings([paired]), badge, ("X-API-Key", Self.key)) == .allowed("ann"))
    }

    @Test("the challenge and the evidence are its own, and requests of other sites are refused")
    func around() {
        let policy = PolicySnapshot(settings([Authenticator(.badge), Authenticator(.bearer)]))
        let request = TestRequest("GET", "/door", [other])
        #expect(
            request.challenge(policy, policy.route("door"), .missingCredential)
                == #"Badge realm="portcullis"\#r\#nWWW-Authenticate: Bearer realm="portcullis""#)
        let evidence = RefusalEvidence(policy).evidence(
            for: .invalidToken, on: policy.route("door"), nil, path: Array("/door".utf8).span,
            bytes: request.bytes.span,
            head: request.head, headers: request.headers, now: TestPolicy.now)
        #expect(evidence.lines == ["the badge 8 opens no door"])
        let list = settings([Authenticator(.badge)])
        #expect(decision(list, badge, ("Sec-Fetch-Site", "cross-site"), method: "POST") == .denied(.crossSiteRequest))
        #expect(decision(list, badge, method: "POST") == .allowed("ann"))
        #expect(PolicySnapshot(list).servesWithoutTokens)
    }

    @Test("what goes on for long ends with it")
    func renewed() throws {
        let request = TestRequest("GET", "/door", [badge])
        let first = PolicySnapshot(settings([Authenticator(.badge)]))
        guard case .principal(let ann) = request.authenticate(first, first.route("door")) else {
            Issue.record("the badge does not count")
            return
        }
        func again(_ settings: PolicySettings) -> Reason? {
            let outcome = PolicySnapshot(settings).readmit(
                ann, BufferedRequest(.get, host: Array("gw.example.com".utf8).span), path: "/door".utf8.span,
                now: TestPolicy.now, cache: VerifiedTokenCache(capacity: 1))
            if case .refused(let reason) = outcome { return reason }
            return nil
        }
        #expect(again(settings([Authenticator(.badge)])) == nil)
        #expect(again(settings([Authenticator(.badge)], BadgeSettings(holders: [:]))) == .invalidToken)
        #expect(again(settings([Authenticator(.bearer)])) == .unsupportedScheme)
        #expect(again(settings([]) { $0.options.authenticators = nil }) == .unsupportedScheme)
    }
}
