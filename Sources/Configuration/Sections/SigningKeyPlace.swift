import Model

/// Where the signing keys of an algorithm are.
package struct SigningKeyPlace: Sendable {
    package let algorithm: SignatureAlgorithm
    /// PEM file with the active key. If missing, it is created.
    package let keyFile: String

    /// The index of rotated keys, beside `keyFile`. Without it that file holds the only key.
    package var indexFile: String { "\(stem)-keys.json" }

    /// How the names of the index and of the keys in it begin: `keyFile` without its suffix.
    package var stem: String { keyFile.hasSuffix(".pem") ? String(keyFile.dropLast(4)) : keyFile }
}
