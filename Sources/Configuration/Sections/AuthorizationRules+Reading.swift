import Bytes
import Declaration
import Model

extension AuthorizationRules {
    /// Reads how users log in for a client; nil for one without redirect URIs.
    static func read(_ object: inout ObjectReader) -> AuthorizationRules? {
        let redirectURIs = object.optional(
            "redirectUris", ClientRedirectURI.shape.list("an array of URIs", minimum: 1),
            """
            Allowed redirect URIs for authorization codes, compared as exact text. Each is an `https` URL or a URI \
            with a scheme of the application such as `com.example.app:/login`. `http://127.0.0.1/…`, \
            `http://[::1]/…` and `http://localhost/…` match any port. With them the client may use the [authorization \
            endpoint](guides/oauth-server.md); needs an identity provider.
            """)
        let consent = object.take(
            "consent", Shape<Consent>.choice, default: .required,
            "Whether users are asked before the client gets access; `none` is for applications of the operator.")
        let pushed = object.take(
            "requirePushedRequests", .flag, default: false,
            "Whether the client has to push its authorization requests to `/oauth2/par` (RFC 9126).")
        let afterLogout = object.take(
            "postLogoutRedirectUris", ClientRedirectURI.shape.list("an array of URIs"), default: [],
            """
            Where the client may send browsers after a [logout](guides/application-logout.md), of the same kinds and \
            compared in the same way.
            """)
        object.rules(.only("consent", "requirePushedRequests", "postLogoutRedirectUris", with: .has("redirectUris")))
        guard let redirectURIs else { return nil }
        var rules = AuthorizationRules(redirectURIs: redirectURIs, consent: consent?.read() ?? .required)
        rules.requiresPushedRequests = pushed?.read() ?? false
        rules.postLogoutURIs = afterLogout?.read() ?? []
        return rules
    }
}

extension ClientRedirectURI {
    fileprivate static let shape = Shape<ClientRedirectURI>(
        .pattern("^[A-Za-z][A-Za-z0-9+.-]*:/[!-~]*$"), write: { .text($0.text) }, read: read)

    private static func read(_ field: Field) -> ClientRedirectURI? {
        let expected = "an https URL, a URI with a scheme of the application, or http://127.0.0.1/ or http://[::1]/"
        guard let text = field.name(expected) else { return nil }
        do throws(Problem) {
            let uri = try ClientRedirectURI(text)
            if uri.isLocalhost {
                field.warning(
                    "the name may lead to another interface than loopback (RFC 8252 section 8.3)",
                    expected: "http://127.0.0.1 or http://[::1]", found: field.summary)
            }
            return uri
        } catch {
            return field.error(
                "invalid redirect URI: \(error.rawValue)", expected: expected, found: field.summary)
        }
    }
}
