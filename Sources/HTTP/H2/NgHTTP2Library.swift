import CNghttp2

/// The HTTP/2 library this program is linked with.
package enum NgHTTP2Library {
    /// Its version, such as `1.52.0`.
    package static var version: String {
        // SAFETY: nghttp2_version returns a pointer to a static structure with static text.
        guard let info = unsafe nghttp2_version(0) else { return "unknown" }
        return unsafe String(cString: info.pointee.version_str)
    }
}
