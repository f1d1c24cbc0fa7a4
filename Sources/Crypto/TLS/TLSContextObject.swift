import COpenSSL
import Model

/// A context inside libssl, which its sessions share.
@safe
final class TLSContextObject: @unchecked Sendable {
    // SAFETY: an SSL_CTX is configured by the thread that makes it, and from then on only used to make sessions and to
    // look up callbacks, which libssl allows any number of threads; freed in `deinit`, and sessions count their own
    // reference.
    let pointer: OpaquePointer

    /// AEAD ciphers with ephemeral keys only, as in Mozilla's intermediate list: no padding to attack, and forward
    /// secrecy.
    static let defaultCiphers = [
        "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384",
        "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-CHACHA20-POLY1305",
    ].joined(separator: ":")
    static let defaultSuites = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
    private static let groups = "X25519:P-256:P-384"

    /// Limit of a peer's chain in bytes: a dozen certificates.
    private static let maximumChain = 32_768

    init(
        isServer: Bool, versions: ClosedRange<TLSVersion>, ciphers: String?, suites: String?
    ) throws(TLSSettingsError) {
        guard
            let pointer = unsafe copenssl_tls_context(
                isServer ? 1 : 0, versions.lowerBound.wireNumber, versions.upperBound.wireNumber)
        else {
            OpenSSLLibrary.clearErrors()
            throw .library
        }
        unsafe self.pointer = pointer
        let isReady = unsafe copenssl_set_groups(pointer, TLSContextObject.groups) == 1
        unsafe copenssl_set_maximum_chain(pointer, TLSContextObject.maximumChain)
        let knowsCiphers = unsafe SSL_CTX_set_cipher_list(pointer, ciphers ?? TLSContextObject.defaultCiphers) == 1
        let knowsSuites = unsafe SSL_CTX_set_ciphersuites(pointer, suites ?? TLSContextObject.defaultSuites) == 1
        OpenSSLLibrary.clearErrors()
        guard isReady else { throw .library }
        guard knowsCiphers else { throw .ciphers(ciphers ?? TLSContextObject.defaultCiphers) }
        guard knowsSuites else { throw .cipherSuites(suites ?? TLSContextObject.defaultSuites) }
    }

    deinit { unsafe SSL_CTX_free(pointer) }

    /// Adds a certificate; one for each kind of key.
    func use(_ chain: CertificateChain) throws(TLSSettingsError) {
        // SAFETY: libssl counts references of its own to certificates and key during the call.
        var others = unsafe chain.others.map { unsafe Optional($0.pointer) }
        let done = unsafe copenssl_use_certificate(
            pointer, chain.leaf.pointer, chain.key.pointer, &others, others.count)
        OpenSSLLibrary.clearErrors()
        guard done == 1 else { throw .library }
    }

    /// Verifies peers with these authorities only. Each is a trust anchor, so that an intermediate authority can be
    /// trusted without its root.
    func trust(_ authorities: [CertificateObject]) throws(TLSSettingsError) {
        // SAFETY: store and context count references of their own to what they are given.
        guard let store = unsafe X509_STORE_new() else { throw .library }
        defer { unsafe X509_STORE_free(store) }
        try unsafe add(authorities, to: store)
        unsafe SSL_CTX_set1_cert_store(pointer, store)
    }

    /// Has the whole chain of peers looked for in revocation lists. Refuses all certificates of an authority whose list is
    /// missing or has expired.
    func check(_ revoked: [CertificateRevocationList]) throws(TLSSettingsError) {
        // SAFETY: the store is the context's own, which keeps it; it counts a reference of its own to each list.
        guard let store = unsafe SSL_CTX_get_cert_store(pointer) else { throw .library }
        var isComplete =
            unsafe X509_STORE_set_flags(store, UInt(X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL)) == 1
        for list in revoked where isComplete { isComplete = unsafe X509_STORE_add_crl(store, list.pointer) == 1 }
        OpenSSLLibrary.clearErrors()
        guard isComplete else { throw .library }
    }

    /// Adds authorities; each is a trust anchor.
    func trustAlso(_ authorities: [CertificateObject]) throws(TLSSettingsError) {
        // SAFETY: the store is the context's own, which keeps it; it counts a reference of its own to each certificate.
        guard let store = unsafe SSL_CTX_get_cert_store(pointer) else { throw .library }
        try unsafe add(authorities, to: store)
    }

    private func add(_ authorities: [CertificateObject], to store: OpaquePointer) throws(TLSSettingsError) {
        // SAFETY: as in the callers.
        var isComplete = unsafe X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN)) == 1
        for authority in authorities where isComplete {
            isComplete = unsafe X509_STORE_add_cert(store, authority.pointer) == 1
        }
        OpenSSLLibrary.clearErrors()
        guard isComplete else { throw .library }
    }

    /// Verifies peers with the authorities of the operating system.
    func trustSystem() throws(TLSSettingsError) {
        let done = unsafe SSL_CTX_set_default_verify_paths(pointer)
        OpenSSLLibrary.clearErrors()
        guard done == 1 else { throw .library }
    }
}
