import Configuration
import Crypto
import Identity
import JOSE
import Model
import Outbound

/// How the gateway authenticates to servers of others: identity providers and introspection servers.
extension ProviderClientEntry {
    /// Nil after an error.
    func client(_ context: AssemblyContext, at pointer: String) -> OAuth2Client? {
        authentication(context, at: pointer).map { OAuth2Client(id: id, authentication: $0) }
    }

    private func authentication(_ context: AssemblyContext, at pointer: String) -> OAuth2Client.Authentication? {
        switch method {
        case .none: return OAuth2Client.Authentication.none
        case .certificate: return .certificate
        case .secretBasic: return secret.map { isMethodNamed ? .secretBasic($0.value) : .secret($0.value) }
        case .secretPost: return secret.map { .secretPost($0.value) }
        case .privateKeyJWT:
            guard let path = keyFile,
                let key = KeyAssembly(context: context).signingKey(
                    at: path, keyAlgorithm, pointer: "\(pointer)/clientKeyFile")
            else { return nil }
            let signer = keyID.map { JWTSigner(key: key, keyID: $0) } ?? JWTSigner(key: key)
            context.providerKeys.append(JSONWebKey(key, kid: signer.keyID))
            return .privateKeyJWT(signer)
        }
    }

    /// The connections to such a server: the authorities that are trusted, and the certificate that is shown.
    /// - Parameter authorities: path of the file of `caFile` beside `tls`.
    func transport(_ context: AssemblyContext, authorities: String?, at pointer: String) -> OutboundTransport? {
        var transport = OutboundTransport()
        guard let tls else {
            guard let authorities else { return transport }
            transport.tls = ClientTLSAssembly(context: context).clientContext(
                authorities: authorities, at: "\(pointer)/caFile")
            return transport.tls == nil ? context.standIn(transport) : transport
        }
        guard var identity = ClientTLSAssembly(context: context).clientIdentity(tls, at: "\(pointer)/tls") else {
            return nil
        }
        if let authorities {
            guard let pem = context.read(authorities, at: "\(pointer)/caFile") else {
                return context.standIn(transport)
            }
            identity.authorities = pem
        }
        transport.tls = ClientTLSAssembly(context: context).clientContext(identity, at: "\(pointer)/tls")
        transport.hasCertificate = tls.certificateFile != nil
        return transport.tls == nil ? nil : transport
    }
}
