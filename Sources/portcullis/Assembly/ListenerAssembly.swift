import Configuration
import Crypto
import Gateway
import Model
import Reactor

/// The listeners, with their certificates.
struct ListenerAssembly: AssemblyPart {
    let context: AssemblyContext

    /// The settings of the listeners, in the order of the configuration.
    func listeners() -> [ListenerSettings] {
        let listeners = configuration.listeners.enumerated().map { index, entry in
            var settings = ListenerSettings(entry.rules)
            settings.takesClearCredentials =
                entry.rules.role != .redirect && !(configuration.tokenService.requiresTLS ?? !entry.place.isLocal)
            if entry.rules.forwardAuth?.trustedProxies.isEmpty == true {
                settings.rules.forwardAuth?.trustedProxies = configuration.trustedProxies
            }
            if let tls = entry.tls {
                let keys = retained.tls.ticketKeys(ofListener: entry.rules.name, rotation: tls.ticketRotation)
                settings.tls = serverContext(tls, keys, http2: entry.rules.http2, at: "/listeners/\(index)/tls").map {
                    ListenerSettings.TLS(
                        $0, users: tls.clientUsers, handshakeTimeout: tls.handshakeTimeout.milliseconds)
                }
            }
            settings.forwardedCertificates = entry.forwardedCertificates(context, at: "/listeners/\(index)")
            return settings
        }
        if context.loaded.isForProduction { warnOfMissingNames(listeners) }
        return listeners
    }

    /// Warns of hosts of the gateway's origins that no certificate names. Where proxies stand in front, clients may see
    /// their certificates.
    private func warnOfMissingNames(_ listeners: [ListenerSettings]) {
        let certificates = listeners.filter { $0.rules.role == .proxy }.flatMap { $0.tls?.context.certificates ?? [] }
        guard !certificates.isEmpty, configuration.trustedProxies.isEmpty else { return }
        let names = certificates.map(\.shownNames).joined(separator: ", ")
        for (index, origin) in configuration.origins.enumerated()
        where origin.isSecure && !certificates.contains(where: { $0.covers(origin.host) }) {
            context.report(
                index == 0 ? "/baseUrl" : "/additionalBaseUrls/\(index - 1)",
                "the certificates of the listeners are for \(names)", expected: "one for \"\(origin.host)\"",
                severity: .warning)
        }
    }

    /// Nil after an error about certificates or ciphers.
    private func serverContext(
        _ tls: ListenerTLSEntry, _ ticketKeys: TLSTicketKeys?, http2: Bool, at pointer: String
    ) -> TLSServerContext? {
        var certificates: [TLSCertificate] = []
        for (index, entry) in tls.certificates.enumerated() {
            if let certificate = serverCertificate(entry, at: "\(pointer)/certificates/\(index)") {
                certificates.append(certificate)
            }
        }
        guard certificates.count == tls.certificates.count else { return nil }
        var settings = TLSServerSettings(certificates: certificates)
        settings.rules = tls.rules
        if let path = tls.clientAuthoritiesFile {
            guard let authorities = context.read(path, at: "\(pointer)/clientCaFile") else { return nil }
            settings.clientAuthoritiesPEM = authorities
        }
        if let path = tls.revocationListFile {
            guard let lists = context.read(path, at: "\(pointer)/clientCrlFile") else { return nil }
            settings.revocationLists = lists
        }
        settings.protocols = http2 ? [.h2, .http11] : [.http11]
        settings.ticketKeys = ticketKeys
        do throws(TLSSettingsError) {
            let made = try TLSServerContext(settings)
            let now = Clock.wallSeconds
            for complaint in made.revocationLists.compactMap({ $0.complaint(at: now) }) {
                context.expired("\(pointer)/clientCrlFile", complaint)
            }
            return made
        } catch {
            let member =
                switch error {
                case .ciphers: "/ciphers"
                case .cipherSuites: "/cipherSuites"
                case .authorities: "/clientCaFile"
                case .revocationLists: "/clientCrlFile"
                case .noAuthorities: "/clientAuth"
                case .certificate(let index, _): "/certificates/\(index)"
                case .clientCertificate, .noCertificate, .versions, .library: ""
                }
            context.error(pointer + member, error.description)
            return nil
        }
    }

    /// A certificate that matches its key; nil after an error.
    private func serverCertificate(_ entry: CertificateEntry, at pointer: String) -> TLSCertificate? {
        let files: (chain: String, key: String)
        switch entry.source {
        case .files(let chain, let key): files = (chain, key)
        case .authority(let names):
            return CertificateAssembly(context: context).certificate(for: names, at: "\(pointer)/names")
        }
        guard let chain = context.read(files.chain, at: "\(pointer)/certFile"),
            let key = context.read(files.key, at: "\(pointer)/keyFile")
        else { return nil }
        var certificate = TLSCertificate(chainPEM: chain, keyPEM: key)
        if let path = entry.ocspFile {
            guard let response = context.read(path, at: "\(pointer)/ocspFile") else { return nil }
            certificate.ocspResponse = response
        }
        do throws(CertificateProblem) {
            context.warnOfEnd(of: try certificate.inspect(), at: "\(pointer)/certFile")
            return certificate
        } catch {
            let member =
                switch error {
                case .malformedKey, .encryptedKey, .keyMismatch: "/keyFile"
                case .malformedResponse: "/ocspFile"
                default: "/certFile"
                }
            context.error(pointer + member, error.description)
            return nil
        }
    }
}

extension ListenerEntry {
    /// Nil after an error about authorities or revocation lists.
    func forwardedCertificates(_ context: AssemblyContext, at pointer: String) -> ForwardedCertificates? {
        guard let entry = clientCertificateField else { return nil }
        let isOwn = entry.authoritiesFile != nil
        guard let path = entry.authoritiesFile ?? tls?.clientAuthoritiesFile else { return nil }
        let places =
            isOwn
            ? (
                authorities: "\(pointer)/clientCertificateField/caFile",
                lists: "\(pointer)/clientCertificateField/crlFile"
            )
            : (authorities: "\(pointer)/tls/clientCaFile", lists: "\(pointer)/tls/clientCrlFile")
        guard let authorities = context.read(path, at: places.authorities) else { return nil }
        var lists: [UInt8]?
        if let path = isOwn ? entry.revocationListFile : tls?.revocationListFile {
            lists = context.read(path, at: places.lists)
            if lists == nil { return nil }
        }
        do throws(TLSSettingsError) {
            let verifier = try ClientCertificateVerifier(authoritiesPEM: authorities, revocationLists: lists)
            let now = Clock.wallSeconds
            if isOwn {
                for complaint in verifier.revocationLists.compactMap({ $0.complaint(at: now) }) {
                    context.expired(places.lists, complaint)
                }
            }
            return ForwardedCertificates(
                entry.format, hops: entry.hops, verifier: verifier,
                users: isOwn ? entry.users : tls?.clientUsers ?? [])
        } catch {
            // Those of the listener's own clients are reported with its context.
            guard isOwn else { return nil }
            if case .revocationLists = error {
                context.error(places.lists, error.description)
            } else {
                context.error(places.authorities, error.description)
            }
            return nil
        }
    }
}
