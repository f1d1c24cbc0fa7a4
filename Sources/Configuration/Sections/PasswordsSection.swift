/// How stored passwords are read (CRYPTO-01), and how those who try them are treated.
package struct PasswordsSection: Sendable {
    /// Key of the reversible scheme `AES`: 16, 24 or 32 bytes.
    package var aesKey: [UInt8]?
    /// How long a password that was right is not hashed again (BASIC-05); zero for not at all.
    package var cache = Duration.seconds(60)
    package var throttle = LoginThrottleEntry()

    static func read(_ field: Field) -> PasswordsSection? {
        var object = field.object("an object")
        let section = PasswordsSection(
            aesKey: object.optional("aesKey") { $0.key(lengths: [16, 24, 32]) },
            cache: object.value("cache", default: .seconds(60)) { $0.durationOrOff() },
            throttle: object.value("throttle", default: LoginThrottleEntry(), LoginThrottleEntry.read))
        object.finish()
        return section
    }
}

/// How many wrong passwords are too many.
package struct LoginThrottleEntry: Sendable {
    /// For one user in `per`; 0 for any number.
    package var failuresPerUser = 10
    /// From one address in `per`; 0 for any number.
    package var failuresPerAddress = 100
    package var per = Duration.seconds(300)

    static func read(_ field: Field) -> LoginThrottleEntry? {
        var object = field.object("an object: {\"failuresPerUser\", \"failuresPerAddress\", \"per\"}")
        let entry = LoginThrottleEntry(
            failuresPerUser: object.count("failuresPerUser", in: 0...1_000_000, default: 10, "a number of failures"),
            failuresPerAddress: object.count(
                "failuresPerAddress", in: 0...1_000_000, default: 100, "a number of failures"),
            per: object.duration("per", default: .seconds(300)))
        object.finish()
        return entry
    }
}
