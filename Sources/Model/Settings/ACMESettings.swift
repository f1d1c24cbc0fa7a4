/// The authority that the gateway's certificates come from (RFC 8555).
package struct ACMESettings: Sendable, Equatable {
    /// An account of its customers, to which that of the gateway is bound (RFC 8555 section 7.3.4).
    package struct ExternalAccount: Sendable, Equatable {
        package var keyID: String
        /// The key of HMAC-SHA256.
        package var key: [UInt8]

        package init(keyID: String, key: [UInt8]) {
            self.keyID = keyID
            self.key = key
        }
    }

    /// Where its directory is, an `https` URL.
    package var directory: WebURL
    /// Of a new account, such as `mailto:operations@example.com`.
    package var contacts: [String] = []
    /// Which of its kinds of certificates; nil for its default.
    package var profile: String?
    package var externalAccount: ExternalAccount?

    package init(directory: WebURL) { self.directory = directory }
}
