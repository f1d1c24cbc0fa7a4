import Identity
import JOSE
import Model
import TestSupport
import Testing

@testable import Policy

@Suite("Stronger and newer logins (RFC 9470)")
struct LoginRequirementTests {
    private func snapshot(
        _ levels: [String] = [], _ maximumAge: Int64? = nil, methods: [String: String] = [:]
    ) -> PolicySnapshot {
        var settings = TestPolicy.settings()
        var route = ResolvedRoute(RouteEntry(name: "guarded", path: "/guarded"))
        (route.access.contexts, route.access.maximumAge) = (levels, maximumAge)
        settings.routes.append(route)
        for place in settings.issuers.indices where settings.issuers[place].trust.name == "idp" {
            settings.issuers[place].levelsByMethod = methods
        }
        return TestPolicy.snapshot(settings)
    }

    private func decide(_ claims: String, _ snapshot: PolicySnapshot) -> DecisionOutcome {
        let token = TestPolicy.outsideToken(more: ",\(claims)")
        return PolicyTests.decide(TestRequest("GET", "/guarded", [bearer(token)]), snapshot)
    }

    @Test("one of the levels is enough, compared by bytes, and a missing one is not")
    func levels() {
        let snapshot = snapshot(["mfa", "urn:phr"])
        for acr in ["mfa", "urn:phr"] { #expect(decide(#""acr":"\#(acr)""#, snapshot) == .allowed("eve")) }
        for claims in [#""acr":"MFA""#, #""acr":"pwd""#, #""acr":["mfa"]"#, #""acr":"mfa urn:phr""#, #""amr":["mfa"]"#]
        {
            #expect(decide(claims, snapshot) == .denied(.authenticationTooWeak), "\(claims)")
        }
    }

    @Test("values of `amr` stand for the levels that the issuer's entry names, beside `acr`")
    func methods() {
        let snapshot = snapshot(["mfa"], methods: ["otp": "mfa", "hwk": "mfa", "pwd": "low"])
        #expect(decide(#""amr":["pwd","otp"]"#, snapshot) == .allowed("eve"))
        #expect(decide(#""acr":"low","amr":["hwk"]"#, snapshot) == .allowed("eve"))
        #expect(decide(#""acr":"mfa","amr":["pwd"]"#, snapshot) == .allowed("eve"))
        for claims in [#""amr":["pwd"]"#, #""amr":"otp""#, #""amr":["OTP"]"#, #""amr":[]"#] {
            #expect(decide(claims, snapshot) == .denied(.authenticationTooWeak), "\(claims)")
        }
    }

    @Test("a login is too old after `maxAge` and the clock skew, also where the token is cached")
    func age() {
        let (snapshot, cache, now) = (snapshot([], 100), VerifiedTokenCache(capacity: 8), TestPolicy.now)
        let request = TestRequest(
            "GET", "/guarded", [bearer(TestPolicy.outsideToken(more: #","auth_time":\#(now)"#))])
        for (seconds, expected) in [
            (0, DecisionOutcome.allowed("eve")), (160, .allowed("eve")), (161, .denied(.authenticationTooOld)),
        ] {
            #expect(PolicyTests.decide(request, snapshot, now: now + Int64(seconds), cache: cache) == expected)
        }
        #expect(cache.hits == 2)
        #expect(decide(#""auth_time":\#(now + 60)"#, snapshot) == .allowed("eve"))
        for claims in [
            #""auth_time":\#(now - 161)"#, #""auth_time":\#(now + 61)"#, #""auth_time":"\#(now)""#,
            #""auth_time":\#(Int64.max)"#, #""auth_time":\#(Int64.min)"#, #""iat":\#(now)"#,
        ] {
            #expect(decide(claims, snapshot) == .denied(.authenticationTooOld), "\(claims)")
        }
    }

    @Test("credentials that do not say how their holder logged in meet neither requirement")
    func others() {
        for (snapshot, reason) in [
            (snapshot(["2"]), Reason.authenticationTooWeak), (snapshot([], 600), .authenticationTooOld),
        ] {
            let request = TestRequest("GET", "/guarded", [basic("joe:Welcome1"), inventoryID])
            #expect(PolicyTests.decide(request, snapshot) == .denied(reason))
        }
        // The gateway's own tokens have the level as `acr`.
        let own = TestRequest("GET", "/guarded", [bearer(TestPolicy.token())])
        #expect(PolicyTests.decide(own, snapshot(["2"])) == .allowed("joe"))
        #expect(PolicyTests.decide(own, snapshot(["3"])) == .denied(.authenticationTooWeak))
        #expect(PolicyTests.decide(own, snapshot([], 600)) == .denied(.authenticationTooOld))
    }

    @Test("the challenge says which login is needed (RFC 9470 section 3), and only where the token is good")
    func challenge() {
        let (snapshot, request) = (snapshot(["mfa", "phr"], 600), TestRequest("GET", "/guarded"))
        let route = snapshot.route("guarded")
        let begin = #"Bearer realm="portcullis", error="insufficient_user_authentication", "#
        #expect(
            request.challenge(snapshot, route, .authenticationTooWeak)
                == begin + #"error_description="another way to log in is required", acr_values="mfa phr", max_age=600"#)
        #expect(
            request.challenge(snapshot, route, .authenticationTooOld)
                == begin + #"error_description="a more recent login is required", acr_values="mfa phr", max_age=600"#)
        #expect(request.challenge(snapshot, route, .missingCredential) == #"Bearer realm="portcullis""#)
        #expect(Reason.authenticationTooWeak.status == 401 && Reason.authenticationTooOld.status == 401)
        #expect(Reason.authenticationTooWeak.body == Reason.tokenExpired.body)
    }

    @Test("an exchange that goes on ends when its login gets too old")
    func end() {
        let (snapshot, now) = (snapshot([], 100), TestPolicy.now)
        let token = TestPolicy.outsideToken(more: #","auth_time":\#(now - 10)"#)
        let request = TestRequest("GET", "/guarded", [bearer(token)])
        let route = snapshot.route("guarded")
        guard case .principal(let eve) = request.authenticate(snapshot, route) else {
            Issue.record("refused")
            return
        }
        #expect(route.end(of: eve) == now + 151)
        #expect(snapshot.route("open").end(of: eve) == now + 600)
    }
}
