import Foundation
import Testing

/// `portcullis tokens`, and the same through the admin listener (AOM-22, AOM-23, MBE-06).
@Suite struct TokenAdministrationTests {
    private func admin(_ change: (inout FixtureSettings) -> Void = { _ in }) throws -> Administrator {
        try Administrator(.listener, change)
    }

    @Test("revoke refuses all tokens of a user, client or backend immediately, and no others")
    func revoke() throws {
        let admin = try admin()
        let fixture = admin.fixture
        let (joe, ann, other) = (
            try fixture.token("joe"), try fixture.token("ann"),
            try fixture.token("ann", client: "sch-client:sch-secret")
        )
        #expect(try admin.bearer(joe) == 200)
        #expect(
            try admin.done("tokens", "revoke", "--subject", "joe")
                == #"all tokens of the user "joe" that were issued until now are revoked: refused from now on; "#
                + "records removed from the store: 0")
        #expect(try admin.bearer(joe) == 401)
        #expect(try admin.bearer(ann) == 200)
        try admin.done("tokens", "revoke", "--client", "inventory/1.0")
        #expect(try admin.bearer(ann) == 401)
        #expect(try admin.bearer(other, "GET", "/plain") == 200)
        // The secret is still good.
        #expect(try fixture.grant("grant_type=client_credentials").status == 200)
        #expect(
            try admin.refused("tokens", "revoke", "--client", "inventory/2.0").contains("no client inventory/2.0"))
        // A parameter that it does not know would select the tokens of others.
        #expect(try fixture.admin("GET", "/admin/tokens?backend=inventory/1.0").status == 400)
        #expect(try admin.refused("tokens", "revoke", "nobodys").contains(#"there is no token "nobodys""#))
    }

    @Test("revocation without a date covers tokens issued so far; a later login gets valid tokens")
    func laterLogins() throws {
        let fixture = try Fixture()
        func status(_ token: String) throws -> Int {
            try fixture.gateway.request("GET", "/inventory/me", [.bearer(token)]).status
        }
        let targets = [#""subject": "joe""#, #""clientId": "mbe-inv-1""#, #""issuer": "local""#]
        for target in targets {
            let before = try fixture.token("joe")
            #expect(try status(before) == 200)
            #expect(try fixture.admin("POST", "/admin/revocations", body: "{\(target)}").status == 204)
            let after = try fixture.token("joe")
            #expect(try status(before) == 401, "\(target)")
            #expect(try status(after) == 200, "\(target)")
        }
        for query in ["subject=joe", "client=inventory/1.0", "issuer=local"] {
            let before = try fixture.token("joe")
            #expect(try (200..<300).contains(fixture.admin("DELETE", "/admin/tokens?\(query)").status))
            let after = try fixture.token("joe")
            #expect(try status(before) == 401, "\(query)")
            #expect(try status(after) == 200, "\(query)")
        }
    }

    @Test("issuedBefore spares tokens of later logins, by command and by admin resource")
    func revokeByDate() throws {
        let admin = try admin()
        let fixture = admin.fixture
        func claim(_ token: String) throws -> Int { try #require(JSONWebToken(token).claims["iat"].integer) }
        let (joe, ann) = (try fixture.token("joe"), try fixture.token("ann"))
        let before = try claim(joe) - 1
        try admin.done("tokens", "revoke", "--subject", "joe", "--issued-before", "\(before)")
        #expect(
            try admin.done("tokens", "revoke", "--issuer", "local", "--issued-before", "1000000000")
                == #"all tokens of the issuer "local" that were issued at 2001-09-09T01:46:40Z or earlier are revoked: "#
                + "refused from now on")
        try admin.done("tokens", "revoke", "--issuer", "local", "--issued-before", "\(before)")
        #expect(try admin.bearer(joe) == 200)
        func post(_ body: String) throws -> Int {
            try fixture.admin("POST", "/admin/revocations", body: body).status
        }
        #expect(try post(#"{"subject": "joe", "issuedBefore": \#(before)}"#) == 204)
        #expect(try admin.bearer(joe) == 200)
        #expect(try post(#"{"subject": "joe", "issuedBefore": "\#(before)"}"#) == 400)
        #expect(try post(#"{"subject": "joe", "issuedBefore": 99999999999}"#) == 400)
        #expect(try post(#"{"subject": "joe", "issuedBefore": \#(before + 1)}"#) == 204)
        #expect(try admin.bearer(joe) == 401)
        #expect(try admin.bearer(ann) == 200)
        try admin.done("tokens", "revoke", "--issuer", "local", "--issued-before", "\(try claim(ann))")
        #expect(try admin.bearer(ann) == 401)
        for (words, complaint) in [
            (["--subject", "joe", "--issued-before", "99999999999"], "not in the future"),
            (["--subject", "joe", "--until", "1"], "in the future"), (["--subject", "joe", "--until", "x"], "until"),
            (["--application", "app", "--until", "99999999999"], "without dates"),
            (["--issuer", "local", "--subject", "joe"], "goes with no other"),
        ] {
            let result = try admin.run(["tokens", "revoke"] + words)
            #expect(result.ending == .exit(1) && result.errors.contains(complaint), "\(words): \(result.errors)")
        }
        #expect(try fixture.admin("DELETE", "/admin/tokens?subject=ann&issued=1").status == 400)
    }

    @Test("list and clean report the store's contents; invalid requests are 400")
    func listAndClean() throws {
        let admin = try admin()
        _ = try admin.fixture.token("joe")
        #expect(try admin.done("tokens", "list", "--subject", "nobody").isEmpty)
        #expect(JSONText(try admin.done("tokens", "clean"))["removed"].integer == 0)
        for target in ["/admin/tokens?limit=0", "/admin/tokens?limit=x", "/admin/tokens?limit=10001"] {
            #expect(try admin.fixture.admin("GET", target).status == 400, "\(target)")
        }
        #expect(try admin.fixture.admin("DELETE", "/admin/tokens").status == 400)
        #expect(try admin.fixture.admin("GET", "/admin/tokens/clean").status == 405)
        let result = try CommandLine.run("tokens", "list", "--config", admin.fixture.gateway.configuration.path)
        #expect(result.ending == .exit(1) && result.errors.contains("use --admin"))
        let line = admin.fixture.gateway.waitForEvent("audit") { $0["action"].string == "tokens.clean" }
        #expect(line?["outcome"].string == "changed")
    }

    @Test("revocations by the administration persist across a restart")
    func afterRestart() throws {
        let admin = try admin { $0["store"] = #"{"kind": "memory"}"# }
        let fixture = admin.fixture
        let (joe, ann) = (try fixture.token("joe"), try fixture.token("ann"))
        try admin.done("users", "set-password", "joe", input: "Sesame99\n")
        #expect(try fixture.gateway.stop() == .exit(0))
        let next = try GatewayProcess(fixture.gateway.configuration)
        #expect(try next.request("GET", "/inventory/me", [.bearer(joe)]).status == 401)
        #expect(try next.request("GET", "/inventory/me", [.bearer(ann)]).status == 200)
    }
}
