import Crypto
import Identity
import Model
import Outbound
import TestSupport
import Testing

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
        // The answer does not tell which users exist: an unknown name gets the same.
        for _ in 0..<3 { #expect(log(login, "nobody", "wrong") == .failure(.wrongPassword)) }
        #expect(log(login, "nobody", "wrong") == .failure(.throttled(retryAfter: 100)))
    }

    @Test("the right password logs in")
    func aRightPasswordLogsIn() throws {
        let login = PasswordLogin(users: users, throttle: LoginThrottleTests.throttle())
        for _ in 0..<10 { #expect(try log(login, "joe", "Welcome1").get().username == "joe") }
    }

    // MARK: At the same time

    private typealias Logins = ManualEffects<Result<User, PasswordLogin.Refusal>>

    private func begin(
        _ count: Int, _ login: PasswordLogin, _ password: String = "Welcome1", user: String = "joe",
        from network: [UInt8] = LoginThrottleTests.home
    ) -> Logins {
        let logins = Logins()
        for _ in 0..<count {
            logins.begin(
                login.login(
                    user, password: Array(password.utf8), realm: "Default", network: network,
                    now: LoginThrottleTests.now))
        }
        return logins
    }

    @Test("many logins with one right password are one hash, and none is refused")
    func oneHash() {
        let login = PasswordLogin(users: users, throttle: LoginThrottleTests.throttle())
        for _ in 0..<3 {
            let logins = begin(64, login)
            #expect(logins.hashes == 1 && logins.values.isEmpty)
            logins.runHash()
            #expect(logins.hashes == 0 && logins.values.count == 64)
            #expect(logins.values.allSatisfy { (try? $0.get().username) == "joe" })
        }
    }

    @Test("many logins with one wrong password are one guess")
    func oneGuess() {
        let login = PasswordLogin(users: users, throttle: LoginThrottleTests.throttle())
        for _ in 0..<3 {
            let logins = begin(64, login, "wrong")
            logins.runHash()
            #expect(logins.values == Array(repeating: .failure(.wrongPassword), count: 64))
        }
        #expect(log(login, "joe", "Welcome1") == .failure(.throttled(retryAfter: 100)))
    }

    @Test("logins with other passwords, of other users and networks are others")
    func otherLogins() {
        let login = PasswordLogin(users: users, throttle: LoginThrottleTests.throttle(perUser: 0))
        let others = [
            begin(2, login), begin(2, login, "Welcome2"), begin(2, login, user: "jo"),
            begin(2, login, from: LoginThrottleTests.away), begin(2, login, "", user: "joeWelcome1"),
        ]
        #expect(others.map(\.hashes) == Array(repeating: 1, count: others.count))
        for logins in others { logins.runHash() }
        let right = others.map { logins in logins.values.count { (try? $0.get()) != nil } }
        #expect(right == [2, 0, 0, 2, 0])
    }

    @Test("the client that is checked first may go: the next takes over, and nothing is counted")
    func leaving() {
        let login = PasswordLogin(users: users, throttle: LoginThrottleTests.throttle(perUser: 1))
        let logins = begin(4, login)
        for left in [3, 2] {
            logins.dropHash()
            #expect(logins.hashes == 1 && logins.values.isEmpty, "\(left) are there")
        }
        logins.runHash()
        #expect(logins.values.count == 2 && logins.values.allSatisfy { (try? $0.get().username) == "joe" })
        // All have gone.
        let gone = begin(1, login)
        gone.dropHash()
        #expect(gone.hashes == 0 && gone.values.isEmpty)
        #expect((try? log(login, "joe", "Welcome1").get().username) == "joe")
    }

    @Test("a right password waits for guesses at the same time, and is checked after them")
    func beside() {
        let login = PasswordLogin(users: users, throttle: LoginThrottleTests.throttle(perUser: 2))
        let guesses = [begin(1, login, "wrong"), begin(1, login, "also wrong")]
        let right = begin(1, login)
        #expect(right.hashes == 0 && right.values.isEmpty)
        guesses[0].dropHash()
        #expect(right.hashes == 1)
        guesses[1].runHash()
        right.runHash()
        #expect((try? right.values.first?.get().username) == "joe")
    }
}

@Suite("Password cache (BASIC-05)") struct PasswordCacheTests {
    private let joe = Principal(
        kind: .user, method: .basic, subject: "joe", issuer: "local", backendID: "mbe", roles: RoleSet(),
        catalogue: RoleCatalogue([]), level: 2)

    private func digest(_ cache: PasswordCache, _ text: String, _ context: UInt64 = 0) -> [UInt8] {
        cache.digest(of: Array(text.utf8).span, context: context)
    }

    @Test("passwords are cached for a limited time and by context")
    func remembersForAWhileAndByContext() {
        let cache = PasswordCache(seconds: 60)
        let known = digest(cache, "am9lOng=", 1)
        let other = digest(cache, "am9lOng=", 2)
        cache.insert(known, joe, now: 100)
        #expect(cache.known(known, now: 159)?.principal === joe)
        #expect(cache.known(other, now: 101) == nil, "another backend")
        #expect(cache.known(known, now: 160) == nil)
        #expect(cache.known(known, now: 101) == nil, "what has ended is forgotten")
    }

    @Test("a disabled cache stores nothing")
    func nothingIsRememberedWhereItIsOff() {
        let cache = PasswordCache(seconds: 0)
        let x = digest(cache, "x")
        cache.insert(x, joe, now: 100)
        #expect(cache.known(x, now: 100) == nil)
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
        #expect(digests.filter { cache.known($0, now: 1) != nil }.count == 8)
    }

    @Test("in the last quarter of its time one request at a time has a password checked again")
    func due() {
        let cache = PasswordCache(seconds: 60)
        let known = digest(cache, "am9lOng=")
        func isDue(_ now: Int64) -> Bool? { cache.known(known, now: now)?.isDue }
        cache.insert(known, joe, now: 100)
        #expect(isDue(144) == false)
        #expect(isDue(145) == true)
        #expect(isDue(145) == false && isDue(149) == false)
        #expect(isDue(150) == true, "the check has not ended")
        cache.insert(known, joe, now: 151)
        #expect(isDue(195) == false && isDue(196) == true && isDue(210) == true)
        #expect(isDue(211) == nil)
        cache.insert(known, joe, now: 300)
        cache.forget(known)
        #expect(isDue(300) == nil)
    }
}
