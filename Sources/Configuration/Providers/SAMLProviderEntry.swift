import Declaration
import Model

/// A SAML 2.0 identity provider, for which the gateway is a service provider (SSO-07).
package struct SAMLProviderEntry: ProviderEntry {
    package static let kinds = ["saml"]
    package static let meaning = "`saml`: [SAML](guides/saml-providers.md)."
    package static let answersByForm = true

    /// Entity id of the provider; nil for that of its metadata.
    package var entityID: String?
    /// URL of the redirect binding; nil for that of its metadata.
    package var singleSignOnURL: WebURL?
    /// Absolute path of the provider's metadata.
    package var metadataFile: String?
    /// Subjects of its signing certificates in `certificates.json`.
    package var certificateSubjects: [String]
    /// Absolute path of a PEM file with its signing certificates.
    package var certificateFile: String?
    /// Entity id of the gateway; nil for the URL of its metadata.
    package var ownEntityID: String?
    package var login: SAMLLoginSettings
    /// Absolute paths; nil for unsigned requests.
    package var signingKeyFile: String?
    package var signingCertificateFile: String?
    package var signingAlgorithm: SignatureAlgorithm

    /// Formats with short names (SAML core section 8.3).
    private static let formats = [
        "persistent": "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
        "transient": "urn:oasis:names:tc:SAML:2.0:nameid-format:transient",
        "emailAddress": "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
        "unspecified": "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified",
    ]
    /// Algorithms with names in the binding.
    private static let algorithms: [SignatureAlgorithm] = [.rs256, .rs384, .rs512, .es256, .es384, .es512]
    package let issuesTokens = false
    package var hasTransientNames: Bool { login.nameIDFormat == SAMLProviderEntry.formats["transient"] }

    package static func read(_ object: inout ObjectReader, _ reading: ProviderReading) -> SAMLProviderEntry? {
        object.keys(with: ProviderReading.isNamed(kinds), because: reading.unused) {
            read(&$0, allowHTTP: reading.allowsHTTP)
        }
    }

    private static func read(_ object: inout ObjectReader, allowHTTP: Bool) -> SAMLProviderEntry {
        let metadata = object.optional(
            "metadataFile", .readableFile,
            "The provider's metadata: its entity id, address and certificates. Trusted as it is.")
        let isNamedHere = KeyCondition.not(.has("metadataFile"))
        object.rules(
            .requires("entityId", if: isNamedHere, expected: "what the provider calls itself, or \"metadataFile\""),
            .requires("singleSignOnUrl", if: isNamedHere, expected: "where browsers are sent, or \"metadataFile\""),
            .atLeastOne(
                of: "certificateSubjectNames", "certificateFile", "metadataFile",
                because: "there is nothing to check the provider's signatures with"),
            .requires(
                "signingCertificateFile", if: .has("signingKeyFile"), expected: "the other half of \"signingKeyFile\""),
            .requires(
                "signingKeyFile", if: .has("signingCertificateFile"),
                expected: "the other half of \"signingCertificateFile\""))
        return SAMLProviderEntry(
            entityID: object.optional("entityId", uri, "Entity id of the provider; required without metadata."),
            singleSignOnURL: object.optional(
                "singleSignOnUrl", .url(allowHTTP: allowHTTP),
                "Where browsers are sent, by redirect; required without metadata."),
            metadataFile: metadata,
            certificateSubjects: object.value(
                "certificateSubjectNames", .names, default: [],
                """
                Subjects of certificates in `certificates.json` that it signs with, which may change while the gateway \
                runs. Certificates that are not valid now are not accepted.
                """),
            certificateFile: object.optional(
                "certificateFile", .text(.text) { $0.certificateFile() },
                "PEM file with certificates that it signs with."),
            ownEntityID: object.optional(
                "ownEntityId", uri, "Entity id of the gateway there; the URL of its metadata by default."),
            login: login(&object),
            signingKeyFile: object.optional(
                "signingKeyFile", .text(.text) { $0.keyFile() },
                "Key of the gateway's requests, with its certificate; without them requests are not signed."),
            signingCertificateFile: object.optional(
                "signingCertificateFile", .text(.text) { $0.certificateFile() },
                """
                Certificate of the key, which is in the gateway's metadata. `openssl req -x509 -newkey rsa:3072 -nodes \
                -days 3650 -subj /CN=gateway -keyout gateway-saml.key -out gateway-saml.pem` makes both.
                """),
            signingAlgorithm: object.value(
                "signingAlgorithm", .choice(among: algorithms), default: .rs256,
                "Algorithm of the gateway's signatures."))
    }

    private static func login(_ object: inout ObjectReader) -> SAMLLoginSettings {
        var login = SAMLLoginSettings()
        login.nameIDFormat = object.optional(
            "nameIdFormat", uri.reading { field in field.name().flatMap { formats[$0] ?? field.entityID() } },
            """
            `persistent`, `transient`, `emailAddress`, `unspecified` or a URI; the provider's choice by default. \
            Users are named by `NameID` unless `usernameAttribute` names an attribute; `transient` ones, which \
            change at every login, only by an attribute.
            """)
        object.read(
            "authnContexts", uri.list("an array of URIs").reading { $0.names("an array of URIs") { $0.entityID() } },
            into: &login.authnContexts,
            "How users must log in there: URIs, one of which the answer must have; any by default.")
        object.read("forceLogin", .flag, into: &login.forcesLogin, "Whether users log in there each time.")
        object.read(
            "allowSha1", Shape.flag.reading(sha1), into: &login.allowsSHA1, "Whether SHA-1 is accepted in signatures.")
        return login
    }

    private static let uri = Shape.text(.named("uri", .pattern("^[!-~]{1,1024}$"))) { $0.entityID() }

    private static func sha1(_ field: Field) -> Bool? {
        let isAllowed = field.bool()
        if isAllowed == true {
            field.warning(
                "who can make two documents of one SHA-1 can have one of them believed for the other",
                expected: "a provider that signs with SHA-256, and \"allowSha1\": false")
        }
        return isAllowed
    }
}

extension Field {
    /// A URI of at most 1024 characters (SAML core section 8.3.6).
    fileprivate func entityID() -> String? {
        let expected = "a URI of at most 1024 visible ASCII characters"
        guard let text = text(expected) else { return nil }
        guard !text.isEmpty, text.utf8.count <= 1024, text.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
            return invalid(expected)
        }
        return text
    }
}
