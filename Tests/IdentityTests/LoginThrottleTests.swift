import Crypto
import Identity
import Model
import TestSupport
import Testing

@Suite("Login throttle (BASIC-05)") struct LoginThrottleTests {
    static let home: [UInt8] = [10, 0, 0, 1]
    static let away: [UInt8] = [10, 0, 0, 2]
    static let now: Int64 = 1_700_000_000

    static func throttle(perUser: Int = 3, perNetwork: Int = 0, seconds: Int64 = 300) -> LoginThrottle {
        var settings = LoginThrottle.Settings()
        settings.failuresPerUser = perUser
        settings.failuresPerNetwork = perNetwork
        settings.perMilliseconds = seconds * 1000
        return LoginThrottle(settings)
    }

    /// How many attempts in a row are admitted, at most 100, and the seconds that the next one has to wait.
    private func failures(
        _ throttle: LoginThrottle, _ user: String, _ network: [UInt8] = home, at now: Int64 = now, realm: String = "R"
    ) -> (count: Int, wait: Int) {
        for count in 0..<100 {
            if case .refused(let wait) = throttle.admit(user: user, realm: realm, network: network, now: now) {
                return (count, wait)
            }
        }
        return (100, 0)
    }

    private func logIn(_ throttle: LoginThrottle, _ user: String, _ network: [UInt8], at now: Int64 = now) -> Bool {
        guard case .admitted(let attempt) = throttle.admit(user: user, realm: "R", network: network, now: now) else {
            return false
        }
        throttle.succeeded(attempt)
        return true
    }

    @Test("failures of a user are counted across networks")
    func failuresOfAUserAreCountedWhereverTheyComeFrom() {
        let throttle = Self.throttle()
        #expect(failures(throttle, "joe", Self.home) == (3, 100))
        #expect(failures(throttle, "joe", Self.away).count == 0)
        #expect(failures(throttle, "ann", Self.away).count == 3)
        #expect(failures(throttle, "joe", realm: "Other").count == 3, "another realm's joe")
    }

    @Test("attempts are regained over time")
    func theyComeBackWithTime() {
        let throttle = Self.throttle()
        #expect(failures(throttle, "joe").count == 3)
        #expect(failures(throttle, "joe", at: Self.now + 99).count == 0)
        #expect(failures(throttle, "joe", at: Self.now + 100).count == 1)
        #expect(failures(throttle, "joe", at: Self.now + 400).count == 3)
    }

    @Test("a password that is known to be right uses up nothing, and is refused with the guesses")
    func known() {
        let throttle = Self.throttle(perNetwork: 3)
        func isAdmitted(_ network: [UInt8]) -> Bool {
            if case .admitted = throttle.admit(user: "joe", realm: "R", network: network, isRight: true, now: Self.now)
            {
                return true
            }
            return false
        }
        for _ in 0..<100 { #expect(isAdmitted(Self.home)) }
        #expect(failures(throttle, "joe", Self.away).count == 3)
        #expect(!isAdmitted(Self.away))
        // Strangers do not lock anybody out of where he is at home.
        #expect(isAdmitted(Self.home))
    }

    @Test("successful logins use up no attempts")
    func successfulLoginsAreNotCounted() {
        let throttle = Self.throttle(perNetwork: 3)
        for _ in 0..<50 { #expect(logIn(throttle, "joe", Self.home)) }
        #expect(failures(throttle, "ann", Self.home).count == 3)
    }

    @Test("attackers do not lock a user out of a known network")
    func attackersDoNotLockAUserOutOfKnownNetworks() {
        let throttle = Self.throttle()
        #expect(logIn(throttle, "joe", Self.home))
        #expect(failures(throttle, "joe", Self.away).count == 3)
        #expect(logIn(throttle, "joe", Self.home))
        #expect(!logIn(throttle, "joe", Self.away))
        #expect(failures(throttle, "joe", Self.home).count == 3, "at home he is counted as well")
        #expect(!logIn(throttle, "joe", Self.home))
    }

    @Test("a network that tries many users is throttled")
    func aNetworkThatTriesManyUsersIsHeldBack() {
        let throttle = Self.throttle(perUser: 3, perNetwork: 10)
        var admitted = 0
        for index in 0..<50 {
            if case .admitted = throttle.admit(user: "user\(index)", realm: "R", network: Self.away, now: Self.now) {
                admitted += 1
            }
        }
        #expect(admitted == 10)
        // Whom it has tried in vain still has all his attempts elsewhere.
        #expect(failures(throttle, "user40", Self.home).count == 3)
        #expect(failures(throttle, "user1", Self.home).count == 2)
    }

    @Test("zero means no limit")
    func zeroIsNoLimit() {
        #expect(failures(Self.throttle(perUser: 0), "joe").count == 100)
    }

    @Test("attempts are counted before their check: concurrent ones are limited like successive ones")
    func manyAtATimeAreHeldBackAsWell() {
        let throttle = Self.throttle()
        let admitted = (0..<100).filter { _ in
            if case .admitted = throttle.admit(user: "joe", realm: "R", network: Self.home, now: Self.now) {
                true
            } else {
                false
            }
        }
        #expect(admitted.count == 3)
    }

    @Test("throttle memory is bounded")
    func memoryIsBounded() {
        let settings = LoginThrottle.Settings()
        let throttle = LoginThrottle(settings, capacity: 64)
        for index in 0..<10_000 { _ = logIn(throttle, "user\(index)", Self.home) }
        #expect(logIn(throttle, "user9999", Self.home))
    }
}

@Suite("Password logins") struct PasswordLoginTests {
    private let users: UserStore = {
        let hasher = PasswordHasher()
        let hash = try? hasher.make(Array("Welcome1".utf8).span, scheme: .saltedSHA512)
        return UserStore(users: [User(username: "joe", passwordHash: hash)], hasher: hasher)
    }()

    private func log(_ login: PasswordLogin, _ name: String, _ password: String) -> Result<User, PasswordLogin.Refusal>
    {
        login.login(
            name, password: Array(password.utf8), realm: "Default", network: LoginThrottleTests.home,
            now: LoginThrottleTests.now
        ).settled()
    }

    @Test("a throttled password is not checked")
    func throttledPasswordsAreNotChecked() {
        let login = PasswordLogin(users: users, throttle: LoginThrottleTests.throttle())
        for _ in 0..<3 { #expect(log(login, "joe", "wrong") == .failure(.wrongPassword)) }
        #expect(log(login, "joe", "Welcome1") == .failure(.throttled(retryAfter: 100)))
        // It says nothing of who exists: a name that nobody has runs into the same.
        for _ in 0..<3 { #expect(log(login, "nobody", "wrong") == .failure(.wrongPassword)) }
        #expect(log(login, "nobody", "wrong") == .failure(.throttled(retryAfter: 100)))
    }

    @Test("the right password logs in")
    func aRightPasswordLogsIn() throws {
        let login = PasswordLogin(users: users, throttle: LoginThrottleTests.throttle())
        for _ in 0..<10 { #expect(try log(login, "joe", "Welcome1").get().username == "joe") }
    }
}

@Suite("Password cache (BASIC-05)") struct PasswordCacheTests {
    private let joe = Principal(
        kind: .user, method: .basic, subject: "joe", issuer: "local", backendID: "mbe", roles: RoleSet(),
        catalogue: RoleCatalogue([]), level: 2)

    private func digest(_ cache: PasswordCache, _ text: String, _ context: UInt64 = 0) -> [UInt8] {
        let digest = cache.digest(of: Array(text.utf8).span, context: context)
        return digest ?? []
    }

    @Test("passwords are cached for a limited time and by context")
    func remembersForAWhileAndByContext() {
        let cache = PasswordCache(seconds: 60)
        let known = digest(cache, "am9lOng=", 1)
        let other = digest(cache, "am9lOng=", 2)
        cache.insert(known, joe, now: 100)
        #expect(cache.principal(known, now: 159) === joe)
        #expect(cache.principal(other, now: 101) == nil, "another backend")
        #expect(cache.principal(known, now: 160) == nil)
        #expect(cache.principal(known, now: 101) == nil, "what has ended is forgotten")
    }

    @Test("a disabled cache stores nothing")
    func nothingIsRememberedWhereItIsOff() {
        #expect(digest(PasswordCache(seconds: 0), "x").isEmpty)
    }

    @Test("digests are useless to another process")
    func digestsAreOfNoUseToAnotherProcess() {
        let one = digest(PasswordCache(seconds: 60), "am9lOng=")
        let two = digest(PasswordCache(seconds: 60), "am9lOng=")
        #expect(one != two && one.count == 32)
    }

    @Test("cache memory is bounded")
    func memoryIsBounded() {
        let cache = PasswordCache(seconds: 60, capacity: 8)
        var digests: [[UInt8]] = []
        for index in 0..<100 {
            let known = digest(cache, "\(index)", 0)
            cache.insert(known, joe, now: 0)
            digests.append(known)
        }
        #expect(digests.filter { cache.principal($0, now: 1) != nil }.count == 8)
    }
}
