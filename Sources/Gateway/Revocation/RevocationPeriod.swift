import Bytes

/// Which tokens a revocation means, and for how long it is remembered.
package struct RevocationPeriod: Sendable, Equatable {
    /// Says what was expected.
    package struct Refusal: Error, Equatable {
        package var expected: String
    }

    /// Tokens that were issued at this second since 1970 or before are meant; nil for all of so far.
    package let issuedBefore: Int64?
    /// Until when the entry is kept, in seconds since 1970; nil for as long as tokens live.
    package let until: Int64?

    /// Tokens live for so long at the most; later ones are told apart by their time of issue.
    private static let longestTokenSeconds: Int64 = 366 * 86_400

    /// All that there is.
    package static let soFar = RevocationPeriod(issuedBefore: nil, until: nil)

    private init(issuedBefore: Int64?, until: Int64?) {
        self.issuedBefore = issuedBefore
        self.until = until
    }

    /// As members of a JSON object say; one that is null or no whole number is refused.
    package init(_ request: JSONNode, now: Int64) throws(Refusal) {
        try self.init(
            issuedBefore: request["issuedBefore"].map { $0.integer }, until: request["until"].map { $0.integer },
            now: now)
    }

    /// As parameters of a query say; nil for one that is not there.
    package init(issuedBefore: String?, until: String?, now: Int64) throws(Refusal) {
        func number(_ text: String) -> Int64? { Decimal.parse(Array(text.utf8).span).map { Int64($0) } }
        try self.init(issuedBefore: issuedBefore.map(number), until: until.map(number), now: now)
    }

    /// The inner nil is for what is there and no number.
    private init(issuedBefore: Int64??, until: Int64??, now: Int64) throws(Refusal) {
        if let issuedBefore {
            // Milliseconds, or a slip, would refuse tokens that nobody has issued yet, and those of logins to come.
            guard let issuedBefore, issuedBefore >= 1, issuedBefore <= now else {
                throw Refusal(
                    expected: "\"issuedBefore\" is to be a time that is not in the future, in whole seconds since 1970")
            }
        }
        if let until {
            guard let until, until > now else {
                throw Refusal(expected: "\"until\" is to be a time in the future, in whole seconds since 1970")
            }
        }
        self.init(issuedBefore: issuedBefore.flatMap(\.self), until: until.flatMap(\.self))
    }

    /// The last second whose tokens are meant; for all of so far the present one.
    package func cutoff(now: Int64) -> Int64 { issuedBefore ?? now }

    /// The first second whose tokens are not meant, where that lies ahead: the dates of tokens are in seconds, so that
    /// a login within the present one cannot be told from an earlier one. 0 where there is nothing to wait for.
    package func holdsFrom(now: Int64) -> Int64 { cutoff(now: now) == now ? now + 1 : 0 }

    /// When the entry can go.
    package func end(now: Int64) -> Int64 { until ?? now + RevocationPeriod.longestTokenSeconds }
}
