/// Which authority checks a password of a service domain (OMS-12).
package enum Connectivity: String, Sendable, CaseIterable {
    /// The server alone.
    case online
    /// The verifier of the last login at the server, and not the server.
    case offline
    /// The server, and the verifier where that is down.
    case auto
}
