import COpenSSL

/// Why a session came to nothing or broke.
package enum TLSFailure: Error, Equatable, Sendable {
    /// What the peer sent breaks the protocol, or was changed on the way.
    case protocolError
    /// Not one cipher, group or signature algorithm in common that fits the certificates.
    case noSharedCipher
    /// The client names application protocols and we speak none of them (RFC 7301 section 3.2).
    case noApplicationProtocol
    /// The peer speaks only versions that we do not.
    case unsupportedVersion
    /// The client has no certificate and must have one.
    case certificateRequired
    /// The peer's certificate does not hold; the number is libcrypto's `X509_V_ERR_...`.
    case certificateInvalid(verifyCode: Int32)
    /// The server's certificate is for other names.
    case hostMismatch
    /// What came is no TLS, such as plain HTTP.
    case notTLS
    /// The peer ended the session with an alert of its own (RFC 8446 section 6.2), such as 48, unknown authority.
    case refusedByPeer(alert: UInt8)
    /// More records without content than an honest peer sends.
    case flood
    /// The transport ended without the peer's good-bye: what came before may be cut.
    case closed
    /// Our own fault: no memory, or misuse of the library.
    case `internal`

    /// The stable name, for logs and metrics.
    package var code: StaticString {
        switch self {
        case .protocolError: "protocol_error"
        case .noSharedCipher: "no_shared_cipher"
        case .noApplicationProtocol: "no_application_protocol"
        case .unsupportedVersion: "unsupported_version"
        case .certificateRequired: "certificate_required"
        case .certificateInvalid: "certificate_invalid"
        case .hostMismatch: "host_mismatch"
        case .notTLS: "not_tls"
        case .refusedByPeer: "refused_by_peer"
        case .flood: "flood"
        case .closed: "closed"
        case .internal: "internal"
        }
    }

    /// What else is known, in the words of the library; for logs only.
    package var detail: String? {
        switch self {
        case .certificateInvalid(let verifyCode):
            // SAFETY: the answer is static text.
            return unsafe String(cString: X509_verify_cert_error_string(Int(verifyCode)))
        case .refusedByPeer(let alert):
            // SAFETY: the answer is static text.
            return unsafe String(cString: SSL_alert_desc_string_long(Int32(alert)))
        default:
            return nil
        }
    }
}
