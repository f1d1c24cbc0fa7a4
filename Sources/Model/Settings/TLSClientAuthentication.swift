/// Client certificates of a TLS listener.
package enum TLSClientAuthentication: String, Sendable, CaseIterable {
    /// Not requested.
    case off
    /// Requested; clients without one are accepted, those with an invalid one are refused.
    case optional
    /// Required.
    case required
}
