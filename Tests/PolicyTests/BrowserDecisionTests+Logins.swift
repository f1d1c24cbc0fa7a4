import HTTP
import Identity
import Model
import TestSupport
import Testing

@testable import Policy

extension BrowserDecisionTests {
    @Test("RFC 9470: a login by the form has its level and its time, one at a provider no time")
    func logins() {
        func demanding(_ change: (inout PolicySettings) -> Void) -> PolicySnapshot {
            Self.snapshot { settings in
                settings.routes[5].access.contexts = ["2"]
                settings.routes[5].access.maximumAge = 60
                change(&settings)
            }
        }
        let snapshot = demanding { $0.change("MobileWG") { $0.scheme?.logins = [.password()] } }
        let cookie = Self.field(Self.cookie())
        #expect(decision("/mobileapp", [cookie], snapshot, now: TestPolicy.now + 60) == .allowed("joe"))
        #expect(decision("/mobileapp", [cookie], snapshot, now: TestPolicy.now + 61) == .denied(.authenticationTooOld))
        let high = Self.field(Self.cookie(level: 3))
        #expect(decision("/mobileapp", [high], snapshot) == .denied(.authenticationTooWeak))
        let old = TestRequest("GET", "/mobileapp", [cookie])
        guard case .route(let route)? = old.match(snapshot),
            case .principal(let joe) = old.authenticate(snapshot, route)
        else {
            Issue.record("not logged in")
            return
        }
        #expect(location("/mobileapp", [Self.html], snapshot, for: .authenticationTooOld, of: joe) != nil)
        // Where another login would not do, the form would come again and again.
        #expect(location("/mobileapp", [Self.html], snapshot, for: .authenticationTooOld) == nil)
        #expect(location("/mobileapp", [Self.html], snapshot, for: .authenticationTooWeak, of: joe) == nil)
        // A provider can be asked for it, for a session and for a browser without one.
        let provided = demanding { _ in }
        #expect(location("/mobileapp", [Self.html], provided, for: .authenticationTooWeak, of: joe) != nil)
        #expect(location("/mobileapp", [Self.html], provided, for: .authenticationTooOld, of: joe) != nil)
        #expect(location("/mobileapp", [Self.html], provided, for: .authenticationTooWeak) == nil)
        #expect(location("/mobileapp", [Self.html], provided) != nil)
    }

    @Test("CACHE-11: a cookie of a login that the form does not offer leads to the form, and opens nothing")
    func otherLogin() {
        let value = Self.seals.seal(Self.provided("zoe", by: "other", ["Manager"]))
        let snapshot = Self.snapshot {
            $0.browserDomains = ["D": Self.domain { $0.providers = ["idp", "other"] }]
        }
        #expect(decision("/mobileapp", [Self.field(value)], snapshot) == .denied(.wrongScheme))
        let remote = Self.snapshot {
            $0.browserDomains = [
                "MobileServiceDomain": Self.domain { $0.passwordLogin = .password(issuer: "directory") }
            ]
        }
        #expect(decision("/mobileapp", [Self.field(Self.cookie())], remote) == .denied(.wrongScheme))
    }
}
