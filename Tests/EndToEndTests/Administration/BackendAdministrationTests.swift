import Foundation
import Glibc
import Testing

/// `portcullis backend`, `certificate` and `route`, and the same through the admin listener (MBE-01 to MBE-07, TOOL-02).
@Suite struct BackendAdministrationTests {
    @Test(
        "MBE-06: after revoke, secret, keys and tokens are refused; rotate-secret reactivates the backend",
        arguments: Administrator.Way.allCases)
    func revoke(_ way: Administrator.Way) throws {
        let admin = try Administrator(way)
        let (client, joe) = (try admin.fixture.clientToken(), try admin.fixture.token("joe"))
        #expect(try admin.bearer(joe) == 200)
        let key: [Field] = ["Authorization: Basic YW5vbi1pbnY6azN5", "Oracle-Mobile-Backend-ID: mbe-inv-1"]
        #expect(try admin.fixture.request("GET", "/inventory/public", key).status == 200)
        #expect(try admin.done("backend", "revoke", "inventory", "1.0").isEmpty)
        let refusal = try admin.fixture.grant("grant_type=client_credentials")
        #expect(refusal.status == 401)
        #expect(JSONText(refusal.text)["error"].string == "invalid_client")
        #expect(try admin.bearer(joe) == 401)
        #expect(try admin.bearer(client, "GET", "/inventory/public") == 401)
        #expect(try admin.basic("joe:Welcome1") == 401)
        #expect(try admin.fixture.request("GET", "/inventory/public", key).status == 401)
        #expect(try admin.fixture.grant("grant_type=client_credentials", client: "inv-client:").status == 401)
        #expect(try admin.fixture.grant("grant_type=client_credentials", client: "sch-client:sch-secret").status == 200)
        #expect(JSONText(try admin.done("backend", "show", "inventory"))["revoked"].bool == true)
        #expect(try !admin.fixture.gateway.configuration.read("gateway.json").contains("inv-secret"))

        let made = JSONText(try admin.done("backend", "rotate-secret", "inventory", "1.0"))
        let secret = try #require(made["clientSecret"].string)
        #expect(secret.count >= 22 && made["clientId"].string == "inv-client" && !made["revoked"].exists)
        #expect(try admin.fixture.grant("grant_type=client_credentials").status == 401)
        #expect(try admin.bearer(joe) == 401)
        // A token of the second of the change counts.
        #expect(try admin.bearer(try admin.fixture.token("joe", client: "inv-client:\(secret)")) == 200)
        #expect(try admin.basic("joe:Welcome1") == 200)
    }

    @Test(
        "MBE-06: rotating a secret ends the old secret and all tokens of that backend only",
        arguments: Administrator.Way.allCases)
    func rotate(_ way: Administrator.Way) throws {
        let admin = try Administrator(way)
        let (joe, other) = (
            try admin.fixture.token("joe"), try admin.fixture.token("joe", client: "sch-client:sch-secret")
        )
        let secret = try #require(
            JSONText(try admin.done("backend", "rotate-secret", "inventory", "1.0"))["clientSecret"].string)
        #expect(try admin.bearer(joe) == 401)
        #expect(try admin.bearer(other, "GET", "/plain") == 200)
        #expect(try admin.fixture.grant("grant_type=client_credentials").status == 401)
        #expect(try admin.fixture.grant("grant_type=client_credentials", client: "inv-client:\(secret)").status == 200)
        #expect(try admin.refused("backend", "rotate-secret", "inventory", "2.0").contains("no backend inventory/2.0"))
        #expect(!admin.fixture.gateway.everythingWritten.contains(secret))
    }

    @Test("GW-12: a secret stored elsewhere is not rotated, but can be revoked")
    func referredSecret() throws {
        let backends = FixtureSettings.backends.replacing("\"inv-secret\"", with: "\"file:inv.secret\"")
        let fixture = try Fixture(files: ["inv.secret": "kept-apart\n"]) { $0["backends"] = backends }
        let admin = Administrator(.listener, of: fixture)
        #expect(try fixture.grant("grant_type=client_credentials", client: "inv-client:kept-apart").status == 200)
        #expect(
            try admin.refused("backend", "rotate-secret", "inventory", "1.0").contains("(file:...): change it there"))
        try admin.done("backend", "revoke", "inventory", "1.0")
        #expect(try fixture.grant("grant_type=client_credentials", client: "inv-client:kept-apart").status == 401)
        #expect(try fixture.gateway.configuration.read("inv.secret") == "kept-apart\n")
    }

    @Test("MBE-01 to MBE-03, MBE-05: create, list and switches take effect", arguments: Administrator.Way.allCases)
    func switches(_ way: Administrator.Way) throws {
        let admin = try Administrator(way)
        let token = try admin.fixture.token("joe")
        try admin.done("backend", "disable", "inventory", "1.0", "sso")
        try admin.done("backend", "disable", "inventory", "1.0", "oauth")
        #expect(
            try JSONText(admin.fixture.grant("grant_type=client_credentials").text)["error"].string
                == "unauthorized_client")
        #expect(try admin.bearer(token) == 401)
        #expect(try admin.basic("joe:Welcome1") == 200)
        #expect(
            try admin.refused("backend", "enable", "inventory", "1.0", "sso").contains(
                #""enableSso" needs "oauthConsumer""#))
        try admin.done("backend", "enable", "inventory", "1.0", "oauth")
        try admin.done("backend", "disable", "inventory", "1.0", "basic")
        #expect(try admin.basic("joe:Welcome1") == 401)
        #expect(try admin.bearer(token) == 200)
        let made = JSONText(try admin.done("backend", "create", "orders", "1.0"))
        #expect(made["oauthConsumer"].bool == true && made["httpBasic"].bool == true)
        let client = try "\(#require(made["clientId"].string)):\(#require(made["clientSecret"].string))"
        #expect(try admin.fixture.grant("grant_type=client_credentials", client: client).status == 200)
        let list = try admin.done("backend", "list")
        #expect(
            list.split(separator: "\n").map { JSONText(String($0))["name"].string } == [
                "inventory", "scheduler", "orders",
            ])
        #expect(!list.contains("clientSecret"))
        #expect(try !admin.done("backend", "show", "orders").contains("clientSecret"))
        #expect(
            JSONText(try admin.done("backend", "show", "orders", "1.0", "--secrets"))["clientSecret"].string
                == made["clientSecret"].string)
    }

    @Test("MBE-07: a route belongs to a backend once it is added", arguments: Administrator.Way.allCases)
    func addRoute(_ way: Administrator.Way) throws {
        let fixture = try Fixture {
            $0.addRoutes(
                #"{"name": "orders", "path": "/orders/**", "upstream": "stub", "backends": ["scheduler/1.0"]}"#)
        }
        let admin = Administrator(way, of: fixture)
        let token = try fixture.token("joe")
        // ISS-07
        #expect(try admin.bearer(token, "GET", "/orders/1") == 403)
        #expect(
            try admin.refused("backend", "add-route", "inventory", "1.0", "order").contains(#"did you mean "orders"?"#))
        try admin.done("backend", "add-route", "inventory", "1.0", "orders")
        try admin.done("backend", "add-route", "inventory", "1.0", "orders")
        #expect(try admin.bearer(token, "GET", "/orders/1") == 200)
        try admin.done("backend", "remove-route", "inventory", "1.0", "orders")
        #expect(try admin.bearer(token, "GET", "/orders/1") == 403)
    }

    @Test(
        "TOOL-02: route set changes one setting, after a reload or immediately",
        arguments: Administrator.Way.allCases)
    func route(_ way: Administrator.Way) throws {
        let admin = try Administrator(way)
        let client = try admin.fixture.clientToken()
        #expect(try admin.bearer(client) == 401)
        try admin.done("route", "set", "/inventory/me", "loginRequired=false")
        #expect(try admin.bearer(client) == 200)
        try admin.done("route", "set", "/inventory/me", "loginRequired=")
        #expect(try admin.bearer(client) == 401)
        let ann = try admin.fixture.token("ann")
        #expect(try admin.bearer(ann, "POST", "/inventory/items") == 403)
        try admin.done("route", "set", "/inventory/items", #"methods.POST.roles=["Manager","Clerk"]"#, "level=2")
        #expect(try admin.bearer(ann, "POST", "/inventory/items") == 200)
        #expect(
            JSONText(try admin.done("route", "show", "/inventory/items"))["methods"]["GET"]["roles"].strings == [
                "Manager", "Clerk",
            ])
        #expect(
            try admin.refused("route", "set", "/inventory/item", "level=2").contains(
                #"did you mean "/inventory/items"?"#))
        #expect(
            try admin.refused("route", "set", "/plain", "loginRequire=false").contains(
                #"did you mean "loginRequired"?"#))
        #expect(try admin.refused("route", "set", "/plain", "roles=manager").contains("error: /routes/7/roles"))
        #expect(try admin.refused("route", "set", "/plain", "path.x=1").contains("is not an object"))
        #expect(try admin.done("route", "list").split(separator: "\n").count == 8)
    }

    @Test(
        "JWT-20: certificates are added, listed with subject and period, and removed",
        arguments: Administrator.Way.allCases)
    func certificates(_ way: Administrator.Way) throws {
        let admin = try Administrator(way)
        let directory = try ConfigurationDirectory()
        try SampleConfiguration.makeCertificate(in: directory.path)
        let file = directory.path + "/cert.pem"
        let made = JSONText(try admin.done("certificate", "add", "idp 1", file))
        #expect(made["subject"].string == "CN=localhost" && made["valid"].bool == true)
        #expect(made["fingerprint"].string?.count == 64)
        #expect(JSONText(try admin.done("certificate", "list"))["alias"].string == "idp 1")
        #expect(try admin.refused("certificate", "add", "idp 1", file).contains("already"))
        let pem = try directory.read("cert.pem")
        for (name, text) in [
            ("two", pem + pem), ("key", pem + (try directory.read("key.pem"))), ("none", "x"), ("empty", ""),
            ("cut", String(pem.prefix(200)) + "\n-----END CERTIFICATE-----\n"),
        ] {
            #expect(try !admin.refused("certificate", "add", name, "-", input: text).isEmpty, "\(name)")
        }
        try admin.done("certificate", "remove", "idp 1")
        #expect(try admin.done("certificate", "list").isEmpty)
        #expect(try admin.refused("certificate", "remove", "idp 1").contains("there is no certificate"))
    }
}
