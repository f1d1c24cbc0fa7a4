import Foundation
import Testing

/// HTTP Basic on routes whose passwords the server of an issuer verifies.
@Suite struct RoutePasswordTests {
    private func remote(
        _ throttle: String = #"{"failuresPerUser": 1000, "failuresPerAddress": 1000}"#
    ) throws -> RemoteFixture {
        try RemoteFixture {
            func route(_ path: String, _ more: String) -> String {
                #"{"path": "\#(path)", "upstream": "stub", "authenticators": [{"type": "basic", "issuer": "elsewhere"\#(more)}]}"#
            }
            $0["passwords"] = #"{"throttle": \#(throttle)}"#
            $0.addRoutes(
                route("/members", ""), route("/guests", #", "guestRoles": ["Guest"], "cache": "5m""#),
                route("/always", #", "cache": "0s""#))
        }
    }

    private func get(_ remote: RemoteFixture, _ path: String, _ pair: String) throws -> Response {
        try remote.gateway.request("GET", path, [.basic(pair)])
    }

    @Test("the server of an issuer verifies a password; accounts have their roles, and guests those of the list")
    func verified() throws {
        let remote = try remote()
        let none = try remote.gateway.request("GET", "/members")
        #expect(none.status == 401 && none.only("WWW-Authenticate") == #"Basic realm="portcullis", charset="UTF-8""#)
        #expect(try get(remote, "/members", "joe:Remote1").status == 200)
        let joe = try remote.gateway.lastRequest("/members").head
        #expect(joe.only("X-Gateway-User") == "joe" && joe.only("X-Gateway-Roles") == "Manager")
        #expect(joe.only("Authorization") == nil)
        // Another spelling is the same user, at the server, too.
        #expect(try get(remote, "/members", "JOE:Remote1").status == 200)
        #expect(try remote.gateway.lastRequest("/members").head.only("X-Gateway-User") == "joe")
        #expect(try get(remote, "/members", "zoe:Remote3").status == 401, "no account, and no guests")
        #expect(try get(remote, "/guests", "zoe:Remote3").status == 200)
        let zoe = try remote.gateway.lastRequest("/guests").head
        #expect(zoe.only("X-Gateway-User") == "zoe" && zoe.only("X-Gateway-Roles") == "Guest")
        // The password of `users.json` is not used.
        #expect(try get(remote, "/members", "joe:Welcome1").status == 401)
        #expect(try remote.gateway.request("GET", "/members", [.bearer(remote.gateway.mint("joe"))]).status == 401)
        // A server may take a login without a password for an anonymous one.
        remote.setPassword("zoe", "")
        let calls = remote.calls
        #expect(try get(remote, "/guests", "zoe:").status == 401)
        #expect(remote.calls == calls)
        let written = remote.gateway.gateway.everythingWritten
        for secret in ["Remote1", "Remote3", "secret-of-the-server"] { #expect(!written.contains(secret)) }
    }

    @Test("a right password is not asked about again for a while, and an old one not once the new one was used")
    func cache() throws {
        let remote = try remote()
        for _ in 0..<5 { #expect(try get(remote, "/members", "joe:Remote1").status == 200) }
        #expect(remote.calls == 1)
        for _ in 0..<2 { #expect(try get(remote, "/always", "joe:Remote1").status == 200) }
        #expect(remote.calls == 3)
        remote.setPassword("joe", "Changed1")
        #expect(try get(remote, "/always", "joe:Remote1").status == 401)
        #expect(try get(remote, "/members", "joe:Changed1").status == 200)
        #expect(try get(remote, "/members", "joe:Remote1").status == 401)
        // A locked account is learned by the next question about the user.
        remote.forbid("joe")
        #expect(try get(remote, "/members", "joe:Changed1").status == 200)
        let locked = try get(remote, "/members", "joe:other")
        #expect(locked.status == 403 && JSONText(locked.text)["code"].string == "login_forbidden")
        #expect(try get(remote, "/members", "joe:Changed1").status == 403)
        // A reload forgets all of it.
        #expect(try get(remote, "/guests", "ann:Remote2").status == 200)
        let calls = remote.calls
        remote.setPassword("ann", "Changed2")
        try remote.reload(mode: "auto")
        #expect(try get(remote, "/guests", "ann:Remote2").status == 404)
        #expect(remote.calls == calls)
    }

    @Test("guesses are throttled by user without a call, and an outage is 503 and no guess")
    func throttle() throws {
        let remote = try remote(#"{"failuresPerUser": 3, "failuresPerAddress": 1000, "per": "1h"}"#)
        remote.health = .overloaded
        for _ in 0..<6 {
            let away = try get(remote, "/members", "joe:Remote1")
            #expect(away.status == 503 && away.only("Retry-After") != nil, "\(away.text)")
        }
        remote.health = .well
        for _ in 0..<3 { #expect(try get(remote, "/members", "joe:guess").status == 401) }
        let calls = remote.calls
        #expect(try get(remote, "/members", "joe:Remote1").status == 429)
        #expect(try get(remote, "/guests", "JOE:Remote1").status == 429)
        #expect(remote.calls == calls)
        #expect(try get(remote, "/members", "ann:Remote2").status == 200)
        remote.health = .unknownClient
        let refused = try get(remote, "/always", "ann:Remote2")
        #expect(refused.status == 502 && JSONText(refused.text)["code"].string == "login_server_misconfigured")
        // A remembered password is held back with the guesses, which would find it otherwise.
        remote.health = .well
        #expect(try get(remote, "/members", "ann:Remote2").status == 200)
        for _ in 0..<3 { #expect(try get(remote, "/members", "ann:guess").status == 401) }
        #expect(try get(remote, "/members", "ann:guess").status == 429)
        #expect(try get(remote, "/members", "ann:Remote2").status == 429)
    }

    @Test("check refuses an issuer that verifies no passwords")
    func noVerifier() throws {
        let directory = try ConfigurationDirectory([
            "gateway.json": {
                var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
                settings.addRoutes(
                    #"{"path": "/a", "upstream": "stub", "authenticators": [{"type": "basic", "issuer": "local"}]}"#)
                return settings.text
            }()
        ])
        let result = try CommandLine.run("check", directory.path)
        #expect(result.ending != .exit(0))
        #expect(
            (result.output + result.errors).contains(
                #"/routes/0/authenticators: the issuer "local" of module embedded verifies no passwords"#),
            "\(result.output) \(result.errors)")
    }
}
