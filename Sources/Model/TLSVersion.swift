/// The supported versions of TLS; older ones are forbidden (RFC 8996).
package enum TLSVersion: String, Sendable, CaseIterable, Comparable {
    case tls12 = "1.2"
    case tls13 = "1.3"

    package static func < (left: TLSVersion, right: TLSVersion) -> Bool { left == .tls12 && right == .tls13 }
}
