/// A mobile backend: the credentials of one set of applications (MBE-01).
package struct BackendEntry: Sendable {
    package var name: String
    package var version: String
    package var mobileBackendID: String
    package var anonymousKey: String?
    package var clientID: String?
    package var clientSecret: Secret?
    package var realm: String
    package var oauthConsumer: Bool
    package var httpBasic: Bool
    package var enableSSO: Bool
    package var facebook: FacebookEntry?
    /// Name of the issuer that makes its access tokens; nil for the token service (OAUTH-09).
    package var issuer: String?
    /// Names of the identity providers that users may log in at by browser (SSO-07); empty for the gateway's own form.
    package var identityProviders: [String]
    /// Whether the registration was revoked: neither secret nor keys nor tokens count any more (MBE-06).
    package var isRevoked: Bool
    /// Tokens that were issued before this second since 1970 are refused (MBE-06).
    package var tokensNotBefore: Int64?
    package var grants: BackendGrantsEntry
    /// Names of the routes associated from this side (MBE-07); the routes list this backend as well.
    package var routes: [String]

    /// How other sections name it.
    package var reference: String { "\(name)/\(version)" }

    static func readAll(_ field: Field) -> [BackendEntry] {
        var backends: [BackendEntry] = []
        for element in field.elements("an array of backends") ?? [] {
            let backend = read(element)
            for other in backends { compare(backend, other, element) }
            backends.append(backend)
        }
        return backends
    }

    private static func read(_ field: Field) -> BackendEntry {
        var object = field.object("a backend: {\"name\", \"version\", \"mobileBackendId\"}")
        let backend = BackendEntry(
            name: object.required("name", "a name", standIn: "") { $0.backendName() },
            version: object.required("version", "a version such as \"1.0\"", standIn: "") { $0.backendName() },
            mobileBackendID: object.required("mobileBackendId", "a unique id", standIn: "") { $0.fieldValue() },
            anonymousKey: object.optional("anonymousKey") { $0.fieldValue() },
            clientID: object.optional("clientId") { $0.name() },
            clientSecret: object.optional("clientSecret") { $0.secret() },
            realm: object.value("realm", default: "Default") { $0.name() },
            oauthConsumer: object.flag("oauthConsumer", default: true),
            httpBasic: object.flag("httpBasic", default: true),
            enableSSO: object.flag("enableSso", default: false),
            facebook: object.optional("facebook", FacebookEntry.read),
            issuer: object.optional("issuer") { $0.reference(to: .issuer) },
            identityProviders: object.value("identityProvider", default: []) { $0.oneOrMore(of: .identityProvider) },
            isRevoked: object.flag("revoked", default: false),
            tokensNotBefore: object.optional("tokensNotBefore") { $0.instant() },
            grants: BackendGrantsEntry.read(&object),
            routes: object.value("routes", default: []) { $0.references(to: .route) }
        )
        checkSwitches(backend, object)
        object.finish()
        return backend
    }

    private static func checkSwitches(_ backend: BackendEntry, _ object: ObjectReader) {
        let field = object.field
        let names = Set(object.entries.map(\.name))
        let hasCredential = names.contains("clientSecret") || names.contains("clientKeys")
        // A revoked backend has an id and no secret.
        if names.contains("clientId") != hasCredential, !backend.isRevoked || hasCredential {
            field.error(
                names.contains("clientKeys")
                    ? "\"clientKeys\" need \"clientId\"" : "\"clientId\" and \"clientSecret\" belong together",
                expected: names.contains("clientId") ? "\"clientSecret\"" : "\"clientId\"")
        }
        for name in ["refreshTokens", "introspection", "tokenExchange"] where names.contains(name) && !hasCredential {
            field.error("\"\(name)\" is for a client", expected: "\"clientId\" beside it")
        }
        // What another server makes is no token that is ended here together with its refresh token.
        if backend.grants.refreshTokens, backend.issuer != nil {
            field.error(
                "\"refreshTokens\" go with tokens of the token service alone",
                expected: "no \"issuer\", or no \"refreshTokens\"")
        }
        // MBE-05: single sign-on is offered only where OAuth Consumer is.
        if backend.enableSSO, !backend.oauthConsumer {
            field.error("\"enableSso\" needs \"oauthConsumer\"", expected: "\"oauthConsumer\": true")
        }
        // FB-02
        if backend.facebook?.isEnabled == true, !backend.httpBasic {
            field.error("Facebook login needs \"httpBasic\"", expected: "\"httpBasic\": true")
        }
        // FB-01: the provider's token comes beside it.
        if backend.facebook?.isEnabled == true, !names.contains("anonymousKey") {
            field.error("Facebook login needs \"anonymousKey\"", expected: "\"anonymousKey\"")
        }
    }

    private static func compare(_ backend: BackendEntry, _ other: BackendEntry, _ field: Field) {
        func duplicate(_ member: String, _ value: String?, _ otherValue: String?, isSecret: Bool = false) {
            guard let value, !value.isEmpty, value == otherValue else { return }
            field.findings.error(
                "\(field.pointer)/\(member)", "backend \(other.reference) has this \"\(member)\" already",
                expected: "a unique value", found: isSecret ? nil : "\"\(value)\"")
        }
        if backend.reference == other.reference, !backend.name.isEmpty {
            field.error("duplicate backend \"\(backend.reference)\"", expected: "a unique name and version")
        }
        duplicate("mobileBackendId", backend.mobileBackendID, other.mobileBackendID)
        duplicate("anonymousKey", backend.anonymousKey, other.anonymousKey, isSecret: true)
        duplicate("clientId", backend.clientID, other.clientID)
    }
}

/// Facebook login of a backend or an application (FB-02).
package struct FacebookEntry: Sendable {
    package var isEnabled: Bool
    /// Id and secret are there where it is on.
    package var appID: String?
    package var appSecret: Secret?
    /// Nil for the provider's own.
    package var verifyURL: String?

    static func read(_ field: Field) -> FacebookEntry? {
        var object = field.object("an object")
        let entry = FacebookEntry(
            isEnabled: object.flag("enabled", default: false),
            appID: object.optional("appId") { $0.name() },
            appSecret: object.optional("appSecret") { $0.secret() },
            verifyURL: object.optional("verifyUrl") { $0.name() }
        )
        object.finish()
        let names = Set(object.entries.map(\.name))
        for name in ["appId", "appSecret"] where entry.isEnabled && !names.contains(name) {
            field.error("Facebook login needs \"\(name)\"", expected: "\"\(name)\"")
        }
        return entry
    }
}

extension Field {
    /// A second since 1970.
    func instant() -> Int64? {
        integer(in: 0...253_402_300_799, "a time in seconds since 1970").map(Int64.init)
    }

    /// A backend's name or version: no slash, which joins the two in references.
    func backendName() -> String? {
        guard let name = text(WebgateEntry.nameRule) else { return nil }
        guard WebgateEntry.isName(name) else {
            invalid(WebgateEntry.nameRule)
            return nil
        }
        return name
    }

    /// Text that is compared with a header field as it is: visible ASCII without blanks.
    func fieldValue() -> String? {
        let expected = "visible ASCII characters without blanks"
        guard let text = text(expected) else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
            error("invalid value", expected: expected)
            return nil
        }
        return text
    }
}
