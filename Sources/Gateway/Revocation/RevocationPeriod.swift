import Bytes

/// Scope of a revocation by date, and how long it is kept.
package struct RevocationPeriod: Sendable, Equatable {
    /// Describes the expected value.
    package struct Refusal: Error, Equatable {
        package var expected: String
    }

    /// Applies to tokens issued at or before this second since 1970; nil for all issued so far.
    package let issuedBefore: Int64?
    /// Until when the entry is kept, in seconds since 1970; nil for the maximum token lifetime.
    package let until: Int64?

    /// Maximum token lifetime, after which the entry is no longer needed.
    private static let longestTokenSeconds: Int64 = 366 * 86_400

    /// All tokens issued so far.
    package static let soFar = RevocationPeriod(issuedBefore: nil, until: nil)

    private init(issuedBefore: Int64?, until: Int64?) {
        self.issuedBefore = issuedBefore
        self.until = until
    }

    /// From members of a JSON object; refuses null and non-integers.
    package init(_ request: JSONNode, now: Int64) throws(Refusal) {
        try self.init(
            issuedBefore: request["issuedBefore"].map { $0.integer }, until: request["until"].map { $0.integer },
            now: now)
    }

    /// From query parameters; nil for an absent one.
    package init(issuedBefore: String?, until: String?, now: Int64) throws(Refusal) {
        func number(_ text: String) -> Int64? { Decimal.parse(Array(text.utf8).span).map { Int64($0) } }
        try self.init(issuedBefore: issuedBefore.map(number), until: until.map(number), now: now)
    }

    /// The inner nil stands for a value that is not a number.
    private init(issuedBefore: Int64??, until: Int64??, now: Int64) throws(Refusal) {
        if let issuedBefore {
            // Milliseconds, or a typing error, would refuse tokens not yet issued, including those of future logins.
            guard let issuedBefore, issuedBefore >= 1, issuedBefore <= now else {
                throw Refusal(
                    expected: "\"issuedBefore\" must be a time that is not in the future, in whole seconds since 1970")
            }
        }
        if let until {
            guard let until, until > now else {
                throw Refusal(expected: "\"until\" must be a time in the future, in whole seconds since 1970")
            }
        }
        self.init(issuedBefore: issuedBefore.flatMap(\.self), until: until.flatMap(\.self))
    }

    /// The last second of the scope; for all tokens so far, the current one.
    package func cutoff(now: Int64) -> Int64 { issuedBefore ?? now }

    /// The first second after the scope, if in the future: token dates are in seconds, so a login within the current
    /// second cannot be distinguished from earlier ones. 0 if there is nothing to wait for.
    package func holdsFrom(now: Int64) -> Int64 { cutoff(now: now) == now ? now + 1 : 0 }

    /// When the entry can be removed.
    package func end(now: Int64) -> Int64 { until ?? now + RevocationPeriod.longestTokenSeconds }
}
