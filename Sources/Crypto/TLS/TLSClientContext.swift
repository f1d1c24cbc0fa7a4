import COpenSSL

/// A factory of sessions with servers. Thread-safe.
package final class TLSClientContext: Sendable {
    /// The description of the client certificate, if there is one.
    package let certificate: CertificateSummary?

    let object: TLSContextObject
    private let checksServer: Bool
    private let cache: TLSSessionCache?

    package init(_ settings: TLSClientSettings) throws(TLSSettingsError) {
        guard settings.minimumVersion <= settings.maximumVersion else { throw .versions }
        object = try TLSContextObject(
            isServer: false, versions: settings.minimumVersion...settings.maximumVersion, ciphers: settings.ciphers,
            suites: settings.cipherSuites)
        switch settings.trust {
        case .system:
            try object.trustSystem()
            checksServer = true
        case .authorities(let pem):
            try object.trust(TLSClientContext.authorities(pem))
            checksServer = true
        case .systemAnd(let pem):
            try object.trustSystem()
            try object.trustAlso(TLSClientContext.authorities(pem))
            checksServer = true
        case .anyone:
            checksServer = false
        }
        unsafe SSL_CTX_set_verify(object.pointer, checksServer ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nil)
        certificate = try TLSClientContext.show(settings.certificate, object)
        let protocols = ApplicationProtocol.wireList(settings.protocols)
        if !protocols.isEmpty {
            // SAFETY: libssl copies the list. Unlike its other calls, this one returns 0 on success.
            let context = unsafe object.pointer
            let failed = unsafe protocols.span.withBytes { start, count in
                unsafe SSL_CTX_set_alpn_protos(context, start, UInt32(count))
            }
            guard failed == 0 else { throw .library }
        }
        cache = settings.reusesSessions ? TLSSessionCache() : nil
        guard settings.reusesSessions else {
            unsafe copenssl_set_cache_off(object.pointer)
            return
        }
        // SAFETY: called during a session's call, so session and context are alive. Returning 0 leaves the reference to
        // libssl, since a copy is kept.
        unsafe copenssl_set_cache_outside(object.pointer) { ssl, saved in
            if let session = unsafe TLSSession.of(ssl), let saved = unsafe saved { unsafe session.save(saved) }
            return 0
        }
    }

    /// A session with a server.
    ///
    /// - Parameter serverName: host name or IP address that the server's certificate must match; a host name is also
    ///   sent to the server (RFC 6066 section 3).
    /// - Returns: nil for an invalid name or lack of memory.
    package func makeSession(serverName: String) -> TLSSession? {
        let isBracketed = serverName.hasPrefix("[") && serverName.hasSuffix("]")
        let bare = isBracketed ? String(serverName.dropFirst().dropLast()) : serverName
        let name = TLSClientContext.isAddress(bare) ? bare : ServerNameTable.canonical(bare)
        guard let name else { return nil }
        return TLSSession(.client(self), serverName: name)
    }

    /// Prepares a new session for a name in canonical form; returns false if libssl fails.
    func prepare(_ ssl: OpaquePointer, serverName: String) -> Bool {
        // SAFETY: libssl copies the names.
        guard let parameters = unsafe SSL_get0_param(ssl) else { return false }
        if TLSClientContext.isAddress(serverName) {
            guard unsafe X509_VERIFY_PARAM_set1_ip_asc(parameters, serverName) == 1 else { return false }
        } else {
            guard unsafe copenssl_set_server_name(ssl, serverName) == 1,
                unsafe X509_VERIFY_PARAM_set1_host(parameters, serverName, 0) == 1
            else { return false }
        }
        // Matches only alternative names, and wildcards only as whole labels (RFC 9525 sections 2 and 6.3).
        unsafe X509_VERIFY_PARAM_set_hostflags(
            parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
        unsafe SSL_set_connect_state(ssl)
        unsafe cache?.offer(to: ssl, for: serverName)
        return true
    }

    /// Handles a failed handshake with a server, whose saved session may be the cause.
    func handshakeFailed(serverName: String) { cache?.forget(serverName) }

    /// Stores a session for resumption.
    func save(_ session: OpaquePointer, serverName: String) { unsafe cache?.save(session, for: serverName) }

    private static func authorities(_ pem: [UInt8]) throws(TLSSettingsError) -> [CertificateObject] {
        do { return try CertificateObject.all(ofPEM: pem) } catch { throw .authorities(error) }
    }

    private static func show(
        _ certificate: TLSCertificate?, _ object: TLSContextObject
    ) throws(TLSSettingsError) -> CertificateSummary? {
        guard let certificate else { return nil }
        let chain: CertificateChain
        do { chain = try CertificateChain(certificate) } catch { throw .clientCertificate(error) }
        try object.use(chain)
        return chain.summary
    }

    /// Whether a name is an IP address.
    private static func isAddress(_ name: String) -> Bool {
        // SAFETY: the call reads the text and answers a new object or null.
        guard !name.isEmpty, !name.utf8.contains(0), let address = unsafe a2i_IPADDRESS(name) else {
            OpenSSLLibrary.clearErrors()
            return false
        }
        unsafe ASN1_OCTET_STRING_free(address)
        return true
    }
}
