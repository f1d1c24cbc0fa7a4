/// Login with Facebook, as a mobile backend or an application has it configured (FB-02).
package struct SocialLogin: Sendable, Equatable {
    /// `Oracle-Mobile-Social-Identity-Provider`, compared without case.
    package static let provider = "facebook"
    /// Where the provider describes the holder of a token (FB-03).
    package static let standardVerifyURL = WebURL(
        WebOrigin(isSecure: true, host: "graph.facebook.com", port: 443), target: "/debug_token")
    /// The level of a social login on the scale that webgates ask by (CHAL-06): less than that of a password.
    package static let level = 1

    /// The app that tokens must be made for.
    package var appID: String
    package var appSecret: String
    package var verifyURL: WebURL

    package init(appID: String, appSecret: String, verifyURL: WebURL? = nil) {
        self.appID = appID
        self.appSecret = appSecret
        self.verifyURL = verifyURL ?? SocialLogin.standardVerifyURL
    }

    /// The subject of a person that only the provider knows. The prefix keeps numbers of Facebook apart from names of
    /// local users.
    package static func subject(_ userID: String) -> String { "\(provider):\(userID)" }
}
