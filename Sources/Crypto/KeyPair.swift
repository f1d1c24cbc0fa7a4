/// The public part of a private key.
package enum KeyPair {
    /// Its public part, `BEGIN PUBLIC KEY`.
    package static func publicPEM(ofPrivate pem: String) throws(KeyError) -> String {
        let object = try KeyObject(privatePEM: pem)
        // Only supported kinds of keys.
        _ = try object.publicKey()
        return object.publicPEM
    }

    package static func isRSA(_ pem: String) throws(KeyError) -> Bool {
        if case .rsa = try KeyObject(privatePEM: pem).publicKey() { true } else { false }
    }
}
