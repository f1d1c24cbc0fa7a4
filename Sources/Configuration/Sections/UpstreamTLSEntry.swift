import Declaration
import Model

/// TLS to the servers of an upstream. Certificates are verified unless that is disabled explicitly.
package struct UpstreamTLSEntry: Sendable, Equatable {
    /// Authorities of server certificates; nil for those of the system.
    package var authoritiesFile: String?
    /// The client certificate of the gateway.
    package var certificateFile: String?
    package var keyFile: String?
    /// Server name for SNI and verification; nil for the host of the URL.
    package var serverName: String?
    package var verifies = true
    package var minimumVersion = TLSVersion.tls12

    package static let shape = shape(namesServer: true)

    /// - Parameter namesServer: false if the certificate is always verified for the host of a URL.
    package static func shape(namesServer: Bool) -> Shape<UpstreamTLSEntry> {
        .object("TLS settings of an upstream") { read(&$0, namesServer) }
    }

    private static func read(_ object: inout ObjectReader, _ namesServer: Bool) -> UpstreamTLSEntry {
        let field = object.field
        let certificate = object.take(
            "certFile", .certificateFile, "PEM file with the gateway's own certificate.")
        let key = object.take("keyFile", .text(.text) { $0.keyFile() }, "PEM file with its key.")
        let verify = object.take("verify", .flag, default: true, "Whether the servers' certificates are checked.")
        let authorities = object.take(
            "caFile", .certificateFile,
            "PEM file with the authorities that may have issued the servers' certificates; the system's by default.")
        let name =
            namesServer
            ? object.take(
                "serverName", serverName,
                "Name that is sent (SNI) and looked for in the certificate; the host of the URL by default.") : nil
        let entry = UpstreamTLSEntry(
            authoritiesFile: authorities?.read(), certificateFile: certificate?.read(), keyFile: key?.read(),
            serverName: name?.read(), verifies: verify?.read() ?? true,
            minimumVersion: object.value("minVersion", .tlsVersion, default: .tls12, "Lowest version of TLS."))
        object.rules(
            .only("keyFile", with: .has("certFile"), because: "the key has no certificate"),
            .only("certFile", with: .has("keyFile"), because: "the certificate has no key"),
            .only(
                "caFile", with: .not(.isOff("verify")), because: "certificates are not verified",
                expected: "\"verify\": true, or no \"caFile\""))
        if !entry.verifies {
            let message = "a man in the middle can impersonate the upstream"
            // Tokens and identities are sent to the server.
            field.findings.production
                ? verify?.field.error(message, expected: "\"verify\": true, with \"caFile\" where it is needed")
                : verify?.field.warning(message, expected: "\"verify\": true, with \"caFile\" where it is needed")
        }
        return entry
    }

    private static let serverName = Shape.text(.text) { field in
        let expected = "a host name or an IP address"
        guard let text = field.text(expected) else { return nil }
        guard HostName.isValid(text) || IPAddress(text) != nil else { return field.invalid(expected) }
        return text.lowercased()
    }
}
