import Declaration
import Model

/// A private key of the gateway for encrypted tokens. Checks only the PEM form; the composition root checks the key.
package struct DecryptionKeyEntry: Sendable {
    package enum Place: Sendable {
        /// Absolute path of a PEM file.
        case file(String)
        /// PEM text.
        case secret(Secret)
    }

    package var place: Place
    /// The `kid` by which the issuer names it; nil if it may be any.
    package var keyID: String?

    static let list = shape.list("an array of {\"keyFile\"} or {\"key\"}", minimum: 1, isUnique: false).map(
        { $0.compactMap(\.self) }, back: { $0.map { $0 } })

    private static let shape = Shape<DecryptionKeyEntry?>.object("a key: {\"keyFile\"} or {\"key\"}") { object in
        let file = object.take(
            "keyFile", .text(.text) { $0.keyFile() },
            "PEM file with the private key, without passphrase: RSA, EC (P-256, P-384, P-521) or X25519.")
        let key = object.take("key", .secret, "In place of `keyFile`: the PEM text as a secret.")
        let keyID = object.optional(
            "kid", .name, "The `kid` of tokens that are encrypted to it; tokens with any `kid` by default.")
        object.rules(.exactlyOne(of: "keyFile", "key", none: "there is no key"))
        guard let place = file?.read().map(Place.file) ?? key?.read().map(Place.secret) else { return nil }
        return DecryptionKeyEntry(place: place, keyID: keyID)
    }
}
