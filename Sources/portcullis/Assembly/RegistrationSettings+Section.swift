import Configuration
import Crypto
import Identity
import Model
import OAuthServer
import Outbound

extension RegistrationSettings {
    init(_ section: RegistrationSection, sponsorID: String, _ throttle: LoginThrottle) {
        self.init(section.rules, sponsorID: sponsorID)
        tokenDigests = section.initialAccessTokens.map {
            DigestAlgorithm.sha256.digest(Array($0.value.utf8).span)
        }
        self.throttle = throttle
    }
}

extension ClientDocumentSettings {
    /// Limits for the connection and for the answer: a browser waits.
    private static let (connectMilliseconds, readMilliseconds): (Int64, Int64) = (3000, 5000)
    /// Calls at a time.
    private static let mostCalls = 16

    /// Nil after an error about an unreadable file.
    init?(_ section: ClientDocumentSection, _ context: AssemblyContext) {
        var transport = OutboundTransport()
        transport.connectTimeoutMilliseconds = ClientDocumentSettings.connectMilliseconds
        transport.readTimeoutMilliseconds = ClientDocumentSettings.readMilliseconds
        if let path = section.authoritiesFile {
            let pointer = "/tokenService/clientMetadataDocuments/caFile"
            transport.tls = ClientTLSAssembly(context: context).clientContext(authorities: path, at: pointer)
            if transport.tls == nil, context.loaded.absences == nil { return nil }
        }
        let caller = SharingCaller(context.retained.outbound, limit: ClientDocumentSettings.mostCalls)
        self.init(section.rules, transport: transport, caller: caller)
    }
}
