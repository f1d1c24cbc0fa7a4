import Crypto
import Endpoints
import Identity
import Testing
import TokenStorage

/// What the data plane refuses must not be worth anything at the token service either: a revoked token that could be
/// exchanged would come back as one that was not revoked.
@Suite("Regression: the deny list at the token service") struct RegressionDenyListTests {
    private static let exchange =
        "grant_type=urn:ietf:params:oauth:grant-type:token-exchange"
        + "&subject_token_type=urn:ietf:params:oauth:token-type:access_token&subject_token="

    @Test("a cut-off of the issuer applies to every grant")
    func cutOffsOfTheIssuerHoldForEveryGrant() {
        let standards = Standards()
        let login = standards.login()
        #expect(standards.introspect(login.accessToken).isActive == true)
        standards.revocations.revoke(issuer: "local", issuedBefore: Service.now, until: Service.now + 1000)
        #expect(standards.introspect(login.accessToken).isActive == false)
        #expect(standards.grant(Self.exchange + (login.accessToken ?? "")).status == 400)
        #expect(standards.refresh(login.refreshToken).status == 400)
    }

    @Test("no token is accepted while revocations are unknown")
    func tokensAreRefusedWhileRevocationsAreUnknown() {
        let standards = Standards()
        let login = standards.login()
        standards.revocations.setBlind(true)
        #expect(standards.introspect(login.accessToken).status == 503)
        #expect(standards.grant(Self.exchange + (login.accessToken ?? "")).status == 503)
        #expect(standards.introspect("nonsense").isActive == false, "what is no token needs no list")
        standards.revocations.setBlind(false)
        #expect(standards.introspect(login.accessToken).isActive == true)
    }

    @Test("a cut-off of an application ends its pairs")
    func cutOffsOfApplicationsEndTheirPairs() {
        let apps = Apps()
        let map = apps.post(Apps.wish())
        apps.revocations.revoke(issuer: "apiomat", issuedBefore: Apps.start, until: Apps.start + 1_000_000)
        #expect(apps.revoke(map.accessToken, everything: true).status == 401)
        #expect(apps.post(Apps.refreshing(map.refreshToken ?? ""), at: 1).status == 400)
        let fresh = apps.post(Apps.wish(), at: 1)
        #expect(fresh.status == 200)
        #expect(fresh.accessToken != map.accessToken, "AOM-24: who logs in again is let in")
    }
}
