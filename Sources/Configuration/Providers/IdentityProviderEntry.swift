import Declaration
import Model

/// An identity provider that browsers are redirected to for a login (SSO-07, RP-01).
package struct IdentityProviderEntry: Sendable {
    /// The value of `kind`.
    package struct Kind: Equatable, Sendable {
        package let name: String
        /// The form of this gateway.
        package static let local = Kind(name: ownForm)
    }

    package var name: String
    /// The name that users see; nil for `name`.
    package var displayName: String?
    package var kind: Kind
    /// What only entries of the kind have; nil after an error.
    package var settings: (any ProviderEntry)?
    package var clockSkew: Duration
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
            name: ownForm, kind: .local, settings: OwnFormEntry(), clockSkew: .zero,
            users: ProviderRules(identity: ExternalIdentityRules()), isEmailRuleStated: false, isHTTPAllowed: false,
            pointer: "/identityProviders")
    }

    static func readAll(_ field: Field) -> [IdentityProviderEntry] {
        shape().readAll(field, "an array of identity providers", unique: "identity provider", by: \.name)
    }

    /// - Parameter name: the default name of a provider that is declared where it is used.
    package static func shape(
        name: String? = nil, kinds: [any ProviderEntry.Type] = ProviderKinds.all
    ) -> Shape<IdentityProviderEntry> {
        .object("an identity provider: {\"name\", \"issuer\", \"clientId\"}") { read(&$0, name, kinds) }.named(
            "provider")
    }

    private static func read(
        _ object: inout ObjectReader, _ standardName: String?, _ kinds: [any ProviderEntry.Type]
    ) -> IdentityProviderEntry {
        let field = object.field
        let name = name(&object, standardName, kinds)
        let names = kinds.flatMap { $0.kinds }
        let kind =
            object.optional(
                "kind", .choice(names),
                "\(kinds.map { $0.meaning }.joined(separator: " ")) By default `oidc` with `issuer`, else `oauth2`.")
            ?? CodeFlowEntry.standardKind(of: object)
        let allowHTTP = object.flag(
            "allowHttp", default: false, "Whether the provider may be reached without TLS; for development only.")
        if allowHTTP, field.findings.production {
            field.warning(
                "a man in the middle can log in as any user", expected: "\"allowHttp\": false")
        }
        let reading = ProviderReading(kind: kind, allowsHTTP: allowHTTP, kinds: names)
        var settings: (any ProviderEntry)?
        for type in kinds {
            let read = type.read(&object, reading)
            if type.kinds.contains(kind) { settings = read }
        }
        let displayName = object.optional(
            "displayName", .text(.text) { $0.name("a name for people") },
            "Name that is shown where users choose a provider; `name` by default.")
        let clockSkew = object.value("clockSkew", .duration, default: .seconds(60), "Tolerance of times.")
        let users = ProviderRules.read(
            &object, provider: name, verifiesAddresses: settings?.verifiesAddresses ?? false)
        if settings?.hasTransientNames == true, users.rules.identity.usernameSources.isEmpty {
            field.error(
                "a transient name changes with every login", expected: "\"usernameAttribute\" beside it")
        }
        return IdentityProviderEntry(
            name: name, displayName: displayName, kind: Kind(name: kind), settings: settings, clockSkew: clockSkew,
            users: users.rules, isEmailRuleStated: users.isEmailRuleStated, isHTTPAllowed: allowHTTP,
            pointer: field.pointer)
    }

    private static func name(
        _ object: inout ObjectReader, _ standard: String?, _ kinds: [any ProviderEntry.Type]
    ) -> String {
        let byForm = kinds.filter { $0.answersByForm }.flatMap { $0.kinds }.map { "`\($0)`" }
        let meaning = """
            Name in the URLs of the login. Register the redirect URL `BASE/oauth2/callback/NAME` at the provider. BASE \
            is `baseUrl` and each of `additionalBaseUrls` that users log in at; for \(byForm.joined(separator: ", ")) it \
            is the assertion consumer service of the gateway's metadata. `/oauth2` is `pathPrefix`.
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
        _ object: inout ObjectReader, provider: String, verifiesAddresses: Bool
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
        rules.emailRule = emailRule ?? (verifiesAddresses ? .verified : .notUnverified)
        return (rules, emailRule != nil)
    }
}
