import Foundation
import TestSupport
import Testing

/// Gateways with one Redis server and a configuration each: what the administration of one takes away is refused by the
/// other within a second. A test for each row of `config/guides/fleet.md`; users, passwords, secrets and revoked backends
/// are in `SharedAccountTests`.
@Suite struct SharedAdministrationTests {
    private static let invoices =
        #"{"path": "/invoices", "upstream": "stub", "loginRequired": false, "roles": ["Clerk"]}"#

    private static func nodes(_ change: (inout FixtureSettings) -> Void = { _ in }) throws -> SharedStoreNodes {
        try SharedStoreNodes {
            $0["consumers"] = #"[{"name": "billing", "roles": ["Clerk"]}, {"name": "stock", "roles": ["Clerk"]}]"#
            $0.addRoutes(invoices)
            change(&$0)
        }
    }

    // MARK: API keys

    private static func addKey(_ nodes: SharedStoreNodes, _ consumer: String = "billing") throws -> String {
        let answer = try nodes.admin(0, "POST", "/admin/consumers/\(consumer)/keys", "{}")
        #expect(answer.only("X-Gateway-Reach") == "this-gateway")
        let key = try #require(JSONText(answer.text).string, "\(answer.text)")
        try nodes.copyFiles(from: 0, to: 1)
        for node in 0...1 { #expect(try status(nodes, node, key) == 200) }
        return key
    }

    private static func status(_ nodes: SharedStoreNodes, _ node: Int, _ key: String) throws -> Int {
        try nodes.gateways[node].request("GET", "/invoices", ["X-API-Key: \(key)"]).status
    }

    @Test("a revoked API key is refused, also by a gateway that starts later and by one that gets older files")
    func revokedKey() throws {
        let nodes = try Self.nodes()
        let (key, other) = (try Self.addKey(nodes), try Self.addKey(nodes, "stock"))
        let files = try nodes.directories[1].read("gateway.json")
        let answer = try nodes.admin(0, "DELETE", "/admin/consumers/billing/keys/\(try nodes.keyIDs("billing")[0])")
        #expect(answer.only("X-Gateway-Reach") == "withdrawals")
        #expect(try nodes.isSoWithinASecond { try Self.status(nodes, 1, key) == 401 })
        #expect(try Self.status(nodes, 1, other) == 200)
        let event = try #require(nodes.gateways[1].waitForEvent("account_withdrawn"))
        #expect(event["kind"].string == "api_key" && event["holder"].string == "billing")
        let late = try GatewayProcess(nodes.directories[1])
        _ = try #require(late.waitForEvent("ready"))
        #expect(try late.request("GET", "/invoices", ["X-API-Key: \(key)"]).status == 401)
        #expect(try late.request("GET", "/invoices", ["X-API-Key: \(other)"]).status == 200)
        // The earlier files reach the gateway that has revoked it.
        try nodes.directories[0].write("gateway.json", files)
        try nodes.admin(0, "POST", "/admin/reload")
        for node in 0...1 { #expect(try Self.status(nodes, node, key) == 401) }
        let fresh = try Self.addKey(nodes)
        for node in 0...1 { #expect(try Self.status(nodes, node, fresh) == 200) }
    }

    @Test("a rotated API key comes to its end at all gateways, and a revocation comes before that end")
    func rotatedKey() throws {
        let nodes = try Self.nodes()
        let (key, other) = (try Self.addKey(nodes), try Self.addKey(nodes, "stock"))
        try nodes.admin(0, "POST", "/admin/consumers/billing/rotate", #"{"overlap": "2s"}"#)
        try nodes.admin(0, "POST", "/admin/consumers/stock/rotate", #"{"overlap": "1h"}"#)
        #expect(try nodes.waitUntil { try Self.status(nodes, 1, key) == 401 })
        #expect(try Self.status(nodes, 1, other) == 200)
        try nodes.admin(0, "DELETE", "/admin/consumers/stock/keys/\(try nodes.keyIDs("stock")[0])")
        #expect(try nodes.isSoWithinASecond { try Self.status(nodes, 1, other) == 401 })
        // Another rotation, at a gateway that has the key still, gives it no new time.
        try nodes.admin(1, "POST", "/admin/consumers/stock/rotate", #"{"overlap": "1h"}"#)
        #expect(try Self.status(nodes, 1, other) == 401)
    }

    @Test("a change that a store could not take reaches the other gateways when it answers again")
    func afterAnOutage() throws {
        let nodes = try Self.nodes()
        let key = try Self.addKey(nodes)
        nodes.redis.freeze()
        let answer = try nodes.gateways[0].request(
            "DELETE", "/admin/consumers/billing/keys/\(try nodes.keyIDs("billing")[0])", [.bearer("admin-secret")],
            listener: "admin")
        #expect(answer.status == 503 && answer.text.contains("in force here"), "\(answer.text)")
        #expect(try Self.status(nodes, 0, key) == 401 && Self.status(nodes, 1, key) == 200)
        nodes.redis.thaw()
        #expect(try nodes.waitUntil { try Self.status(nodes, 1, key) == 401 })
    }

    @Test("a gateway that missed a change while its connection was gone has it after the reconnection")
    func afterAReconnection() throws {
        let nodes = try Self.nodes()
        let key = try Self.addKey(nodes)
        nodes.gateways[1].program.signal(SIGSTOP)
        try nodes.admin(0, "DELETE", "/admin/consumers/billing/keys/\(try nodes.keyIDs("billing")[0])")
        // The connections of both end, and what was written stays.
        #expect(try nodes.redis.ask("SAVE") == "OK")
        try nodes.redis.restart()
        nodes.gateways[1].program.signal(SIGCONT)
        #expect(try nodes.waitUntil { try Self.status(nodes, 1, key) == 401 })
    }

    @Test("a consumer that is disabled, removed or loses a role is refused, until it has them again")
    func consumer() throws {
        let nodes = try Self.nodes()
        let key = try Self.addKey(nodes)
        let text = try nodes.directories[0].read("gateway.json")
        func reload(_ old: String, _ new: String) throws {
            try #require(text.contains(old), "\(text)")
            try nodes.directories[0].write("gateway.json", text.replacing(old, with: new))
            try nodes.admin(0, "POST", "/admin/reload")
        }
        let (name, entry) = (#""name": "billing", "#, #""roles": ["Clerk"]"#)
        for (change, status) in [
            (#""name": "billing", "enabled": false, "#, 401), (#""name": "other", "#, 401),
        ] {
            try reload(name, change)
            #expect(try nodes.isSoWithinASecond { try Self.status(nodes, 1, key) == status })
            try reload(name, name)
            #expect(try nodes.waitUntil { try Self.status(nodes, 1, key) == 200 }, "\(change)")
        }
        try reload(name + entry, name + #""roles": []"#)
        #expect(try nodes.isSoWithinASecond { try Self.status(nodes, 1, key) == 403 })
        try reload(name, name)
        #expect(try nodes.waitUntil { try Self.status(nodes, 1, key) == 200 })
    }

    // MARK: Roles

    @Test(
        "a role that a user loses is lost at all gateways, with earlier tokens and passwords, until it is given again")
    func role() throws {
        let nodes = try Self.nodes()
        let tokens = [try nodes.token(0), try nodes.token(1)]
        func post(_ node: Int, _ fields: [Field]) throws -> Int {
            try nodes.gateways[node].request("POST", "/inventory/items", fields).status
        }
        let password: [Field] = [.basic("joe:Welcome1"), "Oracle-Mobile-Backend-ID: mbe-inv-1"]
        func isManager(_ node: Int, _ token: String) throws -> Bool {
            let (bearer, basic) = (try post(node, [.bearer(token)]), try post(node, password))
            return bearer == 200 && basic == 200
        }
        for node in 0...1 { for token in tokens { #expect(try isManager(node, token)) } }
        let exchanged = try #require(
            JSONText(try nodes.login(1, "ann", "Welcome2").text)["access_token"].string)
        let answer = try nodes.admin(0, "PATCH", "/admin/users/joe", #"{"removeRoles": ["Manager"]}"#)
        #expect(answer.only("X-Gateway-Reach") == "withdrawals")
        #expect(
            try nodes.isSoWithinASecond {
                try post(1, [.bearer(tokens[0])]) == 403 && post(1, [.bearer(tokens[1])]) == 403
                    && post(1, password) == 403
            })
        for token in tokens { #expect(try post(0, [.bearer(token)]) == 403) }
        // No other user loses anything.
        #expect(try nodes.bearer(1, tokens[0]) == 200 && nodes.bearer(1, exchanged) == 200)
        for node in 0...1 {
            let fresh = try nodes.token(node)
            for other in 0...1 { #expect(try post(other, [.bearer(fresh)]) == 403) }
        }
        // A change of something else by the older files of the other changes nothing about it.
        try nodes.admin(1, "PATCH", "/admin/users/joe", #"{"addRoles": ["Clerk"]}"#)
        #expect(try post(1, [.bearer(try nodes.token(1))]) == 403)
        try nodes.admin(0, "PATCH", "/admin/users/joe", #"{"addRoles": ["Manager"]}"#)
        #expect(try nodes.waitUntil { try post(1, password) == 200 })
        let fresh = try nodes.token(1)
        for node in 0...1 { #expect(try isManager(node, fresh)) }
    }

    @Test("two gateways that change at the same time both prevail, and an unrelated change takes nothing back")
    func both() throws {
        let nodes = try Self.nodes()
        let (joe, eve) = (try nodes.token(0), try nodes.token(0, "eve", "a%2Bb%26c%3D%25"))
        func post(_ node: Int, _ token: String) throws -> Int {
            try nodes.gateways[node].request("POST", "/inventory/items", [.bearer(token)]).status
        }
        try nodes.admin(0, "PATCH", "/admin/users/joe", #"{"roles": []}"#)
        try nodes.admin(1, "PATCH", "/admin/users/eve", #"{"roles": []}"#)
        for node in 0...1 {
            for token in [joe, eve] { #expect(try nodes.isSoWithinASecond { try post(node, token) == 403 }) }
        }
        try nodes.admin(1, "PATCH", "/admin/users/joe", #"{"email": "joe@new.example.com"}"#)
        #expect(try post(1, try nodes.token(1)) == 403)
        // Nor does it enable users that the other has disabled.
        try nodes.admin(0, "PATCH", "/admin/users/joe", #"{"enabled": false}"#)
        #expect(try nodes.isSoWithinASecond { try nodes.login(1).status == 400 })
        try nodes.admin(1, "PATCH", "/admin/users/joe", #"{"addRoles": ["Clerk"]}"#)
        #expect(try nodes.login(1).status == 400)
    }

    // MARK: Backends and clients

    @Test(
        "a switch of a backend that is turned off is off at all gateways, until it is turned on",
        arguments: ["httpBasic", "oauthConsumer", "enableSso"])
    func backendSwitch(_ name: String) throws {
        let nodes = try Self.nodes {
            $0["policies"] = #"{"Security_SsoRedirectWhitelist": "https://www.example.com"}"#
        }
        let token = try nodes.token(0)
        let anonymous: [Field] = ["Authorization: Basic YW5vbi1pbnY6azN5", "Oracle-Mobile-Backend-ID: mbe-inv-1"]
        /// What the switch opens.
        func isOpen(_ node: Int) throws -> [Bool] {
            let gateway = nodes.gateways[node]
            switch name {
            case "httpBasic":
                return [
                    try nodes.basic(node, "joe:Welcome1") == 200,
                    try gateway.request("GET", "/inventory/public", anonymous).status == 200,
                ]
            case "oauthConsumer":
                return [try nodes.bearer(node, token) == 200, try nodes.login(node).status == 200]
            default:
                let link =
                    "/mobile/platform/sso/exchange-token?clientID=inv-client&redirect_uri=https://www.example.com/"
                return [try gateway.request("GET", link).status == 302]
            }
        }
        #expect(try isOpen(1).allSatisfy(\.self))
        // Single sign-on needs OAuth.
        func body(_ value: Bool) -> String {
            name == "oauthConsumer"
                ? #"{"oauthConsumer": \#(value), "enableSso": \#(value)}"# : #"{"\#(name)": \#(value)}"#
        }
        let answer = try nodes.admin(0, "PATCH", "/admin/backends/inventory/1.0", body(false))
        #expect(answer.only("X-Gateway-Reach") == "withdrawals")
        #expect(try nodes.isSoWithinASecond { try !isOpen(1).contains(true) })
        if name != "httpBasic" { #expect(try nodes.basic(1, "joe:Welcome1") == 200) }
        #expect(
            try nodes.grant(nodes.gateways[1], "grant_type=client_credentials", client: "sch-client:sch-secret").status
                == 200)
        try nodes.admin(0, "PATCH", "/admin/backends/inventory/1.0", body(true))
        #expect(try nodes.waitUntil { try isOpen(1).allSatisfy(\.self) })
    }

    @Test("a removed backend, and one with another realm or anonymous key, is refused")
    func backend() throws {
        let nodes = try Self.nodes()
        let key: [Field] = ["Authorization: Basic YW5vbi1pbnY6azN5", "Oracle-Mobile-Backend-ID: mbe-inv-1"]
        func anonymous(_ node: Int) throws -> Int {
            try nodes.gateways[node].request("GET", "/inventory/public", key).status
        }
        #expect(try anonymous(1) == 200)
        let text = try nodes.directories[0].read("gateway.json")
        try nodes.directories[0].write("gateway.json", text.replacing("YW5vbi1pbnY6azN5", with: "YW5vbi1pbnY6azN6"))
        try nodes.admin(0, "POST", "/admin/reload")
        #expect(try nodes.isSoWithinASecond { try anonymous(1) == 401 })
        #expect(try nodes.basic(1, "joe:Welcome1") == 200)
        let token = try nodes.token(1)
        try nodes.admin(0, "PATCH", "/admin/backends/inventory/1.0", #"{"realm": "Other"}"#)
        #expect(
            try nodes.isSoWithinASecond { try nodes.basic(1, "joe:Welcome1") == 401 && nodes.bearer(1, token) == 401 })
        let client = "sch-client:sch-secret"
        #expect(try nodes.grant(nodes.gateways[1], "grant_type=client_credentials", client: client).status == 200)
        try nodes.admin(0, "DELETE", "/admin/backends/scheduler/1.0")
        #expect(
            try nodes.isSoWithinASecond {
                try nodes.grant(nodes.gateways[1], "grant_type=client_credentials", client: client).status == 401
            })
    }

    @Test("clients that register themselves are refused once that is turned off; a removed token registers none")
    func registration() throws {
        let (one, two) = ("0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210")
        func service(_ registration: String) -> String {
            #""registration": {"client": "web/1.0", \#(registration)}, "#
        }
        let tokens = #""initialAccessTokens": ["\#(one)", "\#(two)"]"#
        let open = service(#""open": true, "# + tokens)
        let nodes = try Self.nodes {
            AuthorizationFixture.prepare(&$0)
            let kept = $0["tokenService"] ?? "{}"
            $0["tokenService"] = "{" + open + kept.dropFirst()
        }
        func register(_ node: Int, _ token: String?) throws -> Response {
            try nodes.gateways[node].request(
                "POST", "/oauth2/register",
                ["Content-Type: application/json"] + (token.map { [.bearer($0)] } ?? []),
                body: #"{"redirect_uris": ["http://localhost:4711/cb"], "token_endpoint_auth_method": "none"}"#)
        }
        func reload(_ new: String) throws {
            let text = try nodes.directories[1].read("gateway.json")
            try #require(text.contains(open))
            try nodes.directories[0].write("gateway.json", text.replacing(open, with: new))
            try nodes.admin(0, "POST", "/admin/reload")
        }
        for token in [nil, one, two] { #expect(try register(1, token).status == 201) }
        let client = JSONText(try register(1, one).text)
        let (id, access) = (
            try #require(client["client_id"].string), try #require(client["registration_access_token"].string)
        )
        func show() throws -> Int {
            try nodes.gateways[1].request("GET", "/oauth2/register/\(id)", [.bearer(access)]).status
        }
        try reload(service(#""initialAccessTokens": ["\#(two)"]"#))
        #expect(try nodes.isSoWithinASecond { try register(1, nil).status == 401 && register(1, one).status == 401 })
        #expect(try register(1, two).status == 201 && show() == 200)
        try reload("")
        #expect(try nodes.isSoWithinASecond { try register(1, two).status == 404 && show() == 404 })
    }

    // MARK: Certificates

    @Test("assertions by a removed certificate are refused, until it is added again")
    func certificate() throws {
        let idp = try OutsideIssuer()
        let nodes = try Self.nodes {
            $0["policies"] = OutsideIssuer.policies(OutsideIssuer.configuration(OutsideIssuer.entry()))
            $0["certificates"] = idp.store
        }
        func exchange(_ node: Int) throws -> Int {
            let form = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(try idp.token())"
            return try nodes.gateways[node].request(
                "POST", "/mobile/platform/auth/token",
                [.basic("inv-client:inv-secret"), "Content-Type: application/x-www-form-urlencoded"], body: form
            ).status
        }
        for node in 0...1 { #expect(try exchange(node) == 200) }
        try nodes.admin(0, "DELETE", "/admin/certificates/idp")
        #expect(try exchange(0) == 400)
        #expect(try nodes.isSoWithinASecond { try exchange(1) == 400 })
        let pem = idp.certificate.replacing("\n", with: "\\n")
        try nodes.admin(0, "POST", "/admin/certificates", #"{"alias": "other", "pem": "\#(pem)"}"#)
        #expect(try nodes.waitUntil { try exchange(1) == 200 })
    }

    // MARK: The rest

    @Test("a change that stays at the gateway says so, to the command too")
    func local() throws {
        let nodes = try Self.nodes()
        let changes = [
            ("PATCH", "/admin/routes/%2Finvoices", #"{"roles": ["Auditor"]}"#),
            ("PUT", "/admin/policies/Security_SsoRedirectWhitelist", #"{"value": "https://www.example.com"}"#),
            ("DELETE", "/admin/policies/Security_SsoRedirectWhitelist", nil),
            ("POST", "/admin/roles", #"{"name": "Other"}"#), ("DELETE", "/admin/roles/Other", nil),
            ("POST", "/admin/realms", #"{"name": "Other"}"#), ("DELETE", "/admin/realms/Other", nil),
            ("POST", "/admin/users", #"{"username": "new", "password": "Welcome9"}"#),
            ("POST", "/admin/backends/inventory/1.0/routes", #"{"route": "/plain"}"#),
            ("POST", "/admin/signing-keys/rotate", "{}"),
        ]
        for (method, target, body) in changes {
            let answer = try nodes.admin(0, method, target, body)
            #expect(answer.only("X-Gateway-Reach") == "this-gateway", "\(method) \(target)")
        }
        #expect(try nodes.admin(0, "DELETE", "/admin/tokens?subject=joe").only("X-Gateway-Reach") == "all-gateways")
        #expect(try nodes.admin(0, "GET", "/admin/users").only("X-Gateway-Reach") == nil)
        let place = ["--admin", "http://127.0.0.1:\(try nodes.gateways[0].port("admin"))"]
        let environment = ["PORTCULLIS_ADMIN_TOKEN": "admin-secret"]
        for (words, note) in [
            (["roles", "add", "Another"], "bring the changed files to the others"),
            (["keys", "add", "billing"], "bring the changed files to the others"),
            (["signing-keys", "rotate", "--now"], "make the change at each of the others"),
            (
                ["users", "remove", "new"],
                "all gateways refuse what this takes away; the rest applies to the others once they have the"
            ),
        ] {
            let run = try Program.run(GatewayProcess.binary, words + place, environment: environment)
            #expect(run.ending == .exit(0) && run.errors.contains(note), "\(run)")
        }
        // Where there are no others, nothing is said.
        let alone = try Administrator(.listener)
        let answer = try alone.fixture.gateway.request(
            "POST", "/admin/roles", [.bearer("admin-secret"), "Content-Type: application/json"],
            body: #"{"name": "Other"}"#, listener: "admin")
        #expect(answer.status == 201 && answer.only("X-Gateway-Reach") == nil)
    }

    @Test("a record of a later version is skipped and told, and its object is refused")
    func laterVersion() throws {
        let nodes = try Self.nodes()
        try nodes.admin(0, "PATCH", "/admin/users/joe", #"{"enabled": false}"#)
        #expect(try nodes.isSoWithinASecond { try nodes.login(1).status == 400 })
        let entries = try nodes.redis.ask("ZRANGE", "{portcullis:}denied", "0", "-1")
        let name = try #require(entries.firstMatch(of: /(user:[\w-]+)joe/)?.1)
        try nodes.admin(0, "PATCH", "/admin/users/joe", #"{"enabled": true}"#)
        #expect(nodes.gateways[1].waitForEvent("account_restored") != nil)
        #expect(try nodes.login(1).status == 200)
        let place = try #require(Int(try nodes.redis.ask("GET", "{portcullis:}sequence"))) + 1
        _ = try nodes.redis.ask(
            "ZADD", "{portcullis:}denied", "\(place)",
            "\(place) suspended 9999999999000 9999999999 \(name.utf8.count) \(name)joe")
        _ = try nodes.redis.ask("SET", "{portcullis:}sequence", "\(place)")
        let told = try #require(nodes.gateways[1].waitForEvent("deny_entries_skipped"))
        #expect(told["kind"].string == "suspended" && told["sequence"].integer == place, "\(told)")
        #expect(try nodes.login(1).status == 400 && nodes.login(0, "ann", "Welcome2").status == 200)
    }
}
