/// A way to log in by browser that users are shown where there are several.
package struct LoginChoice: Sendable, Equatable {
    /// What stands for the login form of the gateway itself (SSO-07), which no provider can be called.
    package static let ownForm = "own form"

    /// Name of an identity provider, or `ownForm`.
    package var provider: String
    /// What people know it by; nil for the name.
    package var title: String?

    package init(_ provider: String, title: String? = nil) {
        self.provider = provider
        self.title = title
    }
}
