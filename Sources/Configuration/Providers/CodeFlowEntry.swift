import Declaration
import Model

/// A provider of the authorization code flow: OpenID Connect, or OAuth 2 with an endpoint for user information.
package struct CodeFlowEntry: ProviderEntry {
    private static let (openID, plain) = ("oidc", "oauth2")
    package static let kinds = [openID, plain]
    package static let meaning = "`oidc`: OpenID Connect. `oauth2`: OAuth 2 with a user info endpoint."

    /// `iss` of its tokens; nil for plain OAuth 2.
    package let issuer: String?
    /// URL of the discovery document.
    package let discovery: WebURL?
    /// URL of the key set, in place of that of the document.
    package let keys: WebURL?
    /// Keys for encrypted ID tokens.
    package let decryptionKeys: [DecryptionKeyEntry]
    package let addresses: ProviderAddresses
    package let calls: ProviderCalls
    package let verifiesAddresses: Bool

    /// The kind of entries that name none.
    static func standardKind(of object: ObjectReader) -> String { object.holds(.has("issuer")) ? openID : plain }

    package static func read(_ object: inout ObjectReader, _ reading: ProviderReading) -> CodeFlowEntry? {
        let isOpenID = KeyCondition.any([
            ProviderReading.isNamed([openID]), .all([.has("issuer"), .not(reading.isOther(than: [openID]))]),
        ])
        let isPlain = KeyCondition.any([
            ProviderReading.isNamed([plain]), .not(.any([.has("issuer"), reading.isOther(than: [plain])])),
        ])
        let settings = object.keys(with: isOpenID, because: reading.unused, expected: "\"kind\": \"oidc\"") {
            OpenIDSettings(&$0, reading.allowsHTTP)
        }
        return object.keys(
            with: .not(reading.isOther(than: kinds)), because: reading.unused,
            expected: "\"kind\": \"oidc\" or \"oauth2\""
        ) { object in
            object.rules(
                .requires("clientId", expected: "the gateway's client id there"),
                .requires(
                    .has("revocationEndpoint"), if: .all([isPlain, .isOn("revokeAtLogout")]),
                    because: "\"revokeAtLogout\" has nothing to call", expected: "\"revocationEndpoint\" beside it"))
            let isOpenID = reading.kind == openID
            return CodeFlowEntry(
                issuer: settings?.issuer, discovery: settings?.discovery, keys: settings?.keys,
                decryptionKeys: settings?.decryptionKeys ?? [],
                addresses: ProviderAddresses(&object, reading.allowsHTTP, isRequired: isPlain),
                calls: ProviderCalls(&object, isOpenID: isOpenID), verifiesAddresses: isOpenID)
        }
    }
}
