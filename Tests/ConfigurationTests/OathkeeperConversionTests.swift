import Bytes
import Configuration
import Conversion
import Model
import Testing

/// Access rules of Oathkeeper as routes.
@Suite struct OathkeeperConversionTests {
    private static let configuration = """
        serve:
          proxy:
            port: 4455
        authenticators:
          noop: {enabled: true}
          anonymous: {enabled: true, config: {subject: guest}}
          unauthorized: {enabled: true}
          cookie_session: {enabled: true, config: {check_session_url: "https://kratos.example.com/"}}
          oauth2_introspection:
            enabled: true
            config: {introspection_url: "https://hydra.example.com/oauth2/introspect"}
          jwt:
            enabled: true
            config:
              trusted_issuers: ["https://idp.example.com/"]
              jwks_urls: ["https://idp.example.com/keys"]
        authorizers:
          allow: {enabled: true}
          deny: {enabled: true}
          remote_json: {enabled: true, config: {remote: "https://authz.example.com/", payload: "{}"}}
          keto_engine_acp_ory: {enabled: true}
        mutators:
          noop: {enabled: true}
          header: {enabled: true}
          cookie: {enabled: true}
          id_token: {enabled: true, config: {issuer_url: "https://gw.example.com/", ttl: 60s}}

        """

    /// A rule in YAML.
    private static func rule(
        _ id: String, _ path: String, methods: String = "GET", authenticators: String = "{handler: jwt}",
        authorizer: String = "{handler: allow}", mutators: String = "{handler: noop}", more: String = ""
    ) -> String {
        """
        - id: \(id)
          upstream: {url: "http://127.0.0.1:9000"}
          match: {url: "http://gw.example.com\(path)", methods: [\(methods)]}
          authenticators: [\(authenticators)]
          authorizer: \(authorizer)
          mutators: [\(mutators)]
        \(more)
        """
    }

    private func convert(
        _ rules: String..., configuration: String? = configuration
    ) throws -> (JSONNode, ConversionReport) {
        let result = try OathkeeperConversion.convert(
            (text: rules.joined(separator: "\n"), file: "rules.yml"),
            configuration: configuration.map { (text: $0, file: "ok.yml") })
        var environment: [String: String] = [:]
        for name in result.variables { environment[name] = "x" }
        let directory = try ConfigurationDirectory(["gateway.jsonc": result.text], on: [:])
        #expect(directory.load(environment).lines(.error) == [], "\(result.text)")
        return (try JSONText(Array(result.text.utf8), isJSONC: true).root, result.report)
    }

    private func route(_ node: JSONNode, _ path: String, _ method: String = "GET") -> JSONNode? {
        node["routes"]?.array?.first { route in
            let methods = route["methods"]?.array?.compactMap(\.string) ?? []
            return route["path"]?.string == path && (methods.isEmpty || methods.contains(method))
        }
    }

    /// The status of a route that refuses; nil for one that forwards, 404 for none.
    private func refusal(_ node: JSONNode, _ path: String, _ method: String = "GET") -> Int64? {
        guard let route = route(node, path, method) else { return 404 }
        return route["response"]?["status"]?.integer
    }

    @Test("a rule is a route: host, path, methods, issuer, upstream")
    func plain() throws {
        let (node, report) = try convert(Self.rule("api", "/api/<.*>", methods: "GET, HEAD, post"))
        #expect(!report.needsAttention, "\(report.text)")
        #expect(node["baseUrl"]?.string == "http://gw.example.com")
        let api = try #require(route(node, "/api/*/**"))
        #expect(api["hosts"]?.array?.compactMap(\.string) == ["gw.example.com"])
        #expect(api["methods"]?.array?.compactMap(\.string) == ["GET", "POST"])
        #expect(api["authenticators"]?.array?.compactMap(\.string) == ["bearer:issuer-1"])
        #expect(api["forwardCredential"]?.bool == true)
        let issuer = try #require(node["trustedIssuers"]?.array?.first)
        #expect(issuer["algorithms"]?.array?.compactMap(\.string) == ["RS256"])
        #expect(issuer["jwksUri"]?.string == "https://idp.example.com/keys")
        #expect(node["upstreams"]?["upstream-1"]?["hostHeader"]?.string == "upstream")
    }

    @Test("JSON rules are read as well, without a configuration")
    func json() throws {
        let (node, report) = try convert(
            """
            [{"id": "a", "upstream": {"url": "http://127.0.0.1:9000/base/", "strip_path": "/x", "preserve_host": true},
              "match": {"url": "http://<127.0.0.1|localhost>:4455/x/a", "methods": ["GET"]},
              "authenticators": [{"handler": "noop"}], "authorizer": {"handler": "allow"},
              "mutators": [{"handler": "noop"}]}]
            """, configuration: nil)
        let local = try #require(route(node, "/x/a"))
        #expect(local["hosts"]?.array?.compactMap(\.string) == ["127.0.0.1", "localhost"])
        #expect(local["public"]?.bool == true && local["rewrite"]?["stripPrefix"]?.string == "/x")
        #expect(node["upstreams"]?["upstream-1"]?["url"]?.string == "http://127.0.0.1:9000/base")
        #expect(report.notes.filter { $0.kind == .open }.map(\.setting) == ["match.url"])
    }

    @Test("credentials: none, any, optional, and those without an equivalent")
    func authenticators() throws {
        let (node, _) = try convert(
            Self.rule("noop", "/noop", authenticators: "{handler: noop}"),
            Self.rule("anonymous", "/anonymous", authenticators: "{handler: anonymous}"),
            Self.rule("both", "/both", authenticators: "{handler: jwt}, {handler: anonymous}"),
            Self.rule(
                "scoped", "/scoped",
                authenticators: "{handler: jwt, config: {required_scope: [a], scope_strategy: exact}}, {handler: noop}"),
            Self.rule("none", "/none", authenticators: "{handler: unauthorized}"),
            Self.rule("session", "/session", authenticators: "{handler: cookie_session}"),
            Self.rule("mixed", "/mixed", authenticators: "{handler: cookie_session}, {handler: jwt}"),
            Self.rule("opaque", "/opaque", authenticators: "{handler: oauth2_introspection}"),
            Self.rule("disabled", "/disabled", authenticators: "{handler: bearer_token}"),
            Self.rule("loose", "/loose", authenticators: "{handler: jwt, config: {trusted_issuers: []}}"),
            Self.rule("audiences", "/audiences", authenticators: "{handler: jwt, config: {target_audience: [a, b]}}"),
            Self.rule("scopes", "/scopes", authenticators: "{handler: jwt, config: {required_scope: [a]}}"))
        #expect(route(node, "/noop")?["public"]?.bool == true && route(node, "/anonymous")?["public"]?.bool == true)
        #expect(route(node, "/both")?["identity"]?.string == "optional")
        // Oathkeeper refuses a request with this field, which the upstream may take for a checked one.
        #expect(
            route(node, "/noop")?["forwardCredential"] != nil && route(node, "/anonymous")?["forwardCredential"] == nil)
        let scoped = try #require(route(node, "/scoped"))
        #expect(scoped["identity"] == nil && scoped["scopes"]?.array?.compactMap(\.string) == ["a"])
        #expect(refusal(node, "/none") == 401 && refusal(node, "/session") == 401)
        #expect(refusal(node, "/mixed") == nil && route(node, "/mixed")?["authenticators"]?.array?.count == 1)
        #expect(route(node, "/opaque")?["authenticators"]?.array?.compactMap(\.string) == ["bearer:issuer-2"])
        let issuer = try #require(node["trustedIssuers"]?.array?.last?["introspection"])
        #expect(issuer["clientSecret"]?.string == "env:OATHKEEPER_INTROSPECTION_SECRET")
        for path in ["/disabled", "/loose", "/audiences", "/scopes"] { #expect(refusal(node, path) == 403, "\(path)") }
    }

    @Test("settings of another kind or name refuse the requests of their rule, and are named")
    func kinds() throws {
        let rules = [
            "a": Self.rule("a", "/a", authenticators: "{handler: jwt, config: {target_audience: [12345]}}"),
            "b": Self.rule("b", "/b", authenticators: "{handler: jwt, config: {required_scope: admin}}"),
            "c": Self.rule("c", "/c", authenticators: "{handler: jwt, config: {required_scopes: [admin]}}"),
            "d": Self.rule("d", "/d", authenticators: "{handler: jwt, configuration: {required_scope: [x]}}"),
            "e": Self.rule("e", "/e", authenticators: "{handler: jwt, config: {token_from: {header: A, cookie: b}}}"),
            "f": Self.rule("f", "/f", mutators: "", more: ""), "g": Self.rule("g", "/g", authenticators: ""),
            "h": Self.rule("h", "/h").replacing("  mutators: [", with: "  mutators: {a: [")
                .replacing("noop}]", with: "noop}]}"),
            "i": Self.rule("i", "/i", methods: "GET, 1"), "j": Self.rule("j", "/j", methods: "HEAD"),
            "k": Self.rule("k", "/k").replacing("methods:", with: "method: x, methods:"),
            "l": Self.rule("\"l\\r\\nx\"", "/l", authenticators: "{handler: noop}"),
            "m": Self.rule("m", "/m", mutators: "{handler: id_token, config: {ttl: 1}}"),
            "n": Self.rule("n", "/n", mutators: "{handler: id_token, config: {ttl: \"60\"}}"),
        ]
        for (name, rule) in rules {
            let (node, report) = try convert(rule)
            #expect(refusal(node, "/\(name)") == 403, "\(name): \(node)")
            #expect(report.notes.contains { $0.kind == .attention && $0.setting.hasPrefix(name) }, "\(report.text)")
            #expect(!report.text.contains("\r"))
        }
    }

    @Test("authorizers: allow, deny, a server that must agree, and others")
    func authorizers() throws {
        let (node, report) = try convert(
            Self.rule("deny", "/deny", authorizer: "{handler: deny}"),
            Self.rule("remote", "/remote", authorizer: "{handler: remote_json}"),
            Self.rule("keto", "/keto", authorizer: "{handler: keto_engine_acp_ory}"),
            Self.rule("disabled", "/disabled", authorizer: "{handler: remote}"))
        #expect(refusal(node, "/deny") == 403 && refusal(node, "/keto") == 403 && refusal(node, "/disabled") == 403)
        #expect(route(node, "/remote")?["policy"]?.string == "policy-1")
        #expect(node["policyServers"]?["policy-1"]?["format"]?.string == "opa")
        #expect(report.text.contains("remote, authorizer"))
    }

    @Test("mutators: fields by templates, signed tokens; a field that is not translated cannot be sent by clients")
    func mutators() throws {
        let (node, _) = try convert(
            Self.rule(
                "fields", "/fields",
                mutators: """
                    {handler: header, config: {headers: {X-User: "{{ print .Subject }}", X-Mail: "<{{ .Extra.ext.mail }}>", \
                    X-Env: "a${b}", X-Odd: "{{ .MatchContext.URL }}"}}}
                    """),
            Self.rule("signed", "/signed", mutators: "{handler: id_token}"),
            Self.rule("cookie", "/cookie", mutators: "{handler: cookie, config: {cookies: {user: x}}}"))
        let fields = try #require(route(node, "/fields")?["requestHeaders"])
        #expect(
            fields["set"]?["X-User"]?.string == "${user}" && fields["set"]?["X-Mail"]?.string == "<${claim.ext.mail}>")
        #expect(fields["set"]?["X-Env"]?.string == "a$${b}")
        #expect(fields["remove"]?.array?.compactMap(\.string) == ["X-Odd"])
        let signed = try #require(route(node, "/signed"))
        #expect(signed["injection"]?["issuer"]?.string == "signer-1" && signed["forwardCredential"] == nil)
        #expect(node["issuers"]?["signer-1"]?["lifetimeSeconds"]?.integer == 60)
        #expect(refusal(node, "/cookie") == 403)
    }

    @Test("what two rules match is refused, with a slash at the end as well, and each rule serves the rest")
    func overlaps() throws {
        let (node, report) = try convert(
            Self.rule("wide", "/a/<.*>", methods: "GET, POST", authenticators: "{handler: noop}"),
            Self.rule("narrow", "/a/admin", methods: "GET, DELETE"),
            Self.rule("cross", "/<[^/]+>/c", authenticators: "{handler: noop}"))
        #expect(refusal(node, "/a/admin") == 403 && refusal(node, "/a/admin/") == 403)
        #expect(route(node, "/a/admin", "POST")?["public"]?.bool == true)
        #expect(route(node, "/a/admin/", "POST")?["public"]?.bool == true)
        #expect(route(node, "/a/admin", "DELETE")?["authenticators"] != nil)
        #expect(refusal(node, "/a/c") == 403 && refusal(node, "/*/c") == nil && refusal(node, "/a/*/**") == nil)
        #expect(report.text.contains("wide and narrow match /a/admin"))
    }

    @Test("expressions that no pattern says are refused, beside rules that they may overlap")
    func expressions() throws {
        let (node, report) = try convert(
            Self.rule("all", "/<.*>", authenticators: "{handler: noop}"),
            Self.rule("numbers", "/items/<[0-9]+>"), Self.rule("prefix", "/pre<.*>", methods: "PUT"))
        #expect(refusal(node, "/items/*") == 403 && refusal(node, "/items/*/") == 403 && refusal(node, "/**") == nil)
        #expect(refusal(node, "/pre/**", "PUT") == nil && refusal(node, "/*/**", "PUT") == 403)
        #expect(report.notes.contains { $0.kind == .attention && $0.setting == "numbers, match.url" })
        // The host may be a part of the path, too: everything overlaps.
        let (hosts, _) = try convert(
            Self.rule("x", "/x", authenticators: "{handler: noop}").replacing("gw.example.com", with: "<.*>"),
            Self.rule("y", "/y", authenticators: "{handler: noop}"))
        #expect(refusal(hosts, "/y") == 403 && refusal(hosts, "/x") == nil)
    }

    @Test("a glob stands for a text without dots and slashes, which no pattern is")
    func globs() throws {
        let glob = Self.configuration + "access_rules: {matching_strategy: glob}\n"
        let (node, _) = try convert(
            Self.rule("deep", "/a/<**>"), Self.rule("one", "/b/<*>"), Self.rule("words", "/c/<{x,y}>"),
            configuration: glob)
        #expect(refusal(node, "/a/*/**") == nil && refusal(node, "/b/*") == 403)
        #expect(refusal(node, "/c/x") == nil && refusal(node, "/c/y") == nil)
    }

    @Test("files of another kind are refused")
    func failures() {
        for (rules, message) in [
            ("a: 1", "list of access rules"), ("- id: &x 1", "anchors"), ("", "empty"), ("[1", "JSON"),
        ] {
            do {
                _ = try OathkeeperConversion.convert((text: rules, file: "r"), configuration: nil)
                Issue.record("\(rules) was read")
            } catch {
                #expect(error.text.contains(message), "\(error.text)")
            }
        }
    }
}
