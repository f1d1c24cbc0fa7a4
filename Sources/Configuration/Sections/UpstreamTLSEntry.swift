/// TLS to the servers of an upstream. Certificates are verified unless that is switched off by name.
package struct UpstreamTLSEntry: Sendable, Equatable {
    /// Who issues the servers' certificates; nil for those the system trusts.
    package var authoritiesFile: String?
    /// The gateway's own certificate, for servers that ask for one.
    package var certificateFile: String?
    package var keyFile: String?
    /// Sent as SNI and looked for in the certificate; nil for the host of the URL.
    package var serverName: String?
    package var verifies = true
    package var minimumVersion = TLSVersion.tls12

    package static func read(_ field: Field) -> UpstreamTLSEntry {
        var object = field.object("TLS settings of an upstream")
        let certificate = object.take("certFile")
        let key = object.take("keyFile")
        let verify = object.take("verify")
        let authorities = object.take("caFile")
        let entry = UpstreamTLSEntry(
            authoritiesFile: authorities.flatMap { $0.certificateFile() },
            certificateFile: certificate.flatMap { $0.certificateFile() },
            keyFile: key.flatMap { $0.keyFile() },
            serverName: object.optional("serverName", serverName),
            verifies: verify.flatMap { $0.bool() } ?? true,
            minimumVersion: object.value("minVersion", default: .tls12) { $0.tlsVersion() })
        if certificate == nil, let key { key.error("there is no certificate to this key", expected: "\"certFile\"") }
        if key == nil, let certificate {
            certificate.error("there is no key to this certificate", expected: "\"keyFile\"")
        }
        if !entry.verifies {
            authorities?.error("certificates are not verified", expected: "\"verify\": true, or no \"caFile\"")
            let message = "whoever is on the way to the upstream can pose as it"
            // Tokens and identities are sent there.
            field.findings.production
                ? verify?.error(message, expected: "\"verify\": true, with \"caFile\" where it is needed")
                : verify?.warning(message, expected: "\"verify\": true, with \"caFile\" where it is needed")
        }
        object.finish()
        return entry
    }

    private static func serverName(_ field: Field) -> String? {
        let expected = "a host name or an IP address"
        guard let text = field.text(expected) else { return nil }
        guard WebOrigin.isHostName(text[...]) || IPLiteral(text) != nil else {
            field.invalid(expected)
            return nil
        }
        return text.lowercased()
    }
}
