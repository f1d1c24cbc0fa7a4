import COpenSSL

/// The cryptographic library this program is linked with.
package enum OpenSSLLibrary {
    /// Its name, version and date, such as `OpenSSL 3.0.19 27 Jan 2026`.
    package static var version: String {
        // SAFETY: OpenSSL_version returns a pointer to static text.
        guard let text = unsafe OpenSSL_version(OPENSSL_VERSION) else { return "unknown" }
        return unsafe String(cString: text)
    }

    /// Call before anything else: keeps libcrypto initialised when the process exits. By default it cleans up at exit,
    /// even while other threads use it.
    package static func start() {
        _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    }

    /// Empties this thread's error queue after a failed call, so that later calls do not read its errors.
    package static func clearErrors() { ERR_clear_error() }
}

extension Span where Element == UInt8 {
    /// Passes the bytes to a C call. The pointer is never null, even for no bytes: OpenSSL treats a null key or message
    /// as absent.
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafePointer<UInt8>, Int) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // SAFETY: both pointers are used within the call only, while the span or the local byte is alive.
        if isEmpty {
            return unsafe try withUnsafePointer(to: 0) { (pointer) throws(Failure) in unsafe try body(pointer, 0) }
        }
        return unsafe try withUnsafeBufferPointer { (buffer) throws(Failure) in
            unsafe try body(buffer.baseAddress!, buffer.count)
        }
    }
}

extension [UInt8] {
    /// An array of at most `capacity` bytes, written by a C call that returns their number; nil for a negative number.
    static func filled(capacity: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) -> [UInt8]? {
        var failed = false
        // SAFETY: the buffer has `capacity` bytes (at least one) and the callee keeps to them; the count it answers
        // is that of the bytes it initialised.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Swift.max(capacity, 1)) { buffer, count in
            let written = unsafe body(buffer.baseAddress!)
            failed = written < 0
            count = Swift.max(written, 0)
        }
        return failed ? nil : bytes
    }
}
