import Bytes
import Configuration
import Declaration
import Model

extension SocialLogin {
    /// The name of the provider.
    package static let facebook = "facebook"

    /// `facebook` of entries of `backends.json`.
    package static let declaration = SectionExtension.backendKey(facebook) { object, entry in
        entry.socialLogin =
            object.optional(
                facebook, shape,
                "Login with Facebook, which then is the only way to log in; needs `anonymousKey` and `httpBasic`.")
            ?? nil
        if entry.socialLogin != nil { check(entry.client, object) }
    }

    /// The provider's token comes beside the anonymous key (FB-01, FB-02), and excludes other logins.
    private static func check(_ client: Client, _ object: ObjectReader) {
        let field = object.field
        if !client.httpBasic {
            field.error("Facebook login needs \"httpBasic\"", expected: "\"httpBasic\": true")
        }
        if !object.holds(.has("anonymousKey")) {
            field.error("Facebook login needs \"anonymousKey\"", expected: "\"anonymousKey\"")
        }
        let others = [
            ("redirectUris", client.grants.authorization != nil), ("deviceGrant", client.grants.allowsDevices),
        ]
        for (name, isThere) in others where isThere {
            field.error(
                "with Facebook login there is no other login", expected: "no \"\(name)\", or no \"facebook\"")
        }
    }

    /// Facebook login of a client or an application (FB-02); nil if it is off.
    package static let shape = Shape<SocialLogin?>.object("an object") { object in
        let isEnabled = object.flag("enabled", default: false, "Whether it is on.")
        let login = SocialLogin(
            provider: facebook,
            appID: object.optional("appId", .name, "App that tokens must be made for.") ?? "",
            appSecret: object.optional("appSecret", .secret, "App secret.")?.value ?? "",
            verifyURL: object.optional(
                "verifyUrl", Shape(.pattern("^https?://"), read: { $0.verifyURL() }),
                "Where tokens are inspected, by https, or http on loopback; `https://graph.facebook.com/debug_token` by default."
            ) ?? WebURL(WebOrigin(isSecure: true, host: "graph.facebook.com", port: 443), target: "/debug_token"))
        object.rules(.requires("appId", "appSecret", if: .isOn("enabled")))
        return isEnabled ? login : nil
    }
}

extension Field {
    /// An `https` URL, or one of this machine, since it transports tokens and the app secret.
    fileprivate func verifyURL() -> WebURL? {
        guard let url = url(allowHTTP: true) else { return nil }
        guard url.isSecure || url.origin.isLocal else {
            return error("the URL must begin with https://", found: summary)
        }
        return url
    }
}
