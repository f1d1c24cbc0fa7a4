import Bytes

/// The oldest version of TLS that is spoken (RFC 8996 left 1.0 and 1.1 behind).
package enum TLSVersion: String, Sendable, CaseIterable {
    case tls12 = "1.2"
    case tls13 = "1.3"
}

/// TLS of a listener. The files are known to be there and to hold PEM; what they say is for the composition root.
package struct ListenerTLSEntry: Sendable {
    /// Whether clients are asked for a certificate.
    package enum ClientAuthentication: String, Sendable, CaseIterable {
        case off, optional, required
    }

    /// The first is for clients that name no server, or one that no certificate has.
    package var certificates: [CertificateEntry]
    package var minimumVersion: TLSVersion
    /// Cipher list of TLS 1.2 in OpenSSL's notation; nil for the built-in one.
    package var ciphers: String?
    /// Cipher suites of TLS 1.3; nil for the built-in ones.
    package var cipherSuites: String?
    package var clientAuthentication: ClientAuthentication
    /// Who issues the certificates of clients.
    package var clientAuthoritiesFile: String?
    /// How long one key seals session tickets; zero where there are none.
    package var ticketRotation: Duration
    package var handshakeTimeout: Duration

    static func read(_ field: Field) -> ListenerTLSEntry {
        var object = field.object("TLS settings: {\"certificates\"}")
        let ciphersField = object.take("ciphers")
        let authoritiesField = object.take("clientCaFile")
        let entry = ListenerTLSEntry(
            certificates: object.required(
                "certificates", "an array of {\"certFile\", \"keyFile\"}", standIn: [], CertificateEntry.readAll),
            minimumVersion: object.value("minVersion", default: .tls12) { $0.tlsVersion() },
            ciphers: ciphersField.flatMap { $0.cipherNames("a cipher list in OpenSSL's notation") },
            cipherSuites: object.optional("cipherSuites") {
                $0.cipherNames("cipher suites of TLS 1.3, joined by \":\"")
            },
            clientAuthentication: object.value("clientAuth", default: .off) { $0.choice(ClientAuthentication.self) },
            clientAuthoritiesFile: authoritiesField.flatMap { $0.certificateFile() },
            ticketRotation: object.value("ticketRotation", default: .seconds(43_200)) { $0.durationOrOff() },
            handshakeTimeout: object.duration("handshakeTimeout", default: .seconds(10))
        )
        if entry.minimumVersion == .tls13 {
            ciphersField?.error(
                "\"ciphers\" is for TLS 1.2, which is off", expected: "\"cipherSuites\", or \"minVersion\": \"1.2\"")
        }
        if entry.clientAuthentication == .off {
            authoritiesField?.error(
                "clients are not asked for certificates", expected: "\"clientAuth\": \"optional\" or \"required\"")
        } else if authoritiesField == nil {
            field.findings.error(
                "\(field.pointer)/clientAuth", "\"clientAuth\" needs \"clientCaFile\"",
                expected: "a file with the certificates of who issues the clients'",
                found: "\"\(entry.clientAuthentication.rawValue)\"")
        }
        object.finish()
        return entry
    }
}

/// A certificate chain and its key.
package struct CertificateEntry: Sendable {
    /// PEM, the server's own certificate first.
    package var certificateFile: String
    /// PEM, not encrypted.
    package var keyFile: String
    /// A DER-encoded OCSP response to staple; read again with the rest at a reload.
    package var ocspFile: String?

    static func readAll(_ field: Field) -> [CertificateEntry]? {
        guard let elements = field.elements("an array of {\"certFile\", \"keyFile\"}") else { return nil }
        if elements.isEmpty { field.error("no certificate", expected: "at least one certificate") }
        return elements.map(read)
    }

    private static func read(_ field: Field) -> CertificateEntry {
        var object = field.object("a certificate: {\"certFile\", \"keyFile\"}")
        let certificateField = object.take("certFile")
        let keyField = object.take("keyFile")
        let ocspFile = object.optional("ocspFile") { $0.readableFile() }
        object.finish()
        let recipe = CertificateRecipe(certificateField, keyField)
        return CertificateEntry(
            certificateFile: object.needed("certFile", certificateField, "a PEM file", standIn: "") {
                $0.certificateFile(recipe)
            },
            keyFile: object.needed("keyFile", keyField, "a PEM file", standIn: "") {
                // Where both are missing, the word about the certificate says how to make both.
                recipe == nil ? $0.keyFile() : nil
            },
            ocspFile: ocspFile)
    }
}

extension Shape<TLSVersion> {
    static let tlsVersion = Shape.choice.reading { $0.tlsVersion() }
}

extension Field {
    func tlsVersion() -> TLSVersion? {
        if let text = node.string, ["1.0", "1.1"].contains(text) {
            error("TLS \(text) is not safe any more (RFC 8996)", expected: "\"1.2\" or \"1.3\"", found: summary)
            return nil
        }
        return choice(TLSVersion.self)
    }

    /// Names of ciphers; whether they exist is for the library to say.
    fileprivate func cipherNames(_ expected: String) -> String? {
        guard let text = name(expected) else { return nil }
        guard text.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
            invalid(expected)
            return nil
        }
        return text
    }
}
