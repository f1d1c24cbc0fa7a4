/// How a password of a service domain is verified (OMS-12).
package enum Connectivity: String, Sendable, CaseIterable {
    /// By the server only.
    case online
    /// By the verifier of the last login only.
    case offline
    /// By the server, or the verifier if the server is down.
    case auto
}
