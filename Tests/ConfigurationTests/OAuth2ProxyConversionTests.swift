import Bytes
import Configuration
import Conversion
import Model
import Testing

/// Configurations of oauth2-proxy as configurations of the gateway.
@Suite struct OAuth2ProxyConversionTests {
    /// Settings that oauth2-proxy needs, and others.
    private static let base = """
        redirect_url = "https://app.example.com/oauth2/callback"
        provider = "oidc"
        oidc_issuer_url = "https://idp.example.com/realms/shop"
        client_id = "gateway"
        client_secret_file = "/run/secrets/client"
        upstreams = ["http://127.0.0.1:8080/"]
        email_domains = ["*"]
        pass_basic_auth = false
        pass_user_headers = false

        """

    private func convert(
        _ texts: String..., emails: String? = nil
    ) throws -> (JSONNode, ConversionReport, ConvertedConfiguration) {
        let files = try texts.enumerated().map { try SettingsText($1, file: $0 == 0 ? "a.cfg" : "b") }
        let result = try OAuth2ProxyConversion.convert(files) { $0 == "/emails" ? emails.map { Array($0.utf8) } : nil }
        var environment = ["": ""]
        for name in result.variables { environment[name] = "x" }
        let directory = try ConfigurationDirectory(["gateway.jsonc": result.text], on: [:])
        let errors = directory.load(environment).lines(.error).filter { !$0.contains("/run/secrets/client") }
        #expect(errors == [], "\(result.text)")
        let node = try JSONNode.parse(JSONText(Array(result.text.utf8), isJSONC: true).root.serialized.span)
        return (node, result.report, result)
    }

    private func changed(_ more: String, without names: String...) -> String {
        let lines = Self.base.split(separator: "\n").filter { line in !names.contains { line.hasPrefix($0 + " =") } }
        return lines.joined(separator: "\n") + "\n" + more
    }

    private func notes(_ report: ConversionReport, _ setting: String) -> [ConversionNote.Kind] {
        report.notes.filter { $0.setting == setting }.map(\.kind)
    }

    private func route(_ node: JSONNode, _ path: String, _ method: String = "GET") -> JSONNode? {
        node["routes"]?.array?.first { route in
            let methods = route["methods"]?.array?.compactMap(\.string) ?? []
            return route["path"]?.string == path && (methods.isEmpty || methods.contains(method))
        }
    }

    private func isDenied(_ route: JSONNode?) -> Bool { route?["response"]?["status"]?.integer == 403 }

    @Test("a plain configuration is translated whole: listener, provider, session and route")
    func plain() throws {
        let (node, report, result) = try convert(Self.base)
        #expect(!report.needsAttention, "\(report.text)")
        #expect(node["baseUrl"]?.string == "https://app.example.com")
        #expect(node["listeners"]?.array?.first?["port"]?.integer == 4180)
        let provider = try #require(node["identityProviders"]?.array?.first)
        #expect(provider["issuer"]?.string == "https://idp.example.com/realms/shop")
        #expect(provider["clientSecret"]?.string == "file:/run/secrets/client")
        #expect(provider["usernameClaim"]?.string == "email" && provider["verifiedEmail"]?.string == "notDenied")
        let main = try #require(route(node, "/**"))
        #expect(main["login"]?["sessionLifetime"]?.string == "168h")
        #expect(main["authenticators"]?.array?.compactMap(\.string) == ["session"])
        #expect(main["roles"] == nil && main["requestHeaders"] == nil)
        #expect(route(node, "/ping")?["response"]?["body"]?.string == "OK")
        #expect(result.variables == [])
        #expect(report.steps.contains { $0.contains("https://app.example.com/oauth2/callback/idp") })
    }

    @Test("variables go before keys of files, and secrets are never copied")
    func secrets() throws {
        let text = changed("client_secret = \"hush-1\"\ncookie_secret = \"hush-2\"\n", without: "client_secret_file")
        let (node, report, result) = try convert(text, "OAUTH2_PROXY_CLIENT_ID=other\nOAUTH2_PROXY_COOKIE_EXPIRE=12h\n")
        #expect(!result.text.contains("hush") && !report.text.contains("hush"))
        #expect(node["identityProviders"]?.array?.first?["clientId"]?.string == "other")
        #expect(route(node, "/**")?["login"]?["sessionLifetime"]?.string == "12h")
        #expect(result.variables == ["OAUTH2_PROXY_CLIENT_SECRET"] && notes(report, "client_secret") == [.open])
        // A variable keeps its name.
        let (_, kept, _) = try convert(
            changed("", without: "client_secret_file"), "OAUTH2_PROXY_CLIENT_SECRET='hush-3'\n")
        #expect(notes(kept, "client_secret") == [.translated] && !kept.needsAttention)
        #expect(throws: ConversionFailure.self) { try convert(Self.base, "client_id = \"x\"") }
    }

    @Test("only users of the listed domains, addresses and groups get the roles that the routes need")
    func users() throws {
        let text = changed(
            """
            email_domains = ["Example.com", ".example.org"]
            allowed_groups = ["admins", "staff"]
            """, without: "email_domains")
        let (node, report, _) = try convert(text)
        let roles = try #require(route(node, "/**")?["roles"])
        #expect(roles["all"]?.array?.compactMap(\.string) == ["@@allowed-email"])
        #expect(roles["any"]?.array?.compactMap(\.string) == ["admins", "staff"])
        let provider = try #require(node["identityProviders"]?.array?.first)
        let mapped = provider["roleMappings"]?.array?.compactMap { $0["tokenRole"]?.string }
        #expect(mapped == ["@example.com"])
        // Subdomains are not translated, and refused.
        #expect(notes(report, "email_domains").contains(.attention))
        #expect(provider["scopes"]?.array?.compactMap(\.string) == ["openid", "email", "profile", "groups"])
        let addresses = changed(
            "email_domains = [\"example.com\"]\nauthenticated_emails_file = \"/emails\"\n",
            without: "email_domains", "pass_user_headers")
        let (listed, _, _) = try convert(addresses, emails: "jo@other.example\n# no\n\nann@other.example\n")
        let values = listed["identityProviders"]?.array?.first?["roleMappings"]?.array
        #expect(
            values?.compactMap { $0["tokenRole"]?.string } == ["@example.com", "jo@other.example", "ann@other.example"])
        // The role of allowed addresses is no group of the upstream.
        let fields = try #require(route(listed, "/**")?["requestHeaders"]?["set"])
        #expect(fields["X-Forwarded-User"] != nil && fields["X-Forwarded-Groups"] == nil)
        // A group could be taken for an address, and an address for a group.
        let (closed, noted, _) = try convert(addresses + "allowed_groups = [\"staff\"]\n", emails: "jo@other.example\n")
        #expect(isDenied(route(closed, "/**")) && notes(noted, "allowed_groups") == [.attention])
    }

    @Test("an empty variable leaves a restriction of the file")
    func emptyVariable() throws {
        let (node, report, _) = try convert(changed("Allowed_Groups = [\"staff\"]\n"), "OAUTH2_PROXY_ALLOWED_GROUPS=\n")
        #expect(route(node, "/**")?["roles"]?["any"]?.array?.compactMap(\.string) == ["staff"])
        #expect(notes(report, "allowed_groups").contains(.unneeded))
    }

    @Test(
        "values that could be read in two ways refuse the conversion",
        arguments: [
            "cookie_expire = \"3600\"", "cookie_expire = 3600", "cookie_refresh = \"-1h\"", "cookie_expire = \"1.5\"",
            "cookie_expire = \"1.0000001h\"", "upstream_timeout = \"x\"", "allowed_groups = \"a, b\"",
            "allowed_groups = [\"a \"]",
        ])
    func ambiguous(_ setting: String) throws {
        #expect(throws: ConversionFailure.self) { try convert(changed(setting + "\n")) }
        let (node, _, _) = try convert(changed("cookie_expire = \"1.5h\"\n"))
        #expect(route(node, "/**")?["login"]?["sessionLifetime"]?.string == "90m")
    }

    @Test("no value of the original ends a comment of the result, and URLs are shown without secrets")
    func comments() throws {
        let text = changed(
            #"""
            upstreams = ["http://me:hush-1@127.0.0.1/a/", "file:///x\r\n\u2028{\"path\": \"/in\", \"public\": true},//#/files/"]
            """#, without: "upstreams")
        let (node, report, result) = try convert(text)
        #expect(isDenied(route(node, "/files/")) && route(node, "/in") == nil)
        #expect(!result.text.contains("hush") && !report.text.contains("hush") && !report.text.contains("\r"))
        #expect(report.text.contains("http://***@127.0.0.1/a/"))
    }

    @Test(
        "restrictions without an equivalent refuse all that needs a login, and nothing else",
        arguments: [
            "github_org = \"x\"", "google_groups = [\"x\"]", "entra_id_allowed_tenants = [\"x\"]",
            "provider = \"github\"",
            "allowed_roles = [\"x\"]", "allowed_groups = [\"a,b\"]", "email_domains = []",
            "email_domains = [\"*.example.com\"]", "authenticated_emails_file = \"/missing\"", "client_id = \"\"",
            "oidc_issuer_url = \"\"", "allowed_groups = [\"\"]", "allowed_groups = [\"staff@example.com\"]",
            "gitlab_groups = [\"\", \"admins\"]", "alowed_groups = [\"x\"]", "client_id = [\"x\"]",
        ])
    func refusals(_ setting: String) throws {
        let name = String(setting.prefix { $0 != " " })
        let open = setting.hasPrefix("authenticated") ? "email_domains" : name
        let text = changed(setting + "\nskip_auth_routes = [\"^/open$\"]\n", without: name, open)
        let (node, report, _) = try convert(text)
        #expect(isDenied(route(node, "/**")), "\(node)")
        #expect(route(node, "/open")?["upstream"]?.string == "upstream-1")
        #expect(report.needsAttention)
    }

    @Test("settings that weaken are not taken over, and unknown ones are named")
    func weakening() throws {
        let text = changed(
            """
            trusted_ips = ["10.0.0.0/8"]
            ssl_insecure_skip_verify = true
            ssl_upstream_insecure_skip_verify = true
            insecure_oidc_allow_unverified_email = true
            insecure_oidc_skip_nonce = true
            skip_auth_preflight = true
            reverse_proxy = true
            trusted_proxy_ips = ["0.0.0.0/0", "10.1.0.0/16"]
            skip_auth_strip_headers = false
            pass_access_token = true
            cookie_domain = ["x"]
            """)
        let (node, report, result) = try convert(text)
        #expect(node["trustedProxies"]?.array?.compactMap(\.string) == ["10.1.0.0/16"])
        #expect(!result.text.contains("\"verify\"") && !result.text.contains("ignored"))
        for name in [
            "trusted_ips", "ssl_insecure_skip_verify", "ssl_upstream_insecure_skip_verify", "skip_auth_preflight",
            "insecure_oidc_allow_unverified_email", "insecure_oidc_skip_nonce", "pass_access_token", "cookie_domain",
        ] {
            #expect(notes(report, name) == [.attention], "\(name)")
        }
        #expect(notes(report, "trusted_proxy_ips").contains(.open))
        #expect(report.text.contains("did you mean cookie_domains?"))
    }

    @Test("paths without a login are public by path and method; what no pattern says needs a login")
    func exemptions() throws {
        let text = changed(
            #"""
            upstreams = ["http://127.0.0.1:1/", "http://127.0.0.1:2/api/", "http://127.0.0.1:3/one", "http://127.0.0.1:4/api/one"]
            skip_auth_regex = ["^/docs/"]
            skip_auth_routes = ["GET=^/api/items$", "^/metrics", '\.css$', "!=^/", "HEAD=^/head$"]
            """#, without: "upstreams")
        let (node, report, _) = try convert(text)
        func isPublic(_ path: String, _ method: String = "GET") -> Bool? {
            route(node, path, method).map { $0["public"]?.bool == true }
        }
        #expect(isPublic("/**") == false && isPublic("/api/*/**") == false && isPublic("/one") == false)
        #expect(isPublic("/docs/") == true && isPublic("/docs/*/**") == true && isPublic("/metrics/**") == true)
        #expect(isPublic("/api/items") == true && isPublic("/api/items", "POST") == false)
        #expect(route(node, "/api/items")?["upstream"]?.string == "upstream-2")
        #expect(route(node, "/one")?["upstream"]?.string == "upstream-3")
        #expect(route(node, "/api/one")?["upstream"]?.string == "upstream-4")
        // A route for GET has HEAD, and HEAD alone is not taken for GET.
        #expect(route(node, "/head") == nil)
        #expect(notes(report, "skip_auth_routes").filter { $0 == .attention }.count == 3)
    }

    @Test("all paths but those of an expression are public")
    func negation() throws {
        let (node, _, _) = try convert(changed("skip_auth_routes = [\"!=^/private(/.*)?$\"]\n"))
        #expect(route(node, "/**")?["public"]?.bool == true)
        for path in ["/private", "/private/", "/private/*/**"] {
            #expect(route(node, path).map { $0["public"] == nil } == true, "\(path)")
        }
        // Of a part of an expression the rest would be public.
        let (closed, report, _) = try convert(changed("skip_auth_routes = [\"!=^/private\"]\n"))
        #expect(route(closed, "/**")?["public"] == nil && report.needsAttention)
        let (admin, _, _) = try convert(changed("skip_auth_routes = [\"GET!=^/api/|/admin/\"]\n"))
        #expect(
            admin["routes"]?.array?.filter { $0["public"]?.bool == true }.compactMap { $0["path"]?.string } == ["/ping"]
        )
    }

    @Test(
        "tokens are refused for all domains, since their addresses may be unverified", arguments: ["*", "example.com"])
    func tokens(_ domain: String) throws {
        let more = "skip_jwt_bearer_tokens = true\nextra_jwt_issuers = [\"https://other.example.com=api\"]\n"
        let (node, report, _) = try convert(
            changed(more + "email_domains = [\"\(domain)\"]\n", without: "email_domains"))
        #expect(node["trustedIssuers"] == nil)
        #expect(route(node, "/**")?["authenticators"]?.array?.compactMap(\.string) == ["session"])
        #expect(notes(report, "skip_jwt_bearer_tokens") == [.attention])
        #expect(notes(report, "extra_jwt_issuers") == [.attention])
    }

    @Test("listeners, TLS, static answers, files and the store")
    func others() throws {
        let text = changed(
            """
            http_address = ":8080"
            https_address = "[::]:8443"
            tls_cert_file = "/run/secrets/client"
            tls_key_file = "/run/secrets/client"
            force_https = true
            metrics_address = "127.0.0.1:9090"
            upstreams = ["static://202", "file:///srv/www/#/files/"]
            session_store_type = "redis"
            redis_connection_url = "redis://me:hush@redis.example.com:6379/1"
            cookie_refresh = "30m"
            """, without: "upstreams")
        let (node, report, result) = try convert(text)
        let listeners = try #require(node["listeners"]?.array)
        #expect(listeners.compactMap { $0["port"]?.integer } == [8080, 8443, 9090])
        #expect(listeners[0]["redirectToHttps"]?.bool == true && listeners[1]["tls"] != nil)
        #expect(listeners[2]["role"]?.string == "metrics")
        #expect(route(node, "/**")?["response"]?["status"]?.integer == 202)
        #expect(isDenied(route(node, "/files/")) && isDenied(route(node, "/files/*/**")))
        #expect(node["store"]?["url"]?.string == "redis://redis.example.com:6379/1")
        #expect(!result.text.contains("hush") && result.variables.contains("OAUTH2_PROXY_REDIS_PASSWORD"))
        #expect(route(node, "/**")?["login"]?["sessionLifetime"]?.string == "30m")
        #expect(notes(report, "cookie_refresh") == [.attention])
    }
}
