import Crypto
import Identity
import Model
import Testing

@Suite struct UserStoreTests {
    private static let hasher = PasswordHasher()

    private static func hash(_ password: String, _ scheme: PasswordScheme = .saltedSHA512) throws -> String {
        try hasher.make(Array(password.utf8).span, scheme: scheme)
    }

    private static func users() throws -> UserStore {
        UserStore(
            users: [
                User(username: "joe", passwordHash: try hash("Welcome1")),
                User(username: "joe", realm: "Other", passwordHash: try hash("Welcome9")),
                User(username: "ann", passwordHash: try hash("Welcome2"), enabled: false),
                User(username: "sso1"),
                User(username: "Karl", passwordHash: try hash("Welcome3")),
            ], hasher: hasher)
    }

    private func check(_ name: String, _ password: String, realm: String = "Default") throws -> User? {
        try Self.users().check(username: name, password: Array(password.utf8), realm: realm)
    }

    @Test("the right password finds the user")
    func rightPasswordFindsUser() throws {
        #expect(try check("joe", "Welcome1")?.username == "joe")
    }

    @Test("a wrong password is refused", arguments: ["", "welcome1", "Welcome1 ", "Welcome9"])
    func wrongPasswordIsRefused(_ password: String) throws {
        #expect(try check("joe", password) == nil)
    }

    @Test("MBE-09: the same name in another realm is another user")
    func realmsAreApart() throws {
        #expect(try check("joe", "Welcome9", realm: "Other")?.realm == "Other")
        #expect(try check("joe", "Welcome1", realm: "Other") == nil)
        #expect(try check("ann", "Welcome2", realm: "Other") == nil)
        #expect(try check("joe", "Welcome1", realm: "Nowhere") == nil)
    }

    @Test("MAP-04: a disabled user is refused")
    func disabledUserIsRefused() throws {
        #expect(try check("ann", "Welcome2") == nil)
    }

    @Test("MBE-11: a user without a password is refused, also with an empty one", arguments: ["", "nil", "Welcome1"])
    func userWithoutPasswordIsRefused(_ password: String) throws {
        #expect(try check("sso1", password) == nil)
    }

    @Test("an unknown name is refused", arguments: ["nobody", "", "\u{212A}arl", "karl"])
    func unknownNameIsRefused(_ name: String) throws {
        #expect(try check(name, "Welcome3") == nil)
        #expect(try check("Karl", "Welcome3") != nil)
    }

    @Test("OMS-12: namesakes follow the equality rules of directories")
    func namesakesAreThoseOfADirectory() {
        let names = ["joe", "Anna Lee", "Stra\u{DF}e", "Zo\u{EB}", "karl", "KARL"]
        let users = names.map { User(username: $0) } + [User(username: "sue", realm: "Other")]
        let store = UserStore(users: users, hasher: Self.hasher)
        for (name, expected) in [
            ("joe", ["joe"]), ("JoE", ["joe"]), ("anna  lee", ["Anna Lee"]), ("STRASSE", ["Stra\u{DF}e"]),
            ("ZOE\u{308}", ["Zo\u{EB}"]), ("\u{212A}arl", ["karl", "KARL"]), ("jo", []), ("annalee", []), ("sue", []),
        ] {
            #expect(store.namesakes(of: name, realm: "Default").map(\.username) == expected, "\(name)")
        }
        #expect(store.namesakes(of: "SUE", realm: "Other").count == 1)
        #expect(store.users(named: "JOE", realm: nil).isEmpty && store.user(named: "JOE", realm: "Default") == nil)
    }

    @Test("an unknown user costs one hash of the common scheme, and is always refused")
    func unknownUserCostsAsMuchAndGainsNothing() throws {
        let store = UserStore(
            users: [
                User(username: "a", passwordHash: try Self.hash("Welcome1", .scrypt)),
                User(username: "b", passwordHash: try Self.hash("Welcome1", .scrypt)),
                User(username: "c", passwordHash: try Self.hash("Welcome1")),
                User(username: "sso1"),
            ], hasher: Self.hasher)
        let clock = ContinuousClock()
        func cost(_ name: String) -> Duration {
            (0..<3).map { _ in
                clock.measure { _ = store.check(username: name, password: Array("wrong".utf8), realm: "Default") }
            }.min() ?? .zero
        }
        let known = cost("a")
        for name in ["nobody", "sso1"] {
            #expect(store.check(username: name, password: Array("Welcome1".utf8), realm: "Default") == nil)
            #expect(cost(name) > known / 10, "\(name) is answered too fast")
        }
    }

    @Test("a store without passwords refuses all users")
    func storeWithoutPasswordsRefusesEverybody() {
        let store = UserStore(users: [User(username: "sso1")], hasher: Self.hasher)
        #expect(store.check(username: "sso1", password: [], realm: "Default") == nil)
    }
}
