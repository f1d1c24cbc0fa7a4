import Foundation
import TestSupport
import Testing

/// Gateways with one Redis server and a configuration each: what is disabled or changed by the administration of one is
/// refused by the others, which know nothing of it from their files.
@Suite struct SharedAccountTests {
    @Test("a user enabled by another gateway is refused by it again after another disabling or removal")
    func disabledAgain() throws {
        let nodes = try SharedStoreNodes()
        let disable = #"{"enabled": false}"#
        try nodes.admin(0, "PATCH", "/admin/users/joe", disable)
        #expect(try nodes.isSoWithinASecond { try nodes.login(1).status == 400 })
        try nodes.admin(1, "PATCH", "/admin/users/joe", disable)
        try nodes.admin(1, "PATCH", "/admin/users/joe", #"{"enabled": true}"#)
        #expect(try nodes.waitUntil { try nodes.login(1).status == 200 })
        try nodes.admin(0, "PATCH", "/admin/users/joe", disable)
        #expect(try nodes.isSoWithinASecond { try nodes.login(1).status == 400 })
        try nodes.admin(1, "PATCH", "/admin/users/joe", disable)
        try nodes.admin(1, "PATCH", "/admin/users/joe", #"{"enabled": true}"#)
        #expect(try nodes.waitUntil { try nodes.login(1).status == 200 })
        try nodes.admin(0, "DELETE", "/admin/users/joe")
        #expect(try nodes.isSoWithinASecond { try nodes.login(1).status == 400 })
    }

    @Test("a change that the store cannot accept applies, is answered 503, and is stored later")
    func untold() throws {
        let nodes = try SharedStoreNodes(1)
        let joe = try nodes.token(0)
        nodes.redis.freeze()
        func change(_ body: String) throws -> Response {
            try nodes.gateways[0].request(
                "PATCH", "/admin/users/joe", [.bearer("admin-secret"), "Content-Type: application/json"], body: body,
                listener: "admin")
        }
        for body in [#"{"enabled": false}"#, #"{"password": "Another9"}"#] {
            let answer = try change(body)
            #expect(answer.status == 503)
            let text = answer.text
            #expect(
                text.contains("the change is made, and in force here") && text.contains("the store has failed (store_"),
                "\(text)")
        }
        #expect(try nodes.directories[0].read("gateway.json").contains(#""enabled": false"#))
        // The grant of joe's token, and the two changes.
        #expect(
            nodes.gateways[0].events("audit", count: 3).map { $0["action"].string } == [
                "grant.password", "users.change", "users.change",
            ])
        // A secret is shown once.
        let rotated = try Program.run(
            GatewayProcess.binary,
            [
                "backend", "rotate-secret", "inventory", "1.0", "--admin",
                "http://127.0.0.1:\(try nodes.gateways[0].port("admin"))",
            ], environment: ["PORTCULLIS_ADMIN_TOKEN": "admin-secret"])
        let secret = try #require(JSONText(rotated.output)["clientSecret"].string, "\(rotated)")
        #expect(rotated.ending == .exit(1) && rotated.errors.contains("in force here"))
        // So is a reload of files that take something away.
        let text = try nodes.directories[0].read("gateway.json")
        try nodes.directories[0].write("gateway.json", text.replacing("Welcome2", with: "Another2"))
        let reloaded = try nodes.gateways[0].request(
            "POST", "/admin/reload", [.bearer("admin-secret")], listener: "admin")
        #expect(reloaded.status == 503 && reloaded.text.contains("in force here"), "\(reloaded.text)")
        nodes.redis.thaw()
        #expect(
            try nodes.waitUntil {
                try nodes.redis.ask("ZRANGE", "{portcullis:}denied", "0", "-1").contains("withdrawn")
            })
        #expect(try nodes.waitUntil { try nodes.bearer(0, joe) == 401 })
        #expect(try change(#"{"enabled": false}"#).status < 300)
        let application = try nodes.grant(
            nodes.gateways[0], "grant_type=client_credentials", client: "inv-client:\(secret)")
        #expect(application.status == 200, "\(application.text)")
    }

    @Test("a user disabled by one gateway is refused by the others within a second, until enabled")
    func disabled() throws {
        let nodes = try SharedStoreNodes()
        let (joe, ann) = (try nodes.token(1), try nodes.token(1, "ann", "Welcome2"))
        #expect(try nodes.waitUntil { try nodes.bearer(0, joe) == 200 })
        #expect(try nodes.bearer(1, joe) == 200 && nodes.basic(1, "joe:Welcome1") == 200)
        try nodes.admin(0, "PATCH", "/admin/users/joe", #"{"enabled": false}"#)
        #expect(
            try nodes.isSoWithinASecond {
                try nodes.bearer(1, joe) == 401 && nodes.login(1).status == 400
                    && nodes.basic(1, "joe:Welcome1") == 401
            })
        #expect(try nodes.bearer(1, ann) == 200)
        #expect(try nodes.login(1, "ann", "Welcome2").status == 200)
        // From its first answer on, another process on the former files.
        let late = try GatewayProcess(nodes.directories[1])
        #expect(try nodes.waitUntil { try late.request("GET", "/inventory/me", [.bearer(ann)]).status == 200 })
        #expect(try late.request("GET", "/inventory/me", [.bearer(joe)]).status == 401)
        #expect(try nodes.grant(late, "grant_type=password&username=joe&password=Welcome1").status == 400)
        // Names are in the log, and what is in the store tells none of them by itself.
        let event = try #require(nodes.gateways[1].waitForEvent("account_withdrawn"))
        #expect(event["holder"].string == "joe" && event["kind"].string == "user")

        try nodes.admin(0, "PATCH", "/admin/users/joe", #"{"enabled": true}"#)
        // Wrong passwords count against the user: the one that is right comes when it is time.
        _ = try #require(nodes.gateways[1].waitForEvent("account_restored"))
        #expect(try nodes.login(1).status == 200)
        let again = try nodes.token(0)
        #expect(try nodes.bearer(0, again) == 200 && nodes.bearer(1, again) == 200)
        #expect(try nodes.bearer(1, joe) == 401)
    }

    @Test("a user removed by one gateway is refused by the others, and accepted when created again")
    func removed() throws {
        let nodes = try SharedStoreNodes()
        let joe = try nodes.token(1)
        try nodes.admin(0, "DELETE", "/admin/users/joe")
        #expect(try nodes.isSoWithinASecond { try nodes.bearer(1, joe) == 401 && nodes.login(1).status == 400 })
        let user = #"{"username": "joe", "password": "Another9", "roles": ["Manager"]}"#
        try nodes.admin(0, "POST", "/admin/users", user)
        let fresh = try nodes.token(0, "joe", "Another9")
        #expect(try nodes.bearer(0, fresh) == 200)
        #expect(try nodes.waitUntil { try nodes.bearer(1, fresh) == 200 })
        #expect(try nodes.bearer(1, joe) == 401)
        #expect(try nodes.login(1).status == 400, "the password of before")
    }

    @Test("a password changed by one gateway is refused by the others; tokens of the new one are accepted")
    func password() throws {
        let nodes = try SharedStoreNodes()
        let joe = try nodes.token(1)
        #expect(try nodes.basic(1, "joe:Welcome1") == 200)
        try nodes.admin(0, "PATCH", "/admin/users/joe", #"{"password": "Another9"}"#)
        #expect(
            try nodes.isSoWithinASecond {
                try nodes.login(1).status == 400 && nodes.bearer(1, joe) == 401
                    && nodes.basic(1, "joe:Welcome1") == 401
            })
        let fresh = try nodes.token(0, "joe", "Another9")
        #expect(try nodes.bearer(0, fresh) == 200 && nodes.bearer(1, fresh) == 200)
    }

    @Test("a client secret changed by one gateway is refused by the others until they have the new one")
    func secret() throws {
        let nodes = try SharedStoreNodes()
        let joe = try nodes.token(1)
        let answer = try nodes.admin(0, "POST", "/admin/backends/inventory/1.0/rotate-secret")
        let secret = try #require(JSONText(answer.text)["clientSecret"].string, "\(answer.text)")
        #expect(try nodes.isSoWithinASecond { try nodes.login(1).status == 401 && nodes.bearer(1, joe) == 401 })
        #expect(
            try nodes.grant(nodes.gateways[1], "grant_type=client_credentials", client: "sch-client:sch-secret").status
                == 200)
        let fresh = try nodes.grant(
            nodes.gateways[0], "grant_type=client_credentials", client: "inv-client:\(secret)")
        #expect(fresh.status == 200)
        // The files arrive.
        try nodes.directories[1].write("gateway.json", try nodes.directories[0].read("gateway.json"))
        try nodes.admin(1, "POST", "/admin/reload")
        let there = try nodes.grant(
            nodes.gateways[1], "grant_type=client_credentials", client: "inv-client:\(secret)")
        #expect(there.status == 200)
        #expect(try nodes.login(1).status == 401)
    }

    @Test("a backend revoked by one gateway is refused by the others")
    func backend() throws {
        let nodes = try SharedStoreNodes()
        let joe = try nodes.token(1)
        let anonymous: [Field] = ["Authorization: Basic YW5vbi1pbnY6azN5", "Oracle-Mobile-Backend-ID: mbe-inv-1"]
        func anonymousStatus(_ node: Int) throws -> Int {
            try nodes.gateways[node].request("GET", "/inventory/public", anonymous).status
        }
        #expect(try anonymousStatus(1) == 200)
        try nodes.admin(0, "POST", "/admin/backends/inventory/1.0/revoke")
        #expect(
            try nodes.isSoWithinASecond {
                try nodes.login(1).status == 401 && nodes.bearer(1, joe) == 401 && anonymousStatus(1) == 401
            })
        #expect(
            try nodes.grant(nodes.gateways[1], "grant_type=client_credentials", client: "sch-client:sch-secret").status
                == 200)
    }

    // MARK: Lost writes

    @Test("lost entries are written to the store again before another gateway starts from it")
    func lostWrites() throws {
        let nodes = try SharedStoreNodes(2)
        let (early, joe, ann) = (try nodes.token(0), try nodes.token(0), try nodes.token(0, "ann", "Welcome2"))
        func revoke(_ token: String) throws {
            let id = try #require(JSONWebToken(token).claims["jti"].string)
            try nodes.admin(0, "POST", "/admin/revocations", #"{"jti": "\#(id)"}"#)
        }
        try revoke(early)
        // As a replica has it that takes over: everything but what came last.
        #expect(try nodes.redis.ask("SAVE") == "OK")
        try revoke(joe)
        try nodes.admin(0, "PATCH", "/admin/users/bob", #"{"enabled": false}"#)
        try nodes.redis.restart()
        let id = try #require(JSONWebToken(joe).claims["jti"].string)
        #expect(
            try nodes.waitUntil {
                let held = try nodes.redis.ask("ZRANGE", "{portcullis:}denied", "0", "-1")
                return held.contains(id) && held.contains("withdrawn")
            })
        // One of both was the first to find it out.
        #expect(nodes.waitUntil { nodes.gateways.contains { !$0.events("revocations_restored").isEmpty } })
        let late = try GatewayProcess(nodes.directories[1])
        func status(_ token: String) throws -> Int {
            try late.request("GET", "/inventory/me", [.bearer(token)]).status
        }
        #expect(try nodes.waitUntil { try status(ann) == 200 })
        #expect(try status(early) == 401 && status(joe) == 401)
        #expect(try nodes.grant(late, "grant_type=password&username=bob&password=Welcome3").status == 400)
    }
}
