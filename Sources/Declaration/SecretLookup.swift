/// The answer of a place that keeps secrets.
package enum SecretAnswer: Sendable, Equatable {
    case secret(String)
    case missing
    /// The error message.
    case unreadable(String)
}

/// Where secrets are looked up that stand neither in the configuration nor in a file.
package struct SecretLookup: Sendable {
    /// The secret of a key of the credential store (CRED-01).
    package var stored: @Sendable (_ key: String) -> SecretAnswer
    /// What a program prints.
    package var printed: @Sendable (SecretProgram.Call) -> SecretAnswer

    package init(
        stored: @escaping @Sendable (_ key: String) -> SecretAnswer = { _ in .missing },
        printed: @escaping @Sendable (SecretProgram.Call) -> SecretAnswer = { _ in .missing }
    ) {
        self.stored = stored
        self.printed = printed
    }
}
