import Configuration
import Crypto
import Gateway
import Model

/// TLS to servers.
struct ClientTLSAssembly: AssemblyPart {
    let context: AssemblyContext

    /// Nil after an error about an unreadable file.
    func clientIdentity(
        _ tls: UpstreamTLSEntry, http2: Bool = false, at pointer: String
    ) -> RetainedTLS.ClientIdentity? {
        var identity = RetainedTLS.ClientIdentity()
        identity.verifies = tls.verifies
        identity.minimumVersion = tls.minimumVersion
        identity.http2 = http2
        if let path = tls.authoritiesFile {
            guard let text = context.read(path, at: "\(pointer)/caFile") else {
                return context.standIn(identity)
            }
            identity.authorities = text
        }
        if let certificatePath = tls.certificateFile, let keyPath = tls.keyFile {
            guard let chain = context.read(certificatePath, at: "\(pointer)/certFile"),
                let key = context.read(keyPath, at: "\(pointer)/keyFile")
            else { return context.standIn(identity) }
            (identity.chain, identity.key) = (chain, key)
        }
        return identity
    }

    func clientContext(
        _ identity: RetainedTLS.ClientIdentity, at pointer: String
    ) -> TLSClientContext? {
        do throws(TLSSettingsError) {
            let made = try retained.tls.context(identity)
            if let certificate = made.certificate { context.warnOfEnd(of: certificate, at: "\(pointer)/certFile") }
            return made
        } catch {
            let member =
                switch error {
                case .authorities: "/caFile"
                case .clientCertificate(.malformedKey), .clientCertificate(.keyMismatch),
                    .clientCertificate(.encryptedKey):
                    "/keyFile"
                case .clientCertificate: "/certFile"
                default: ""
                }
            context.error(pointer + member, error.description)
            return nil
        }
    }

    /// A TLS context that trusts the authorities of a file.
    func clientContext(authorities path: String, at pointer: String) -> TLSClientContext? {
        guard let pem = context.read(path, at: pointer) else { return nil }
        var identity = RetainedTLS.ClientIdentity()
        identity.authorities = pem
        do throws(TLSSettingsError) {
            return try retained.tls.context(identity)
        } catch {
            context.error(pointer, "\(path): \(error)")
            return nil
        }
    }
}
