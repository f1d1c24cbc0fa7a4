import Declaration
import Model

/// The client credentials of the gateway at another server (RFC 6749 section 2.3, RFC 7523 section 2.2, RFC 8705
/// section 2).
package struct ProviderClientEntry: Sendable {
    package enum Method: String, Sendable, CaseIterable {
        case secretBasic = "client_secret_basic"
        case secretPost = "client_secret_post"
        case privateKeyJWT = "private_key_jwt"
        case certificate = "tls_client_auth"
        case none
    }

    /// The server to which the gateway authenticates.
    enum Peer {
        /// A provider of logins.
        case loginProvider
        /// A server that is asked about tokens, which knows no public clients (RFC 7662 section 2.1).
        case introspecting
    }

    package var id: String
    package var method: Method
    /// Whether the configuration names the method, so that metadata of the server do not change it.
    package var isMethodNamed = false
    package var secret: Secret?
    /// Absolute path; a missing key is created.
    package var keyFile: String?
    package var keyAlgorithm: SignatureAlgorithm
    /// `kid`; nil for the key's thumbprint.
    package var keyID: String?
    /// Trust in the server, and the certificate that the gateway shows.
    package var tls: UpstreamTLSEntry?

    init(_ object: inout ObjectReader, of peer: Peer) {
        let isIntrospection = peer == .introspecting
        let idMember = object.take(
            "clientId", .name,
            isIntrospection
                ? "The gateway's client id there; required."
                : "The gateway's client id there; required for `oidc` and `oauth2`.")
        let secretMember = object.take("clientSecret", .secret, "The gateway's secret there.")
        let keyMember = object.take(
            "clientKeyFile", .path,
            """
            Private key of `private_key_jwt`. One that is missing is made; `/.well-known/jwks.json` has its public half.
            """)
        ProviderClientEntry.declareRules(object, of: peer)
        let otherwise: Method = isIntrospection ? .secretBasic : .none
        let standard: Method = secretMember != nil ? .secretBasic : keyMember != nil ? .privateKeyJWT : otherwise
        id = idMember?.read() ?? ""
        let named =
            object.optional(
                "clientAuthentication",
                .choice(among: Method.allCases.filter { !isIntrospection || $0 != .none }),
                isIntrospection
                    ? """
                    How the gateway authenticates (RFC 6749 section 2.3, RFC 8705): by default `client_secret_basic` with \
                    a secret, `private_key_jwt` with a key file.
                    """
                    : """
                    How the gateway authenticates (RFC 6749 section 2.3, RFC 8705). By default `client_secret_basic` with \
                    a secret, or `client_secret_post` where `token_endpoint_auth_methods_supported` of an `oidc` provider \
                    lists that and not the other; `private_key_jwt` with a key file; else `none`.
                    """)
        (method, isMethodNamed) = (named ?? standard, named != nil)
        secret = secretMember?.read()
        keyFile = keyMember?.read()
        keyAlgorithm = object.value(
            "clientKeyAlgorithm", .publicAlgorithm,
            default: .es256,
            "Algorithm of the key.")
        keyID = object.optional("clientKeyId", .name, "`kid` of the key; its thumbprint by default.")
        let tlsMember = object.take(
            "tls", UpstreamTLSEntry.shape(namesServer: false),
            "How the server is trusted, and the gateway's certificate for it, which `tls_client_auth` needs.")
        tls = tlsMember?.read()
        if method == .certificate, tls.map({ $0.certificateFile == nil }) == true {
            tlsMember?.field.error("there is no certificate to show", expected: ProviderClientEntry.shown)
        }
    }

    private static let shown = "\"tls\" with \"certFile\" and \"keyFile\""

    /// What each method needs, and what it has no use for.
    private static func declareRules(_ object: ObjectReader, of peer: Peer) {
        func uses(_ method: Method) -> KeyCondition { .equals("clientAuthentication", method.rawValue) }
        let isNamed = KeyCondition.has("clientAuthentication")
        let usesSecret = KeyCondition.any([uses(.secretBasic), uses(.secretPost)])
        let method = Method.allCases.first { object.holds(uses($0)) } ?? .secretBasic
        // It is no method of introspection, where its name is the one error.
        let usesNone = peer == .introspecting ? [] : [uses(.none)]
        object.rules(
            .requires("clientSecret", if: usesSecret, expected: "what \"\(method.rawValue)\" needs"),
            .requires("clientKeyFile", if: uses(.privateKeyJWT), expected: "what \"\(method.rawValue)\" needs"),
            .requires(
                .has("tls"), if: uses(.certificate), because: "there is no certificate to show", expected: shown),
            .only(
                "clientSecret", with: .not(.any([uses(.privateKeyJWT), uses(.certificate)] + usesNone)),
                because: "\(method.rawValue) has no use for it", expected: "no \"clientSecret\""),
            .only(
                "clientKeyFile",
                with: .not(
                    .any(
                        [usesSecret, uses(.certificate), .all([.not(isNamed), .has("clientSecret")])] + usesNone)),
                because: "\(method.rawValue) has no use for it", expected: "no \"clientKeyFile\""))
        guard peer == .introspecting else { return }
        object.rules(
            .requires("clientId", expected: "the gateway's client id there"),
            .requires(
                "clientSecret", if: .not(.any([isNamed, .has("clientKeyFile")])),
                expected: "what \"\(method.rawValue)\" needs"))
    }

    /// The key `caFile` beside `tls`: the authorities are named once.
    func caFileBesideTLS(_ object: inout ObjectReader, shape: Shape<String>) -> String? {
        let member = object.take(
            "caFile", shape,
            "PEM file with the authorities of its certificate; the system's by default. The same as `caFile` of `tls`.")
        if tls?.authoritiesFile != nil || tls?.verifies == false {
            member?.field.error("\"tls\" says how the server is trusted", expected: "one of the two")
        }
        return member?.read()
    }
}
