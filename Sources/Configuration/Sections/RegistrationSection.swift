import Bytes
import Declaration
import Model

/// How clients register themselves at the token service (RFC 7591).
package struct RegistrationSection: Sendable {
    /// The client that they belong to, by its reference.
    package var client: String
    package var initialAccessTokens: [Secret]
    package var rules: RegistrationRules

    /// Least length of an initial access token in bytes.
    private static let shortestToken = 32

    static let shape = Shape.object("an object: {\"client\", \"initialAccessTokens\"}") { object in
        let client = object.required(
            "client", .reference(to: .client), "the id of a client", placeholder: "",
            """
            The client that registered clients belong to: they have its realm, its ways to log in, its lifetimes and its \
            refresh tokens, and routes that list it accept their tokens.
            """)
        object.removed(["backend"], instead: "\"client\"")
        let tokens = object.value(
            "initialAccessTokens", tokens, default: [],
            "Secrets of at least 32 bytes, one of which a client must send to register, as a bearer token.")
        var rules = RegistrationRules()
        object.read("open", .flag, into: &rules.isOpen, "Whether clients register without such a token.")
        object.read(
            "redirectUris", redirects, into: &rules.redirects,
            """
            Allowed redirect URIs: an origin such as `"https://app.example.com"`, or a scheme of an application \
            such as `"com.example.app:"`. `"loopback"` allows programs on the user's device (`127.0.0.1`, `[::1]` \
            and `localhost`, at any port).
            """)
        object.read(
            "scopes", .scopes, into: &rules.scopes, "The scopes that clients may have; by default all that users grant."
        )
        object.read(
            "scopeRoles", scopeRoles, into: &rules.scopeRoles,
            """
            Roles that a scope gives tokens of these clients, as far as the user has them, by its name, such as \
            `{"notes": ["Editor"]}`. Tokens have no other roles, except on routes with `registeredClients`.
            """)
        object.read(
            "deviceGrant", .flag, into: &rules.allowsDevices,
            "Whether clients may have the [device grant](guides/device-login.md).")
        object.read(
            "maximumClients", .integer(1...100_000), into: &rules.maximumClients,
            "How many clients may be registered at once. Further ones are refused.")
        object.read(
            "lifetime", .wholeSeconds, into: &rules.lifetimeSeconds,
            """
            How long a client stays registered without getting tokens. Without an initial access token it is a day until the \
            first ones.
            """)
        return RegistrationSection(client: client, initialAccessTokens: tokens, rules: rules)
    }

    /// Roles by scope.
    private static let scopeRoles = Shape<[String: [String]]>(
        .map(.list(ReferenceKind.role.form), names: "^[!#-\\[\\]-~]+$"), write: { $0.isEmpty ? .object([]) : nil },
        read: { field in
            field.object("an object of lists of roles by scope").entries.reduce(into: [:]) { roles, entry in
                roles[entry.name] = entry.field.references(to: .role)
            }
        })

    private static let tokens = Shape<[Secret]>(
        .list(.secret), write: { $0.isEmpty ? JSONNode(.array([])) : nil },
        read: { field in
            field.elements("an array of secrets")?.compactMap { element in
                guard let secret = element.secret() else { return nil }
                guard secret.value.utf8.count >= shortestToken else {
                    return element.error(
                        "the token is too short", expected: "a secret of at least \(shortestToken) bytes",
                        found: "\(secret.value.utf8.count) bytes")
                }
                return secret
            }
        })

    private static let redirects = Shape<RegistrationRules.Redirect>(
        .pattern("^(loopback|https://[^/?#@]+|[A-Za-z][A-Za-z0-9+-]*\\.[A-Za-z0-9+.-]*:)$"),
        write: { $0 == .loopback ? .text("loopback") : nil }, read: redirect
    ).list("an array of origins", minimum: 1)

    private static func redirect(_ field: Field) -> RegistrationRules.Redirect? {
        let expected = "\"loopback\", an https origin, or a scheme of an application with its colon"
        guard let text = field.name(expected) else { return nil }
        if text == "loopback" { return .loopback }
        if let origin = try? WebOrigin(text) {
            return origin.isSecure
                ? .origin(origin)
                : field.error("codes must not go there in the clear", expected: expected, found: field.summary)
        }
        // The rest of a URI shows whether its scheme is one of an application.
        guard text.hasSuffix(":"), let uri = try? ClientRedirectURI("\(text)/"), uri.kind == .application else {
            return field.error("invalid place for codes", expected: expected, found: field.summary)
        }
        return .scheme(text.dropLast().lowercased())
    }
}
