import Identity

/// The published keys of a trusted issuer, as configured.
package struct IssuerKeys: Sendable {
    /// Name of the configuration entry.
    package let name: String
    package let keys: RemoteKeySet
    /// Whether the gateway is ready without them.
    package let isOptional: Bool

    package init(name: String, keys: RemoteKeySet, isOptional: Bool) {
        self.name = name
        self.keys = keys
        self.isOptional = isOptional
    }
}
