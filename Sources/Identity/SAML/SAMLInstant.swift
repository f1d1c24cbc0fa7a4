import Bytes

/// Times in SAML: `xs:dateTime` in UTC (SAML core section 1.3.3), such as `2026-02-03T04:05:06.789Z`.
enum SAMLInstant {
    /// Seconds since 1970, without fractions; nil without a text.
    static func read(_ text: String?) throws(SAMLRejection) -> Int64? {
        guard let text else { return nil }
        guard let seconds = InternetDate.seconds(text) else { throw .malformed }
        return seconds
    }
}
