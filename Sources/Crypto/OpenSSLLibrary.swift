import COpenSSL

/// The cryptographic library this program is linked with.
package enum OpenSSLLibrary {
    /// Its name, version and date, such as `OpenSSL 3.0.19 27 Jan 2026`.
    package static var version: String {
        // SAFETY: OpenSSL_version answers a pointer to static text.
        guard let text = unsafe OpenSSL_version(OPENSSL_VERSION) else { return "unknown" }
        return unsafe String(cString: text)
    }

    /// Before anything else here is used: has libcrypto stay as it is when the process ends. By default it takes itself apart
    /// then, also under threads that are at work in it.
    package static func start() {
        _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    }

    /// Empties this thread's error queue after a failed call, lest a later caller reads another's errors there.
    package static func clearErrors() { ERR_clear_error() }
}

extension Span where Element == UInt8 {
    /// Lends the bytes to a C call. The pointer is never null, also for no bytes: OpenSSL takes a null key, message or
    /// data for an absent one.
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
    /// An array of at most `capacity` bytes written by a C call that answers how many it wrote; nil where it answers
    /// a negative number.
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
