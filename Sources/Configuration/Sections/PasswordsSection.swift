/// How stored passwords are read (CRYPTO-01).
package struct PasswordsSection: Sendable {
    /// Key of the reversible scheme `AES`: 16, 24 or 32 bytes.
    package var aesKey: [UInt8]?

    static func read(_ field: Field) -> PasswordsSection? {
        var object = field.object("an object")
        let section = PasswordsSection(aesKey: object.optional("aesKey") { $0.key(lengths: [16, 24, 32]) })
        object.finish()
        return section
    }
}
