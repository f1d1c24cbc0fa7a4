import COpenSSL
import Model

/// A factory of a listener's sessions. Thread-safe.
///
/// Early data (0-RTT, RFC 8446 section 2.3) is never accepted, since it can be replayed and a gateway does not know
/// which requests are safe to repeat.
package final class TLSServerContext: Sendable {
    /// The descriptions of the certificates, in the order of the settings.
    package let certificates: [CertificateSummary]
    /// The validity of the revocation lists of client certificates.
    package let revocationLists: [RevocationListSummary]
    let ticketKeys: TLSTicketKeys?
    let resumptionLimit: Int64

    private let table: ServerNameTable
    /// One for each of the table's groups.
    private let objects: [TLSContextObject]
    private let chains: [CertificateChain]
    private let lists: [CertificateRevocationList]
    private let protocols: [UInt8]
    var hasProtocols: Bool { !protocols.isEmpty }
    /// The session id context, which resumed sessions must share.
    private let boundary: [UInt8]
    /// Digest of the authorities of client certificates.
    private let authoritiesDigest: [UInt8]

    package init(_ settings: TLSServerSettings) throws(TLSSettingsError) {
        guard !settings.certificates.isEmpty else { throw .noCertificate }
        guard settings.rules.clientAuthentication == .off || !settings.clientAuthoritiesPEM.isEmpty else {
            throw .noAuthorities
        }
        var chains: [CertificateChain] = []
        for (index, certificate) in settings.certificates.enumerated() {
            do { chains.append(try CertificateChain(certificate)) } catch { throw .certificate(index: index, error) }
        }
        self.chains = chains
        certificates = chains.map { $0.summary }
        ticketKeys = settings.ticketKeys
        resumptionLimit = settings.resumptionLimit
        protocols = ApplicationProtocol.wireList(settings.protocols)
        boundary = TLSServerContext.boundary(of: settings)
        authoritiesDigest = DigestAlgorithm.sha256.digest(settings.clientAuthoritiesPEM.span)
        table = ServerNameTable(chains.map { ($0.summary.names, $0.summary.keyKind) })
        let authorities = try TLSServerContext.authorities(settings)
        (lists, revocationLists) = try TLSServerContext.revocationLists(
            settings.rules.clientAuthentication == .off ? nil : settings.revocationLists, authorities)
        var objects: [TLSContextObject] = []
        for group in table.groups {
            let object = try TLSContextObject(
                isServer: true, versions: settings.rules.minimumVersion...(.tls13), ciphers: settings.rules.ciphers,
                suites: settings.rules.cipherSuites)
            for place in group { try object.use(chains[place]) }
            objects.append(object)
        }
        self.objects = objects
        for object in objects {
            try setClientAuthentication(object, settings.rules.clientAuthentication, authorities)
            setCallbacks(object)
        }
    }

    /// A session for an accepted connection; nil for lack of memory.
    package func makeSession() -> TLSSession? { TLSSession(.server(self), serverName: nil) }

    /// The initial object of sessions: that of the default certificates.
    var object: TLSContextObject { objects[0] }

    /// Whether client certificates are looked for in revocation lists.
    private var checksRevocation: Bool { !lists.isEmpty }

    /// Whether the certificate of a session counts no more: the session began under other authorities, or the revocation
    /// lists, which may be newer, have the certificate. Expired lists are not looked at.
    package func revokes(_ session: TLSSession) -> Bool {
        if let own = session.serverContext, own.authoritiesDigest != authoritiesDigest { return true }
        guard !lists.isEmpty, let certificate = session.peerCertificateObject else { return false }
        return lists.contains { $0.revokes(certificate) }
    }

    /// Whether a list has expired. Sessions that are open or resumed are not verified again.
    package func hasExpiredList(at now: Int64) -> Bool { revocationLists.contains { ($0.nextUpdate ?? .max) < now } }

    /// - Parameter bytes: the lists in PEM or DER form; nil for none.
    static func revocationLists(
        _ bytes: [UInt8]?, _ authorities: [CertificateObject]
    ) throws(TLSSettingsError) -> ([CertificateRevocationList], [RevocationListSummary]) {
        guard let bytes else { return ([], []) }
        do throws(RevocationListProblem) {
            let lists = try CertificateRevocationList.all(of: bytes)
            var summaries: [RevocationListSummary] = []
            for (index, list) in lists.enumerated() {
                guard let issuer = authorities.first(where: list.isSigned(by:)) else {
                    throw .unknownIssuer(position: index + 1)
                }
                summaries.append(
                    RevocationListSummary(
                        issuer: issuer.subject, lastUpdate: list.lastUpdate, nextUpdate: list.nextUpdate))
            }
            for authority in authorities where !lists.contains(where: { $0.isSigned(by: authority) }) {
                throw .missing(authority: authority.subject)
            }
            return (lists, summaries)
        } catch {
            throw .revocationLists(error)
        }
    }

    private static func authorities(_ settings: TLSServerSettings) throws(TLSSettingsError) -> [CertificateObject] {
        guard settings.rules.clientAuthentication != .off else { return [] }
        do { return try CertificateObject.all(ofPEM: settings.clientAuthoritiesPEM) } catch {
            throw .authorities(error)
        }
    }

    /// A session without a client certificate, or with one of another authority, must not be resumed where one is
    /// required, nor one under other revocation lists.
    private static func boundary(of settings: TLSServerSettings) -> [UInt8] {
        let authorities = settings.rules.clientAuthentication == .off ? [] : settings.clientAuthoritiesPEM
        let text =
            Array(settings.rules.clientAuthentication.rawValue.utf8) + [0] + authorities + [0]
            + (settings.revocationLists ?? [])
        return DigestAlgorithm.sha256.digest(text.span)
    }

    private func setClientAuthentication(
        _ object: TLSContextObject, _ mode: TLSClientAuthentication, _ authorities: [CertificateObject]
    ) throws(TLSSettingsError) {
        guard mode != .off else { return }
        try object.trust(authorities)
        if checksRevocation { try object.check(lists) }
        let isRequired = mode == .required
        unsafe SSL_CTX_set_verify(
            object.pointer, SSL_VERIFY_PEER | (isRequired ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0),
            checksRevocation ? copenssl_anchor_needs_no_list : nil)
        // SAFETY: libssl copies the names that it sends to clients.
        for authority in authorities where unsafe SSL_CTX_add_client_CA(object.pointer, authority.pointer) != 1 {
            OpenSSLLibrary.clearErrors()
            throw .library
        }
    }
}

extension TLSServerContext {
    /// Selects certificates by server name before libssl resumes a session, since the session id context depends on the
    /// name.
    func choose(_ ssl: OpaquePointer, _ session: TLSSession, nameExtension: [UInt8]?) -> Bool {
        session.serverName = nameExtension.flatMap { ServerNameTable.name(inExtension: $0) }
        let object = objects[table.group(for: session.serverName)]
        let name = boundary + Array((session.serverName ?? "").utf8)
        // SAFETY: the session counts a reference of its own to the context that it changes to.
        guard unsafe SSL_set_SSL_CTX(ssl, object.pointer) != nil else { return false }
        return session.setBoundary(DigestAlgorithm.sha256.digest(name.span))
    }

    /// The OCSP response of a certificate that libssl has selected.
    func ocspResponse(for certificate: OpaquePointer) -> [UInt8]? {
        chains.first { unsafe $0.leaf.pointer == certificate }?.ocspResponse
    }

    /// The first supported protocol that the client offers, as a range of its list; nil for none.
    func selectProtocol(_ offered: [UInt8]) -> Range<Int>? {
        var ours = protocols[...]
        while let length = ours.popFirst() {
            let name = ours.prefix(Int(length))
            ours = ours.dropFirst(Int(length))
            var place = 0
            while place < offered.count {
                let range = (place + 1)..<(place + 1 + Int(offered[place]))
                guard range.upperBound <= offered.count else { break }
                if offered[range] == name { return range }
                place = range.upperBound
            }
        }
        return nil
    }
}
