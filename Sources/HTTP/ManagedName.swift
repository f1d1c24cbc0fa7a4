import Bytes

/// Comparison of field names by upstreams that map all characters but letters and digits to `_` (CGI, WSGI, PHP):
/// `x_gateway.user` is an alias of `X-Gateway-User`.
package enum ManagedName {
    /// Whether one name is an alias of the other.
    package static func isAlias(_ name: Span<UInt8>, of managed: Span<UInt8>) -> Bool {
        guard name.count == managed.count else { return false }
        for i in managed.indices where plain(name[i]) != plain(managed[i]) { return false }
        return true
    }

    /// Letters in lower case, digits unchanged, everything else as `_`.
    @inline(__always)
    private static func plain(_ byte: UInt8) -> UInt8 {
        ASCII.isLetter(byte) ? byte | 32 : (ASCII.isDigit(byte) ? byte : 95)
    }
}
