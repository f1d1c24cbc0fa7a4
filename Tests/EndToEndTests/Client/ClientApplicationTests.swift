import Foundation
import Testing

/// `portcullis client aom` (AOM-25), and a profile whose users log in with Facebook (FB-09), against the gateway.
@Suite struct ClientApplicationTests {
    private static func profile(_ app: AppFixture) throws -> String {
        #""baseUrl": "\#(try app.gateway.url)", "apiomatApp": "testApp", "apiKey": "\#(AppFixture.key)""#
    }

    @Test("AOM-25: login, refresh, revoke and revokeall work; the store holds no password")
    func sessionTokens() throws {
        let app = try AppFixture()
        let home = try ClientHome(Self.profile(app))
        let wrong = try home.run("aom", "login", "--user", "testUser", input: "wrong\n")
        #expect(wrong.ending == .exit(1) && wrong.errors.contains("does not accept the credentials"))
        let login = try home.run("aom", "login", "--user", "testUser", input: "secret\n")
        #expect(login.ending == .exit(0) && login.output.hasPrefix("testUser by aom, until "), "\(login.errors)")
        let first = try home.run("token", "show", "--value").output.trimmingCharacters(in: .newlines)
        #expect(try home.run("call", "/notes/1").ending == .exit(0))
        #expect(try app.gateway.lastRequest("/notes/1").only("X-Gateway-User") == "testUser")
        #expect(try home.run("aom", "refresh").ending == .exit(0))
        let second = try home.run("token", "show", "--value").output.trimmingCharacters(in: .newlines)
        #expect(second != first)
        #expect(try app.status(first) == 401 && app.status(second) == 200)
        #expect(try !home.everything.contains("secret") && !home.everything.contains(second))
        let revoked = try home.run("aom", "revoke")
        #expect(revoked.ending == .exit(0) && revoked.output == "none", "\(revoked.errors)")
        #expect(try app.status(second) == 401)
        #expect(try home.run("aom", "revoke").errors.contains("not logged in"))
        let other = try app.wish("extra=other").access
        #expect(try home.run("aom", "login", "--user", "testUser", input: "secret\n").ending == .exit(0))
        #expect(try home.run("aom", "revokeall").ending == .exit(0))
        #expect(try app.status(other) == 401)
    }

    @Test("AOM-25: a scope can be requested, also with login --method; usage errors are reported")
    func wishes() throws {
        let app = try AppFixture()
        let home = try ClientHome(Self.profile(app))
        let login = ["aom", "login", "--user", "testUser", "--scope", "read_only", "--extra", "cli"]
        #expect(
            try home.run(
                login[0], login[1], login[2], login[3], login[4], login[5], login[6], login[7], input: "secret\n"
            ).ending == .exit(0))
        #expect(try home.run("call", "/notes/1").ending == .exit(0))
        #expect(try home.run("call", "/notes/1", "--data", "{}").ending == .exit(1))
        let usual = try home.run("login", "--user", "testUser", "--method", "aom", input: "secret\n")
        #expect(usual.ending == .exit(0) && usual.output.contains("by aom"), "\(usual.errors)")
        #expect(try home.run("call", "/notes/1", "--data", "{}").ending == .exit(0))
        #expect(try home.run("logout").ending == .exit(0))
        #expect(try home.run("aom").ending == .exit(2))
        #expect(try home.run("aom", "forget").ending == .exit(2))
        #expect(try home.run("aom", "refresh").errors.contains("there is no refresh token"))
    }

    @Test("FB-09: one profile provides the four Facebook fields")
    func facebook() throws {
        let app = try AppFixture()
        let home = try ClientHome(
            """
            "baseUrl": "\(try app.gateway.url)", "identityProvider": "facebook", "appId": "42",
            "mobileBackendId": "mbe-social", "anonymousKey": "c29jaWFsOmtleQ=="
            """)
        let call = try home.run("call", "/social/feed", "--token", "good")
        #expect(call.ending == .exit(0), "\(call.errors)")
        #expect(try app.gateway.lastRequest("/social/feed").only("X-Gateway-User") == "facebook:1001")
        #expect(try home.run("call", "/social/feed", "--token", "bad").ending == .exit(1))
        #expect(try home.run("call", "/social/open").ending == .exit(0), "without a token the anonymous key alone")
        let unknown = try ClientHome(#""baseUrl": "http://a", "identityProvider": "google""#)
        #expect(
            try unknown.run("call", "/x").errors.contains(#"/identityProvider: expected "facebook", found "google""#))
    }

    @Test("FB-09: named profiles in one file have separate tokens")
    func namedProfiles() throws {
        let app = try AppFixture()
        let home = try ClientHome(
            """
            "profiles": {
              "default": {\(try Self.profile(app))},
              "fb": {"baseUrl": "\(try app.gateway.url)", "identityProvider": "facebook", "appId": "42",
                     "mobileBackendId": "mbe-social", "anonymousKey": "c29jaWFsOmtleQ=="}}
            """)
        let call = try home.run("call", "/social/feed", "--profile", "fb", "--token", "good")
        #expect(call.ending == .exit(0), "\(call.errors)")
        #expect(try app.gateway.lastRequest("/social/feed").only("X-Gateway-User") == "facebook:1001")
        let login = try home.run("login", "--user", "testUser", "--method", "aom", input: "secret\n")
        #expect(login.ending == .exit(0), "\(login.errors)")
        #expect(try home.run("call", "/notes/1", "--profile", "default").ending == .exit(0))
        #expect(
            try home.run("call", "/notes/1", "--profile", "fb").ending == .exit(1), "the login is another profile's")
        let none = try home.run("call", "/x", "--profile", "fc")
        #expect(none.ending == .exit(1) && none.errors.contains(#"no profile "fc" (there are: default, fb)"#))
        // Other profiles stay as they are.
        let link = "http://gw.example.com?oamconfig=true&host=gw.example.com&port=8080&servicedomain=D&SSL=FALSE"
        #expect(try home.run("configure", link, "--profile", "oam").ending == .exit(0))
        #expect(try home.run("call", "/social/feed", "--profile", "fb", "--token", "good").ending == .exit(0))
        #expect(try home.run("call", "/notes/1").ending == .exit(0))
        let single = try ClientHome(#""baseUrl": "http://a""#)
        let refused = try single.run("configure", link, "--profile", "oam")
        #expect(refused.ending == .exit(1) && refused.errors.contains("expected /profiles"), "\(refused.errors)")
    }
}
