import COpenSSL

/// A checked certificate chain with its key.
struct CertificateChain: Sendable {
    let leaf: CertificateObject
    let others: [CertificateObject]
    let key: KeyObject
    let summary: CertificateSummary
    let ocspResponse: [UInt8]?

    private static let weakestRSA = 2048
    private static let weakestCurve = 256

    init(_ certificate: TLSCertificate) throws(CertificateProblem) {
        let chain = try CertificateObject.all(ofPEM: certificate.chainPEM)
        key = try CertificateChain.key(certificate.keyPEM)
        leaf = chain[0]
        others = Array(chain.dropFirst())
        try CertificateChain.checkOrder(chain, key)
        summary = try CertificateChain.summary(of: leaf, key)
        if let response = certificate.ocspResponse {
            guard CertificateChain.isSuccessfulResponse(response) else { throw .malformedResponse }
        }
        ocspResponse = certificate.ocspResponse
    }

    private static func key(_ pem: [UInt8]) throws(CertificateProblem) -> KeyObject {
        let text = String(decoding: pem, as: UTF8.self)
        if text.contains("BEGIN ENCRYPTED PRIVATE KEY") || text.contains("Proc-Type: 4,ENCRYPTED") {
            throw .encryptedKey
        }
        guard let key = try? KeyObject(privatePEM: text) else { throw .malformedKey }
        return key
    }

    private static func checkOrder(_ chain: [CertificateObject], _ key: KeyObject) throws(CertificateProblem) {
        if !chain[0].matches(key) {
            guard let place = chain.firstIndex(where: { $0.matches(key) }) else { throw .keyMismatch }
            throw .leafNotFirst(position: place + 1)
        }
        for place in 1..<max(chain.count, 1) where !chain[place].issued(chain[place - 1]) {
            throw .chainOutOfOrder(position: place + 1)
        }
    }

    private static func summary(
        of leaf: CertificateObject, _ key: KeyObject
    ) throws(CertificateProblem) -> CertificateSummary {
        let bits = unsafe Int(EVP_PKEY_get_bits(key.pointer))
        let kind: CertificateSummary.KeyKind
        // SAFETY: the key lives through the calls, and the names are static text.
        if unsafe copenssl_key_is(key.pointer, "RSA") == 1 {
            kind = .rsa
            if bits < weakestRSA { throw .weakKey(bits: bits, required: weakestRSA) }
        } else if unsafe copenssl_key_is(key.pointer, "EC") == 1 {
            kind = .ec
            if bits < weakestCurve { throw .weakKey(bits: bits, required: weakestCurve) }
        } else if unsafe copenssl_key_is(key.pointer, "ED25519") == 1 {
            kind = .ed25519
        } else {
            throw .unsupportedKey
        }
        let names = leaf.alternativeNames
        // The common name is a host name only without the extension for names (RFC 6125 section 6.4.4).
        let hosts = names.isPresent ? names.hosts : leaf.commonName.map { [$0.lowercased()] } ?? []
        return CertificateSummary(
            subject: leaf.subject, isSelfSigned: leaf.issued(leaf), names: hosts, addresses: names.addresses,
            keyKind: kind,
            keyBits: bits,
            fingerprint: Hexadecimal.text(leaf.fingerprint), notBefore: leaf.notBefore, notAfter: leaf.notAfter)
    }

    /// Whether bytes begin like an OCSPResponse with the status `successful` (RFC 6960 section 4.2.1): a sequence of an
    /// enumerated 0 and the response. Clients would reject another or a truncated file.
    static func isSuccessfulResponse(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 4, bytes[0] == 0x30 else { return false }
        let longForm = bytes[1] & 0x80 != 0
        let lengthBytes = longForm ? Int(bytes[1] & 0x7F) : 0
        guard lengthBytes <= 3, bytes.count > 5 + lengthBytes else { return false }
        let length =
            longForm ? bytes[2..<(2 + lengthBytes)].reduce(0) { $0 << 8 | Int($1) } : Int(bytes[1])
        let start = 2 + lengthBytes
        return length == bytes.count - start && Array(bytes[start..<(start + 3)]) == [0x0A, 0x01, 0x00]
    }
}
