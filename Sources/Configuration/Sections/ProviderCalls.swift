import Bytes
import Declaration
import Model

/// The endpoints of an OpenID Connect provider.
package struct OpenIDSettings {
    let issuer: String?
    let discovery: WebURL?
    /// Of its keys; nil for that of the document.
    let keys: WebURL?
    let decryptionKeys: [DecryptionKeyEntry]

    init(_ object: inout ObjectReader, _ allowHTTP: Bool) {
        decryptionKeys = object.value(
            "decryptionKeys", DecryptionKeyEntry.list, default: [],
            "For `oidc`: private keys for its [encrypted](guides/encrypted-tokens.md) ID tokens and logout tokens.")
        let standard = object.required(
            "issuer", OpenIDSettings.issuer(allowHTTP), "an https URL",
            "`iss` of its tokens; required for `oidc`. The discovery document must name it byte by byte.")
        issuer = standard?.issuer
        discovery =
            object.optional(
                "discoveryUri", .url(allowHTTP: allowHTTP),
                "Its discovery document, where that is not at the issuer's standard place.") ?? standard?.discovery
        keys = object.optional(
            "jwksUri", .url(allowHTTP: allowHTTP),
            "Where its keys are, in place of `jwks_uri` of its discovery document.")
    }
}

extension OpenIDSettings {
    /// The issuer whose discovery document is at an address (OpenID Connect Discovery section 4, RFC 8414 section 3);
    /// nil for every other text.
    package static func issuer(ofDocumentAt address: String) -> String? {
        for name in ["openid-configuration", "oauth-authorization-server"] {
            guard let place = address.firstRange(of: "/.well-known/\(name)") else { continue }
            let path = address[place.upperBound...]
            if path.isEmpty || path.hasPrefix("/") { return "\(address[..<place.lowerBound])\(path)" }
        }
        return nil
    }

    /// A value of `iss`.
    static let issuerName = Shape<String>(
        .text, write: { .text($0) },
        read: { field in
            guard let name = field.name(), let issuer = issuer(ofDocumentAt: name) else { return field.name() }
            field.error(
                "this is the address of a discovery document", expected: "the value of \"issuer\" in that document",
                found: field.summary, suggestion: issuer)
            return issuer
        })

    /// The standard URL of an issuer's discovery document (OpenID Connect Discovery section 4).
    static func discovery(of issuer: String) -> String {
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        return "\(base)/.well-known/openid-configuration"
    }

    /// The issuer as written, and the standard URL of its discovery document (OpenID Connect Discovery section 4).
    private static func issuer(_ allowHTTP: Bool) -> Shape<(issuer: String, discovery: WebURL)> {
        Shape(
            .pattern("^https?://"),
            read: { field in
                guard field.url(allowHTTP: allowHTTP) != nil, let issuer = OpenIDSettings.issuerName.read(field) else {
                    return nil
                }
                do throws(WebURL.Problem) {
                    return (issuer, try WebURL(discovery(of: issuer)))
                } catch {
                    return field.error("no discovery document can be there: \(error.rawValue)")
                }
            })
    }
}

/// The endpoints of a provider of the authorization code flow. Those of `oidc` are in its discovery document, and replace
/// them where they are named.
package struct ProviderAddresses: Sendable {
    package let authorization: WebURL?
    package let token: WebURL?
    package let userInfo: WebURL?
    package let revocation: WebURL?

    /// - Parameter isRequired: which entries have no discovery document.
    init(_ object: inout ObjectReader, _ allowHTTP: Bool, isRequired: KeyCondition) {
        let address = Shape.url(allowHTTP: allowHTTP)
        let rest = "; required for `oauth2`, and in place of the discovery document's for `oidc`."
        authorization = object.optional("authorizationEndpoint", address, "Where browsers are sent\(rest)")
        token = object.optional("tokenEndpoint", address, "Where codes are exchanged\(rest)")
        userInfo = object.optional("userInfoEndpoint", address, "Where the gateway asks who the user is\(rest)")
        object.rules(
            .requires(
                "authorizationEndpoint", "tokenEndpoint", "userInfoEndpoint", if: isRequired, expected: "an https URL"))
        revocation = object.optional(
            "revocationEndpoint", address,
            "Where tokens are revoked (RFC 7009); `revokeAtLogout` of `oauth2` needs it. For `oidc` in place of the document's."
        )
    }
}

/// Settings of a provider that the gateway calls.
package struct ProviderCalls: Sendable {
    package var client: ProviderClientEntry
    package var flow = CodeFlowSettings()
    package var connectTimeout = Duration.seconds(5)
    package var readTimeout = Duration.seconds(10)
    /// Absolute path of a PEM file with the authorities of its certificate; nil for the system's.
    package var authorityFile: String?

    init(_ object: inout ObjectReader, isOpenID: Bool) {
        client = ProviderClientEntry(&object, of: .loginProvider)
        flow.scopes = ProviderCalls.scopes(&object, isOpenID)
        object.read(
            "parameters", ProviderCalls.parameters, into: &flow.parameters,
            "Further parameters of the authorization request.")
        object.read(
            "userInfo", .choice, into: &flow.userInfo,
            """
            When the user info endpoint of `oidc` is asked: always, never, or where the ID token lacks a claim that is \
            looked for.
            """)
        object.read(
            "subjectAttribute", .name, into: &flow.subjectAttribute,
            "For `oauth2`: the member of the user info that names the user, such as `id`.")
        if let algorithms = object.optional(
            "algorithms", TrustedIssuerEntry.algorithms,
            "Algorithms accepted for ID tokens; by default each one that fits the key.")
        {
            flow.algorithms = algorithms
        }
        object.read(
            "logout", .flag, into: &flow.logsOutThere,
            "Whether a logout here goes on to the provider's `end_session_endpoint`.")
        flow.logoutMethod = object.optional(
            "logoutMethod", Shape<LogoutMethod>.choice,
            """
            How: `get` by a redirect, `post` by a form with a button, to which browsers add no `SameSite=Lax` cookies of the \
            provider. By default a redirect, and a form where its URL would be longer than 2 KiB.
            """)
        object.read(
            "revokeAtLogout", .flag, into: &flow.revokesAtLogout,
            """
            Whether a logout revokes the refresh token of the provider (RFC 7009), or the access token if there is \
            none. The gateway keeps the token encrypted until then.
            """)
        object.read(
            "connectTimeout", .duration, into: &connectTimeout, "Time for name resolution, connection and handshake.")
        object.read("readTimeout", .duration, into: &readTimeout, "Time for the whole answer.")
        authorityFile = client.caFileBesideTLS(&object, shape: .text(.text) { $0.certificateFile() })
    }

    private static func scopes(_ object: inout ObjectReader, _ isOpenID: Bool) -> [String] {
        let shape = Shape.texts(.list(.text)) { $0.names("an array of scopes") { $0.fieldValue() } }
        let member = object.take(
            "scopes", shape, "Scopes of the authorization request; `openid email profile` for `oidc`, else none.")
        guard let member else { return isOpenID ? ["openid", "email", "profile"] : [] }
        let scopes = member.read() ?? []
        if isOpenID, !scopes.contains("openid") {
            member.field.error(
                "the provider needs it to identify the user", expected: "\"openid\" among the scopes")
        }
        return scopes
    }

    /// Parameters that the gateway sets.
    private static let reserved = [
        "response_type", "response_mode", "client_id", "redirect_uri", "scope", "state", "nonce", "code_challenge",
        "code_challenge_method", "request", "request_uri", "prompt",
    ]

    private static let parameters = Shape(
        .map(.text, names: "^(?!(\(reserved.joined(separator: "|")))$)"),
        read: { field in
            field.object("an object of strings").entries.compactMap { name, place -> (name: String, value: String)? in
                guard !reserved.contains(name) else {
                    return place.error(
                        "the gateway sends \"\(name)\" itself", expected: "a parameter of the provider's own")
                }
                return place.name().map { (name: name, value: $0) }
            }
        })
}
