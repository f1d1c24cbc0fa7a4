import Bytes
import ClientStore

// The stored forms of the client's state. Names and kinds of members stay as they are: stores of earlier versions have them.

extension SessionState: StoredValue {
    init(_ stored: JSONNode) throws(MalformedStore) {
        self.init(
            login: try stored.storedIfAny("login"), registration: try stored.storedIfAny("registration"),
            webgates: try stored.storedList("webgates"), profile: try stored.storedIfAny("profile"),
            verifier: try stored.storedIfAny("verifier"))
    }

    var members: [(name: String, value: JSONNode?)] {
        [
            ("login", login?.node), ("registration", registration?.node), ("webgates", .list(webgates)),
            ("profile", profile?.node), ("verifier", verifier?.node),
        ]
    }
}

extension Scope: StoredValue {
    init(_ stored: JSONNode) throws(MalformedStore) {
        self.init(
            origin: try stored.stored("origin", \.string),
            serviceDomain: try stored.storedIfAny("serviceDomain", \.string),
            appName: try stored.storedIfAny("appName", \.string))
    }

    /// The scope of an object that is kept for one.
    static func of(_ stored: JSONNode) throws(MalformedStore) -> Scope {
        try Scope(try stored.stored("scope") { $0 })
    }

    var members: [(name: String, value: JSONNode?)] {
        [
            ("origin", .text(origin)), ("serviceDomain", .text(ifAny: serviceDomain)),
            ("appName", .text(ifAny: appName)),
        ]
    }
}

extension StoredLogin: StoredValue {
    init(_ stored: JSONNode) throws(MalformedStore) {
        self.init(
            method: try stored.stored("method") { $0.string.flatMap(LoginMethod.init) }, scope: try Scope.of(stored),
            backend: try stored.stored("backend", \.string), user: try stored.storedIfAny("user", \.string),
            token: try stored.storedIfAny("token", \.string), password: try stored.storedIfAny("password", \.string),
            refreshToken: try stored.storedIfAny("refreshToken", \.string),
            level: try stored.storedIfAny("level") { $0.integer.map(Int.init) },
            expiresAt: try stored.storedIfAny("expiresAt", \.integer))
    }

    var members: [(name: String, value: JSONNode?)] {
        [
            ("method", .text(method.rawValue)), ("scope", scope.node), ("backend", .text(backend)),
            ("user", .text(ifAny: user)), ("token", .text(ifAny: token)), ("password", .text(ifAny: password)),
            ("refreshToken", .text(ifAny: refreshToken)), ("level", level.map { .number(Int64($0)) }),
            ("expiresAt", expiresAt.map { .number($0) }),
        ]
    }
}

extension Registration: StoredValue {
    init(_ stored: JSONNode) throws(MalformedStore) {
        self.init(scope: try Scope.of(stored), handle: try stored.stored("handle", \.string))
    }

    var members: [(name: String, value: JSONNode?)] { [("scope", scope.node), ("handle", .text(handle))] }
}

extension WebgateToken: StoredValue {
    init(_ stored: JSONNode) throws(MalformedStore) {
        self.init(
            origin: try stored.stored("origin", \.string), webgate: try stored.stored("webgate", \.string),
            level: try stored.stored("level") { $0.integer.map(Int.init) },
            token: try stored.stored("token", \.string), expiresAt: try stored.storedIfAny("expiresAt", \.integer),
            paths: try stored.stored("paths", \.array).compactMap(\.string))
    }

    var members: [(name: String, value: JSONNode?)] {
        [
            ("origin", .text(origin)), ("webgate", .text(webgate)), ("level", .number(Int64(level))),
            ("token", .text(token)), ("expiresAt", expiresAt.map { .number($0) }), ("paths", .texts(paths)),
        ]
    }
}

extension CachedProfile: StoredValue {
    init(_ stored: JSONNode) throws(MalformedStore) {
        self.init(
            scope: try Scope.of(stored), text: try stored.stored("text", \.string),
            etag: try stored.storedIfAny("etag", \.string), freshUntil: try stored.stored("freshUntil", \.integer))
    }

    var members: [(name: String, value: JSONNode?)] {
        [
            ("scope", scope.node), ("text", .text(text)), ("etag", .text(ifAny: etag)),
            ("freshUntil", .number(freshUntil)),
        ]
    }
}

extension OfflineVerifier: StoredValue {
    init(_ stored: JSONNode) throws(MalformedStore) {
        self.init(
            scope: try Scope.of(stored), user: try stored.stored("user", \.string),
            stored: try stored.stored("stored", \.string),
            failures: try stored.stored("failures") { $0.integer.map(Int.init) },
            login: try StoredLogin(try stored.stored("login") { $0 }))
    }

    var members: [(name: String, value: JSONNode?)] {
        [
            ("scope", scope.node), ("user", .text(user)), ("stored", .text(stored)),
            ("failures", .number(Int64(failures))), ("login", login.node),
        ]
    }
}
