/// Numbers of protocols: `1*DIGIT` and nothing else.
package enum Decimal {
    /// The number, or nil for an empty text, a sign, a blank, any other character, or more than `Int.max`.
    ///
    /// The standard library accepts `Int("+5")`. Different readings of `Content-Length` allow for request smuggling
    /// (RFC 9112 section 6.3).
    package static func parse(_ text: Span<UInt8>) -> Int? {
        guard !text.isEmpty else { return nil }
        var value = 0
        for i in text.indices {
            guard ASCII.isDigit(text[i]) else { return nil }
            let (tens, tooMany) = value.multipliedReportingOverflow(by: 10)
            let (sum, tooMuch) = tens.addingReportingOverflow(Int(text[i] &- 48))
            if tooMany || tooMuch { return nil }
            value = sum
        }
        return value
    }
}
