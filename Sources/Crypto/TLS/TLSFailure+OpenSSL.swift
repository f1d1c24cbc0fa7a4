import COpenSSL

extension TLSFailure {
    /// Empties this thread's error queue and answers what the first telling entry means.
    ///
    /// The queue is emptied in any case: an entry left behind would be taken for a failure of the next session that
    /// this thread serves.
    static func takeFromQueue(verifyResult: Int, isOpening: Bool) -> TLSFailure {
        var failure: TLSFailure?
        while true {
            let entry = ERR_get_error()
            if entry == 0 { break }
            if failure == nil && ERR_GET_LIB(entry) == ERR_LIB_SSL {
                failure = TLSFailure(
                    reason: ERR_GET_REASON(entry), verifyResult: Int32(truncatingIfNeeded: verifyResult),
                    isOpening: isOpening)
            }
        }
        return failure ?? .protocolError
    }

    /// The failure of one of libssl's reasons; nil where it says nothing by itself.
    private init?(reason: Int32, verifyResult: Int32, isOpening: Bool) {
        switch reason {
        case SSL_R_CERTIFICATE_VERIFY_FAILED: self.init(verifyResult: verifyResult)
        case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE, SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
            self = .certificateRequired
        case SSL_R_NO_SHARED_CIPHER, SSL_R_NO_SHARED_GROUPS, SSL_R_NO_SHARED_SIGNATURE_ALGORITHMS,
            SSL_R_NO_SUITABLE_GROUPS, SSL_R_NO_SUITABLE_KEY_SHARE, SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM,
            SSL_R_NO_SUITABLE_DIGEST_ALGORITHM:
            self = .noSharedCipher
        case SSL_R_NO_APPLICATION_PROTOCOL, SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL:
            self = .noApplicationProtocol
        case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_VERSION_TOO_LOW, SSL_R_VERSION_TOO_HIGH, SSL_R_NO_PROTOCOLS_AVAILABLE,
            SSL_R_UNKNOWN_SSL_VERSION, SSL_R_WRONG_SSL_VERSION, SSL_R_UNSUPPORTED_SSL_VERSION,
            SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
            self = .unsupportedVersion
        case SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST: self = .notTLS
        // The first record has another major version than 3: not TLS at all. Later on the record is a forgery.
        case SSL_R_WRONG_VERSION_NUMBER: self = isOpening ? .notTLS : .protocolError
        case Int32(ERR_R_MALLOC_FAILURE), Int32(ERR_R_INTERNAL_ERROR): self = .internal
        case Int32(SSL_AD_REASON_OFFSET)...Int32(SSL_AD_REASON_OFFSET + 255):
            self = .refusedByPeer(alert: UInt8(reason - Int32(SSL_AD_REASON_OFFSET)))
        default: self = .protocolError
        }
    }

    /// The failure of a result of checking the peer's certificate.
    init(verifyResult: Int32) {
        switch verifyResult {
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: self = .hostMismatch
        default: self = .certificateInvalid(verifyCode: verifyResult)
        }
    }
}
