import Bytes
import Crypto
import HTTP
import Model
import Policy

/// Fields for upstreams about the client's certificate.
extension HeaderRewrite {
    /// Writes the fields that the route wants. Only verified certificates are in an exchange.
    static func appendCertificate(_ exchange: Exchange, to chunk: Chunk) {
        guard let certificate = exchange.certificate, let form = exchange.route?.entry.options.certificateForwarding
        else {
            return
        }
        switch form {
        case .summary:
            chunk.append("X-Gateway-Client-Subject: ")
            chunk.append(certificate.subjectField)
            chunk.append("\r\nX-Gateway-Client-Names: ")
            chunk.append(certificate.namesField)
            chunk.append("\r\nX-Gateway-Client-Fingerprint: ")
            chunk.append(certificate.fingerprintField)
        case .xfcc:
            chunk.append("X-Forwarded-Client-Cert: ")
            let known = certificate.certificate
            chunk.append(
                XFCCElements.element(
                    digest: certificate.fingerprintField, certificate: known.certificateDER, subject: known.subject,
                    uris: known.uris, hosts: known.hostNames))
        case .standard:
            chunk.append("Client-Cert: :")
            let encoding = certificate.certificate.certificateDER
            chunk.append(Base64.encode(encoding.span))
            chunk.append(":")
        }
        chunk.append("\r\n")
    }
}
