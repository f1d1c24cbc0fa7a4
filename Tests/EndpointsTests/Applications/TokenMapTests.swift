import ApiOmat
import Bytes
import Endpoints
import Foundation
import HTTP
import Identity
import Model
import Synchronization
import TestSupport
import Testing
import TokenStorage

/// The token endpoint of applications (AOM-01 to AOM-15).
@Suite struct TokenMapTests {
    let apps = Apps()

    @Test("AOM-02: a token map has the specified members, and tokens in UUID format")
    func tokenMap() throws {
        let response = apps.post(Apps.wish("scope=read%20write"))
        #expect(response.status == 200)
        #expect(
            response.names == [
                "access_token", "expires_in", "model", "module", "refresh_token", "scope", "token_type",
            ])
        let form = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/
        #expect(response.access.wholeMatch(of: form) != nil)
        #expect(response.renewal.wholeMatch(of: form) != nil)
        #expect(response.access != response.renewal)
        #expect(response.json?["token_type"]?.string == "Bearer")
        #expect(response.expiresIn == 604_800)
        #expect(response.scope == "read write")
        #expect(response.json?["module"]?.string == "Basics")
        #expect(response.json?["model"]?.string == "com.apiomat.backend.modules.basics.User")
        #expect(response.values("Cache-Control") == ["no-store"])
        #expect(response.audit?.action == "grant.aom_user")
        #expect(response.audit?.outcome == .granted)
    }

    @Test("repeated use of an old token queries the store once a second, without blocking new tokens")
    func unknownTokens() throws {
        let store = CountingStore()
        let apps = Apps(store: store)
        let stale = "01234567-89ab-cdef-0123-456789abcdef"
        for _ in 0..<5 { #expect(apps.present(stale, at: 10).failure == .unknown) }
        #expect(store.finds == 1)
        #expect(apps.present(stale, at: 11).failure == .unknown)
        #expect(store.finds == 2)
        // The clock was put back.
        #expect(apps.present(stale, at: 2).failure == .unknown)
        #expect(store.finds == 3)
        // What was set by hand could be asked for before it was: at once where it is set, and always in another form.
        let body = { (token: String) in #"{"@type":"Basics$User","sessionToken":"\#(token)"}"# }
        #expect(apps.object(.put, Apps.user, body(stale), Apps.administrator, at: 2).status == 200)
        #expect(try apps.present(stale, at: 2).get().subject == Apps.user)
        for _ in 0..<2 { #expect(apps.present("by-hand-1", at: 20).failure == .unknown) }
        #expect(store.finds == 6)
        #expect(apps.post(Apps.wish(), at: 20).status == 200)
        let fresh = apps.post(Apps.wish(), at: 20).access
        #expect(try apps.present(fresh, at: 20).get().subject == Apps.user)
        #expect(apps.revoke(fresh, at: 20).status == 200)
        #expect(apps.present(fresh, at: 20).failure == .unknown)
    }

    /// Counts the questions about access tokens.
    private final class CountingStore: TokenStore {
        private let store = MemoryTokenStore()
        private let count = Mutex(0)

        var finds: Int { count.withLock { $0 } }
        var kind: StaticString { store.kind }
        var state: StoreState { store.state }

        func perform(
            _ operation: StoreOperation, now: Int64,
            then: @escaping @Sendable (Result<StoreAnswer, StoreFailure>) -> Void
        ) {
            if case .find(.access) = operation { count.withLock { $0 += 1 } }
            store.perform(operation, now: now, then: then)
        }
    }

    @Test("AOM-10: `extra` is echoed")
    func extraIsEchoed() {
        #expect(apps.post(Apps.wish("extra=ios_token")).json?["extra"]?.string == "ios_token")
    }

    @Test(
        "invalid requests are refused with a specific error",
        arguments: [
            ("grant_type=aom_user", 401, "invalid_client"),
            ("grant_type=aom_user&client_id=testApp&client_secret=wrong", 401, "invalid_client"),
            ("grant_type=aom_user&client_id=nobody&client_secret=\(Apps.key)", 401, "invalid_client"),
            (
                "grant_type=aom_user&client_id=testApp&client_secret=\(Apps.key)&username=testUser", 400,
                "invalid_request"
            ),
            ("client_id=testApp&client_secret=\(Apps.key)", 400, "invalid_request"),
            ("grant_type=password&client_id=testApp&client_secret=\(Apps.key)", 400, "unsupported_grant_type"),
            (Apps.wish().replacing("&app=testApp", with: "&app=otherApp"), 400, "invalid_request"),
            (Apps.wish().replacing("&system=LIVE", with: "&system=TEST"), 400, "invalid_request"),
            (Apps.wish(password: "Secret"), 400, "invalid_grant"), (Apps.wish(user: "testuser"), 400, "invalid_grant"),
            (Apps.wish(user: "off", password: "offpw"), 400, "invalid_grant"),
            (Apps.wish(user: "stranger", password: "elsewhere"), 400, "invalid_grant"),
            (Apps.wish("client_secret=\(Apps.key)"), 400, "invalid_request"),
            (Apps.wish("scope=admin"), 400, "invalid_scope"),
            (Apps.wish("scope=read_only+write"), 400, "invalid_scope"),
            (Apps.wish("scope=read_only+read"), 400, "invalid_scope"), (Apps.wish("scope=READ"), 400, "invalid_scope"),
            (Apps.wish("access_expiration=0"), 400, "invalid_request"),
            (Apps.wish("access_expiration=-5"), 400, "invalid_request"),
            (Apps.wish("access_expiration=%2B5"), 400, "invalid_request"),
            (Apps.wish("access_expiration=6e1"), 400, "invalid_request"),
            (Apps.wish("access_expiration=31536001"), 400, "invalid_request"),
            (Apps.wish("refresh_expiration=99999999999999999999"), 400, "invalid_request"),
            (Apps.wish("refreh_expiration=x"), 400, "invalid_request"),
            (Apps.wish("extra=manuallySet"), 400, "invalid_request"),
            (Apps.wish("extra=facebook"), 400, "invalid_request"),
            (Apps.wish("extra=a%1Fb"), 400, "invalid_request"),
            (Apps.wish("extra=\(String(repeating: "x", count: 129))"), 400, "invalid_request"),
        ])
    func refusals(_ form: String, _ status: Int, _ error: String) {
        let response = apps.post(form)
        #expect(response.status == status)
        #expect(response.error == error)
        #expect(response.access.isEmpty)
    }

    @Test(
        "AOM-07: one or both scopes in any order; none means both",
        arguments: [
            ("", "read write"), ("scope=write+read", "read write"), ("scope=read", "read"), ("scope=write", "write"),
            ("scope=read_only", "read_only"), ("scope=", "read write"),
        ])
    func scopes(_ parameter: String, _ granted: String) {
        #expect(apps.post(Apps.wish(parameter)).scope == granted)
    }

    @Test(
        "AOM-08: a token without the write scope is read-only",
        arguments: [("read+write", false), ("write", false), ("read", true), ("read_only", true)])
    func readOnly(_ scope: String, _ expected: Bool) throws {
        #expect(try apps.present(apps.post(Apps.wish("scope=\(scope)")).access).get().isReadOnly == expected)
    }

    @Test("AOM-04, CON-11: custom lifetimes apply; the correct name precedes the misspelt one")
    func customExpirations() {
        let form = "access_expiration=60&refresh_expiration=120&refreh_expiration=5"
        let map = apps.post(Apps.wish(form))
        #expect(map.expiresIn == 60)
        #expect(throws: Never.self) { try apps.present(map.access, at: 59).get() }
        #expect(apps.present(map.access, at: 60).failure == .expired)
        #expect(apps.post(Apps.refreshing(map.renewal), at: 119).status == 200)
        let misspelt = apps.post(Apps.wish("extra=m&refreh_expiration=5&access_expiration=5"))
        let late = apps.post(Apps.refreshing(misspelt.renewal), at: 6)
        #expect(late.status == 400)
        #expect(late.error == "invalid_grant")
    }

    @Test("AOM-03: the application's lifetimes apply")
    func configuredExpirations() {
        let apps = Apps {
            $0.expirations.access = 100
            $0.expirations.refresh = 300
            $0.expirations.longestAccess = 200
        }
        let map = apps.post(Apps.wish())
        #expect(map.expiresIn == 100)
        #expect(apps.post(Apps.refreshing(map.renewal), at: 300).status == 400)
        #expect(apps.post(Apps.wish("access_expiration=201")).status == 400)
    }

    @Test("AOM-06: systems, users and applications have separate slots")
    func slotsAreApart() {
        let apps = Apps { $0.systems = ["LIVE", "TEST"] }
        let live = apps.post(Apps.wish()).access
        #expect(apps.post(Apps.wish().replacing("system=LIVE", with: "system=TEST")).access != live)
        #expect(apps.post(Apps.wish(user: "writer", password: "writing")).access != live)
        #expect(apps.post(Apps.wish().replacing("&system=LIVE", with: "")).access == live)
        let other = Apps.wish().replacing("testApp", with: "otherApp").replacing(Apps.key, with: Apps.other)
        #expect(apps.post(other).access != live)
    }

    @Test("AOM-06: a new pair ends the earlier refresh token")
    func newPairEndsTheEarlierRefreshToken() {
        let first = apps.post(Apps.wish("access_expiration=60&refresh_expiration=600"))
        let second = apps.post(Apps.wish(), at: 61)
        #expect(second.access != first.access)
        #expect(apps.post(Apps.refreshing(first.renewal), at: 62).error == "invalid_grant")
        #expect(apps.post(Apps.refreshing(second.renewal), at: 62).status == 200)
    }

    @Test("AOM-06: concurrent first requests yield one pair")
    func concurrentFirstRequests() async {
        let apps = apps
        let maps = await withTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { apps.post(Apps.wish()).access } }
            return await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(maps.count == 1)
    }

    @Test("AOM-13: of two refreshes with one token one succeeds")
    func concurrentRefreshes() async {
        let apps = apps
        let token = apps.post(Apps.wish()).renewal
        let statuses = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { apps.post(Apps.refreshing(token)).status } }
            return await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.filter { $0 == 200 }.count == 1)
        #expect(statuses.filter { $0 == 400 }.count == 19)
    }

    @Test("AOM-12: a refresh needs the key of the token's own application")
    func refreshNeedsItsApplication() {
        let token = apps.post(Apps.wish()).renewal
        #expect(apps.post(Apps.refreshing(token, key: "wrong")).status == 401)
        let foreign = apps.post(Apps.refreshing(token, app: "otherApp", key: Apps.other))
        #expect(foreign.status == 400)
        #expect(foreign.error == "invalid_grant")
        #expect(apps.post(Apps.refreshing(token)).status == 200)
    }

    @Test("AOM-17: an access token cannot refresh")
    func accessTokenDoesNotRefresh() {
        #expect(apps.post(Apps.refreshing(apps.post(Apps.wish()).access)).error == "invalid_grant")
    }

    @Test("AOM-14: a refresh keeps scope and `extra`")
    func refreshKeepsTheSlot() {
        let first = apps.post(Apps.wish("scope=read_only&extra=phone"))
        let second = apps.post(Apps.refreshing(first.renewal), at: 5)
        #expect(second.scope == "read_only")
        #expect(second.json?["extra"]?.string == "phone")
        #expect(second.expiresIn == 604_800)
        #expect(apps.post(Apps.wish("extra=phone"), at: 6).access == second.access)
        #expect(apps.present(first.access, at: 6).failure == .unknown)
    }

    @Test("the store has only digests and sealed tokens that open for their own record")
    func nothingIsStoredInClear() throws {
        let map = apps.post(Apps.wish())
        guard case .records(let records)? = apps.perform(.list(application: nil, subject: nil, limit: 10)) else {
            Issue.record("no list")
            return
        }
        let record = try #require(records.first)
        #expect(records.count == 1)
        let text = String(describing: record)
        #expect(!text.contains(map.access) && !text.contains(map.renewal))
        #expect(Apps.digestKey.open(record.sealed, id: record.id + "x") == nil)
        #expect(record.accessDigest == Apps.digestKey.digest(map.access))
    }

    @Test("a token's principal has current roles, the application and no backend")
    func principal() throws {
        let token = apps.post(Apps.wish()).access
        let principal = try apps.present(token).get()
        #expect(principal.subject == Apps.user)
        #expect(principal.application == "testApp")
        #expect(principal.backendID == nil)
        #expect(principal.kind == .user && principal.method == .bearer && !principal.virtual)
        #expect(principal.roleNames == ["Clerk"])
        #expect(principal.expiresAt == Apps.start + 604_800)
        #expect(principal.token == Array(token.utf8))
        #expect(apps.tokens.renew(principal)?.roleNames == ["Clerk"])
    }

    @Test("a failing store is not an authentication failure")
    func storeIsDown() {
        let apps = Apps(store: SilentStore())
        let map = apps.post(Apps.wish())
        #expect(map.status == 503)
        #expect(map.values("Retry-After") == ["1"])
        #expect(apps.post(Apps.refreshing("x")).status == 503)
        #expect(apps.revoke("0f8fad5b-d9cb-469f-a165-70867728950e").status == 503)
        #expect(apps.present("0f8fad5b-d9cb-469f-a165-70867728950e").failure == .unavailable)
    }
}

final class SilentStore: TokenStore {
    var kind: StaticString { "broken" }
    var state: StoreState { .unavailable(since: 0) }
    func perform(
        _ operation: StoreOperation, now: Int64, then: @escaping @Sendable (Result<StoreAnswer, StoreFailure>) -> Void
    ) { then(.failure(.unavailable)) }
}

extension Result {
    var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
