import Bytes
import Declaration
import Model

/// TLS of a listener. The files exist and contain PEM; the composition root checks their contents.
package struct ListenerTLSEntry: Sendable {
    /// The first is the default for clients without a matching server name.
    package var certificates: [CertificateEntry]
    package var rules: TLSRules
    /// Authorities of client certificates.
    package var clientAuthoritiesFile: String?
    /// Revocation lists of these authorities.
    package var revocationListFile: String?
    /// Users that client certificates stand for; the first rule that applies counts.
    package var clientUsers: [CertificateUserRule]
    /// How long a key encrypts session tickets; zero for no tickets.
    package var ticketRotation: Duration
    package var handshakeTimeout: Duration

    static let shape = Shape.object("TLS settings: {\"certificates\"}") { object in
        let certificates = object.required(
            "certificates", CertificateEntry.list, "an array of {\"certFile\", \"keyFile\"}", placeholder: [],
            "Certificates, chosen by the name that the client asks for; the first where none fits.")
        let minimumVersion = object.value("minVersion", .tlsVersion, default: .tls12, "Lowest version of TLS.")
        let ciphers = object.take(
            "ciphers", .text(.text) { $0.cipherNames("a cipher list in OpenSSL's notation") },
            "Cipher list of TLS 1.2 in OpenSSL's notation; built in by default.")
        let cipherSuites = object.optional(
            "cipherSuites", .text(.text) { $0.cipherNames("cipher suites of TLS 1.3, joined by \":\"") },
            "Cipher suites of TLS 1.3, joined by colons; built in by default.")
        let clientAuthentication = object.value(
            "clientAuth", .choice, default: TLSClientAuthentication.off,
            """
            Whether the listener requests a [client certificate](guides/client-certificates.md), and requires one.
            """)
        let authorities = object.take(
            "clientCaFile", .certificateFile,
            "PEM file with the authorities that issue the clients' certificates; required unless `clientAuth` is `off`."
        )
        let lists = object.take(
            "clientCrlFile", .readableFile,
            """
            PEM or DER file with the [revocation lists](guides/client-certificates.md#revoked-certificates) of all these authorities, \
            read again at each reload. Without it, certificates are not checked for revocation.
            """)
        let users = object.take(
            "clientUsers", CertificateUserRule.list, default: [],
            """
            [Users of client certificates](guides/client-certificates.md#users-by-certificate), on routes with `certificateLogin`. The \
            first matching rule applies.
            """)
        let asksClients = KeyCondition.any([.equals("clientAuth", "optional"), .equals("clientAuth", "required")])
        object.rules(
            .only(
                "ciphers", with: .not(.equals("minVersion", "1.3")),
                because: "\"ciphers\" is for TLS 1.2, which is off",
                expected: "\"cipherSuites\", or \"minVersion\": \"1.2\""),
            .only(
                "clientUsers", "clientCrlFile", "clientCaFile", with: asksClients,
                because: "clients are not asked for certificates",
                expected: "\"clientAuth\": \"optional\" or \"required\""),
            .requires(
                .has("clientCaFile"), if: asksClients, at: "clientAuth",
                because: "\"clientAuth\" needs \"clientCaFile\"",
                expected: "a file with the certificates of who issues the clients'"))
        return ListenerTLSEntry(
            certificates: certificates,
            rules: TLSRules(
                minimumVersion: minimumVersion, ciphers: ciphers?.read(), cipherSuites: cipherSuites,
                clientAuthentication: clientAuthentication),
            clientAuthoritiesFile: authorities?.read(), revocationListFile: lists?.read(),
            clientUsers: users?.read() ?? [],
            ticketRotation: object.value(
                "ticketRotation", .durationOrOff, default: .seconds(43_200),
                """
                Lifetime of the key of session tickets. Clients can resume for a day at most. `0s` disables \
                tickets.
                """),
            handshakeTimeout: object.value(
                "handshakeTimeout", .duration, default: .seconds(10), "Time for a handshake."))
    }
}

/// A certificate of a listener.
package struct CertificateEntry: Sendable {
    /// Where it comes from.
    package enum Source: Sendable, Equatable {
        /// PEM, the server's own certificate first; and the key, not encrypted.
        case files(chain: String, key: String)
        /// The authority of `acme`, for these DNS names in lower case.
        case authority([String])
    }

    package var source: Source
    /// A DER-encoded OCSP response to staple; read at each reload.
    package var ocspFile: String?

    static let list = Shape<[CertificateEntry]>(
        .list(shape.form(), minimum: 1, isUnique: false),
        read: { field in
            guard let elements = field.elements("an array of {\"certFile\", \"keyFile\"}") else { return nil }
            if elements.isEmpty { field.error("no certificate", expected: "at least one certificate") }
            return elements.compactMap(shape.read)
        })

    private static let shape = Shape.object("a certificate: {\"certFile\", \"keyFile\"}") { object in
        let recipe = CertificateRecipe(object.field)
        let chain = object.take(
            "certFile", .text(.text) { $0.certificateFile(recipe) },
            "PEM file with the certificate chain, the server's own certificate first.")
        // If both files are missing, the finding about the certificate tells how to create both.
        let key = object.take(
            "keyFile", .text(.text) { recipe == nil ? $0.keyFile() : nil },
            "PEM file with the private key, without passphrase.")
        let names = object.take(
            "names", ACMESection.names,
            "DNS names that the gateway gets a certificate for from the authority of [`acme`](guides/acme.md), instead of files."
        )
        let response = object.optional(
            "ocspFile", .readableFile, "DER file with the OCSP response to staple, read again at each reload.")
        object.rules(
            .exactlyOne(of: "certFile", "names", expected: "a PEM file, or \"names\" for a certificate of \"acme\""),
            .requires("keyFile", if: .has("certFile"), expected: "a PEM file"),
            .only(
                "keyFile", "ocspFile", with: .any([.has("certFile"), .not(.has("names"))]),
                because: "the key of \"names\" is made by the gateway",
                expected: "\"certFile\" with its \"keyFile\"")
        )
        let source: Source =
            if let names { .authority(names.read() ?? []) } else {
                .files(chain: chain?.read() ?? "", key: key?.read() ?? "")
            }
        return CertificateEntry(source: source, ocspFile: response)
    }
}

extension Field {
    /// Names of ciphers; the library checks whether they exist.
    fileprivate func cipherNames(_ expected: String) -> String? {
        guard let text = name(expected) else { return nil }
        guard text.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else { return invalid(expected) }
        return text
    }
}
