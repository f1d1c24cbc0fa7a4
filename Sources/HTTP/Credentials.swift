import Bytes

/// The value of an `Authorization` field (RFC 9110 section 11.4).
package enum Credentials {
    /// Splits `scheme SP rest` into ranges of `value`; nil if the value does not begin with a scheme.
    ///
    /// The rest is everything that follows, without surrounding blanks, and may be empty. Tokens for Webgates contain
    /// `%` and are not a `token68`.
    package static func split(_ value: Span<UInt8>) -> (scheme: ByteRange, rest: ByteRange)? {
        var end = 0
        while end < value.count, FieldSyntax.isToken(value[end]) { end &+= 1 }
        guard end > 0, end == value.count || value[end] == ASCII.space else { return nil }
        return (ByteRange(start: 0, count: end), FieldSyntax.trimmed(end..<value.count, value))
    }
}
