/// A browser login option, offered if there are several.
package struct LoginChoice: Sendable, Equatable {
    /// Denotes the gateway's own login form (SSO-07). No provider can have this name.
    package static let ownForm = "own form"

    /// Name of an identity provider, or `ownForm`.
    package var provider: String
    /// Value of the query parameter `provider`: the name of its configuration entry.
    package var name: String
    /// Title shown to users; nil shows the name.
    package var title: String?

    /// - Parameter name: nil for the provider's name.
    package init(_ provider: String, name: String? = nil, title: String? = nil) {
        self.provider = provider
        self.name = name ?? provider
        self.title = title
    }
}
