import Foundation
import Testing

/// `portcullis client login --browser`: logins at an identity provider that others wrote (RP-01, RP-02). Skipped without
/// `PORTCULLIS_PYTHON`.
@Suite(.enabled(if: LoginProvider.python != nil)) struct ClientProviderLoginTests {
    /// A gateway whose application takes back the browsers of programs of this machine, and a profile of the client.
    private func start(_ provider: LoginProvider) throws -> (fixture: Fixture, home: ClientHome) {
        let fixture = try LoginProvider.gateway(
            """
            "issuer": "\(provider.issuer)", "allowHttp": true, "clientId": "gateway", "clientSecret": "s3cret",
            "usernameAttribute": "email", "roleAttributes": ["groups"]
            """
        ) {
            $0["serviceDomains"] = $0["serviceDomains"]?.replacing(
                #""urlScheme": "demoapp""#, with: #""urlScheme": "demoapp", "redirectUris": ["http://127.0.0.1/"]"#)
        }
        let home = try ClientHome(
            #""baseUrl": "\#(fixture.url)", "serviceDomain": "MobileServiceDomain", "appName": "DemoApp""#)
        return (fixture, home)
    }

    /// The command, and the address that it prints.
    private func command(_ home: ClientHome) throws -> (program: Program, target: String) {
        let program = try Program(
            GatewayProcess.binary, ["client", "login", "--browser"],
            environment: ["PORTCULLIS_CLIENT_HOME": home.path])
        let line = try #require(program.wait(.output) { $0.first })
        let url = try #require(URL(string: line))
        return (program, "\(url.path)?\(url.query(percentEncoded: true) ?? "")")
    }

    /// What the command gets for a URL of its own.
    private func visit(_ location: String) throws -> Int {
        let url = try #require(URL(string: location))
        #expect(url.host == "127.0.0.1" && url.path == "/")
        let port = try #require(url.port.flatMap { UInt16(exactly: $0) })
        return try RawConnection.once(port: port, "GET", "/?\(url.query(percentEncoded: true) ?? "")", []).status
    }

    @Test("the browser brings a code, which the command exchanges for the login")
    func login() throws {
        let provider = try LoginProvider(.mock)
        let (fixture, home) = try start(provider)
        let (program, target) = try command(home)
        #expect(target.contains("code_challenge_method=S256"))
        let back = try provider.logIn(CookieJar(fixture.gateway), target, typing: "sub=ann").answer
        let location = try #require(back.only("Location"), "\(back.status) \(back.text)")
        // The answer to the login of someone else.
        #expect(try visit(location.replacing("state=", with: "state=x")) == 400)
        #expect(try visit(location) == 200)
        #expect(program.waitForEnd() == .exit(0), "\(program.lines(.errors))")
        #expect(program.lines(.output).last?.hasPrefix("outside:ann@example.com by oam") == true)
        #expect(try home.run("token", "show").output.hasPrefix("outside:ann@example.com by oam"))
        #expect(try home.run("logout").ending == .exit(0))
    }

    @Test("a refusal of the provider ends the command with its code")
    func refusal() throws {
        let provider = try LoginProvider(.mock)
        let (fixture, home) = try start(provider)
        let (program, target) = try command(home)
        let sent = try #require(try CookieJar(fixture.gateway).send("GET", target).only("Location"))
        #expect(sent.hasPrefix(provider.issuer))
        let own = try #require(target.firstMatch(of: /redirect_uri=([^&]+)/)).1
        let state = try #require(target.firstMatch(of: /[?&]state=([^&]+)/)).1
        let address = try #require(String(own).removingPercentEncoding)
        #expect(try visit("\(address)?error=access_denied&state=\(state)") == 200)
        #expect(program.waitForEnd() == .exit(1))
        #expect(program.lines(.errors).joined().contains("the login was refused: access_denied"))
        #expect(try home.run("token", "show").ending == .exit(1))
    }

    @Test("options of the two ways do not mix, and the profile must name a service domain")
    func misuse() throws {
        let home = try ClientHome(#""baseUrl": "http://127.0.0.1:1""#)
        #expect(try home.run("login", "--browser", "--user", "joe").ending == .exit(2))
        #expect(try home.run("login", "--provider", "outside").ending == .exit(2))
        let lacking = try home.run("login", "--browser")
        #expect(lacking.ending == .exit(1) && lacking.errors.contains("/serviceDomain"), "\(lacking.errors)")
    }
}
