import Declaration

/// A kind of identity provider, as its entries have it. The program assembles what this describes.
package protocol ProviderEntry: Sendable {
    /// The values of `kind`; several where they share keys.
    static var kinds: [String] { get }
    /// What these mean, for the reference.
    static var meaning: String { get }
    /// Whether the provider's page posts its answers, to one address only.
    static var answersByForm: Bool { get }

    /// Declares and reads the keys of the kind.
    /// - Returns: nil for an entry of another kind.
    static func read(_ object: inout ObjectReader, _ reading: ProviderReading) -> Self?

    /// Whether it says of e-mail addresses whether they are verified.
    var verifiesAddresses: Bool { get }
    /// Whether the names of users change with every login.
    var hasTransientNames: Bool { get }
    /// Whether a login there yields an access token.
    var issuesTokens: Bool { get }
}

extension ProviderEntry {
    package static var answersByForm: Bool { false }
    package var verifiesAddresses: Bool { false }
    package var hasTransientNames: Bool { false }
    package var issuesTokens: Bool { true }
}

/// What the reader of a kind needs to know of an entry.
package struct ProviderReading {
    /// The entry's kind.
    let kind: String
    /// Whether the provider may be reached without TLS.
    package let allowsHTTP: Bool
    /// The names of all kinds.
    let kinds: [String]

    /// The message for a key that the entry's kind does not have.
    package var unused: String { "a provider of kind \"\(kind)\" has no use for it" }

    /// The entry names one of these kinds.
    package static func isNamed(_ kinds: [String]) -> KeyCondition {
        kinds.count == 1 ? .equals("kind", kinds[0]) : .any(kinds.map { .equals("kind", $0) })
    }

    /// The entry names a kind that is none of these.
    func isOther(than own: [String]) -> KeyCondition {
        .any(kinds.filter { !own.contains($0) }.map { .equals("kind", $0) })
    }
}
