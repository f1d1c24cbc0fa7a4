import Crypto
import HTTP
import Identity
import Model
import TestSupport
import Testing

@testable import Policy

/// Routes that say which kinds of credentials count, and in which order.
@Suite struct AuthenticatorTests {
    private static let key = "pk_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJK"

    private func snapshot(
        _ list: [Authenticator], _ change: (inout ResolvedRoute) -> Void = { _ in }
    ) -> PolicySnapshot {
        BrowserDecisionTests.snapshot { settings in
            var route = settings.routes[5]
            (route.name, route.path, route.webgate) = ("listed", "/listed", nil)
            route.scheme = settings.routes[5].webgate?.scheme
            (route.access.loginRequired, route.access.level) = (false, 0)
            route.options.authenticators = list
            route.options.takesCertificates = list.contains { $0.kind == .certificate }
            change(&route)
            settings.routes.append(route)
        }
    }

    private func decision(
        _ list: [Authenticator], _ fields: (String, String)..., certificate: PresentedCertificate? = nil,
        method: String = "GET",
        change: (inout ResolvedRoute) -> Void = { _ in }
    ) -> DecisionOutcome {
        decide(TestRequest(method, "/listed", fields), snapshot(list, change), certificate: certificate)
    }

    private static let own = bearer(TestPolicy.token("ann"))
    private static let outside = bearer(TestPolicy.outsideToken("eve"))
    private static let expired = bearer(TestPolicy.token("ann", issuedAt: TestPolicy.now - 9000))
    private static let forged = bearer(TestPolicy.token("ann", signer: TestPolicy.strangerKey))
    private static let password = basic("ann:Welcome2")
    private static let wrong = basic("ann:wrong")
    private static let anonymous = ("Authorization", "Basic YW5vbi1pbnY6azN5")
    private static let cookie = BrowserDecisionTests.field(BrowserDecisionTests.cookie())
    private static let spoilt = ("Cookie", "__Host-portcullis-form=spoilt")
    private static let certificate = PresentedCertificate(
        CertificateUserTests.certificate(),
        rules: [
            CertificateUserRule(
                condition: .commonName(Array("billing".utf8)), username: .fixed("billing"), roles: ["Clerk"])
        ])

    @Test("kinds that are not listed do not count")
    func closed() {
        #expect(decision([Authenticator(.bearer)], Self.own) == .allowed("ann"))
        #expect(decision([Authenticator(.bearer)], Self.outside) == .allowed("eve"))
        #expect(decision([Authenticator(.bearer, issuer: "own")], Self.own) == .allowed("ann"))
        #expect(decision([Authenticator(.bearer, issuer: "own")], Self.outside) == .denied(.issuerNotAllowed))
        for list: [Authenticator.Kind] in [[.basic], [.session], [.certificate], [.apiKey], [.anonymousKey]] {
            let list = list.map { Authenticator($0) }
            #expect(decision(list, Self.own) == .denied(.authenticatorNotListed), "\(list)")
            #expect(decision(list, ("Authorization", "Digest x")) == .denied(.authenticatorNotListed), "\(list)")
            #expect(decision(list) == .denied(.missingCredential), "\(list)")
        }
        #expect(decision([Authenticator(.bearer)], Self.password, inventoryID) == .denied(.authenticatorNotListed))
        #expect(decision([Authenticator(.bearer)], Self.cookie) == .denied(.missingCredential))
        #expect(decision([Authenticator(.bearer)], certificate: Self.certificate) == .denied(.missingCredential))
        #expect(decision([Authenticator(.bearer)], ("Authorization", "Bearer")) == .denied(.malformedToken))
        #expect(decision([Authenticator(.basic)], ("Authorization", "Bearer")) == .denied(.authenticatorNotListed))
    }

    @Test("name and password count apart from the anonymous key, and none is checked that would not count")
    func passwords() {
        #expect(decision([Authenticator(.basic)], Self.password, inventoryID) == .allowed("ann"))
        #expect(decision([Authenticator(.basic)], Self.anonymous, inventoryID) == .denied(.authenticatorNotListed))
        let anonymous = [Authenticator(.anonymousKey)]
        #expect(decision(anonymous, Self.anonymous, inventoryID) == .allowed("anonymous"))
        #expect(decision(anonymous, Self.password, inventoryID) == .denied(.authenticatorNotListed))
        #expect(decision(anonymous, Self.wrong, inventoryID) == .denied(.authenticatorNotListed))
        let both = [Authenticator(.basic), Authenticator(.anonymousKey)]
        #expect(decision(both, Self.anonymous, inventoryID) == .allowed("anonymous"))
        #expect(decision(both, Self.password, inventoryID) == .allowed("ann"))
        #expect(decision(both, Self.wrong, inventoryID) == .denied(.wrongPassword))
    }

    @Test("of several credentials the one counts whose kind is listed first")
    func order() {
        let session = Authenticator(.session)
        #expect(decision([session, Authenticator(.bearer)], Self.own, Self.cookie) == .allowed("joe"))
        #expect(decision([Authenticator(.bearer), session], Self.own, Self.cookie) == .allowed("ann"))
        #expect(
            decision([Authenticator(.certificate), session], Self.cookie, certificate: Self.certificate)
                == .allowed("billing"))
        #expect(
            decision([session, Authenticator(.certificate)], Self.cookie, certificate: Self.certificate)
                == .allowed("joe"))
        // What is absent leaves it to the next.
        #expect(decision([session, Authenticator(.bearer)], Self.own) == .allowed("ann"))
        #expect(decision([Authenticator(.bearer), session], Self.cookie) == .allowed("joe"))
        // A token stands where its issuer does.
        let list = [
            Authenticator(.bearer, issuer: "idp"), session, Authenticator(.bearer, issuer: "own"),
        ]
        #expect(decision(list, Self.own, Self.cookie) == .allowed("joe"))
        #expect(decision(list, Self.own) == .allowed("ann"))
        #expect(decision(list, Self.outside, Self.cookie) == .allowed("eve"))
        // An unlisted one is not looked at.
        #expect(decision([session], Self.forged, Self.cookie) == .allowed("joe"))
    }

    @Test("a bad credential is refused beside a good one, unless its entry leaves it to the next")
    func fallThrough() {
        let session = Authenticator(.session)
        for bad in [Self.expired, Self.forged, bearer("x"), ("Authorization", "Bearer")] {
            guard case .denied(let reason) = decision([Authenticator(.bearer), session], bad, Self.cookie) else {
                Issue.record("\(bad) was passed over")
                continue
            }
            #expect(reason.status == 401)
            let open = [Authenticator(.bearer, fallsThrough: true), session]
            #expect(decision(open, bad, Self.cookie) == .allowed("joe"))
            // Alone it is what is wrong, also where no caller is needed.
            #expect(decision(open, bad) == .denied(reason))
            #expect(decision(open, bad) { $0.access.isOptional = true } == .denied(reason))
        }
        #expect(
            decision([Authenticator(.bearer, fallsThrough: true)]) { $0.access.isOptional = true }
                == .allowed("no caller"))
        let basic = [Authenticator(.basic, fallsThrough: true), session]
        #expect(decision(basic, Self.wrong, inventoryID, Self.cookie) == .allowed("joe"))
        #expect(
            decision([Authenticator(.basic), session], Self.wrong, inventoryID, Self.cookie) == .denied(.wrongPassword))
        #expect(decision([session, Authenticator(.bearer)], Self.own, Self.spoilt) == .denied(.sessionInvalid))
        #expect(
            decision([Authenticator(.session, fallsThrough: true), Authenticator(.bearer)], Self.own, Self.spoilt)
                == .allowed("ann"))
        // Two that are bad: the first says why.
        #expect(
            decision(
                [Authenticator(.session, fallsThrough: true), Authenticator(.bearer, fallsThrough: true)], Self.expired,
                Self.spoilt) == .denied(.sessionInvalid))
        // Between a token's first entry and its own, a bad session is refused.
        let list = [Authenticator(.bearer, issuer: "idp"), session, Authenticator(.bearer, issuer: "own")]
        #expect(decision(list, Self.own, Self.spoilt) == .denied(.sessionInvalid))
        // A token of an issuer that is not listed is a bad one.
        let idp = [Authenticator(.bearer, issuer: "idp"), session]
        #expect(decision(idp, Self.own, Self.cookie) == .denied(.issuerNotAllowed))
        let open = [Authenticator(.bearer, issuer: "idp", fallsThrough: true), session]
        #expect(decision(open, Self.own, Self.cookie) == .allowed("joe"))
        #expect(decision(basic, Self.own, Self.own, Self.cookie) == .denied(.duplicateCredential))
    }

    @Test("a change by the session that counts needs a page of the gateway, also beside other credentials")
    func crossSite() {
        let list = [Authenticator(.bearer, fallsThrough: true), Authenticator(.session)]
        #expect(decision(list, Self.forged, Self.cookie, method: "POST") == .denied(.crossSiteRequest))
        #expect(
            decision([Authenticator(.session)], Self.forged, Self.cookie, method: "POST") == .denied(.crossSiteRequest))
        #expect(decision(list, Self.own, Self.cookie, method: "POST") == .allowed("ann"))
    }

    @Test("a token in a cookie counts only without a credential in other fields, listed or not")
    func tokenCookie() {
        let token = String(Self.own.1.dropFirst("Bearer ".utf8.count))
        func sources(_ route: inout ResolvedRoute) {
            route.options.tokenSources = [.authorization, .cookie("token"), .header("X-Token", scheme: nil)]
        }
        let shown = ("Cookie", "token=\(token)")
        #expect(decision([Authenticator(.bearer)], shown, change: sources) == .allowed("ann"))
        #expect(
            decision([Authenticator(.bearer)], shown, method: "POST", change: sources) == .denied(.crossSiteRequest))
        #expect(
            decision([Authenticator(.bearer)], shown, Self.password, method: "POST", change: sources)
                == .denied(.authenticatorNotListed))
        #expect(
            decision([Authenticator(.bearer)], ("X-Token", token), Self.own, change: sources)
                == .denied(.duplicateCredential))
        #expect(decision([Authenticator(.bearer)], ("X-Token", token), change: sources) == .allowed("ann"))
    }

    @Test("the challenge has a field for each scheme, in the order of the list")
    func challenge() {
        func challenge(_ list: [Authenticator.Kind], _ reason: Reason = .missingCredential) -> String {
            let policy = snapshot(list.map { Authenticator($0) })
            return TestRequest("GET", "/listed").challenge(policy, policy.route("listed"), reason)
        }
        let (bearer, basic) = (#"Bearer realm="portcullis""#, #"Basic realm="portcullis", charset="UTF-8""#)
        #expect(challenge([.bearer]) == bearer && challenge([.basic]) == basic)
        #expect(challenge([.basic, .bearer]) == "\(basic)\r\nWWW-Authenticate: \(bearer)")
        #expect(challenge([.apiKey, .session, .bearer, .anonymousKey]) == "\(bearer)\r\nWWW-Authenticate: \(basic)")
        #expect(challenge([.session]) == bearer)
        #expect(challenge([.bearer], .tokenExpired) == #"\#(bearer), error="invalid_token""#)
        #expect(challenge([.basic, .bearer], .authenticationTooWeak).hasPrefix(bearer))
    }

    @Test("an open connection ends with the listing of its kind")
    func readmission() {
        let principal = holder(Self.own, snapshot([Authenticator(.bearer)]))
        guard let principal else { return }
        func again(_ list: [Authenticator]) -> Reason? {
            let path = Array("/listed".utf8)
            let host = Array("gw.example.com".utf8)
            let request = BufferedRequest(.get, host: host.span)
            let outcome = snapshot(list).readmit(
                principal, request, path: path.span, now: TestPolicy.now, cache: VerifiedTokenCache(capacity: 1))
            if case .refused(let reason) = outcome { return reason }
            return nil
        }
        #expect(again([Authenticator(.bearer)]) == nil)
        #expect(again([Authenticator(.bearer, issuer: "idp")]) == .authenticatorNotListed)
        #expect(again([Authenticator(.session)]) == .authenticatorNotListed)
    }

    private func holder(_ field: (String, String), _ snapshot: PolicySnapshot) -> Principal? {
        let request = TestRequest("GET", "/listed", [field])
        guard case .principal(let known) = request.authenticate(snapshot, snapshot.route("listed")) else {
            Issue.record("not authenticated")
            return nil
        }
        return known
    }
}
