import Bytes
import Crypto
import LoginPages
import Model
import OAuthServer
import Reactor

/// The files that `portcullis init` writes.
struct InitDraft {
    /// Who calls the API.
    enum Kind {
        /// Callers with JWTs of an OpenID Connect provider.
        case tokens(issuer: String, audience: String)
        /// Users of the gateway's own.
        case users
        /// Clients of an MCP server, with tokens of the gateway or of an issuer. Without an audience it is the server's URL.
        case messages(issuer: String?, audience: String?)
        /// Browsers that log in at an OpenID Connect provider.
        case login(issuer: String, client: String, secret: String)
        /// Clients of a family of endpoints.
        case family(FamilyDraft)
    }

    static let fileName = "gateway.jsonc"

    /// JSON with comments.
    let text: String
    /// Files with secrets, by name.
    private(set) var secrets: [(name: String, text: String)] = []

    /// The text with made-up secrets in place of references to files, which need not exist.
    var textWithoutSecrets: String {
        secrets.reduce(text) { $0.replacing("\"file:\($1.name)\"", with: quoted(InitDraft.random(32))) }
    }

    /// Whether the text has hashes of passwords.
    var hasPasswords: Bool { !password.isEmpty }

    private let kind: Kind
    private let origin: String
    /// The password of `admin`; empty if there is no such user.
    private let password: String

    /// - Throws: `.failed` after printing why a password cannot be hashed.
    /// - Parameter baseURL: where clients reach the gateway; nil for the listener.
    init(_ kind: Kind, upstream: String, listener: SocketAddress, baseURL: String?) throws(ExitStatus) {
        self.kind = kind
        let isOwn =
            switch kind {
            case .users, .family, .messages(issuer: nil, _): true
            case .tokens, .login, .messages: false
            }
        password = isOwn ? InitDraft.random() : ""
        var host = listener.isIPv6 ? "[\(listener.host)]" : listener.host
        // Some providers accept redirect URIs with http for this name only.
        if case .login = kind, host == "127.0.0.1" || host == "[::1]" { host = "localhost" }
        let own = "http://\(host):\(listener.port)"
        origin = baseURL.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 } ?? own
        var sections: String
        switch kind {
        case .tokens(let issuer, let audience):
            sections = InitDraft.tokens(issuer, audience)
        case .users:
            secrets = [("client-secret", InitDraft.random(32))]
            sections = InitDraft.users(try InitDraft.hash(password))
        case .messages(nil, _): sections = InitDraft.ownMessages(try InitDraft.hash(password))
        case .messages(let issuer?, let audience):
            sections = InitDraft.messages(issuer, audience: audience ?? "\(origin)\(InitDraft.messagePath)")
        case .login(let issuer, let client, let secret):
            secrets = [("provider-secret", secret)]
            sections = InitDraft.login(issuer, client)
        case .family(let draft):
            secrets = [("client-secret", InitDraft.random(32))]
            sections = draft.sections(quoted(try InitDraft.hash(password)))
        }
        secrets.append(("admin-token", InitDraft.random(32)))
        text = """
            {
              // Where clients reach the gateway; with "tls" in the listener an https URL.
              "baseUrl": \(quoted(origin)),
              "listeners": [{ "address": \(quoted(listener.host)), "port": \(listener.port) }],
              // For commands such as `portcullis status --config`, `reload` and `why`; it listens on 127.0.0.1:9901 alone.
              // A second gateway on the machine needs another port, such as "port": 9902.
              "admin": { "adminToken": "file:admin-token" },
              // The API behind it.
              "upstreams": { "api": { "url": \(quoted(upstream)) } },
            \(sections)
            }

            """
    }

    // MARK: Sections

    private static func tokens(_ issuer: String, _ audience: String) -> String {
        """
          // Tokens must have this `iss` and this `aud`. Keys are fetched from the provider.
          "trustedIssuers": [{
            "name": "idp", "issuer": \(quoted(issuer)), "audience": [\(quoted(audience))],\(isPlain(issuer) ? " \"allowHttp\": true," : "")
            // Where user name and roles are; these are the places of Keycloak and others.
            "usernameClaim": ["preferred_username", "sub"], "rolesClaim": ["realm_access.roles", "roles"]
          }],
          // Of the roles in tokens these count. A route asks for one by "roles": ["admin"].
          "roles": ["admin", "user"],
          // All paths need a valid token.
          "routes": [{ "path": "/**", "upstream": "api" }]
        """
    }

    private static func users(_ hash: String) -> String {
        """
          // An application that gets tokens for users at the token endpoint. More of them by `portcullis clients create`.
          "clients": [{ "clientId": "app", "clientSecret": "file:client-secret", "grantTypes": ["password"] }],
          // More of them by `portcullis users add`.
          "users": [{ "username": "admin", "password": \(quoted(hash)), "roles": ["admin"] }],
          "roles": ["admin"],
          // Without a credential the answer is a Basic challenge.
          "authenticationSchemes": [{ "name": "Basic", "authenticationLevel": 2, "challengeMethod": "BASIC" }],
          // All paths need a user, by name and password or by a token of the token endpoint.
          "routes": [{ "path": "/**", "upstream": "api", "authenticationScheme": "Basic" }]
        """
    }

    static let messagePath = "/mcp"

    private static func ownMessages(_ hash: String) -> String {
        """
          // Who logs in. More of them by `portcullis users add`.
          "users": [{ "username": "admin", "password": \(quoted(hash)), "roles": ["admin"] }],
          "roles": ["admin"],
          // Clients register themselves, if they run on the user's device; those that register belong to this one.
          "clients": [{
            "clientId": "mcp", "public": true, "name": "MCP clients", "redirectUris": ["http://127.0.0.1/callback"],
            "grantTypes": ["authorization_code", "refresh_token"]
          }],
          // What users are asked to allow.
          "tokenService": {
            "scopes": ["tools"], "scopeDescriptions": { "tools": "Use the tools of the MCP server" },
            "registration": { "client": "mcp", "open": true, "redirectUris": ["loopback"] }
          },
        \(messageRoute(issuer: "local", scopes: ["tools"]))
        """
    }

    private static func messages(_ issuer: String, audience: String) -> String {
        """
          // Tokens must have this `iss` and this `aud`. Keys are fetched from the provider.
          "trustedIssuers": [{
            "name": "idp", "issuer": \(quoted(issuer)), "audience": [\(quoted(audience))],\(isPlain(issuer) ? " \"allowHttp\": true," : "")
            // Where user name and roles are; these are the places of Keycloak and others.
            "usernameClaim": ["preferred_username", "sub"], "rolesClaim": ["realm_access.roles", "roles"]
          }],
          // Of the roles in tokens these count.
          "roles": ["admin", "user"],
        \(messageRoute(issuer: "idp", scopes: []))
        """
    }

    private static func messageRoute(issuer: String, scopes: [String]) -> String {
        """
          // Clients learn from the answer to their first request where to get tokens.
          "routes": [{
            "path": "\(messagePath)/**", "upstream": "api", "issuers": ["\(issuer)"], "protectedResource": true,\(scopes.isEmpty ? "" : " \"scopes\": [\(scopes.map(quoted).joined(separator: ", "))],")
            // All that the server has, to any caller with a token. A tool with a scope of its own: "delete_*": { "scopes": ["delete"] }
            "mcp": { "tools": { "*": {} }, "resources": { "*": {} }, "prompts": { "*": {} } }
          }]
        """
    }

    private static func login(_ issuer: String, _ client: String) -> String {
        """
          // The provider that browsers log in at. Its redirect URI for the gateway is printed by `init`.
          "identityProviders": [{
            "name": "idp", "kind": "oidc", "issuer": \(quoted(issuer)), "clientId": \(quoted(client)),
            "clientSecret": "file:provider-secret"\(isPlain(issuer) ? ", \"allowHttp\": true" : ""),
            // Where user name and roles are.
            "usernameClaim": ["preferred_username", "sub"], "rolesClaim": ["realm_access.roles", "roles"], "usernamePrefix": ""
          }],
          // Of the roles of the provider these count.
          "roles": ["admin", "user"],
          // Browsers without a session are sent to the provider, for 8 hours or one without use; other clients get 401.
          "routes": [{ "path": "/**", "upstream": "api", "login": "idp" }]
        """
    }

    // MARK: What comes next

    /// What to do with the directory, a line each.
    func steps(_ directory: String) -> [String] {
        let tls = "a proxy with TLS goes in front (its addresses are \"trustedProxies\"), or the listener gets \"tls\"."
        let place = (try? WebURL(origin))?.origin
        var hint: [String] = []
        if !InitDraft.isPlain(origin) { hint = ["Clients come by https: \(tls)", ""] }
        if InitDraft.isPlain(origin), place?.isLocal == false {
            hint = ["Passwords and tokens can be read on their way to \(origin): use https; \(tls)", ""]
        }
        return hint + calls(directory)
    }

    /// The command that starts the gateway. As root, `serve` would make keys and store that the user of an installed unit cannot read.
    private static func start(_ directory: String) -> String {
        let isInstalled = ["/lib", "/etc"].contains { FileSystem.exists("\($0)/systemd/system/portcullis.service") }
        return directory == "/etc/portcullis" && isInstalled
            ? "systemctl start portcullis" : "portcullis serve --config \(directory)"
    }

    private func calls(_ directory: String) -> [String] {
        let serve = ["portcullis check \(directory)", InitDraft.start(directory)]
        switch kind {
        case .tokens: return serve + [#"curl -i -H "Authorization: Bearer $TOKEN" \#(origin)/"#]
        case .users:
            return ["The user admin has the password \(password), which is shown only here.", ""] + serve
                + ["curl -i -u 'admin:\(password)' \(origin)/"]
        case .messages(let issuer, _):
            let login = "The user admin has the password \(password), which is shown only here."
            return (issuer == nil ? [login, ""] : []) + serve
                + [
                    "and add \(origin)\(InitDraft.messagePath) to an MCP client; its server is at \(InitDraft.messagePath) of --upstream"
                ]
        case .login:
            return [
                "Register at the provider the redirect URI \(origin)\(EndpointPaths.standard[.providerCallback])idp",
                "and, for logouts, \(origin)\(EndpointPaths.standard[.endSession]).",
                "",
            ]
                + serve
                + ["and open \(origin)/ in a browser"]
        case .family(let draft):
            return ["The user admin has the password \(password), which is shown only here.", ""] + serve
                + draft.steps(origin)
        }
    }

    // MARK: Values

    private static func isPlain(_ url: String) -> Bool { url.hasPrefix("http://") }

    /// Random bits, by default 128, in characters that need no quotes in a shell.
    private static func random(_ bytes: Int = 16) -> String {
        String(decoding: Base64.encode(SecureRandom.bytes(bytes).span, .url), as: UTF8.self)
    }

    private static func hash(_ password: String) throws(ExitStatus) -> String {
        do throws(PasswordError) {
            return try PasswordHasher().make(Array(password.utf8).span, scheme: .scrypt)
        } catch {
            throw .failure("the password cannot be hashed")
        }
    }
}

/// What a family of endpoints offers to `portcullis init`: clients of its own, and the user `admin`.
struct FamilyDraft: Sendable {
    /// The option of the command.
    let flag: String
    /// The callers, for the question on a terminal and for the help.
    let callers: String
    let help: String
    /// The members of `gateway.json`, by the hash of the user's password as JSON.
    let sections: @Sendable (String) -> String
    /// What to do once the gateway serves, by its origin.
    let steps: @Sendable (String) -> [String]
}

/// A text as JSON.
private func quoted(_ text: String) -> String {
    String(decoding: JSONNode(.string(text)).serialized, as: UTF8.self)
}
