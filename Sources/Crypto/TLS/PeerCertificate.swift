import Model

/// The verified certificate of the peer.
package struct PeerCertificate: Sendable, Equatable {
    /// The subject in the form of RFC 4514: `CN=device 7,O=Example,C=DE`.
    package let subject: String
    /// The subject as parsed values; nil if a value is no text or has NUL.
    package let name: DistinguishedName?
    /// Whether all names were read. A certificate with a malformed name stands for no user.
    package let isReadable: Bool
    /// The most specific common name.
    package let commonName: String?
    /// Alternative names that are host names, in lower case.
    package let hostNames: [String]
    /// Alternative names that are e-mail addresses.
    package let emailAddresses: [String]
    /// Alternative names that are URIs, such as a SPIFFE id.
    package let uris: [String]
    /// Alternative names that are IP addresses.
    package let addresses: [String]
    /// SHA-256 of the certificate in lower-case hexadecimal.
    package let fingerprint: String
    /// The serial number in lower-case hexadecimal, without leading zeros.
    package let serial: String
    /// Last second of validity, in Unix time.
    package let notAfter: Int64
    /// The certificate in DER form.
    package let certificateDER: [UInt8]

    package init(
        subject: String, commonName: String?, hostNames: [String], emailAddresses: [String], uris: [String],
        addresses: [String], fingerprint: String, serial: String, notAfter: Int64,
        name: DistinguishedName? = nil, isReadable: Bool = true, certificateDER: [UInt8] = []
    ) {
        self.certificateDER = certificateDER
        self.name = name
        self.isReadable = isReadable
        self.subject = subject
        self.commonName = commonName
        self.hostNames = hostNames
        self.emailAddresses = emailAddresses
        self.uris = uris
        self.addresses = addresses
        self.fingerprint = fingerprint
        self.serial = serial
        self.notAfter = notAfter
    }

    /// `fingerprint` in bytes; empty if it is not one.
    package var digest: [UInt8] { Hexadecimal.bytes(fingerprint) ?? [] }

    init(_ certificate: CertificateObject) {
        let names = certificate.alternativeNames
        subject = certificate.subject
        name = certificate.name
        isReadable = name != nil && names.isReadable
        commonName = certificate.commonName
        hostNames = names.hosts
        emailAddresses = names.mailboxes
        uris = names.uris
        addresses = names.addresses
        fingerprint = Hexadecimal.text(certificate.fingerprint)
        serial = Hexadecimal.text(certificate.serial)
        notAfter = certificate.notAfter
        certificateDER = certificate.encodedDER
    }
}

extension CertificatePattern {
    /// Whether any name of this kind in the certificate matches.
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
