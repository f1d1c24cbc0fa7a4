import Declaration
import Model

/// Verification of stored passwords (CRYPTO-01) and throttling of logins.
package struct PasswordsSection: Sendable {
    /// Key of the reversible scheme `AES`: 16, 24 or 32 bytes.
    package var aesKey: [UInt8]?
    /// How long a verified password is cached (BASIC-05); zero for never.
    package var cache: Duration
    package var throttle: LoginThrottleSettings
    /// Least length of passwords that are newly set, in code points.
    package var minLength: Int

    /// `minLength` where nothing is set.
    package static let standardMinLength = 8

    static func read(_ object: inout ObjectReader) -> PasswordsSection {
        PasswordsSection(
            aesKey: object.optional(
                "aesKey", .key(lengths: [16, 24, 32]),
                "Key of stored passwords of the scheme AES: 16, 24 or 32 bytes as Base64."),
            cache: object.value(
                "cache", .durationOrOff, default: .seconds(60),
                """
                How long a Basic credential whose password was right counts without another hash; `0s` means not at all. \
                One in use is checked again in the last quarter of that time, while its requests go on.
                """),
            throttle: object.section(
                "throttle", "How many [wrong passwords](guides/limits.md#wrong-passwords) are too many.",
                expected: "an object: {\"failuresPerUser\", \"failuresPerAddress\", \"per\"}",
                LoginThrottleSettings.read),
            minLength: object.value(
                "minLength", .integer(1...64, "a number of characters"), default: standardMinLength,
                """
                Least number of characters of a password that is newly set, by the administration, a user profile or a sign-up. \
                Passwords that users have already stay valid.
                """))
    }
}

extension LoginThrottleSettings {
    static func read(_ object: inout ObjectReader) -> LoginThrottleSettings {
        let count = Shape.integer(0...1_000_000, "a number of failures")
        var settings = LoginThrottleSettings()
        object.read(
            "failuresPerUser", count, into: &settings.failuresPerUser,
            "Wrong passwords for one user in `per`; 0 means any number.")
        object.read(
            "failuresPerAddress", count, into: &settings.failuresPerNetwork,
            "Wrong passwords from one address in `per`; 0 means any number.")
        object.read(
            "per", .milliseconds, into: &settings.perMilliseconds, "The time in which wrong passwords are counted.")
        return settings
    }
}
