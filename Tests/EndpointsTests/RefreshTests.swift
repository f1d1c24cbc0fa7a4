import Bytes
import Crypto
import Dispatch
import Endpoints
import Identity
import JOSE
import Model
import OAuthServer
import Synchronization
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

    @Test("of refreshes at the same time one gets a pair, and its login ends only when another one comes again")
    func races() throws {
        let store = MeetingStore(parties: 4)
        let standards = Standards(store: store)
        let first = standards.login().refreshToken
        store.begin()
        let answers = Answers()
        let group = DispatchGroup()
        for index in 0..<4 {
            // A queue has a thread of its own, since each waits for the others.
            DispatchQueue(label: "refresh \(index)").async(group: group) { answers.add(standards.refresh(first)) }
        }
        group.wait()
        store.end()
        let won = answers.all.filter { $0.status == 200 }
        let lost = answers.all.filter { $0.status != 200 }
        #expect(won.count == 1)
        #expect(lost.count == 3 && lost.allSatisfy { $0.status == 400 && $0.error == "invalid_grant" })
        let second = standards.refresh(won.first?.refreshToken)
        #expect(second.status == 200)
        // The token that all had.
        #expect(standards.refresh(first).reasonText == "refresh_token_reused")
        #expect(standards.refresh(second.refreshToken).status == 400)
    }

    @Test("reuse right after a refresh ends the login as well")
    func reuseAtOnce() throws {
        let standards = Standards()
        let first = standards.login().refreshToken
        let second = standards.refresh(first)
        #expect(standards.refresh(first, at: Service.now + 1).reasonText == "refresh_token_reused")
        #expect(standards.refresh(second.refreshToken, at: Service.now + 1).status == 400)
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

    private func repeating(_ change: (inout TokenServiceSettings) -> Void = { _ in }) -> Standards {
        Standards {
            $0.clients = Standards.clients { $0.grants.refresh?.reuseSeconds = 10 }
            $0.terms.scopes = ["read", "write"]
            change(&$0)
        }
    }

    @Test("a client that lost the answer gets the same pair again, as long as the new one is unused")
    func lostAnswers() throws {
        let standards = repeating()
        let first = standards.login().refreshToken
        let answer = standards.refresh(first)
        for seconds in [0, 5, 9] as [Int64] {
            let again = standards.refresh(first, at: Service.now + seconds)
            #expect(again.status == 200 && again.body == answer.body && again.headers.count == answer.headers.count)
            #expect(again.audit?.action == "grant.refresh_token" && again.audit?.outcome == .granted)
        }
        let next = standards.refresh(answer.refreshToken, at: Service.now + 9)
        #expect(next.status == 200)
        // The new refresh token has been used.
        #expect(standards.refresh(first, at: Service.now + 9).reasonText == "refresh_token_reused")
        #expect(standards.refresh(next.refreshToken, at: Service.now + 9).error == "invalid_grant")
        // And behind the interval.
        let other = standards.login().refreshToken
        let last = standards.refresh(other)
        #expect(standards.refresh(other, at: Service.now + 10).reasonText == "refresh_token_reused")
        #expect(standards.refresh(last.refreshToken, at: Service.now + 10).error == "invalid_grant")
    }

    @Test("a repeated refresh that asks for something else ends the login", arguments: ["&scope=read", "&resource=x"])
    func otherRequests(_ parameter: String) throws {
        let standards = repeating()
        let first = standards.login("&scope=read+write").refreshToken
        let answer = standards.refresh(first)
        #expect(standards.refresh(first, parameter).reasonText == "refresh_token_reused")
        #expect(standards.refresh(answer.refreshToken).error == "invalid_grant")
        #expect(standards.introspect(answer.accessToken).isActive == false)
    }

    @Test("the kept answer is sealed, and erased when the interval ends")
    func erased() throws {
        let work = Mutex<[(at: Int64, run: @Sendable () -> Void)]>([])
        let standards = repeating { $0.later = { at, run in work.withLock { $0.append((at, run)) } } }
        let answer = standards.refresh(standards.login().refreshToken)
        func sealed() -> [UInt8] {
            let held = Mutex<[UInt8]>([])
            standards.store.perform(.list(application: nil, subject: "joe", limit: 9), now: Service.now) { result in
                guard case .success(.records(let records)) = result, let record = records.first else { return }
                held.withLock { $0 = record.sealed }
            }
            return held.withLock { $0 }
        }
        let kept = sealed()
        #expect(kept.count > answer.body.count)
        #expect(!String(decoding: kept, as: UTF8.self).contains(try #require(answer.refreshToken)))
        let due = work.withLock { $0 }
        #expect(due.map(\.at) == [Service.now + 10])
        for one in due { one.run() }
        #expect(sealed().count < 64)
        #expect(standards.refresh(answer.refreshToken, at: Service.now + 10).status == 200)
    }

    @Test("of refreshes at once one gets a pair, and the login goes on, until a used token comes after the answer")
    func atOnce() throws {
        let clock = Mutex<Int64>(5_000)
        let held = Mutex<[Int64]>([])
        let standards = Standards {
            $0.raceClock = RaceClock(
                now: { clock.withLock { $0 } },
                run: { instant, run in
                    held.withLock { $0.append(instant) }
                    run()
                })
        }
        let first = standards.login().refreshToken
        let second = standards.refresh(first)
        #expect(second.status == 200 && held.withLock { $0 } == [5_021])
        for milliseconds: Int64 in [5_000, 5_020] {
            clock.withLock { $0 = milliseconds }
            #expect(standards.refresh(first).error == "invalid_grant")
        }
        clock.withLock { $0 = 5_021 }
        let third = standards.refresh(second.refreshToken)
        #expect(third.status == 200 && standards.introspect(third.accessToken).isActive == true)
        // The next answer has left as well.
        clock.withLock { $0 = 5_042 }
        #expect(standards.refresh(second.refreshToken).reasonText == "refresh_token_reused")
        #expect(standards.refresh(third.refreshToken).error == "invalid_grant")
        #expect(standards.introspect(third.accessToken).isActive == false)
    }

    @Test("the grace period applies to the token's own client")
    func lostAnswersOfOthers() throws {
        let standards = Standards {
            $0.clients = Standards.clients { $0.grants.refresh?.reuseSeconds = 10 }
            var clients = $0.clients.clients
            clients[2].grants.refresh = RefreshLifetimes(reuseSeconds: 10)
            $0.clients = Clients(clients)
        }
        let first = standards.login().refreshToken
        let second = standards.refresh(first)
        #expect(standards.refresh(first, "", "sch").error == "invalid_grant")
        #expect(standards.refresh(second.refreshToken).status == 200)
    }

    @Test("a refresh token is bound to its client")
    func boundToTheClient() throws {
        let standards = Standards {
            $0.clients = Standards.clients()
            var clients = $0.clients.clients
            clients[2].grants.refresh = RefreshLifetimes()
            $0.clients = Clients(clients)
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
            $0.clients = Standards.clients { $0.grants.accessTokenSeconds = 120 }
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
        // The password was changed, or the name given to another person, since the login.
        var other = User(username: "joe", roles: ["Manager"])
        other.tokensNotBefore = Service.now + 1
        #expect(
            Standards(users: UserStore(users: [other], hasher: PasswordHasher()), store: store).refresh(token).error
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

private final class Answers: Sendable {
    private let list = Mutex<[EndpointResponse]>([])

    var all: [EndpointResponse] { list.withLock { $0 } }
    func add(_ answer: EndpointResponse) { list.withLock { $0.append(answer) } }
}

/// A store in memory whose searches for refresh tokens wait for each other.
private final class MeetingStore: TokenStore {
    let kind: StaticString = "memory"
    private let base = MemoryTokenStore()
    private let parties: Int
    private let arrived = Mutex(Int.min)
    private let all = DispatchSemaphore(value: 0)

    init(parties: Int) { self.parties = parties }

    var state: StoreState { base.state }

    func begin() { arrived.withLock { $0 = 0 } }
    func end() { arrived.withLock { $0 = .min } }

    func perform(
        _ operation: StoreOperation, now: Int64, then: @escaping @Sendable (Result<StoreAnswer, StoreFailure>) -> Void
    ) {
        base.perform(operation, now: now) { [self] result in
            if case .find(.refresh) = operation { meet() }
            then(result)
        }
    }

    private func meet() {
        let isLast = arrived.withLock { count -> Bool? in
            guard count >= 0 else { return nil }
            count += 1
            return count == parties
        }
        guard let isLast else { return }
        if isLast { for _ in 1..<parties { all.signal() } } else { all.wait() }
    }
}
