import Bytes
import Declaration
import Model

/// An identity provider that browsers are redirected to for a login (SSO-07, RP-01).
package struct IdentityProviderEntry: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// The form of this gateway.
        case local
        /// OpenID Connect.
        case oidc
        /// OAuth 2 without OpenID Connect, with an endpoint for user information.
        case oauth2
        /// SAML 2.0.
        case saml

        /// What entries of the kind have.
        var condition: KeyCondition {
            func isNamed(_ kind: Kind) -> KeyCondition { .equals("kind", kind.rawValue) }
            let hasIssuer = KeyCondition.has("issuer")
            return switch self {
            case .local, .saml: isNamed(self)
            case .oidc:
                .any([isNamed(.oidc), .all([hasIssuer, .not(.any([Kind.local, .oauth2, .saml].map(isNamed)))])])
            case .oauth2: .any([isNamed(.oauth2), .not(.any([hasIssuer] + [Kind.local, .oidc, .saml].map(isNamed)))])
            }
        }
    }

    package var name: String
    /// The name that users see; nil for `name`.
    package var displayName: String?
    package var kind: Kind
    /// `iss` of its tokens; only for `oidc`.
    package var issuer: String?
    /// URL of the discovery document.
    package var discovery: WebURL?
    /// URL of the key set, in place of that of the document.
    package var keys: WebURL?
    /// Endpoints of `oauth2`, and those of `oidc` that replace the document's.
    package var authorizationEndpoint: WebURL?
    package var tokenEndpoint: WebURL?
    package var userInfoEndpoint: WebURL?
    /// RFC 7009.
    package var revocationEndpoint: WebURL?
    package var calls: ProviderCalls
    /// Settings of `saml`; nil for other kinds.
    package var saml: SAMLProviderEntry?
    package var clockSkew: Duration
    /// Keys for encrypted ID tokens.
    package var decryptionKeys: [DecryptionKeyEntry]
    package var users: ProviderRules
    /// Whether the rule about e-mail addresses is configured explicitly.
    var isEmailRuleStated: Bool
    package var isHTTPAllowed: Bool
    /// Its place in the configuration.
    package var pointer: String

    /// The name of the gateway's own form, which no other provider has.
    package static let ownForm = "local"

    /// The gateway's own form where no entry describes it.
    static var ofOwnForm: IdentityProviderEntry {
        IdentityProviderEntry(
            name: ownForm, kind: .local, calls: ProviderCalls(), clockSkew: .zero, decryptionKeys: [],
            users: ProviderRules(identity: ExternalIdentityRules()), isEmailRuleStated: false, isHTTPAllowed: false,
            pointer: "/identityProviders")
    }

    static func readAll(_ field: Field) -> [IdentityProviderEntry] {
        shape().readAll(field, "an array of identity providers", unique: "identity provider", by: \.name)
    }

    /// - Parameter name: the default name of a provider that is declared where it is used.
    static func shape(name: String? = nil) -> Shape<IdentityProviderEntry> {
        .object("an identity provider: {\"name\", \"issuer\", \"clientId\"}") { read(&$0, name) }.named("provider")
    }

    private static func read(_ object: inout ObjectReader, _ standardName: String?) -> IdentityProviderEntry {
        let field = object.field
        let name = name(&object, standardName)
        _ = object.optional(
            "kind", Shape<Kind>.choice,
            """
            OpenID Connect, OAuth 2 with a user info endpoint, [SAML](guides/saml-providers.md), or `local`: the \
            gateway's own form, for clients that name it. By default `oidc` with `issuer`, else `oauth2`.
            """)
        let kind = Kind.allCases.first { object.holds($0.condition) } ?? .oidc
        let allowHTTP = object.flag(
            "allowHttp", default: false, "Whether the provider may be reached without TLS; for development only.")
        if allowHTTP, field.findings.production {
            field.warning(
                "a man in the middle can log in as any user", expected: "\"allowHttp\": false")
        }
        let unused = "a provider of kind \"\(kind.rawValue)\" has no use for it"
        let (isLocal, isSAML) = (Kind.local.condition, Kind.saml.condition)
        let openID = object.keys(
            with: Kind.oidc.condition, because: unused, expected: "\"kind\": \"oidc\""
        ) { OpenIDSettings(&$0, allowHTTP) }
        let endpoints = object.keys(
            with: .not(.any([isLocal, isSAML])), because: unused, expected: "\"kind\": \"oidc\" or \"oauth2\""
        ) { ProviderAddresses(&$0, allowHTTP) }
        let saml = object.keys(with: isSAML, because: unused) { SAMLProviderEntry.read(&$0, allowHTTP: allowHTTP) }
        let calls = object.keys(with: .not(isSAML), because: unused) { ProviderCalls(&$0, kind) }
        object.rules(
            .requires("clientId", if: .not(.any([isLocal, isSAML])), expected: "the gateway's client id there"),
            .requires(
                .has("revocationEndpoint"), if: .all([Kind.oauth2.condition, .isOn("revokeAtLogout")]),
                because: "\"revokeAtLogout\" has nothing to call", expected: "\"revocationEndpoint\" beside it"))
        let displayName = object.optional(
            "displayName", .text(.text) { $0.name("a name for people") },
            "Name that is shown where users choose a provider; `name` by default.")
        let clockSkew = object.value("clockSkew", .duration, default: .seconds(60), "Tolerance of times.")
        let users = ProviderRules.read(&object, provider: name, kind)
        let entry = IdentityProviderEntry(
            name: name, displayName: displayName, kind: kind,
            issuer: openID?.issuer, discovery: openID?.discovery, keys: openID?.keys,
            authorizationEndpoint: endpoints?.authorization, tokenEndpoint: endpoints?.token,
            userInfoEndpoint: endpoints?.userInfo, revocationEndpoint: endpoints?.revocation,
            calls: calls ?? ProviderCalls(), saml: saml, clockSkew: clockSkew,
            decryptionKeys: openID?.decryptionKeys ?? [], users: users.rules,
            isEmailRuleStated: users.isEmailRuleStated, isHTTPAllowed: allowHTTP, pointer: field.pointer)
        if saml?.isTransient == true, entry.users.identity.usernameSources.isEmpty {
            field.error(
                "a transient name changes with every login", expected: "\"usernameAttribute\" beside it")
        }
        return entry
    }

    private static func name(_ object: inout ObjectReader, _ standard: String?) -> String {
        let meaning = """
            Name in the URLs of the login. Register the redirect URL `BASE/oauth2/callback/NAME` at the provider. BASE \
            is `baseUrl` and each of `additionalBaseUrls` that users log in at; for `saml` it is \
            `BASE/oauth2/saml/NAME/acs` with `baseUrl` alone. `/oauth2` is `pathPrefix`.
            """
        guard let standard else {
            return object.required("name", .identifier, EntryName.rule, placeholder: "", meaning)
        }
        let name = object.take("name", .identifier, meaning)
        return name == nil ? standard : name?.read() ?? ""
    }
}

extension ProviderRules {
    /// - Returns: whether the rule about e-mail addresses is configured explicitly, too.
    static func read(
        _ object: inout ObjectReader, provider: String, _ kind: IdentityProviderEntry.Kind
    ) -> (rules: ProviderRules, isEmailRuleStated: Bool) {
        let emailRule = object.optional(
            "verifiedEmail", Shape<EmailRule>.choice,
            """
            What `email_verified` must say where an e-mail address is the name: by default `required` for `oidc` and \
            `notDenied` for the others. With `ignored`, any user of the provider may be any user here. It speaks of the \
            claim `email` of the same document; with `required` another claim is a name where it has the same value.
            """)
        let prefix = (value: "\(provider):", meaning: "by default the provider's name and a colon")
        var rules = ProviderRules(identity: .read(&object, prefix: prefix))
        // Plain OAuth 2 and SAML have no claim for verified addresses.
        rules.emailRule = emailRule ?? (kind == .oidc ? .verified : .notUnverified)
        return (rules, emailRule != nil)
    }
}
