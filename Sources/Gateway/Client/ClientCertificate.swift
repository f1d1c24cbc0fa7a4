import Crypto
import HTTP
import Identity

/// A client's certificate as attributes of the caller: for route rules, and as fields that the gateway vouches for
/// (GW-09).
package final class ClientCertificate: Sendable {
    package let certificate: PeerCertificate
    /// The subject, encoded as a field value.
    let subjectField: [UInt8]
    /// The subject alternative names in the same encoding, each prefixed with its kind (`dns:`, `email:`, `uri:`,
    /// `ip:`), joined by commas.
    let namesField: [UInt8]
    /// SHA-256 of the certificate in lower-case hexadecimal.
    let fingerprintField: [UInt8]

    /// The bytes that a proxy has forwarded, if it is not the certificate of the connection.
    let forwarded: ForwardedCertificate?

    package init(_ certificate: PeerCertificate, forwarded: ForwardedCertificate? = nil) {
        self.certificate = certificate
        self.forwarded = forwarded
        subjectField = FieldValue.encode(certificate.subject)
        let names =
            certificate.hostNames.map { "dns:\($0)" } + certificate.emailAddresses.map { "email:\($0)" }
            + certificate.uris.map { "uri:\($0)" } + certificate.addresses.map { "ip:\($0)" }
        namesField = Array(names.map { FieldValue.encode($0, isElement: true) }.joined(separator: [0x2C]))
        fingerprintField = Array(certificate.fingerprint.utf8)
    }

    /// Total length of the three values.
    var fieldLength: Int { subjectField.count + namesField.count + fingerprintField.count }
}
