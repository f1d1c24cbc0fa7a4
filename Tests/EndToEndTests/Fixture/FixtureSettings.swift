/// The sections of a configuration as JSON text, by name. It begins as the fixture of section 1.5 of the requirements
/// with one stub upstream; tests replace what they are about.
struct FixtureSettings: Sendable {
    var sections: [String: String]

    init(upstream: String) {
        sections = [
            "baseUrl": #""http://gw.example.com""#,
            // Browsers of tests log in at this host; proofs and redirect URIs are for `baseUrl`, since none has the port.
            "additionalBaseUrls": #"["http://127.0.0.1:1"]"#,
            "workers": "2",
            "listeners": #"[{"name": "public", "address": "127.0.0.1", "port": 0}]"#,
            "admin": #"{"address": "127.0.0.1", "port": 0, "adminToken": "admin-secret"}"#,
            "upstreams": #"{"stub": {"url": "\#(upstream)"}}"#,
            "roles": #"["Manager", "Clerk", "Auditor", "Guest", "Employee"]"#,
            "users": Self.users(),
            "backends": Self.backends,
            "identityProviders": #"[{"name": "local", "kind": "local"}]"#,
            "issuers": #"{"local": {"module": "embedded", "audience": "inventory"}}"#,
            "webgates": Self.webgates,
            "routes": Self.list(Self.routes),
        ]
    }

    /// The text of `gateway.json`.
    var text: String {
        "{\n" + sections.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ",\n")
            + "\n}\n"
    }

    subscript(_ section: String) -> String? {
        get { sections[section] }
        set { sections[section] = newValue }
    }

    /// Puts routes in front of the usual ones, each the text of an object.
    mutating func addRoutes(_ routes: String...) { sections["routes"] = Self.list(routes + Self.routes) }

    static func list(_ items: [String]) -> String { "[\n" + items.joined(separator: ",\n") + "\n]" }

    /// Passwords are plain text here: hashes are slow, and have tests of their own.
    static func users(joe: String = #"["Manager"]"#, password: String = "Welcome1") -> String {
        """
        [
          {"username": "joe", "email": "joe@example.com", "firstName": "Joe", "lastName": "Example",
           "password": "{PlainText}\(password)", "roles": \(joe)},
          {"username": "ann", "email": "ann@example.com", "password": "{PlainText}Welcome2", "roles": ["Clerk"]},
          {"username": "bob", "email": "bob@example.com", "password": "{PlainText}Welcome3", "roles": []},
          {"username": "eve", "email": "eve@example.com", "password": "{PlainText}a+b&c=%", "roles": ["Manager"]}
        ]
        """
    }

    static let backends = """
        [
          {"name": "inventory", "version": "1.0", "mobileBackendId": "mbe-inv-1", "anonymousKey": "YW5vbi1pbnY6azN5",
           "clientId": "inv-client", "clientSecret": "inv-secret", "enableSso": true},
          {"name": "scheduler", "version": "1.0", "mobileBackendId": "mbe-sch-1", "clientId": "sch-client",
           "clientSecret": "sch-secret"}
        ]
        """

    /// The same for a program without the trait `Compatibility`.
    static let coreBackends = backends.replacing(#", "enableSso": true"#, with: "")

    static let webgates = """
        [
          {"name": "InventoryWG", "level": 2, "injection": {"issuer": "local"}},
          {"name": "MobileWG", "level": 2, "userDefinedParameters": {"User-Agent": "OAMMS-Agent"}},
          {"name": "HighWG", "level": 3, "injection": {"issuer": "local"}}
        ]
        """

    static let routes = [
        """
        {"path": "/inventory/items", "upstream": "stub", "webgate": "InventoryWG", "backends": ["inventory/1.0"],
         "methods": {"GET": {"roles": ["Manager", "Clerk"]}, "POST": {"roles": ["Manager"]}}}
        """,
        #"{"path": "/inventory/me", "upstream": "stub", "backends": ["inventory/1.0"], "injection": {"issuer": "local"}}"#,
        #"{"path": "/inventory/public", "upstream": "stub", "backends": ["inventory/1.0"], "loginRequired": false}"#,
        #"{"path": "/inventory/**", "upstream": "stub", "webgate": "InventoryWG", "backends": ["inventory/1.0"]}"#,
        #"{"path": "/open/**", "upstream": "stub", "public": true}"#,
        #"{"path": "/mobileapp", "upstream": "stub", "webgate": "MobileWG"}"#,
        #"{"path": "/payroll", "upstream": "stub", "webgate": "HighWG"}"#,
        #"{"path": "/plain", "upstream": "stub"}"#,
    ]
}
