import Configuration
import Crypto
import Foundation
import Gateway
import HTTP
import Model

extension Assembly {
    /// The settings of the listeners, in the order of the configuration.
    mutating func listeners() -> [ListenerSettings] {
        configuration.listeners.enumerated().map { index, entry in
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
            settings.forwardedCertificates = entry.forwardedCertificates(&self, at: "/listeners/\(index)")
            return settings
        }
    }

    /// Nil after an error about certificates or ciphers.
    private mutating func serverContext(
        _ tls: ListenerTLSEntry, _ ticketKeys: TLSTicketKeys?, http2: Bool, at pointer: String
    ) -> TLSServerContext? {
        var certificates: [TLSCertificate] = []
        for (index, entry) in tls.certificates.enumerated() {
            if let certificate = certificate(entry, at: "\(pointer)/certificates/\(index)") {
                certificates.append(certificate)
            }
        }
        guard certificates.count == tls.certificates.count else { return nil }
        var settings = TLSServerSettings(certificates: certificates)
        settings.rules = tls.rules
        if let path = tls.clientAuthoritiesFile {
            settings.clientAuthoritiesPEM = contents(of: path, at: "\(pointer)/clientCaFile") ?? []
        }
        if let path = tls.revocationListFile {
            settings.revocationLists = contents(of: path, at: "\(pointer)/clientCrlFile") ?? []
        }
        settings.protocols = http2 ? [.h2, .http11] : [.http11]
        settings.ticketKeys = ticketKeys
        do throws(TLSSettingsError) {
            let context = try TLSServerContext(settings)
            let now = Int64(Date().timeIntervalSince1970)
            for complaint in context.revocationLists.compactMap({ $0.complaint(at: now) }) {
                expired("\(pointer)/clientCrlFile", complaint)
            }
            return context
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
            self.error(pointer + member, error.description)
            return nil
        }
    }

    /// A certificate that matches its key; nil after an error.
    private mutating func certificate(_ entry: CertificateEntry, at pointer: String) -> TLSCertificate? {
        guard let chain = contents(of: entry.certificateFile, at: "\(pointer)/certFile"),
            let key = contents(of: entry.keyFile, at: "\(pointer)/keyFile")
        else { return nil }
        var certificate = TLSCertificate(chainPEM: chain, keyPEM: key)
        if let path = entry.ocspFile {
            guard let response = contents(of: path, at: "\(pointer)/ocspFile") else { return nil }
            certificate.ocspResponse = response
        }
        do throws(CertificateProblem) {
            warnOfEnd(of: try certificate.inspect(), at: "\(pointer)/certFile")
            return certificate
        } catch {
            let member =
                switch error {
                case .malformedKey, .encryptedKey, .keyMismatch: "/keyFile"
                case .malformedResponse: "/ocspFile"
                default: "/certFile"
                }
            self.error(pointer + member, error.description)
            return nil
        }
    }

    /// Warns 30 days before the end, or in the last third of shorter certificates.
    mutating func warnOfEnd(of certificate: CertificateSummary, at pointer: String) {
        let now = Int64(Date().timeIntervalSince1970)
        let names = certificate.names.isEmpty ? certificate.subject : certificate.names.joined(separator: ", ")
        if certificate.isPremature(at: now) {
            warning(pointer, "the certificate for \(names) is not valid yet")
        } else if certificate.isExpired(at: now) {
            expired(pointer, "the certificate for \(names) has expired")
        } else {
            let left = certificate.notAfter - now
            guard left < min(30 * 86_400, (certificate.notAfter - certificate.notBefore) / 3) else { return }
            let text = left < 2 * 86_400 ? "\(left / 3600) hours" : "\(left / 86_400) days"
            warning(pointer, "the certificate for \(names) expires in \(text)")
        }
    }

    mutating func contents(of path: String, at pointer: String) -> [UInt8]? {
        do throws(UnreadableFile) {
            return try FileText.read(path)
        } catch {
            self.error(pointer, error.text)
            return nil
        }
    }
}

extension ListenerEntry {
    /// Nil after an error about authorities or revocation lists.
    func forwardedCertificates(_ assembly: inout Assembly, at pointer: String) -> ForwardedCertificates? {
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
        guard let authorities = assembly.contents(of: path, at: places.authorities) else { return nil }
        var lists: [UInt8]?
        if let path = isOwn ? entry.revocationListFile : tls?.revocationListFile {
            lists = assembly.contents(of: path, at: places.lists) ?? []
        }
        do throws(TLSSettingsError) {
            let verifier = try ClientCertificateVerifier(authoritiesPEM: authorities, revocationLists: lists)
            let now = Int64(Date().timeIntervalSince1970)
            if isOwn {
                for complaint in verifier.revocationLists.compactMap({ $0.complaint(at: now) }) {
                    assembly.expired(places.lists, complaint)
                }
            }
            return ForwardedCertificates(
                entry.format, hops: entry.hops, verifier: verifier,
                users: isOwn ? entry.users : tls?.clientUsers ?? [])
        } catch {
            // Those of the listener's own clients are reported with its context.
            guard isOwn else { return nil }
            if case .revocationLists = error {
                assembly.error(places.lists, error.description)
            } else {
                assembly.error(places.authorities, error.description)
            }
            return nil
        }
    }
}
