import COpenSSL

extension TLSFailure {
    /// Empties this thread's error queue and returns the failure of the first significant entry.
    ///
    /// The queue is always emptied, since a remaining entry would be read as a failure of the thread's next session.
    static func takeFromQueue(verifyResult: Int, isOpening: Bool) -> TLSFailure {
        var first: TLSFailure?
        while true {
            let entry = ERR_get_error()
            if entry == 0 { break }
            if first == nil && ERR_GET_LIB(entry) == ERR_LIB_SSL {
                first = TLSFailure(
                    reason: ERR_GET_REASON(entry), verifyResult: Int32(truncatingIfNeeded: verifyResult),
                    isOpening: isOpening)
            }
        }
        return first ?? .protocolError
    }

    /// The failure of a reason of libssl; nil for an unspecific one.
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
        // In the first record, another major version than 3 means that the peer does not use TLS. Later it is a
        // forgery.
        case SSL_R_WRONG_VERSION_NUMBER: self = isOpening ? .notTLS : .protocolError
        case Int32(ERR_R_MALLOC_FAILURE), Int32(ERR_R_INTERNAL_ERROR): self = .internal
        case Int32(SSL_AD_REASON_OFFSET)...Int32(SSL_AD_REASON_OFFSET + 255):
            self = .refusedByPeer(alert: UInt8(reason - Int32(SSL_AD_REASON_OFFSET)))
        default: self = .protocolError
        }
    }

    /// The failure of a result of certificate verification.
    init(verifyResult: Int32) {
        switch verifyResult {
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: self = .hostMismatch
        default: self = .certificateInvalid(verifyCode: verifyResult)
        }
    }
}
