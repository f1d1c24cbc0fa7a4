import Bytes
import Crypto
import Endpoints
import Identity
import JOSE
import Model
import OAuthServer
import Testing
import TokenStorage

/// RFC 6749 section 6 and RFC 9700 section 4.14, for clients that opt in; OAUTH-05 for the others.
@Suite struct RefreshTests {
    @Test("OAUTH-05: without opt-in there is no refresh token, and the grant is unsupported")
    func withoutOptingInThereIsNone() {
        let standards = Standards()
        let login = standards.login("", "sch")
        #expect(login.names == ["access_token", "expires_in", "oracle_tk_context", "token_type"])
        let refresh = standards.refresh("x", "", "sch")
        #expect(refresh.status == 400)
        #expect(refresh.error == "unsupported_grant_type")
        #expect(refresh.body == TokenFailure.unsupportedGrantType.response.body)
    }

    @Test("RFC 6749 section 4.4.3: client credentials yield no refresh token")
    func clientsWithoutUserGetNone() {
        #expect(Standards().grant("grant_type=client_credentials").refreshToken == nil)
    }

    @Test("a refresh rotates the token")
    func rotation() throws {
        let standards = Standards()
        let login = standards.login()
        #expect(
            login.names == ["access_token", "expires_in", "oracle_tk_context", "refresh_token", "token_type"])
        let first = try #require(login.refreshToken)
        // 256 bits in base64url.
        #expect(first.utf8.count == 43)
        let later = Service.now + 100
        let second = standards.refresh(first, at: later)
        #expect(second.status == 200)
        #expect(second.refreshToken != nil && second.refreshToken != first)
        let claims = try second.claims(at: later)
        let before = try login.claims()
        #expect(claims.subject == "joe" && claims.roles == ["Manager"] && claims.level == 2)
        #expect(claims.tokenID != before.tokenID)
        #expect(claims.issuedAt == later)
        // RFC 9068 section 2.2.1: when the user logged in, not when the token was renewed.
        #expect(claims.authenticatedAt == Service.now && claims.methods == ["pwd"])
        #expect(standards.refresh(second.refreshToken, at: later).status == 200)
        #expect(second.audit?.action == "grant.refresh_token" && second.audit?.tokenID == claims.tokenID)
    }

    @Test("RFC 9700 section 4.14.2: reuse ends the newest token and its access token")
    func reuseEndsTheFamily() throws {
        let standards = Standards()
        let first = standards.login().refreshToken
        let second = standards.refresh(first)
        let reused = standards.refresh(first)
        #expect(reused.status == 400 && reused.error == "invalid_grant")
        #expect(reused.reasonText == "refresh_token_reused")
        #expect(reused.audit?.outcome == .refused)
        let third = standards.refresh(second.refreshToken)
        #expect(third.status == 400 && third.error == "invalid_grant")
        // To the client both look alike.
        #expect(third.body == reused.body)
        // The other logins of the user are none of this.
        #expect(standards.refresh(standards.login().refreshToken).status == 200)
    }

    @Test("a cut-off by date applies to the time of the login, not of later refreshes")
    func cutoffOfTheLogin() throws {
        let standards = Standards()
        let early = standards.refresh(standards.login().refreshToken, at: Service.now + 100)
        let late = standards.login(at: Service.now + 51)
        standards.revocations.revoke(subject: "joe", issuedBefore: Service.now + 50, until: .max)
        #expect(standards.refresh(early.refreshToken, at: Service.now + 200).error == "invalid_grant")
        #expect(standards.refresh(late.refreshToken, at: Service.now + 200).status == 200)
    }

    @Test("a client that lost the answer gets another pair in its place")
    func lostAnswers() throws {
        let standards = Standards {
            $0.backends = Standards.backends { $0.grants.refresh?.reuseSeconds = 10 }
        }
        let first = standards.login().refreshToken
        let lost = standards.refresh(first)
        let second = standards.refresh(first, at: Service.now + 9)
        #expect(second.status == 200 && second.refreshToken != lost.refreshToken)
        let claims = try second.claims(at: Service.now + 9)
        #expect(claims.subject == "joe" && claims.authenticatedAt == Service.now)
        // It was not lost after all: there are two of them.
        #expect(standards.refresh(lost.refreshToken, at: Service.now + 9).reasonText == "refresh_token_reused")
        #expect(standards.refresh(second.refreshToken, at: Service.now + 9).error == "invalid_grant")
        // And behind the grace.
        let other = standards.login().refreshToken
        let next = standards.refresh(other)
        #expect(standards.refresh(other, at: Service.now + 10).reasonText == "refresh_token_reused")
        #expect(standards.refresh(next.refreshToken, at: Service.now + 10).error == "invalid_grant")
    }

    @Test("the grace period applies to the token's own client")
    func lostAnswersOfOthers() throws {
        let standards = Standards {
            $0.backends = Standards.backends { $0.grants.refresh?.reuseSeconds = 10 }
            var backends = $0.backends.backends
            backends[2].grants.refresh = RefreshLifetimes(reuseSeconds: 10)
            $0.backends = BackendStore(backends)
        }
        let first = standards.login().refreshToken
        let second = standards.refresh(first)
        #expect(standards.refresh(first, "", "sch").error == "invalid_grant")
        #expect(standards.refresh(second.refreshToken).status == 200)
    }

    @Test("a refresh token is bound to its client")
    func boundToTheClient() throws {
        let standards = Standards {
            $0.backends = Standards.backends()
            var backends = $0.backends.backends
            backends[2].grants.refresh = RefreshLifetimes()
            $0.backends = BackendStore(backends)
        }
        let token = standards.login().refreshToken
        let stolen = standards.refresh(token, "", "sch")
        #expect(stolen.status == 400 && stolen.error == "invalid_grant")
        #expect(standards.refresh(token).status == 200)
    }

    @Test("other text is not a refresh token", arguments: ["", "&refresh_token=", "&refresh_token=nonsense"])
    func whatIsNoRefreshToken(_ parameter: String) {
        let response = Standards().grant("grant_type=refresh_token\(parameter)")
        #expect(response.status == 400)
        #expect(response.error == (parameter.hasSuffix("nonsense") ? "invalid_grant" : "invalid_request"))
    }

    @Test("refresh tokens expire when unused, and with their family")
    func lifetimes() throws {
        let standards = Standards()
        // Unused for too long.
        #expect(standards.refresh(standards.login().refreshToken, at: Service.now + 1000).error == "invalid_grant")
        #expect(standards.refresh(standards.login().refreshToken, at: Service.now + 999).status == 200)
        // Used again and again, the family ends at its time.
        var now = Service.now
        var token = standards.login().refreshToken
        while now + 900 < Service.now + 5000 {
            now += 900
            let response = standards.refresh(token, at: now)
            #expect(response.status == 200)
            token = response.refreshToken
        }
        #expect(standards.refresh(token, at: Service.now + 5000).error == "invalid_grant")
    }

    @Test("access tokens have a configured lifetime with refresh tokens")
    func accessTokensOfTheirOwnLifetime() throws {
        let standards = Standards {
            $0.backends = Standards.backends { $0.grants.accessTokenSeconds = 120 }
        }
        let login = standards.login()
        #expect(login.json?["expires_in"]?.integer == 120)
        #expect(standards.refresh(login.refreshToken).json?["expires_in"]?.integer == 120)
        #expect(standards.login("", "sch").json?["expires_in"]?.integer == 604_800)
    }

    @Test("RFC 6749 section 6: a refresh may narrow the scope for one token")
    func scope() throws {
        let standards = Standards { $0.terms.scopes = ["read", "write", "list"] }
        let login = standards.login("&scope=read+write")
        #expect(try login.claims().scope == "read write")
        let narrow = standards.refresh(login.refreshToken, "&scope=read")
        #expect(try narrow.claims().scope == "read")
        let whole = standards.refresh(narrow.refreshToken)
        #expect(try whole.claims().scope == "read write")
        let wider = standards.refresh(whole.refreshToken, "&scope=read+list")
        #expect(wider.status == 400 && wider.error == "invalid_scope")
        // A name counts once, and a scope has a bound.
        let many = String(repeating: "+read", count: 128)
        #expect(standards.refresh(whole.refreshToken, "&scope=read\(many)").error == "invalid_scope")
        // The refusals have used nothing up.
        let twice = standards.refresh(whole.refreshToken, "&scope=write+read+write")
        #expect(try twice.claims().scope == "write read")
        #expect(twice.json?["scope"]?.string == "write read")
    }

    @Test("a disabled user cannot refresh, and roles are current")
    func theUserAsOfNow() throws {
        let store = MemoryTokenStore()
        let token = Standards(store: store).login().refreshToken
        let ann = User(username: "ann")
        #expect(
            Standards(users: UserStore(users: [ann], hasher: PasswordHasher()), store: store).refresh(token).error
                == "invalid_grant")
        let off = User(username: "joe", roles: ["Manager"], enabled: false)
        #expect(
            Standards(users: UserStore(users: [off], hasher: PasswordHasher()), store: store).refresh(token).error
                == "invalid_grant")
        let demoted = User(username: "joe", roles: ["Clerk"])
        let response = Standards(users: UserStore(users: [demoted], hasher: PasswordHasher()), store: store)
            .refresh(token)
        #expect(try response.claims().roles == ["Clerk"])
    }

    @Test("a revoked subject cannot refresh")
    func revokedSubject() {
        let standards = Standards()
        let token = standards.login().refreshToken
        standards.revocations.revoke(subject: "joe", issuedBefore: Service.now, until: Service.now + 10_000)
        #expect(standards.refresh(token, at: Service.now + 10).error == "invalid_grant")
    }

    @Test("a failing store is 503, never `invalid_grant`")
    func storeOutage() {
        let standards = Standards(store: BrokenStore())
        for response in [standards.login(), standards.refresh("x")] {
            #expect(response.status == 503)
            #expect(response.error == "temporarily_unavailable")
            #expect(response.values("Retry-After") == ["1"])
        }
        #expect(standards.login("", "sch").status == 200)
    }
}
