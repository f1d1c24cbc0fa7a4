import Identity

/// The keys of a trusted issuer that publishes them, as the configuration wants them.
package struct IssuerKeys: Sendable {
    /// Of the configuration entry.
    package let name: String
    package let keys: RemoteKeySet
    /// The gateway is ready without them.
    package let isOptional: Bool

    package init(name: String, keys: RemoteKeySet, isOptional: Bool) {
        self.name = name
        self.keys = keys
        self.isOptional = isOptional
    }
}
