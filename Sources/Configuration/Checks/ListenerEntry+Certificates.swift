import Declaration
import Model

extension ListenerEntry {
    /// Reports fields with certificates that no peer may send, or that no authority verifies.
    func check(
        _ field: Field, _ entry: ClientCertificateFieldEntry
    ) {
        if rules.role != .proxy && rules.role != .forwardAuth {
            field.error("the listener has another purpose", expected: "a listener for routes or decisions")
        }
        if case .unix = place {
            field.error("peers of a unix socket have no address", expected: "a listener with an IP address")
        }
        if entry.authoritiesFile == nil, tls?.clientAuthoritiesFile == nil {
            field.error(
                "no authority verifies the certificates", expected: "\"caFile\" here, or \"clientCaFile\" in \"tls\"")
        }
    }

    /// Reports listeners where no peer may tell the certificates of its clients.
    /// - Parameter trusted: the gateway's `trustedProxies`.
    static func checkClientCertificateFields(
        _ listeners: [ListenerEntry], _ trusted: [IPAddressRange], _ findings: Findings
    ) {
        for (i, listener) in listeners.enumerated()
        where listener.clientCertificateField != nil && listener.rules.role == .proxy && trusted.isEmpty {
            findings.error(
                "/listeners/\(i)/clientCertificateField", "no proxy may tell certificates of its clients",
                expected: "\"trustedProxies\" with the addresses of the proxies")
        }
    }

    /// Whether clients of the listener may have certificates.
    var takesCertificates: Bool { (tls?.rules.clientAuthentication ?? .off) != .off || clientCertificateField != nil }

    /// Whether the listener makes users of certificates.
    var hasCertificateUsers: Bool {
        tls?.clientUsers.isEmpty == false || clientCertificateField?.users.isEmpty == false
    }
}
