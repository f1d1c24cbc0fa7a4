import Bytes
import Model

extension OAuth2ProxyConversion {
    /// The provider that browsers log in at. Its users are named by their e-mail address, as oauth2-proxy admits them.
    mutating func convertProvider() {
        let kind = text("provider")
        let type = kind?.text ?? "google"
        let issuer = text("oidc_issuer_url")
        let usual = ["google": "https://accounts.google.com", "gitlab": "https://gitlab.com"]
        for name in OAuth2ProxySettings.ofProviders {
            guard let setting = take(name), setting.values.contains(where: { !$0.isEmpty }) else { continue }
            deny(
                setting.place, name, "users are not looked up at the provider; ask for a role of a claim, in rolesClaim"
            )
        }
        let client = text("client_id")
        let clientSecret = secret("client_secret")
        guard ["oidc", "keycloak-oidc", "google", "gitlab", "entra-id", "adfs", "cidaas"].contains(type) else {
            deny(
                kind?.place, "provider",
                "\"\(type)\" is not known by OpenID Connect discovery; write the entry of identityProviders (\"kind\": \"oauth2\")"
            )
            return
        }
        guard let address = issuer?.text ?? usual[type], (try? WebURL(address)) != nil else {
            deny(issuer?.place ?? kind?.place, "oidc_issuer_url", "the issuer is missing, or is no http or https URL")
            return
        }
        guard let client else {
            deny(nil, "client_id", "the client id is missing")
            return
        }
        hasProvider = true
        var entry: [(name: String, value: JSONNode)] = [
            ("name", .text(Self.providerName)), ("kind", .text("oidc")), ("issuer", .text(address)),
            ("clientId", .text(client.text)),
        ]
        if address.hasPrefix("http://") { entry.append(("allowHttp", .flag(true))) }
        if let clientSecret { entry.append(("clientSecret", clientSecret)) }
        translated(kind?.place, "provider", "an entry of identityProviders, of the kind oidc")
        translated(issuer?.place, "oidc_issuer_url", "issuer of the provider")
        translated(client.place, "client_id", "clientId of the provider")
        entry += request(type)
        entry += users()
        entry += nameAndAuthority()
        providerEntry = entry
        keycloak = type == "keycloak-oidc"
        result.report.step(
            "register the redirect URI \(baseURL)\(EndpointPaths.standard.prefix)\(EndpointPaths.callbackSuffix)\(Self.providerName) at the provider"
        )
    }

    /// How users are named and admitted.
    private mutating func users() -> [(name: String, value: JSONNode)] {
        if let (claim, place) = text("oidc_email_claim") {
            emailClaim = claim
            translated(place, "oidc_email_claim", "usernameClaim of the provider")
        }
        return [
            ("usernameClaim", .text(emailClaim)), ("usernamePrefix", .text("")),
            // As in oauth2-proxy, where an absent `email_verified` is no denial.
            ("verifiedEmail", .text("notDenied")),
        ]
    }

    /// What the page of the choice shows of the provider, and how its certificate is verified.
    private mutating func nameAndAuthority() -> [(name: String, value: JSONNode)] {
        var entry: [(name: String, value: JSONNode)] = []
        if let (name, place) = text("provider_display_name") {
            entry.append(("displayName", .text(name)))
            translated(place, "provider_display_name", "displayName of the provider")
        }
        if let files = take("provider_ca_files") {
            if files.elements.count == 1 {
                entry.append(("caFile", .text(files.elements[0])))
                translated(files.place, files.name, "caFile of the provider")
            } else {
                attention(files.place, files.name, "join the files to one, and name it in caFile of the provider")
            }
        }
        return entry
    }

    /// What the authorization request asks for.
    private mutating func request(_ type: String) -> [(name: String, value: JSONNode)] {
        var entry: [(name: String, value: JSONNode)] = []
        if let scope = text("scope") {
            entry.append(("scopes", .texts(scope.text.split(separator: " ").map(String.init))))
            translated(scope.place, "scope", "scopes of the provider")
        } else if type == "oidc", has("allowed_groups") {
            entry.append(("scopes", .texts(["openid", "email", "profile", "groups"])))
        }
        var parameters: [(name: String, value: JSONNode)] = []
        for (name, parameter) in [("prompt", "prompt"), ("acr_values", "acr_values"), ("resource", "resource")] {
            guard let (value, place) = text(name) else { continue }
            parameters.append((parameter, .text(value)))
            translated(place, name, "parameters of the provider")
        }
        if !parameters.isEmpty { entry.append(("parameters", .object(parameters))) }
        if let algorithms = take("oidc_enabled_signing_algs") {
            let known = algorithms.elements.filter { SignatureAlgorithm(rawValue: $0) != nil && !$0.hasPrefix("HS") }
            if !known.isEmpty { entry.append(("algorithms", .texts(known))) }
            if known.count == algorithms.elements.count {
                translated(algorithms.place, algorithms.name, "algorithms of the provider")
            } else {
                attention(
                    algorithms.place, algorithms.name, "ID tokens are signed by a key that the provider publishes")
            }
        }
        return entry
    }

    // MARK: Users

    /// Which users of the provider are admitted: by e-mail address, by group and by role.
    mutating func convertUsers() {
        convertEmails()
        convertGroups()
        // Mappings of the provider name these roles, also where groups refuse everything.
        let catalogue = allRoles + anyRoles
        if !catalogue.isEmpty { section("roles", .texts(catalogue)) }
        guard var entry = providerEntry else { return }
        entry += roleMembers
        section("identityProviders", JSONNode(.array([.object(entry)])))
    }

    /// Members about roles, for the provider.
    private var roleMembers: [(name: String, value: JSONNode)] {
        var members: [(name: String, value: JSONNode)] = []
        if !roleSources.isEmpty { members.append(("rolesClaim", JSONNode(.array(roleSources)))) }
        if !roleMappings.isEmpty { members.append(("roleMappings", JSONNode(.array(roleMappings)))) }
        return members
    }

    /// A role that no group or address has as its name.
    static let emailRole = "@@allowed-email"

    private mutating func convertEmails() {
        let domains = take("email_domains")
        let file = text("authenticated_emails_file")
        let names = domains?.elements.map { $0.lowercased() } ?? []
        if names.contains("*") {
            translated(domains?.place, "email_domains", "all users of the provider with an e-mail address")
            if file != nil {
                translated(file?.place, "authenticated_emails_file", "without effect beside the domain \"*\"")
            }
            return
        }
        if names.isEmpty, file == nil {
            deny(nil, "email_domains", "it is missing, and oauth2-proxy admits no user without it")
            return
        }
        var values = names.filter { !$0.hasPrefix(".") && !$0.hasPrefix("*") }.map { "@" + $0 }
        if !values.isEmpty {
            roleSources.append(.object([("claim", .text(emailClaim)), ("part", .text("domain"))]))
            translated(domains?.place, "email_domains", "roles of the domain of the address, by rolesClaim")
        }
        if values.count < names.count {
            attention(
                domains?.place, "email_domains",
                "users of subdomains are refused; name each subdomain in roleMappings of the provider")
        }
        if let file { values += addresses(file.text, file.place) }
        guard !values.isEmpty else {
            denials.append("email_domains")
            return
        }
        roleMappings += values.map {
            .object([("tokenRole", .text($0)), ("mappedRoles", .texts([Self.emailRole]))])
        }
        allRoles.append(Self.emailRole)
    }

    /// The addresses of a file, one a line.
    private mutating func addresses(_ path: String, _ place: String) -> [String] {
        guard let bytes = readFile(path) else {
            attention(
                place, "authenticated_emails_file",
                "\(path) cannot be read, and its users are refused; convert where it is, or write them into roleMappings"
            )
            return []
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
            .map { $0.trimmingBlanks }.filter { !$0.isEmpty && !$0.hasPrefix("#") }
        roleSources.append(.text(emailClaim))
        hasAddresses = true
        attention(
            place, "authenticated_emails_file",
            "\(lines.count) addresses are in roleMappings now; case counts, and the file is not read again")
        return lines
    }

    private mutating func convertGroups() {
        let groups = take("allowed_groups")
        let roles = take("allowed_roles")
        let claim = text("oidc_groups_claim")
        let isRole = { (group: String) in group.hasPrefix("role:") }
        let names = groups?.elements.filter { !keycloak || !isRole($0) } ?? []
        var ofKeycloak = roles?.elements ?? []
        if keycloak { ofKeycloak += groups?.elements.filter(isRole).map { String($0.dropFirst(5)) } ?? [] }
        if !ofKeycloak.isEmpty, !keycloak || !names.isEmpty {
            deny(
                roles?.place ?? groups?.place, "allowed_roles",
                "one list of roles cannot distinguish groups and roles of Keycloak; keep one of the two")
            return
        }
        let wanted = names + ofKeycloak
        if wanted.contains(where: {
            $0.isEmpty || $0.contains(",") || ConversionText.hasControls($0) || $0.utf8.count > 128
        }) {
            deny(
                groups?.place, "allowed_groups",
                "a name is empty, or has a comma, a control character or more than 128 bytes; map it by roleMappings")
            return
        }
        // Addresses, domains and groups are roles of one list: a group must not be taken for an address, nor an address for a group.
        if wanted.contains(where: { $0.contains("@") }) {
            deny(
                groups?.place ?? roles?.place, "allowed_groups",
                "a name has an @, as roles of addresses and domains have")
            return
        }
        if !wanted.isEmpty, hasAddresses {
            deny(
                groups?.place ?? roles?.place, "allowed_groups",
                "roles of a claim cannot distinguish groups and the addresses of authenticated_emails_file; keep one of the two"
            )
            return
        }
        if !wanted.isEmpty, !allRoles.isEmpty {
            attention(
                groups?.place ?? roles?.place, "allowed_groups",
                "the provider must have no group whose name is @ with a domain of email_domains, or \(Self.emailRole): it would count as the domain"
            )
        }
        if !wanted.isEmpty {
            let source = ofKeycloak.isEmpty ? claim?.text ?? "groups" : "realm_access.roles"
            roleSources.append(.text(source))
            anyRoles = wanted.unique()
            translated(groups?.place, "allowed_groups", "roles of the routes, of the claim \(source)")
            translated(roles?.place, "allowed_roles", "roles of the routes, of the claim \(source)")
            translated(claim?.place, "oidc_groups_claim", "rolesClaim of the provider")
            if ofKeycloak.contains(where: { $0.contains(":") }) {
                attention(
                    roles?.place ?? groups?.place, "allowed_roles",
                    "roles of a client are not in \(source); add the place /resource_access/CLIENT/roles to rolesClaim")
            }
        } else if let claim {
            result.report.add(.unneeded, claim.place, "oidc_groups_claim", "no group is asked for")
        }
    }

    // MARK: Tokens

    /// Bearer tokens, of which none counts: oauth2-proxy refuses those with an unverified address, and trusted issuers do not look
    /// at that.
    mutating func convertTokens() {
        let takesTokens = flag("skip_jwt_bearer_tokens", false)
        let extra = take("extra_jwt_issuers")
        guard takesTokens.value else {
            translated(takesTokens.place, "skip_jwt_bearer_tokens", "routes take sessions alone, by authenticators")
            if let extra {
                result.report.add(.unneeded, extra.place, extra.name, "without skip_jwt_bearer_tokens no token counts")
            }
            return
        }
        let text =
            "tokens are refused, since an address in them may be unverified; write trustedIssuers, and routes of their own with \"claims\": {\"email_verified\": {\"equals\": true}}"
        attention(takesTokens.place, "skip_jwt_bearer_tokens", text)
        if let extra { attention(extra.place, extra.name, text) }
    }

    // MARK: Store

    /// Sessions of gateways on several machines.
    mutating func convertStore() {
        let kind = text("session_store_type")
        let url = text("redis_connection_url")
        guard kind?.text == "redis" else {
            if let kind {
                result.report.add(.unneeded, kind.place, "session_store_type", "sessions are sealed cookies")
            }
            return
        }
        for name in ["redis_use_sentinel", "redis_use_cluster"] where flag(name, false).value {
            attention(kind?.place, name, "the store is one server; name its address in store.url")
        }
        for name in [
            "redis_sentinel_password", "redis_sentinel_master_name", "redis_sentinel_connection_urls",
            "redis_cluster_connection_urls", "redis_connection_idle_timeout",
        ] {
            if let setting = take(name) { attention(setting.place, name, "no part of the store; see store") }
        }
        var store: [(name: String, value: JSONNode)] = [("kind", .text("redis"))]
        let parts = url?.text.split(separator: "@") ?? []
        if let url, let scheme = url.text.split(separator: ":").first, let last = parts.last {
            store.append(("url", .text(parts.count > 1 ? "\(scheme)://\(last)" : url.text)))
            translated(url.place, "redis_connection_url", "store.url")
        } else {
            store.append(("url", .text("redis://127.0.0.1:6379")))
            open(kind?.place, "redis_connection_url", "set store.url")
        }
        if let (name, place) = text("redis_username") {
            store.append(("username", .text(name)))
            translated(place, "redis_username", "store.username")
        }
        if let password = secret("redis_password") {
            store.append(("password", password))
        } else if parts.count > 1 {
            result.variables.append("OAUTH2_PROXY_REDIS_PASSWORD")
            store.append(("password", .text("env:OAUTH2_PROXY_REDIS_PASSWORD")))
            open(
                url?.place, "redis_connection_url",
                "its password is not copied; set OAUTH2_PROXY_REDIS_PASSWORD, and store.username if it names a user")
        }
        if let (file, place) = text("redis_ca_path") {
            store.append(("tls", .object([("caFile", .text(file))])))
            translated(place, "redis_ca_path", "store.tls.caFile")
        }
        if flag("redis_insecure_skip_tls_verify", false).value {
            attention(
                kind?.place, "redis_insecure_skip_tls_verify", "the certificate is verified; name store.tls.caFile")
        }
        translated(kind?.place, "session_store_type", "store, of the kind redis")
        section("store", .object(store))
        result.report.step("gateways that share the store need the same files state/store.key and state/challenge.key")
    }
}
