/// The kinds of references that may stand in the place of a secret (GW-12), by their prefix.
package enum SecretReference: String, Sendable, CaseIterable {
    case environment = "env:"
    case file = "file:"
    case credential = "cred:"
    case program = "program:"

    /// Nil for a text that is the secret itself.
    package init?(in text: String) {
        guard let kind = SecretReference.allCases.first(where: { text.hasPrefix($0.rawValue) }) else { return nil }
        self = kind
    }
}
