import Bytes

/// The value of an `Authorization` field (RFC 9110 section 11.4).
package enum Credentials {
    /// Splits `scheme SP rest`; both are ranges of `value`. Nil where the value does not begin with a scheme.
    ///
    /// The rest is whatever follows, without surrounding blanks: tokens of the OAM-Auth scheme hold `%` and are
    /// therefore no `token68`. It is empty where there is nothing but the scheme.
    package static func split(_ value: Span<UInt8>) -> (scheme: ByteRange, rest: ByteRange)? {
        var end = 0
        while end < value.count, FieldSyntax.isToken(value[end]) { end &+= 1 }
        guard end > 0, end == value.count || value[end] == ASCII.space else { return nil }
        return (ByteRange(start: 0, count: end), FieldSyntax.trimmed(end..<value.count, value))
    }
}
