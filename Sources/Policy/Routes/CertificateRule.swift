import Crypto
import Model

/// A route's requirement on the client certificate: verified by the listener, and matching any of the patterns, if
/// there are some.
package struct CertificateRule: Equatable, Sendable {
    package let patterns: [CertificatePattern]

    package init(_ patterns: [CertificatePattern] = []) { self.patterns = patterns }

    /// Why a client with this certificate is refused; nil if it is admitted. 403 rather than 401, because no credential
    /// in a header field would help.
    package func refusal(of certificate: PeerCertificate?) -> Reason? {
        guard let certificate else { return .clientCertificateRequired }
        if patterns.isEmpty || patterns.contains(where: { $0.fits(certificate) }) { return nil }
        return .clientCertificateNotAllowed
    }
}

extension Route {
    /// Why a client with this certificate is refused, even with another credential; nil if it is admitted.
    package func refusal(of shown: PresentedCertificate?) -> Reason? {
        if shown?.isOnList == true { return .clientCertificateRevoked }
        return certificateRule?.refusal(of: shown?.certificate)
    }
}
