/// What a listener with TLS does with clients' certificates.
package enum TLSClientAuthentication: String, Sendable, CaseIterable {
    /// Not asked for.
    case off
    /// Asked for; a client without one is let in, one with a bad one is not.
    case optional
    /// A client without a good one is refused.
    case required
}
