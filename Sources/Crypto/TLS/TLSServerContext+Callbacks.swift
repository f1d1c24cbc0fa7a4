import COpenSSL

// SAFETY, of the callbacks below: libssl calls them during a session's call, on the same thread, so the session and its
// context are alive. What they read is copied immediately; returned pointers point into memory of libssl.

extension TLSServerContext {
    /// Sets the callbacks, tickets and session id context.
    func setCallbacks(_ object: TLSContextObject) {
        let pointer = unsafe object.pointer
        unsafe copenssl_acknowledge_names(pointer)
        unsafe SSL_CTX_set_client_hello_cb(pointer, { ssl, alert, _ in unsafe TLSServerContext.hello(ssl, alert) }, nil)
        unsafe copenssl_set_status_callback(pointer) { ssl, _ in unsafe TLSServerContext.staple(ssl) }
        if hasProtocols {
            unsafe SSL_CTX_set_alpn_select_cb(
                pointer,
                { ssl, out, outCount, offered, count, _ in
                    unsafe TLSServerContext.select(ssl, out, outCount, offered, count)
                }, nil)
        }
        // Sessions are only in tickets, so that workers share no cache.
        unsafe copenssl_set_cache_off(pointer)
        guard let ticketKeys else {
            unsafe copenssl_set_tickets_off(pointer)
            return
        }
        unsafe SSL_CTX_set_timeout(pointer, ticketKeys.sessionLife)
        unsafe _ = copenssl_limit_resumption(pointer, resumptionLimit)
        unsafe SSL_CTX_set_tlsext_ticket_key_evp_cb(pointer) { ssl, name, iv, cipher, mac, seals in
            unsafe TLSServerContext.ticket(ssl, name, iv, cipher, mac, seals: seals == 1)
        }
    }

    private static func of(_ ssl: OpaquePointer?) -> (session: TLSSession, context: TLSServerContext)? {
        guard let session = unsafe TLSSession.of(ssl), let context = session.serverContext else { return nil }
        return (session, context)
    }

    private static func hello(_ ssl: OpaquePointer?, _ alert: UnsafeMutablePointer<Int32>?) -> Int32 {
        guard let ssl = unsafe ssl, let (session, context) = unsafe of(ssl) else { return SSL_CLIENT_HELLO_ERROR }
        var start: UnsafePointer<UInt8>?
        var count = 0
        var nameExtension: [UInt8]?
        if unsafe SSL_client_hello_get0_ext(ssl, UInt32(TLSEXT_TYPE_server_name), &start, &count) == 1 {
            nameExtension = unsafe Array(UnsafeBufferPointer(start: start, count: count))
        }
        if unsafe context.choose(ssl, session, nameExtension: nameExtension) { return SSL_CLIENT_HELLO_SUCCESS }
        unsafe alert?.pointee = SSL_AD_INTERNAL_ERROR
        return SSL_CLIENT_HELLO_ERROR
    }

    private static func staple(_ ssl: OpaquePointer?) -> Int32 {
        guard let ssl = unsafe ssl, let (_, context) = unsafe of(ssl),
            let certificate = unsafe SSL_get_certificate(ssl),
            let response = unsafe context.ocspResponse(for: certificate)
        else { return SSL_TLSEXT_ERR_NOACK }
        let done = unsafe response.span.withBytes { start, count in unsafe copenssl_staple(ssl, start, count) }
        return done == 1 ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK
    }

    private static func select(
        _ ssl: OpaquePointer?, _ out: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
        _ outCount: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?, _ count: UInt32
    ) -> Int32 {
        let list = unsafe Array(UnsafeBufferPointer(start: offered, count: Int(count)))
        // RFC 7301 section 3.2: continuing without a protocol would allow for protocol confusion (ALPACA).
        guard let (_, context) = unsafe of(ssl), let range = context.selectProtocol(list), let offered = unsafe offered
        else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        unsafe out?.pointee = offered + range.lowerBound
        unsafe outCount?.pointee = UInt8(range.count)
        return SSL_TLSEXT_ERR_OK
    }

    /// Returns 1 if a ticket can be encrypted or decrypted, 2 if it should also be replaced, 0 if it cannot be
    /// decrypted (a full handshake follows), and a negative number for an internal failure.
    private static func ticket(
        _ ssl: OpaquePointer?, _ name: UnsafeMutablePointer<UInt8>?, _ iv: UnsafeMutablePointer<UInt8>?,
        _ cipher: OpaquePointer?, _ mac: OpaquePointer?, seals: Bool
    ) -> Int32 {
        guard let (_, context) = unsafe of(ssl), let keys = context.ticketKeys, let name = unsafe name,
            let iv = unsafe iv, let cipher = unsafe cipher, let mac = unsafe mac
        else { return -1 }
        if seals {
            let key = keys.sealing(at: .now)
            unsafe name.update(from: key.name, count: TicketKey.nameLength)
            guard unsafe RAND_bytes(iv, Int32(TicketKey.ivLength)) == 1 else { return -1 }
            return unsafe key.ready(cipher, mac, iv: iv, seals: true) ? 1 : -1
        }
        let keyName = unsafe Array(UnsafeBufferPointer(start: name, count: TicketKey.nameLength))
        guard let (key, isCurrent) = keys.opening(keyName, at: .now) else { return 0 }
        guard unsafe key.ready(cipher, mac, iv: iv, seals: false) else { return -1 }
        // RFC 8446 appendix C.4: clients use a ticket once, so that each resumption needs a new one. In TLS 1.2 a
        // ticket is replaced when its key is about to expire.
        let lasts = unsafe SSL_version(ssl) < TLS1_3_VERSION
        return isCurrent && lasts ? 1 : 2
    }
}
