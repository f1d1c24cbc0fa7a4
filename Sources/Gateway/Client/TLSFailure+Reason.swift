import Crypto
import Model

extension TLSFailure {
    var reason: Reason {
        switch self {
        case .protocolError: .tlsProtocolError
        case .noSharedCipher: .tlsNoSharedCipher
        case .noApplicationProtocol: .tlsNoApplicationProtocol
        case .unsupportedVersion: .tlsUnsupportedVersion
        case .certificateRequired: .tlsCertificateRequired
        case .certificateInvalid: .tlsCertificateInvalid
        case .hostMismatch: .tlsHostMismatch
        case .notTLS: .tlsNotTLS
        case .refusedByPeer: .tlsRefusedByPeer
        case .flood: .tlsFlood
        case .closed: .tlsClosed
        case .internal: .tlsInternal
        }
    }
}
