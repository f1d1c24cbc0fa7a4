/// Login by the token of a social provider, as a client or an application has it configured.
package struct SocialLogin: Sendable, Equatable {
    /// The level of a social login on the scale that webgates ask by (CHAL-06): less than that of a password.
    package static let level = 1

    /// Name of the provider, compared without case.
    package var provider: String
    /// The app that tokens must be made for.
    package var appID: String
    package var appSecret: String
    /// Where the provider describes the holder of a token.
    package var verifyURL: WebURL

    package init(provider: String, appID: String, appSecret: String, verifyURL: WebURL) {
        self.provider = provider
        self.appID = appID
        self.appSecret = appSecret
        self.verifyURL = verifyURL
    }

    /// The subject of a person that only the provider knows. The prefix keeps ids of the provider apart from names of
    /// local users.
    package func subject(_ userID: String) -> String { "\(provider):\(userID)" }
}
