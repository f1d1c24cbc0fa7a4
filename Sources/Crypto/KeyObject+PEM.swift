import COpenSSL

extension KeyObject {
    /// A private key of PEM text: PKCS #8, or the older forms of RSA and EC keys. Encrypted keys are refused.
    convenience init(privatePEM pem: String) throws(KeyError) {
        unsafe try self.init(pem: pem) { source in
            // SAFETY: the callback answers an empty password instead of the terminal prompt of libcrypto's default.
            unsafe PEM_read_bio_PrivateKey(source, nil, { _, _, _, _ in -1 }, nil)
        }
    }

    /// A public key of PEM text, `BEGIN PUBLIC KEY` (RFC 7468 section 13).
    convenience init(publicPEM pem: String) throws(KeyError) {
        unsafe try self.init(pem: pem) { source in unsafe PEM_read_bio_PUBKEY(source, nil, { _, _, _, _ in -1 }, nil) }
    }

    private convenience init(pem: String, read: (OpaquePointer) -> OpaquePointer?) throws(KeyError) {
        let text = Array(pem.utf8)
        guard text.count <= 65_536 else { throw .malformedPEM }
        // SAFETY: the source reads the text in place and is freed before the text goes away.
        let pointer = unsafe text.span.withBytes { start, count -> OpaquePointer? in
            guard let source = unsafe BIO_new_mem_buf(start, Int32(count)) else { return nil }
            defer { unsafe BIO_free(source) }
            return unsafe read(source)
        }
        guard unsafe pointer != nil else {
            OpenSSLLibrary.clearErrors()
            throw .malformedPEM
        }
        unsafe self.init(owning: pointer)!
    }

    /// The private key as PKCS #8 in PEM form, not encrypted.
    var privatePEM: String {
        unsafe write { sink in unsafe PEM_write_bio_PKCS8PrivateKey(sink, pointer, nil, nil, 0, nil, nil) }
    }

    /// The public key in PEM form.
    var publicPEM: String {
        unsafe write { sink in unsafe PEM_write_bio_PUBKEY(sink, pointer) }
    }

    private func write(_ body: (OpaquePointer) -> Int32) -> String { unsafe PEMText.written(body) }
}

/// PEM text that libcrypto writes.
enum PEMText {
    /// - Parameter body: writes into a sink, and returns 1.
    static func written(_ body: (OpaquePointer) -> Int32) -> String {
        // SAFETY: the sink is freed on leaving; the copy is of as many bytes as it says it holds.
        guard let sink = unsafe BIO_new(BIO_s_secmem()) else { fatalError("libcrypto is out of memory") }
        defer { unsafe BIO_free(sink) }
        guard unsafe body(sink) == 1 else { fatalError("libcrypto cannot write a key or certificate") }
        let count = unsafe BIO_ctrl_pending(sink)
        let text = unsafe [UInt8].filled(capacity: count) { out in unsafe Int(BIO_read(sink, out, Int32(count))) }
        // Otherwise an empty file would replace a key file.
        guard let text, text.count == count else { fatalError("libcrypto cannot read what it has written") }
        return String(decoding: text, as: UTF8.self)
    }
}
