import COpenSSL
import Model

extension TLSVersion {
    /// The number of the version on the wire.
    var wireNumber: Int32 {
        switch self {
        case .tls12: TLS1_2_VERSION
        case .tls13: TLS1_3_VERSION
        }
    }
}

/// An application protocol (RFC 7301).
package enum ApplicationProtocol: String, Sendable, CaseIterable {
    case h2 = "h2"
    case http11 = "http/1.1"

    /// The protocols as a list of length-prefixed names.
    static func wireList(_ protocols: [ApplicationProtocol]) -> [UInt8] {
        protocols.flatMap { [UInt8($0.rawValue.utf8.count)] + Array($0.rawValue.utf8) }
    }
}
