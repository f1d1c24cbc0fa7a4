/// A named program that calls with API keys.
package struct Consumer: Sendable {
    /// A key, of which only the digest is kept.
    package struct Key: Sendable {
        /// Unique within the consumer.
        package var id: String
        /// SHA-256 of the key's text.
        package var digest: [UInt8]
        /// Seconds since 1970.
        package var created: Int64?
        /// Seconds since 1970 from which the key is refused; nil for never.
        package var expiresAt: Int64?

        package init(id: String, digest: [UInt8], created: Int64? = nil, expiresAt: Int64? = nil) {
            self.id = id
            self.digest = digest
            self.created = created
            self.expiresAt = expiresAt
        }
    }

    /// The issuer of all keys, as routes name it.
    package static let issuer = "consumers"

    package var name: String
    /// Names of the role catalogue.
    package var roles: [String]
    /// All keys of a disabled consumer are refused.
    package var enabled: Bool
    package var keys: [Key]
    /// Of all requests of the consumer together.
    package var rateLimits: [RateLimitReference]

    package init(
        name: String, roles: [String] = [], enabled: Bool = true, keys: [Key] = [],
        rateLimits: [RateLimitReference] = []
    ) {
        self.name = name
        self.roles = roles
        self.enabled = enabled
        self.keys = keys
        self.rateLimits = rateLimits
    }
}
