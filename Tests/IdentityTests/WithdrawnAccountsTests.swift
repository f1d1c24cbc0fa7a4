import Crypto
import Identity
import Model
import Testing

@Suite struct WithdrawnAccountsTests {
    typealias Credential = WithdrawnAccounts.Credential

    private func accounts() -> WithdrawnAccounts {
        let accounts = WithdrawnAccounts()
        accounts.use { ["digest of \($0)"] }
        return accounts
    }

    private func change(
        _ accounts: WithdrawnAccounts, _ credential: Credential, _ isWithdrawn: Bool, at time: Int64 = 1
    )
        throws
    {
        let made = accounts.notice(credential, isWithdrawn: isWithdrawn, milliseconds: time, until: 100)
        let (name, notice) = try #require(made)
        #expect(accounts.apply(notice, name: name))
        #expect(!accounts.apply(notice, name: name), "no news any more")
    }

    static let all: [Credential] = [
        .user(realm: "r", name: "joe"), .password(realm: "r", name: "joe", stored: "{X}1"), .client(id: "b"),
        .clientSecret(backendID: "b", secret: "s"), .role(realm: "r", name: "joe", role: "Clerk"),
        .setting(backendID: "b", name: "httpBasic"), .setting(backendID: "b", name: "realm", value: "r"),
        .consumer(name: "joe"), .consumerRole(name: "joe", role: "Clerk"), .apiKey(digest: [1, 2], consumer: "joe"),
        .certificate(fingerprint: "1f", alias: "idp"),
    ]

    @Test("a withdrawal affects exactly one credential", arguments: all)
    func oneIsOne(_ credential: Credential) throws {
        let accounts = accounts()
        #expect(accounts.isEmpty)
        try change(accounts, credential, true)
        for other in Self.all { #expect(accounts.contains(other) == (other == credential)) }
        #expect(accounts.has(credential.kind) && !accounts.isEmpty)
        try change(accounts, credential, false)
        #expect(!accounts.contains(credential) && accounts.isEmpty)
    }

    @Test("a withdrawal is known under a former name until it is taken back under the new one", arguments: all)
    func formerName(_ credential: Credential) throws {
        let accounts = accounts()
        try change(accounts, credential, true, at: 5000)
        accounts.use { ["new digest of \($0)", "digest of \($0)"] }
        #expect(accounts.contains(credential))
        try change(accounts, credential, false, at: 10)
        #expect(!accounts.contains(credential))
        try change(accounts, credential, true, at: 20)
        accounts.use { ["new digest of \($0)"] }
        #expect(accounts.contains(credential))
    }

    @Test("a key of another consumer, and a certificate under another alias, are the same")
    func otherNames() throws {
        let accounts = accounts()
        try change(accounts, .apiKey(digest: [1, 2], consumer: "joe"), true)
        try change(accounts, .certificate(fingerprint: "1f", alias: "idp"), true)
        #expect(accounts.contains(.apiKey(digest: [1, 2], consumer: "ann")))
        #expect(accounts.contains(.certificate(fingerprint: "1f", alias: "old")))
    }

    @Test("a key may be refused from a later second on, and that may come earlier")
    func later() throws {
        let (accounts, key) = (accounts(), Credential.apiKey(digest: [1], consumer: "joe"))
        for (time, from) in [(1000, 90), (2000, 50), (3000, 0)] as [(Int64, Int64)] {
            let made = accounts.notice(key, isWithdrawn: true, from: from, milliseconds: time, until: 100)
            let (name, notice) = try #require(made)
            #expect(accounts.apply(notice, name: name))
            #expect(accounts.withdrawal(of: key)?.from == from)
        }
    }

    @Test("tokens lose the roles that their user had lost at their issue or later, until these are given again")
    func rolesOfTokens() throws {
        let accounts = accounts()
        let joe = User(username: "joe", realm: "r", roles: ["Clerk", "Manager"])
        let users = UserStore(users: [joe], hasher: PasswordHasher(), withdrawn: accounts)
        func left(_ second: Int64, _ user: User = joe) -> [String] {
            users.current(["Manager", "Guest"], of: user, issuedAt: second)
        }
        #expect(left(1) == ["Manager", "Guest"])
        let manager = Credential.role(realm: "r", name: "joe", role: "Manager")
        try change(accounts, manager, true, at: 10_000)
        #expect(users.user(named: "joe", realm: "r")?.roles == ["Clerk"])
        // Gateways may issue with the role until they know, within a second.
        #expect(left(9) == ["Guest"] && left(11) == ["Guest"] && left(12) == ["Manager", "Guest"])
        #expect(left(9, User(username: "joe", realm: "other")) == ["Manager", "Guest"])
        try change(accounts, manager, false, at: 20_000)
        #expect(left(9) == ["Manager", "Guest"])
        #expect(users.user(named: "joe", realm: "r")?.roles == ["Clerk", "Manager"])
    }

    @Test("earlier decisions are made again after changes that revoke no tokens")
    func version() throws {
        let accounts = accounts()
        let endings = Self.all.filter { ![.user, .password, .clientSecret].contains($0.kind) }
        for credential in Self.all { try change(accounts, credential, true) }
        #expect(accounts.rightsVersion == endings.count)
    }

    @Test("a notice without a holder concerns all")
    func unknownHolder() throws {
        let (accounts, joe) = (accounts(), User(username: "joe", realm: "r"))
        let made = accounts.notice(.user(realm: "r", name: "joe"), isWithdrawn: true, milliseconds: 1, until: 100)
        var (name, notice) = try #require(made)
        notice.holder = ""
        accounts.apply(notice, name: name)
        #expect(!accounts.current(joe).enabled)
    }

    @Test("a backend loses its withdrawn rights one by one, and all with its realm", arguments: ClientRight.allCases)
    func rights(_ right: ClientRight) throws {
        let accounts = accounts()
        var client = Client(
            name: "b", version: "1", id: "b", anonymousKey: "k", clientID: "c", realm: "r", enableSSO: true
        )
        client.grants.introspection = true
        client.grants.exchange = ExchangeRules()
        client.grants.refresh = RefreshLifetimes()
        client.grants.authorization = AuthorizationRules(redirectURIs: [])
        client.grants.allowsDevices = true
        var other = client
        (other.id, other.clientID) = ("c", "d")
        let store = Clients([client, other], withdrawn: accounts)
        func left(_ index: Int = 0) -> [ClientRight] { ClientRight.allCases.filter(store.client(at: index).has) }
        #expect(left() == ClientRight.allCases)
        try change(accounts, .setting(backendID: "b", name: right.rawValue), true)
        #expect(left() == ClientRight.allCases.filter { $0 != right } && left(1) == ClientRight.allCases)
        try change(accounts, .setting(backendID: "b", name: right.rawValue), false)
        #expect(left() == ClientRight.allCases)
        try change(accounts, .setting(backendID: "b", name: "anonymousKey", value: "k"), true)
        #expect(store.client(at: 0).anonymousKey.isEmpty && left() == ClientRight.allCases)
        try change(accounts, .setting(backendID: "b", name: "realm", value: "r"), true)
        #expect(store.client(at: 0).isRevoked && left(1) == ClientRight.allCases)
    }

    @Test("names that would concatenate to the same text are distinct")
    func namesWithOneTextAreTwo() throws {
        let accounts = accounts()
        try change(accounts, .user(realm: "a", name: "b\u{0}1 c"), true)
        #expect(!accounts.contains(.user(realm: "a\u{0}3 b", name: "c")))
        #expect(!accounts.contains(.user(realm: "A", name: "b\u{0}1 c")))
    }

    @Test("the latest notice wins in any order, also against a slow clock")
    func order() throws {
        let (here, joe) = (accounts(), Self.all[0])
        try change(here, joe, true, at: 5000)
        try change(here, joe, false, at: 10)
        #expect(!here.contains(joe))
        let there = accounts()
        for (name, notice) in here.notices { there.apply(notice, name: name) }
        let made = there.notice(joe, isWithdrawn: true, milliseconds: 20, until: 100)
        let (name, notice) = try #require(made)
        #expect(notice.changedAt == 5002)
        #expect(here.apply(notice, name: name) && here.contains(joe))
        func restored(at milliseconds: Int64) -> WithdrawnAccounts.Notice {
            .init(isWithdrawn: false, holder: notice.holder, changedAt: milliseconds, until: notice.until)
        }
        #expect(!here.apply(restored(at: notice.changedAt - 1), name: name))
        #expect(!here.apply(restored(at: notice.changedAt), name: name), "of one time the stricter word")
        here.prune(now: 99)
        #expect(here.contains(joe))
        here.prune(now: 100)
        #expect(here.isEmpty && here.notices.isEmpty)
    }

    @Test("any date that a store tells is compared without an overflow", arguments: [Int64.min, -1, .max])
    func foreignDates(_ milliseconds: Int64) throws {
        let accounts = accounts()
        let joe = Self.all[0]
        let (name, known) = try #require(accounts.notice(joe, isWithdrawn: true, milliseconds: 1, until: .max))
        accounts.apply(
            .init(isWithdrawn: true, holder: known.holder, changedAt: milliseconds, until: .max), name: name)
        for second in [0, 1_700_000_000] as [Int64] {
            #expect(accounts.contains(joe, changedSince: second) == (milliseconds == .max || second == 0))
        }
        #expect(accounts.notice(joe, isWithdrawn: false, milliseconds: 1, until: .max) != nil)
    }

    @Test("the stores return users and backends without withdrawn credentials")
    func stores() throws {
        let accounts = accounts()
        let users = UserStore(
            users: [
                User(username: "joe", realm: "r", passwordHash: "{PlainText}1"),
                User(username: "ann", email: "ann@example.com", realm: "r", passwordHash: "{PlainText}2"),
            ], hasher: PasswordHasher(), withdrawn: accounts)
        let clients = Clients(
            [
                Client(
                    name: "b", version: "1", id: "b", anonymousKey: "k", clientID: "c",
                    clientSecret: Secret("s"))
            ], withdrawn: accounts)
        func lets(_ name: String, _ password: String) -> Bool {
            users.check(username: name, password: Array(password.utf8), realm: "r") != nil
        }
        #expect(lets("joe", "1") && lets("ann", "2"))
        try change(accounts, .password(realm: "r", name: "joe", stored: "{PlainText}1"), true)
        #expect(!lets("joe", "1") && users.user(named: "joe", realm: "r")?.enabled == true)
        try change(accounts, .user(realm: "r", name: "ann"), true)
        #expect(!lets("ann", "2"))
        #expect(users.users(withEmail: "ann@example.com", realm: nil).map(\.enabled) == [false])
        #expect(users.namesakes(of: "ANN", realm: "r").map(\.enabled) == [false])
        #expect(users.users(named: "ann", realm: nil).map(\.enabled) == [false])
        let secret = Array("s".utf8)
        #expect(clients.client(clientID: "c")?.hasSecret(secret.span) == true)
        try change(accounts, .clientSecret(backendID: "b", secret: "s"), true)
        #expect(clients.client(clientID: "c")?.hasSecret(secret.span) == false)
        #expect(clients.client(clientID: "c")?.httpBasic == true)
        try change(accounts, .client(id: "b"), true)
        let id = Array("b".utf8)
        for client in [clients.client(clientID: "c"), clients.client(id: id.span), clients.client(at: 0)] {
            #expect(client?.httpBasic == false && client?.isRevoked == true)
        }
    }
}
