/// A way to log in by browser that users are shown where there are several.
package struct LoginChoice: Sendable, Equatable {
    /// What stands for the login form of the gateway itself (SSO-07), which no provider can be called.
    package static let ownForm = "own form"

    /// Name of an identity provider, or `ownForm`.
    package var provider: String
    /// What `provider` of a query calls it: the name of its entry in the configuration.
    package var name: String
    /// What people know it by; nil for the name.
    package var title: String?

    /// - Parameter name: nil where it is that of the provider.
    package init(_ provider: String, name: String? = nil, title: String? = nil) {
        self.provider = provider
        self.name = name ?? provider
        self.title = title
    }
}
