import Crypto
import Model

extension CertificatePattern {
    /// Whether some name of this kind in the certificate fits.
    package func fits(_ certificate: PeerCertificate) -> Bool {
        switch kind {
        case .subject: fits(name: certificate.subject)
        case .dns: certificate.hostNames.contains(where: fits(name:))
        case .email: certificate.emailAddresses.contains(where: fits(name:))
        case .uri: certificate.uris.contains(where: fits(name:))
        case .ip: certificate.addresses.contains(where: fits(name:))
        }
    }
}

/// What a route asks of the client's certificate: one that the listener has checked, and, where there are patterns, one
/// that fits any of them.
package struct CertificateRule: Equatable, Sendable {
    package let patterns: [CertificatePattern]

    package init(_ patterns: [CertificatePattern] = []) { self.patterns = patterns }

    /// Why a client with this certificate is refused, or nil where it is let in. 403 and not 401: no other credential in
    /// a field would help.
    package func refusal(of certificate: PeerCertificate?) -> Reason? {
        guard let certificate else { return .clientCertificateRequired }
        if patterns.isEmpty || patterns.contains(where: { $0.fits(certificate) }) { return nil }
        return .clientCertificateNotAllowed
    }
}
