import Crypto
import Foundation
import JOSE
import Model
import TestSupport
import Testing

/// `portcullis convert`: the directory that it writes is valid, runs, and decides like the original.
@Suite struct ConvertCommandTests {
    private let parent: ConfigurationDirectory
    private let upstream: StubUpstream

    init() throws {
        parent = try ConfigurationDirectory()
        upstream = try StubUpstream()
    }

    private func convert(_ arguments: String...) throws -> (ending: Program.Ending, output: String, errors: String) {
        try Program.run(GatewayProcess.binary, ["convert"] + arguments, directory: parent.path)
    }

    /// The directory that the command wrote, as one that listens where the kernel chooses, and is valid.
    private func directory(_ environment: [String: String] = [:]) throws -> ConfigurationDirectory {
        let directory = ConfigurationDirectory("mine", in: parent)
        let checked = try CommandLine.run("check", directory.path, environment: environment)
        #expect(checked.ending == .exit(0), "\(checked.errors)")
        let text = try directory.read("gateway.jsonc")
        try directory.write("gateway.jsonc", text.replacing(#""port": 4180"#, with: #""port": 0, "name": "public""#))
        return directory
    }

    // MARK: oauth2-proxy

    /// A gateway with the converted configuration, which knows its own origin.
    private func gateway(_ provider: LoginProvider, _ more: String) throws -> GatewayProcess {
        try parent.write(
            "oauth2-proxy.cfg",
            """
            http_address = "127.0.0.1:4180"
            redirect_url = "http://127.0.0.1:4180/oauth2/callback"
            provider = "oidc"
            oidc_issuer_url = "\(provider.issuer)"
            client_id = "gateway"
            upstreams = ["\(upstream.url)/"]
            skip_auth_routes = ["^/open$", "GET=^/status$"]
            \(more)
            """)
        try parent.write("env", "OAUTH2_PROXY_CLIENT_SECRET=s3cret\n")
        let result = try convert("oauth2-proxy", "oauth2-proxy.cfg", "env", "--to", "mine")
        #expect(result.ending == .exit(1), "\(result.output)\(result.errors)")
        let environment = ["OAUTH2_PROXY_CLIENT_SECRET": "s3cret"]
        let directory = try directory(environment)
        #expect(try !directory.read("gateway.jsonc").contains("s3cret"))
        let gateway = try GatewayProcess(directory, listeners: ["public"], environment: environment)
        let own = "http://127.0.0.1:\(try gateway.port())"
        let text = try directory.read("gateway.jsonc")
        try directory.write("gateway.jsonc", text.replacing("http://127.0.0.1:4180", with: own))
        gateway.program.signal(SIGHUP)
        _ = try #require(gateway.waitForEvent("reloaded"), "\(gateway.everythingWritten)")
        return gateway
    }

    @Test(
        "oauth2-proxy: a user of the domain and group logs in and is forwarded by address",
        .enabled(if: LoginProvider.python != nil))
    func login() throws {
        let provider = try LoginProvider(.mock)
        let gateway = try gateway(
            provider, "email_domains = [\"example.com\"]\nallowed_groups = [\"clerks\"]\nscope = \"openid email\"")
        #expect(try gateway.request("GET", "/app").status == 401)
        #expect(try gateway.request("GET", "/open").status == 200)
        #expect(try gateway.request("GET", "/status").status == 200)
        #expect(try gateway.request("POST", "/status").status == 401)
        #expect(try gateway.request("GET", "/ping").text == "OK")
        // No other credential counts, and none of these fields reaches the upstream from a client.
        #expect(try gateway.request("GET", "/app", [.bearer("x")]).status == 401)
        _ = try gateway.request("GET", "/open", ["X-Forwarded-Email: joe@example.com"])
        #expect(upstream.requests.last?.only("X-Forwarded-Email") == nil)
        let jar = CookieJar(gateway)
        #expect(try provider.logIn(jar, "/app?x=1", typing: "sub=ann").answer.status == 303)
        #expect(try jar.send("GET", "/app?x=1").status == 200)
        let seen = try #require(upstream.requests.last)
        #expect(
            seen.only("X-Forwarded-Email") == "ann@example.com" && seen.only("X-Forwarded-User") == "ann@example.com")
        // The roles have that of allowed addresses, which is no group.
        #expect(seen.only("X-Forwarded-Groups") == nil)
    }

    @Test(
        "oauth2-proxy: users of other domains and groups are refused after the login",
        .enabled(if: LoginProvider.python != nil),
        arguments: [
            "email_domains = [\"example.org\"]", "email_domains = [\"ample.com\"]",
            "email_domains = [\"*\"]\nallowed_groups = [\"managers\"]",
            "email_domains = [\"example.com\"]\nallowed_groups = [\"example.com\"]",
        ])
    func refusal(_ settings: String) throws {
        let provider = try LoginProvider(.mock)
        let gateway = try gateway(provider, settings)
        let jar = CookieJar(gateway)
        #expect(try provider.logIn(jar, "/app", typing: "sub=ann").answer.status == 303)
        #expect(try jar.send("GET", "/app").status == 403)
        #expect(gateway.waitForAccess { $0["reason"].string == "role_required" } != nil)
        #expect(try jar.send("GET", "/open").status == 200)
    }

    @Test("oauth2-proxy: a restriction without an equivalent refuses everything that needs a login")
    func denial() throws {
        try parent.write(
            "a.cfg",
            """
            redirect_url = "http://127.0.0.1:4180/"
            provider = "github"
            client_id = "x"
            email_domains = ["*"]
            github_org = "acme"
            upstreams = ["\(upstream.url)"]
            skip_auth_routes = ["^/open$", "\\\\.css$"]
            """)
        let result = try convert("oauth2-proxy", "a.cfg", "--to", "mine")
        #expect(result.ending == .exit(1) && result.output.contains("a.cfg:5: github_org:"), "\(result.output)")
        let gateway = try GatewayProcess(try directory(), listeners: ["public"])
        #expect(try gateway.request("GET", "/app").status == 403)
        #expect(try gateway.request("GET", "/a.css").status == 403)
        #expect(upstream.requests.isEmpty)
        #expect(try gateway.request("GET", "/open").status == 200)
    }

    // MARK: Oathkeeper

    @Test("Oathkeeper: tokens, callers without one, refused paths, overlaps and fields")
    func oathkeeper() throws {
        let provider = try StubUpstream()
        let signer = JWTSigner(key: SigningKey.generate(.es256), keyID: "a")
        let keys = String(decoding: KeySet(keys: [signer.publishedKey]).jwks(), as: UTF8.self)
        provider.on("/keys") { _ in [.reply(body: keys)] }
        func rule(
            _ id: String, _ path: String, _ authenticators: String, _ more: String = "authorizer: {handler: allow}"
        ) -> String {
            """
            - id: \(id)
              upstream:
                url: \(upstream.url)
              match:
                url: http://<127.0.0.1|localhost>:4180\(path)
                methods: [GET]
              authenticators: [\(authenticators)]
              \(more)
              mutators:
                - handler: header
                  config:
                    headers:
                      X-User: "{{ print .Subject }}"

            """
        }
        let jwt = "{handler: jwt, config: {target_audience: [api]}}"
        let numbers = rule("numbers", "/api/items/<[0-9]+>", "{handler: noop}")
        try parent.write(
            "rules.yml",
            rule("open", "/open", "{handler: anonymous}") + rule("api", "/api/<.*>", jwt)
                + rule("both", "/both", "\(jwt), {handler: anonymous}") + numbers
                + rule("closed", "/closed", "{handler: noop}", "authorizer: {handler: deny}")
                + rule("session", "/session", "{handler: cookie_session}"))
        try parent.write(
            "oathkeeper.yml",
            """
            serve: {proxy: {port: 4180, host: 127.0.0.1}}
            authenticators:
              noop: {enabled: true}
              anonymous: {enabled: true}
              cookie_session: {enabled: true, config: {check_session_url: "http://127.0.0.1:1/"}}
              jwt:
                enabled: true
                config:
                  trusted_issuers: ["https://idp.example.com/"]
                  allowed_algorithms: [ES256]
                  jwks_urls: ["\(provider.url)/keys"]
            authorizers: {allow: {enabled: true}, deny: {enabled: true}}
            mutators: {header: {enabled: true}}
            """)
        let result = try convert("oathkeeper", "rules.yml", "--config", "oathkeeper.yml", "--to", "mine")
        #expect(
            result.ending == .exit(1) && result.output.contains("numbers, match.url"),
            "\(result.output)\(result.errors)")
        let gateway = try GatewayProcess(try directory(), listeners: ["public"])
        _ = try #require(gateway.waitForEvent("keys_fetched"), "\(gateway.everythingWritten)")
        func token(_ audience: String) -> Field {
            let claims =
                #"{"iss":"https://idp.example.com/","aud":["\#(audience)","x"],"sub":"jo","#
                + #""exp":\#(Int(Date().timeIntervalSince1970) + 60)}"#
            return .bearer(String(decoding: signer.sign(claims: Array(claims.utf8), type: "JWT"), as: UTF8.self))
        }
        func status(_ path: String, _ fields: Field...) throws -> Int {
            try gateway.request("GET", path, fields).status
        }
        #expect(try status("/open") == 200)
        #expect(try status("/api/x") == 401)
        #expect(try status("/api/x", token("other")) == 401)
        #expect(try status("/api/x", token("api")) == 200)
        let seen = try #require(upstream.requests.last)
        #expect(seen.only("X-User") == "jo" && seen.only("Authorization")?.hasPrefix("Bearer ") == true)
        #expect(try status("/both") == 200 && status("/both", token("api")) == 200)
        #expect(try status("/both", .bearer("bad")) == 401)
        // The numbers may be matched by two rules.
        let count = upstream.requests.count
        #expect(try status("/api/items/1", token("api")) == 403 && status("/api/items/1/", token("api")) == 403)
        #expect(try status("/api/items/1/x", token("api")) == 200)
        #expect(try status("/closed", token("api")) == 403 && status("/session") == 401)
        #expect(try status("/unknown", token("api")) == 404 && status("/api") == 404)
        #expect(try gateway.request("POST", "/open").status == 405)
        #expect(try status("/open", "Host: other.example") == 404)
        #expect(upstream.requests.count == count + 1)
        _ = try status("/open", "X-User: root")
        #expect(upstream.requests.last?.only("X-User") == nil)
    }

    // MARK: Arguments

    @Test("wrong arguments and files of another kind write nothing and have the status 2")
    func misuse() throws {
        try parent.write("alpha.yaml", "providers:\n- id: x\n")
        try parent.write("good.cfg", "\u{feff}client_id = \"x\"\n")
        try parent.write("broken.cfg", "cookie_expire = \"1\"\n")
        try parent.write("rules.yml", "- id: &x 1\n")
        for (arguments, message) in [
            ([], "a program is missing"), (["nginx", "x", "--to", "new"], "unknown program nginx"),
            (["oauth2-proxy", "good.cfg"], "--to DIR is missing"), (["oauth2-proxy", "--to", "new"], "expected FILE"),
            (["oauth2-proxy", "missing", "--to", "new"], "cannot be read"),
            (["oauth2-proxy", "broken.cfg", "--to", "new"], "broken.cfg:1: cookie_expire"),
            (["oauth2-proxy", "alpha.yaml", "--to", "new"], "alpha configuration"),
            (["oauth2-proxy", "good.cfg", "--config", "x", "--to", "new"], "--config goes with oathkeeper"),
            (["oathkeeper", "--to", "new"], "expected one file"),
            (["oathkeeper", "rules.yml", "--to", "new"], "rules.yml:1: anchors"),
        ] {
            let result = try Program.run(GatewayProcess.binary, ["convert"] + arguments, directory: parent.path)
            #expect(result.ending == .exit(2) && result.errors.contains(message), "\(arguments): \(result.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: "\(parent.path)/new"))
        let full = try convert("oauth2-proxy", "good.cfg", "--to", ".")
        #expect(full.ending == .exit(1) && full.errors.contains("is not empty; nothing was written"))
        let file = try convert("oauth2-proxy", "good.cfg", "--to", "rules.yml")
        #expect(file.ending == .exit(1) && file.errors.contains("rules.yml is a file"), "\(file.errors)")
    }

    @Test("the examples of the guide are converted as it shows")
    func guide() throws {
        let text = Vectors.text("config/guides/convert.md")
        for block in text.matches(of: /(?s)\n`([\w.-]+)`\n\n```\w+\n(.*?)```/) {
            try parent.write(String(block.1), String(block.2))
        }
        let program = URL(fileURLWithPath: GatewayProcess.binary).deletingLastPathComponent().path
        let steps = text.matches(of: /(?s)```sh\n(.*?)```\n\n```text\n(.*?)```/)
        #expect(steps.count == 2)
        for step in steps {
            let result = try Program.run(
                "/bin/bash", ["-c", "PATH=\(program):$PATH\n\(step.1)"], directory: parent.path)
            // Lines of the guide stand in the output in their order; "..." is for lines between them.
            var rest = result.output[...]
            for line in step.2.split(separator: "\n").map({ $0.trimmingCharacters(in: .whitespaces) })
            where line != "..." {
                let found = try #require(rest.firstRange(of: line), "\(line)\nin\n\(result.output)\(result.errors)")
                rest = rest[found.upperBound...]
            }
        }
        for name in ["from-oauth2-proxy", "from-oathkeeper"] {
            let checked = try CommandLine.run(
                "check", "\(parent.path)/\(name)", environment: ["OAUTH2_PROXY_CLIENT_SECRET": "x"])
            #expect(checked.ending == .exit(0), "\(checked.errors)")
        }
    }
}
