/// A kind of credential that routes list in `authenticators`. `Policy` judges it, and `Configuration` checks what is its own.
package protocol CredentialKind: Sendable {
    /// The word of the list.
    static var name: String { get }
    /// What it is, for the reference; nil where the name says it.
    static var meaning: String? { get }
    /// Whether it counts on routes without a list, which judge no further kinds.
    static var isUsual: Bool { get }
    /// Whether a list can require the key of a consumer beside it. So it is for credentials of programs.
    static var takesKeyBeside: Bool { get }
    /// What `issuer` of an entry names; nil if it has none.
    static var issuer: CredentialIssuer? { get }
    /// What `header` of an entry is for, for the reference; nil if it has none.
    static var header: String? { get }
    /// Whose users are those of the credential.
    static var users: CredentialUsers { get }
}

extension CredentialKind {
    package static var meaning: String? { nil }
    package static var isUsual: Bool { false }
    package static var takesKeyBeside: Bool { false }
    package static var issuer: CredentialIssuer? { nil }
    package static var header: String? { nil }
    package static var users: CredentialUsers { .others }
}

/// What `issuer` of an entry of `authenticators` names.
package struct CredentialIssuer: Sendable {
    package enum Role: Sendable {
        /// A trusted issuer, the only one whose tokens count.
        case signsTokens
        /// An issuer whose server verifies passwords, in place of the gateway.
        case verifiesPasswords
        /// An issuer by the name that its credentials have for it, the only one of which they count.
        case namesItself
    }

    package let role: Role
    /// For the reference.
    package let meaning: String

    package init(_ role: Role, _ meaning: String) {
        self.role = role
        self.meaning = meaning
    }
}

/// Whose users credentials of a kind are for.
package enum CredentialUsers: Sendable {
    /// Those of trusted issuers and of the gateway.
    case ofIssuers
    /// Those of the gateway.
    case own
    /// None of these.
    case others
}
