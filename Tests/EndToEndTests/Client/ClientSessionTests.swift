import Foundation
import Testing

/// `portcullis client` at the running gateway: OMH-01 to OMH-08, CRED-01, CRED-02.
@Suite struct ClientSessionTests {
    private let fixture: Fixture
    private let home: ClientHome

    init() throws {
        fixture = try Fixture { settings in
            settings["users"] = FixtureSettings.users(password: "p@ss:w&rd+%")
        }
        home = try ClientHome(ClientHome.inventory(fixture.url))
    }

    @Test(
        "OMH-01, OMH-08: the password p@ss:w&rd+% works by OAuth and by Basic in successive processes",
        arguments: ["oauth", "basic"])
    func login(_ method: String) throws {
        let wrong = try home.run("login", "--user", "joe", "--method", method, input: "wrong\n")
        #expect(wrong.ending == .exit(1))
        #expect(wrong.errors.contains("does not accept the credentials"), "\(wrong.errors)")
        #expect(try home.run("token", "show").errors.contains("no login is stored"))
        let right = try home.run("login", "--user", "joe", "--method", method, input: "p@ss:w&rd+%\n")
        #expect(right.ending == .exit(0), "\(right.errors)")
        #expect(right.output.hasPrefix("joe by \(method)"))
        let call = try home.run("call", "/inventory/items")
        #expect(call.ending == .exit(0))
        #expect(call.output == "/inventory/items")
        #expect(try fixture.lastRequest("/inventory/items").only("X-Gateway-User") == "joe")
        // CRED-01
        let everything = try home.everything
        #expect(!everything.contains("p@ss:w&rd+%"))
        let token = try home.run("token", "show", "--value").output
        if method == "oauth" { #expect(!token.isEmpty && !everything.contains(token)) }
        for name in ["credentials", "credentials.key"] {
            let mode = try FileManager.default.attributesOfItem(atPath: "\(home.path)/\(name)")[.posixPermissions]
            #expect(mode as? Int == 0o600)
        }
    }

    @Test("OMH-02: a logout empties the store and revokes the token")
    func logout() throws {
        _ = try home.run("login", "--user", "joe", "--method", "oauth", input: "p@ss:w&rd+%\n")
        let token = try home.run("token", "show", "--value").output
        #expect(try fixture.request("GET", "/inventory/items", [.bearer(token)]).status == 200)
        #expect(try home.run("logout").ending == .exit(0))
        #expect(try home.run("token", "show").errors.contains("no login is stored"))
        #expect(try fixture.request("GET", "/inventory/items", [.bearer(token)]).status == 401)
        let call = try home.run("call", "/inventory/items")
        #expect(call.ending == .exit(1))
        #expect(call.errors.contains("status 401"))
    }

    @Test("OMH-06: another version of the backend does not get the token")
    func bound() throws {
        _ = try home.run("login", "--user", "joe", input: "p@ss:w&rd+%\n")
        try home.write(ClientHome.inventory(fixture.url, version: "2.0"))
        #expect(try home.run("token", "show").errors.contains("no login is stored"))
        _ = try home.run("call", "/inventory/items")
        try home.write(ClientHome.inventory(fixture.url))
        #expect(try home.run("call", "/inventory/items").ending == .exit(0))
        #expect(fixture.upstream.requests("/inventory/items").count == 1)
    }

    @Test("OMH-03 to OMH-05: tokens are exchanged, with and without storing them")
    func exchange() throws {
        let idp = try OutsideIssuer()
        let fixture = try Fixture(exchanging: OutsideIssuer.configuration(OutsideIssuer.entry()), idp)
        let home = try ClientHome(ClientHome.inventory(fixture.url))
        let token = try idp.token()
        let passing = try home.run("exchange", "--token", token)
        #expect(passing.ending == .exit(0), "\(passing.errors)")
        #expect(try home.run("call", "/inventory/me").ending == .exit(1))
        // The start of an application: load, else exchange.
        #expect(try home.run("call", "/inventory/me", "--token", "-", input: token + "\n").output == "/inventory/me")
        #expect(try home.run("exchange", "--store", "--token", "-", input: token + "\n").ending == .exit(0))
        #expect(try home.run("call", "/inventory/me").output == "/inventory/me")
        #expect(try home.run("call", "/inventory/me", "--token", "not used").ending == .exit(0))
        #expect(try fixture.lastRequest("/inventory/me").only("X-Gateway-User") == "joe")
        try home.write(ClientHome.inventory(fixture.url, version: "2.0"))
        let other = try home.run("call", "/inventory/me")
        #expect(other.ending == .exit(1))
        #expect(other.errors.contains("bound to the backend inventory/1.0"))
        try home.write(ClientHome.inventory(fixture.url))
        #expect(try home.run("token", "clear").ending == .exit(0))
        #expect(try home.run("token", "show").errors.contains("no login is stored"))
        #expect(try home.run("exchange", "--token", token + "x").ending == .exit(1))
    }

    @Test("CRED-01, CRED-02: credentials and properties are stored and read")
    func credentials() throws {
        let url = "https://gw.example.com"
        #expect(try home.run("cred", "add", url, "--user", "joe", input: "sesame\n").ending == .exit(0))
        #expect(
            try home.run("cred", "get", url).output
                == #"{"url":"https://gw.example.com","user":"joe","password":"sesame"}"#
        )
        #expect(try home.run("cred", "update", url, "--user", "joe", input: "open\n").ending == .exit(0))
        #expect(try home.run("cred", "get", url).output.contains(#""password":"open""#))
        #expect(try !home.everything.contains("open"))
        #expect(try home.run("cred", "delete", url).ending == .exit(0))
        #expect(
            try home.run("cred", "get", url).output == #"{"url":"https://gw.example.com","user":null,"password":null}"#)
        #expect(try home.run("cred", "get", "else").ending == .exit(1))
        #expect(try home.run("cred", "set", "k", "v", "--label", "l", "--description", "d").ending == .exit(0))
        #expect(
            try home.run("cred", "show", "k").output == #"{"key":"k","value":"v","label":"l","description":"d"}"#)
    }

    @Test("AGT-05: a configuration link is applied; a similar one is refused")
    func configure() throws {
        let home = try ClientHome()
        let query = "host=gw.example.com&port=8443&servicedomain=Mobile&SSL=TRUE"
        let refused = try home.run("configure", "app://x?x=1&oamconfig=true&\(query)")
        #expect(refused.ending == .exit(1))
        #expect(try home.run("token", "show").errors.contains("client.json cannot be read"))
        let bare = try home.run("configure", "app://x?oamconfig=true&\(query)")
        #expect(bare.ending == .exit(0) && bare.errors.contains("&appname=NAME"), "\(bare)")
        let named = try home.run("configure", "app://x?oamconfig=true&\(query)&appname=Shop")
        #expect(named.ending == .exit(0) && named.errors.isEmpty, "\(named)")
        // A link without the name leaves it.
        #expect(try home.run("configure", "app://x?oamconfig=true&\(query)").errors.isEmpty)
        let file = "\(home.path)/client.json"
        let profile = JSONText(try String(contentsOfFile: file, encoding: .utf8))
        #expect(profile["baseUrl"].string == "https://gw.example.com:8443")
        #expect(profile["serviceDomain"].string == "Mobile" && profile["appName"].string == "Shop")
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
    }

    @Test(
        "a usage error is exit status 2",
        arguments: [
            [], ["frob"], ["login", "joe"], ["login", "--method", "exchange"], ["login", "--mode", "maybe"],
            ["exchange"],
            ["request"], ["request", "/a", "/b"], ["call", "inventory"], ["token"], ["token", "print"],
            ["cred", "add"],
            ["cred", "set", "k"], ["configure"], ["logout", "now"],
        ])
    func usage(_ arguments: [String]) throws {
        let result = try CommandLine.run(["client"] + arguments + (arguments.isEmpty ? [] : ["--home", home.path]))
        #expect(result.ending == .exit(2), "\(result)")
        #expect(!result.errors.isEmpty && result.output.isEmpty)
    }
}
