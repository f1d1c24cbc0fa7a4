/// What can be told of a private key of PEM text.
package enum KeyPair {
    /// Its public part, `BEGIN PUBLIC KEY`.
    package static func publicPEM(ofPrivate pem: String) throws(KeyError) -> String {
        let object = try KeyObject(privatePEM: pem)
        // Only what signs or wraps here.
        _ = try object.publicKey()
        return object.publicPEM
    }

    package static func isRSA(_ pem: String) throws(KeyError) -> Bool {
        if case .rsa = try KeyObject(privatePEM: pem).publicKey() { true } else { false }
    }
}
