import Crypto
import Foundation
import Glibc
import JOSE
import Model
import TestSupport
import Testing

/// `portcullis init`: what it writes is valid, runs, and protects the API behind it.
@Suite struct InitCommandTests {
    private let parent: ConfigurationDirectory
    private let upstream: StubUpstream

    init() throws {
        parent = try ConfigurationDirectory()
        upstream = try StubUpstream()
    }

    /// Runs the command for a directory that does not exist yet, and what it says.
    @discardableResult
    private func make(_ arguments: String..., input: String? = nil) throws -> (ConfigurationDirectory, String) {
        let directory = ConfigurationDirectory("mine", in: parent)
        let result = try Program.run(
            GatewayProcess.binary,
            ["init", directory.path, "--upstream", upstream.url] + arguments, input: input)
        try #require(result.ending == .exit(0), "\(result.errors)")
        let isSecret = try directory.read("gateway.jsonc").contains("{scrypt}")
        #expect(try mode(directory, "gateway.jsonc") == (isSecret ? 0o600 : 0o644))
        let checked = try CommandLine.run("check", directory.path, "--strict")
        #expect(checked.ending == .exit(0), "\(checked.errors)")
        // A port that is free.
        let text = try directory.read("gateway.jsonc")
        let admin = #""adminToken": "file:admin-token""#
        try directory.write(
            "gateway.jsonc",
            text.replacing(#""port": 8080"#, with: #""port": 0"#).replacing(admin, with: #""port": 0, \#(admin)"#))
        return (directory, result.output)
    }

    private func serve(_ directory: ConfigurationDirectory) throws -> GatewayProcess {
        try GatewayProcess(directory, listeners: ["listener-0"])
    }

    private func request(_ gateway: GatewayProcess, _ fields: [Field] = []) throws -> Response {
        try gateway.request("GET", "/items", fields, listener: "listener-0")
    }

    private func mode(_ directory: ConfigurationDirectory, _ file: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: "\(directory.path)/\(file)")[.posixPermissions] as? Int
    }

    @Test("tokens of an OpenID Connect provider open the API, with nested roles, in under 15 lines of JSON")
    func outsideProvider() throws {
        let provider = try StubUpstream()
        let url = provider.url
        let signer = JWTSigner(key: SigningKey.generate(.es256), keyID: "a")
        let keys = String(decoding: KeySet(keys: [signer.publishedKey]).jwks(), as: UTF8.self)
        provider.on("/realms/shop/.well-known/openid-configuration") { _ in
            [.reply(body: #"{"issuer": "\#(url)/realms/shop", "jwks_uri": "\#(url)/keys"}"#)]
        }
        provider.on("/keys") { _ in [.reply(body: keys)] }
        let (directory, said) = try make("--oidc", "\(url)/realms/shop", "--audience", "api")
        #expect(said.contains("portcullis serve --config \(directory.path)"))
        let lines = try directory.read("gateway.jsonc").split(separator: "\n")
        #expect(lines.count { !$0.contains("//") || $0.contains("http") } < 15, "\(lines)")
        let gateway = try serve(directory)
        _ = try #require(gateway.waitForEvent("keys_fetched"), "\(gateway.everythingWritten)")
        #expect(try request(gateway).status == 401)
        func token(_ audience: String) -> Field {
            let claims =
                #"{"iss":"\#(url)/realms/shop","aud":"\#(audience)","sub":"1","preferred_username":"jo","#
                + #""exp":\#(Int(Date().timeIntervalSince1970) + 60),"realm_access":{"roles":["admin","x"]}}"#
            return .bearer(String(decoding: signer.sign(claims: Array(claims.utf8), type: "JWT"), as: UTF8.self))
        }
        #expect(try request(gateway, [token("other")]).status == 401)
        #expect(try request(gateway, [token("api")]).status == 200)
        let forwarded = try #require(upstream.requests.last)
        #expect(forwarded.only("X-Gateway-User") == "jo" && forwarded.only("X-Gateway-Roles") == "admin")
    }

    @Test("own users log in with the password that is printed once, by Basic or for a token")
    func ownUsers() throws {
        let (directory, said) = try make("--users")
        #expect(!said.contains("https"))
        let password = try #require(said.firstMatch(of: /password ([A-Za-z0-9_-]+),/)).output.1
        #expect(try mode(directory, "client-secret") == 0o600)
        #expect(try !directory.read("gateway.jsonc").contains(password))
        let gateway = try serve(directory)
        let challenge = try request(gateway)
        #expect(challenge.status == 401 && challenge.only("WWW-Authenticate")?.hasPrefix("Basic ") == true)
        #expect(try request(gateway, [.basic("admin:\(password)")]).status == 200)
        #expect(upstream.requests.last?.only("X-Gateway-Roles") == "admin")
        #expect(try request(gateway, [.basic("admin:x")]).status == 401)
        #expect(try mode(directory, "admin-token") == 0o600)
        let users = try gateway.request(
            "GET", "/admin/users", [.bearer(directory.read("admin-token"))], listener: "admin")
        #expect(JSONText(users.text).list.map { $0["username"].string } == ["admin"], "\(users.text)")
        let form = "grant_type=password&username=admin&password=\(password)"
        let answer = try gateway.request(
            "POST", "/oauth2/token",
            [
                .basic("app:\(directory.read("client-secret"))"),
                Field(name: "Content-Type", value: "application/x-www-form-urlencoded"),
            ], body: form, listener: "listener-0")
        let token = try #require(JSONText(answer.text)["access_token"].string, "\(answer.text)")
        #expect(try request(gateway, [.bearer(token)]).status == 200)
    }

    @Test("the directory may have a link to a place for keys and store")
    func installed() throws {
        let (directory, place) = ("\(parent.path)/mine", "\(parent.path)/place")
        for path in [directory, place] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        try FileManager.default.createSymbolicLink(atPath: "\(directory)/state", withDestinationPath: place)
        let gateway = try serve(make("--users").0)
        #expect(try request(gateway).status == 401)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place).contains("tokens.sqlite"))
    }

    @Test("browsers are sent to the provider, and other clients get 401")
    func browsers() throws {
        let (directory, said) = try make("--login", "https://127.0.0.1:9", "--client-id", "gw", input: "s3cret\n")
        #expect(said.contains("/oauth2/callback/idp") && said.contains("/oauth2/logout"))
        #expect(try directory.read("provider-secret") == "s3cret" && mode(directory, "provider-secret") == 0o600)
        let gateway = try serve(directory)
        #expect(try request(gateway).status == 401)
        let page = try request(gateway, ["Accept: text/html", "Host: localhost:8080"])
        #expect(page.status == 302 && page.only("Location")?.contains("/login") == true, "\(page.text)")
    }

    @Test("Oracle clients get their challenge, and the printed commands of a client log in and get an answer")
    func oracleClients() throws {
        // The commands name the port.
        let address = "127.0.0.1:\(PeerListener().port)"
        let (directory, said) = try make("--oracle", "--listen", address)
        let gateway = try GatewayProcess(directory, listeners: [address])
        for agent in ["OIC-Agent", "OAMMS-Agent"] {
            let challenge = try gateway.request(
                "GET", "/items", [Field(name: "User-Agent", value: agent)], listener: address)
            #expect(challenge.status == 401)
            #expect(challenge.only("WWW-Authenticate")?.hasPrefix(#"OAM-Auth realm="AppWG:2 "#) == true, "\(agent)")
        }
        upstream.on("/") { _ in [.reply(body: "of the API")] }
        let password = try #require(said.firstMatch(of: /password ([A-Za-z0-9_-]+),/)).1
        let home = try ClientHome()
        let answers = try said.matches(of: /(?m)^portcullis client (.+)$/).map { command in
            let words = command.1.split(separator: " ").map { $0.trimmingCharacters(in: ["'"]) }
            return try Program.run(
                GatewayProcess.binary, ["client"] + words, environment: ["PORTCULLIS_CLIENT_HOME": home.path],
                input: "\(password)\n")
        }
        #expect(answers.count == 3 && answers.allSatisfy { $0.ending == .exit(0) && $0.errors.isEmpty }, "\(answers)")
        #expect(answers.first?.output == "http://\(address)  App")
        #expect(answers.last?.output == "of the API")
    }

    @Test(
        "an upstream without a scheme is http where it is this machine or has a port",
        arguments: [
            ("localhost:9000", "http://localhost:9000"), ("localhost", "http://localhost"),
            ("api:9000", "http://api:9000"),
            ("10.0.0.1:80/x", "http://10.0.0.1:80/x"), ("api.example.com", "https://api.example.com"),
            ("api.example.com:443", "https://api.example.com:443"),
            ("http://api.example.com", "http://api.example.com"),
        ])
    func upstreamScheme(_ text: String, _ url: String) throws {
        let directory = ConfigurationDirectory("mine", in: parent)
        let result = try CommandLine.run("init", directory.path, "--users", "--upstream", text)
        #expect(result.ending == .exit(0), "\(result.errors)")
        #expect(try directory.read("gateway.jsonc").contains(#""url": "\#(url)""#))
    }

    @Test("a gateway on all addresses has the URL that clients use, and its user gets the files")
    func allAddresses() throws {
        let user = geteuid() == 0 ? "nobody" : NSUserName()
        let directory = ConfigurationDirectory("mine", in: parent)
        let result = try CommandLine.run(
            "init", directory.path, "--users", "--listen", "0.0.0.0:8080", "--base-url", "https://gw.example.com/",
            "--owner", user)
        #expect(result.ending == .exit(0), "\(result.errors)")
        #expect(try directory.read("gateway.jsonc").contains(#""baseUrl": "https://gw.example.com""#))
        #expect(
            result.output.contains("https://gw.example.com/\n") || result.output.hasSuffix("https://gw.example.com/"))
        #expect(result.output.contains("Clients come by https: a proxy with TLS goes in front"))
        let clear = try CommandLine.run(
            "init", "\(directory.path)2", "--users", "--listen", "0.0.0.0:8080", "--base-url", "http://gw.example.com")
        #expect(clear.output.contains("can be read on their way to http://gw.example.com"), "\(clear.errors)")
        let owner = try FileManager.default.attributesOfItem(atPath: directory.path)[.ownerAccountName]
        #expect(owner as? String == user)
        for file in ["gateway.jsonc", "client-secret"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(directory.path)/\(file)")
            #expect(attributes[.ownerAccountName] as? String == user)
            #expect(try mode(directory, file) == 0o600)
        }
    }

    @Test("a directory with files is left alone, and incomplete arguments are refused")
    func refusals() throws {
        func run(_ arguments: String...) throws -> (Program.Ending, String) {
            let result = try Program.run(GatewayProcess.binary, ["init"] + arguments, input: "")
            return (result.ending, result.errors)
        }
        try parent.write("notes", "mine")
        #expect(
            try run(parent.path, "--users") == (
                .exit(1), "portcullis: \(parent.path) is not empty; nothing was written"
            ))
        #expect(try FileManager.default.contentsOfDirectory(atPath: parent.path) == ["notes"])
        let new = "\(parent.path)/new"
        for (arguments, message) in [
            ([new], "one of --oidc, --users, --mcp, --login and --oracle is needed"),
            ([new, "--oidc", "https://idp.example"], "--oidc needs --audience"),
            ([new, "--login", "https://idp.example"], "--login needs --client-id"),
            ([new, "--users", "--oracle"], "exclude each other"),
            ([new, "--users", "--audience", "x"], "--audience goes with --oidc"),
            (
                [new, "--users", "--listen", "8080"],
                "--listen is not an IP address and port such as 127.0.0.1:8080: 8080; did you mean 127.0.0.1:8080?"
            ),
            ([new, "--users", "--listen", "0.0.0.0:8080"], "--listen 0.0.0.0:8080 is all addresses; --base-url says"),
            ([new, "--users", "--listen", "[::]:8080"], "--listen [::]:8080 is all addresses; --base-url says"),
            ([new, "--users", "--owner", "no-such-user"], "--owner is not a user of this machine: no-such-user"),
            ([new, "--users", "--base-url", "ftp://x"], "--base-url is not an http or https URL"),
            ([new, "--users", "--upstream", "ftp://x"], "--upstream is not an http or https URL"),
            ([new, "--mcp", "--upstream", "http://127.0.0.1:9000/mcp"], "--upstream is the server without its path"),
            (
                [new, "--users", "--base-url", "https://user:secret@x"],
                #"--base-url is not an http or https URL without user name and password: "https://***@x""#
            ),
            ([new, "--users", "--base-url", "https://gw.example.com/path"], "/baseUrl: invalid value"),
            ([new, "--users", "--base-url", "https://gw.example.com/?q"], "/baseUrl: invalid value"),
            ([new, "--users", "--upstream", "http://api/x?y"], "/upstreams/api/url: invalid value"),
            ([new, "--oidc", "https://idp.example", "--audience", ""], "no valid configuration; nothing was written"),
            ([], "expected one directory"),
        ] {
            let result = try Program.run(GatewayProcess.binary, ["init"] + arguments, input: "")
            #expect(result.ending == .exit(2) && result.errors.contains(message), "\(arguments): \(result.errors)")
        }
        #expect(
            try run(new, "--login", "https://idp.example", "--client-id", "gw") == (
                .exit(1), "portcullis: no client secret on standard input"
            ))
        #expect(!FileManager.default.fileExists(atPath: new))
        // The system's reason, and not what Foundation says of it.
        let (ending, errors) = try run("\(parent.path)/notes/new", "--users")
        #expect(ending == .exit(1) && errors == "portcullis: cannot create \(parent.path)/notes/new: Not a directory")
    }
}
