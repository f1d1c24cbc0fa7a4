import Bytes
import Model

/// The client credentials of the gateway at a provider (RFC 6749 section 2.3, RFC 7523 section 2.2).
package struct ProviderClientEntry: Sendable {
    package enum Method: String, Sendable, CaseIterable {
        case secretBasic = "client_secret_basic"
        case secretPost = "client_secret_post"
        case privateKeyJWT = "private_key_jwt"
        case none
    }

    package var id: String
    package var method: Method
    package var secret: Secret?
    /// Absolute path; a missing key is created.
    package var keyFile: String?
    package var keyAlgorithm: SignatureAlgorithm
    /// `kid`; nil for the key's thumbprint.
    package var keyID: String?

    /// For a provider that the gateway does not call.
    init() {
        (id, method, keyAlgorithm) = ("", .none, .es256)
    }

    /// - Parameter isNeeded: whether the gateway calls the provider.
    init(_ object: inout ObjectReader, isNeeded: Bool) {
        let idMember = object.take(
            "clientId", .name, "The gateway's client id there; required for `oidc` and `oauth2`.")
        let secretMember = object.take("clientSecret", .secret, "The gateway's secret there.")
        let keyMember = object.take(
            "clientKeyFile", .path,
            """
            Private key of `private_key_jwt`. One that is missing is made; `/.well-known/jwks.json` has its public half.
            """)
        let standard: Method = secretMember != nil ? .secretBasic : keyMember != nil ? .privateKeyJWT : .none
        id = isNeeded ? object.needed("clientId", idMember, "the gateway's client id there", placeholder: "") : ""
        method =
            object.optional(
                "clientAuthentication", .choice,
                """
                How the gateway authenticates (RFC 6749 section 2.3): by default `client_secret_basic` with a secret, \
                `private_key_jwt` with a key file, else `none`.
                """) ?? standard
        secret = secretMember?.read()
        keyFile = keyMember?.read()
        keyAlgorithm = object.value(
            "clientKeyAlgorithm", .publicAlgorithm,
            default: .es256,
            "Algorithm of the key.")
        keyID = object.optional("clientKeyId", .name, "`kid` of the key; its thumbprint by default.")
        let takesSecret = [Method.secretBasic, .secretPost].contains(method)
        ProviderClientEntry.check(secretMember?.field, "clientSecret", isWanted: takesSecret, method, object)
        ProviderClientEntry.check(
            keyMember?.field, "clientKeyFile", isWanted: method == .privateKeyJWT, method, object)
    }

    private static func check(
        _ field: Field?, _ name: String, isWanted: Bool, _ method: Method, _ object: ObjectReader
    ) {
        if isWanted, field == nil {
            object.field.findings.error(
                JSONPointer.child(object.field.pointer, name), "required member \"\(name)\" is missing",
                expected: "what \"\(method.rawValue)\" needs")
        }
        if !isWanted { field?.error("\(method.rawValue) has no use for it", expected: "no \"\(name)\"") }
    }
}
