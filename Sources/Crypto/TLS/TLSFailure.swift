import COpenSSL

/// Why a session has failed.
package enum TLSFailure: Error, Equatable, Sendable {
    /// The peer violated the protocol, or data was changed in transit.
    case protocolError
    /// No common cipher, group or signature algorithm that fits the certificates.
    case noSharedCipher
    /// The client offers only unsupported application protocols (RFC 7301 section 3.2).
    case noApplicationProtocol
    /// The peer supports only other versions.
    case unsupportedVersion
    /// The client has not sent a required certificate.
    case certificateRequired
    /// The peer's certificate is invalid; the number is libcrypto's `X509_V_ERR_...`.
    case certificateInvalid(verifyCode: Int32)
    /// The server's certificate is for other names.
    case hostMismatch
    /// The peer does not use TLS, but for example plain HTTP.
    case notTLS
    /// The peer ended the session with an alert (RFC 8446 section 6.2), such as 48, unknown authority.
    case refusedByPeer(alert: UInt8)
    /// Too many records without content.
    case flood
    /// The transport ended without close_notify: data may be truncated.
    case closed
    /// Internal: lack of memory or misuse of the library.
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

    /// Name and details, for logs only.
    package var text: String { detail.map { "\(code): \($0)" } ?? "\(code)" }

    /// Details from the library, for logs only.
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
