/// Verification of stored passwords (CRYPTO-01) and throttling of logins.
package struct PasswordsSection: Sendable {
    /// Key of the reversible scheme `AES`: 16, 24 or 32 bytes.
    package var aesKey: [UInt8]?
    /// How long a verified password is cached (BASIC-05); zero for never.
    package var cache: Duration
    package var throttle: LoginThrottleEntry

    static func read(_ object: inout ObjectReader) -> PasswordsSection {
        PasswordsSection(
            aesKey: object.optional(
                "aesKey", .key(lengths: [16, 24, 32]),
                "Key of stored passwords of the scheme AES: 16, 24 or 32 bytes as Base64."),
            cache: object.value(
                "cache", .durationOrOff, default: .seconds(60),
                "How long a Basic credential whose password was right is not hashed again; `0s` means not at all."),
            throttle: object.section(
                "throttle", "How many [wrong passwords](README.md#wrong-passwords) are too many.",
                expected: "an object: {\"failuresPerUser\", \"failuresPerAddress\", \"per\"}", LoginThrottleEntry.read))
    }
}

/// Limits of failed logins.
package struct LoginThrottleEntry: Sendable {
    /// For one user in `per`; 0 for any number.
    package var failuresPerUser: Int
    /// From one address in `per`; 0 for any number.
    package var failuresPerAddress: Int
    package var per: Duration

    static func read(_ object: inout ObjectReader) -> LoginThrottleEntry {
        let count = Shape.integer(0...1_000_000, "a number of failures")
        return LoginThrottleEntry(
            failuresPerUser: object.value(
                "failuresPerUser", count, default: 10, "Wrong passwords for one user in `per`; 0 means any number."),
            failuresPerAddress: object.value(
                "failuresPerAddress", count, default: 100,
                "Wrong passwords from one address in `per`; 0 means any number."),
            per: object.value(
                "per", .duration, default: .seconds(300), "The time in which wrong passwords are counted."))
    }
}
