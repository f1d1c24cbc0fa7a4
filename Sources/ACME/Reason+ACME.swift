import Model

/// The reason that this target declares.
extension Reason {
    package static var acmeChallenge: Reason { .served("acme_challenge") }
}
