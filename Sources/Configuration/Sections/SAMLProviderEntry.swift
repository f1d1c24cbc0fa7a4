/// An identity provider that speaks SAML 2.0, to which the gateway is a service provider (SSO-07).
package struct SAMLProviderEntry: Sendable {
    /// What the provider calls itself; nil where its metadata say it.
    package var entityID: String?
    /// Where browsers are sent, by redirect; nil where its metadata say it.
    package var singleSignOnURL: String?
    /// Absolute path of the provider's metadata.
    package var metadataFile: String?
    /// Of certificates of `certificates.json` that it signs with.
    package var certificateSubjects: [String]
    /// Absolute path of a PEM file with certificates that it signs with.
    package var certificateFile: String?
    /// What the gateway calls itself there; nil for the URL of its metadata.
    package var ownEntityID: String?
    /// A URI.
    package var nameIDFormat: String?
    /// How users are to log in there: URIs, one of which must be met; empty for any.
    package var contexts: [String]
    package var forcesLogin: Bool
    package var allowsSHA1: Bool
    /// Absolute paths; nil where requests are not signed.
    package var signingKeyFile: String?
    package var signingCertificateFile: String?
    package var signingAlgorithm: String

    /// The formats that have short names (SAML core section 8.3).
    private static let formats = [
        "persistent": "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
        "transient": "urn:oasis:names:tc:SAML:2.0:nameid-format:transient",
        "emailAddress": "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
        "unspecified": "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified",
    ]
    /// Those that the binding has names for.
    private static let algorithms = ["RS256", "RS384", "RS512", "ES256", "ES384", "ES512"]
    private static let members = [
        "entityId", "singleSignOnUrl", "metadataFile", "certificateSubjectNames", "certificateFile", "ownEntityId",
        "nameIdFormat", "authnContexts", "forceLogin", "allowSha1", "signingKeyFile", "signingCertificateFile",
        "signingAlgorithm",
    ]
    /// What providers of the other kinds have, and one that gives no tokens and answers no calls has no use for.
    private static let foreign = [
        "clientId", "clientSecret", "clientAuthentication", "clientKeyFile", "clientKeyAlgorithm", "clientKeyId",
        "scopes", "parameters", "userInfo", "subjectAttribute", "algorithms", "logout", "caFile", "connectTimeout",
        "readTimeout",
    ]

    /// Whether users are known by a name that is another one at every login.
    package var isTransient: Bool { nameIDFormat == SAMLProviderEntry.formats["transient"] }

    /// Nil for a provider of another kind.
    static func read(
        _ object: inout ObjectReader, _ kind: IdentityProviderEntry.Kind, allowHTTP: Bool
    ) -> SAMLProviderEntry? {
        for name in kind == .saml ? foreign : members {
            object.take(name)?.error(
                "a provider of kind \"\(kind.rawValue)\" has no use for it",
                expected: kind == .saml ? "no \"\(name)\"" : "\"kind\": \"saml\"")
        }
        guard kind == .saml else { return nil }
        let metadata = object.optional("metadataFile") { $0.readableFile() }
        let hasMetadata = object.entries.contains { $0.name == "metadataFile" }
        func needed(_ name: String, _ expected: String, _ read: (Field) -> String?) -> String? {
            let member = object.take(name)
            if hasMetadata { return member.flatMap(read) }
            return object.needed(name, member, expected, standIn: nil) { read($0) }
        }
        let entry = SAMLProviderEntry(
            entityID: needed("entityId", "what the provider calls itself, or \"metadataFile\"") { $0.entityID() },
            singleSignOnURL: needed("singleSignOnUrl", "where browsers are sent, or \"metadataFile\"") {
                $0.callableAddress(allowHTTP: allowHTTP)
            },
            metadataFile: metadata,
            certificateSubjects: object.value("certificateSubjectNames", default: []) { $0.names() },
            certificateFile: object.optional("certificateFile") { $0.certificateFile() },
            ownEntityID: object.optional("ownEntityId") { $0.entityID() },
            nameIDFormat: object.optional("nameIdFormat") { field in
                field.name().flatMap { formats[$0] ?? field.entityID() }
            },
            contexts: object.value("authnContexts", default: []) { field in
                field.names("an array of URIs") { $0.entityID() }
            },
            forcesLogin: object.flag("forceLogin", default: false),
            allowsSHA1: object.optional("allowSha1", sha1) ?? false,
            signingKeyFile: object.optional("signingKeyFile") { $0.keyFile() },
            signingCertificateFile: object.optional("signingCertificateFile") { $0.certificateFile() },
            signingAlgorithm: object.value("signingAlgorithm", default: "RS256") { $0.choice(algorithms) })
        check(object, hasMetadata: hasMetadata)
        return entry
    }

    private static func sha1(_ field: Field) -> Bool? {
        let isAllowed = field.bool()
        if isAllowed == true {
            field.warning(
                "who can make two documents of one SHA-1 can have one of them believed for the other",
                expected: "a provider that signs with SHA-256, and \"allowSha1\": false")
        }
        return isAllowed
    }

    private static func check(_ object: ObjectReader, hasMetadata: Bool) {
        let field = object.field
        func has(_ name: String) -> Bool { object.entries.contains { $0.name == name } }
        if !hasMetadata, !has("certificateSubjectNames"), !has("certificateFile") {
            field.error(
                "there is nothing to check the provider's signatures with",
                expected: "\"certificateSubjectNames\", \"certificateFile\" or \"metadataFile\"")
        }
        let (key, certificate) = ("signingKeyFile", "signingCertificateFile")
        for (given, missing) in [(key, certificate), (certificate, key)] where has(given) && !has(missing) {
            field.findings.error(
                JSONPointer.child(field.pointer, missing), "required member \"\(missing)\" is missing",
                expected: "the other half of \"\(given)\"")
        }
    }
}

extension Field {
    /// A URI as SAML has it for names: at most 1024 characters (SAML core section 8.3.6).
    fileprivate func entityID() -> String? {
        let expected = "a URI of at most 1024 visible ASCII characters"
        guard let text = text(expected) else { return nil }
        guard !text.isEmpty, text.utf8.count <= 1024, text.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
            invalid(expected)
            return nil
        }
        return text
    }
}
