import Bytes
import Declaration
import Model

/// The authority that certificates come from by ACME (RFC 8555).
package struct ACMESection: Sendable {
    package var settings: ACMESettings
    /// Folder of the account's key and of the certificates, absolute.
    package var folder: String
    package var tls: UpstreamTLSEntry?

    private static let standardDirectory = "https://acme-v02.api.letsencrypt.org/directory"
    private static let standardFolder = "state/acme"
    /// Authorities take no more.
    private static let mostNames = 100

    static func read(_ root: inout ObjectReader) -> ACMESection? {
        root.optional(
            "acme", shape,
            """
            The authority that [certificates of listeners](guides/acme.md) with `names` come from, by ACME (RFC 8555); none by \
            default.
            """)
    }

    private static let shape = Shape.object("an object: {\"termsAgreed\": true}") { object in
        let directory = object.take(
            "directory", Shape(.pattern("^https://"), read: { secureURL($0) }),
            "Where the directory of the authority is; Let's Encrypt by default.")
        var settings = ACMESettings(
            directory: directory?.read() ?? (try? WebURL(standardDirectory)) ?? WebURL(.placeholder))
        let terms = object.take(
            "termsAgreed", .flag, "Must be `true`: you agree to the terms of the authority, which its directory names.")
        object.rules(
            .requires(
                .isOn("termsAgreed"), at: "termsAgreed",
                because: "the authority makes accounts for those only who agree to its terms",
                expected: "true"))
        _ = terms?.read()
        settings.contacts =
            object.optional(
                "contact", contactShape.list("an array of e-mail addresses", isUnique: false),
                "E-mail addresses of a new account; none by default.") ?? []
        settings.profile = object.optional(
            "profile", .name, "Name of the kind of certificate, for authorities with several; their default otherwise.")
        settings.externalAccount = object.optional(
            "externalAccount", externalAccount,
            "A customer's account that the gateway's is bound to, at authorities that have accounts of customers only."
        )
        let folder = object.optional(
            "folder", .path,
            """
            Folder of the account's key and of the certificates with their keys, `\(standardFolder)` by default. It is made where it \
            is missing. With a `store` of the kind `\(StoreKinds.names { $0 == .machines })` all gateways share them through it, sealed \
            by `store.key`, and the folder has a copy.
            """)
        return ACMESection(
            settings: settings, folder: folder ?? object.field.findings.path(of: standardFolder),
            tls: object.optional(
                "tls", UpstreamTLSEntry.shape(namesServer: false), "How the authority's own server is trusted."))
    }

    /// DNS names of a certificate.
    static let names = Shape.texts(
        .list(.pattern("^[A-Za-z0-9_-]+([.][A-Za-z0-9_-]+)*$"), minimum: 1, maximum: mostNames)
    ) { field in
        let names = field.names("an array of DNS names") { provableName($0) }
        guard let count = field.node.array?.count, !(1...mostNames).contains(count) else { return names }
        return field.error("wrong number of names", expected: "1 to \(mostNames) DNS names", found: "\(count)")
    }

    private static let contactShape = Shape(
        .pattern("^[^@, ?]+@[^@, ?]+$"), read: { contact($0) })

    private static let externalAccount = Shape.object("an object: {\"keyId\", \"key\"}") { object in
        ACMESettings.ExternalAccount(
            keyID: object.required("keyId", .name, "the id that the authority gives", placeholder: "", "Its id."),
            key: object.required(
                "key", Shape(.secret, read: { encodedKey($0) }), "a secret", placeholder: [],
                "The key that belongs to it, in base64url, as a reference to a [secret](guides/secrets.md#secrets)."))
    }

    /// Reports names without an authority, and authorities that reach the gateway on no listener.
    static func check(_ section: ACMESection?, for listeners: [ListenerEntry], _ findings: Findings) {
        var hasNames = false
        for (i, listener) in listeners.enumerated() {
            for (j, certificate) in (listener.tls?.certificates ?? []).enumerated() {
                guard case .authority = certificate.source else { continue }
                hasNames = true
                guard section == nil else { continue }
                findings.error(
                    "/listeners/\(i)/tls/certificates/\(j)/names", "there is no authority for these names",
                    expected: "\"acme\" in gateway.json, or \"certFile\" and \"keyFile\"")
            }
        }
        guard section != nil else { return }
        if !hasNames {
            findings.warning(
                "/acme", "no certificate of a listener comes from the authority",
                expected: "\"names\" in \"certificates\"")
        } else if !listeners.contains(where: {
            $0.tls == nil && ($0.rules.role == .proxy || $0.rules.role == .redirect)
        }) {
            findings.warning(
                "/acme", "the authority looks for the names on port 80, and no listener speaks HTTP without TLS",
                expected: "a listener with \"redirectToHttps\"")
        }
    }

    // MARK: Values

    /// An https URL.
    private static func secureURL(_ field: Field) -> WebURL? {
        guard let url = field.url(allowHTTP: true) else { return nil }
        return url.isSecure ? url : field.error("not encrypted", expected: "an https URL", found: field.summary)
    }

    /// A name that http-01 can prove, in lower case.
    private static func provableName(_ field: Field) -> String? {
        let expected = "a DNS name"
        guard let text = field.text(expected) else { return nil }
        if text.hasPrefix("*.") {
            return field.error(
                "an authority proves no wildcards over HTTP", expected: "single names, or files of another program",
                found: field.summary)
        }
        guard HostName.isValid(text), IPAddress(text) == nil else { return field.invalid(expected) }
        return text.lowercased()
    }

    /// The URI of an e-mail address (RFC 8555 section 7.3: one address, no header fields).
    private static func contact(_ field: Field) -> String? {
        let expected = "an e-mail address"
        guard let text = field.text(expected) else { return nil }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        let isAddress =
            parts.count == 2 && !parts[0].isEmpty && HostName.isValid(parts[1])
            && parts[0].utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && !",:?%\"<>&".utf8.contains($0) }
        guard isAddress else { return field.invalid(expected) }
        return "mailto:\(text)"
    }

    /// The bytes of a key in base64url.
    private static func encodedKey(_ field: Field) -> [UInt8]? {
        guard let secret = field.secret() else { return nil }
        if secret.origin == .absent { return Array(secret.value.utf8) }
        guard let key = Base64.decode(Array(secret.value.utf8).span, .url), key.count >= 16 else {
            return field.error(
                "the secret is no key in base64url of 16 bytes or more", expected: "the key as the authority gives it")
        }
        return key
    }
}
