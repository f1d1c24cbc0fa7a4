import COpenSSL

extension VerificationKey {
    /// The public key as SubjectPublicKeyInfo in DER (RFC 5280 section 4.1.2.7), for libraries that read keys
    /// themselves; nil for a secret.
    package var subjectPublicKeyInfo: [UInt8]? {
        guard let publicKey else { return nil }
        do throws(KeyError) {
            let object = try KeyObject(publicKey)
            // SAFETY: the key lives through both calls; the second writes as many bytes as the first has said.
            let count = unsafe i2d_PUBKEY(object.pointer, nil)
            guard count > 0 else { return nil }
            return unsafe [UInt8].filled(capacity: Int(count)) { out in
                var place: UnsafeMutablePointer<UInt8>? = unsafe out
                return unsafe Int(i2d_PUBKEY(object.pointer, &place))
            }
        } catch {
            return nil
        }
    }
}
