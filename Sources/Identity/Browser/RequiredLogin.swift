import Bytes

/// The login that a page requires, beside its authentication level (RFC 9470).
package struct RequiredLogin: Sendable, Equatable {
    /// Authentication context levels (`acr`), one of which the login must have; empty for any.
    package let levels: [String]
    /// Seconds since the login; nil for any time.
    package let maximumAge: Int64?

    package init(levels: [String], maximumAge: Int64?) {
        self.levels = levels
        self.maximumAge = maximumAge
    }

    /// Texts for a sealed record. Levels have no blanks.
    package var texts: [String] { [levels.joined(separator: " "), maximumAge.map { "\($0)" } ?? ""] }

    /// Nil for input that `texts` does not produce.
    package init?(_ texts: some Collection<String>) {
        let texts = Array(texts)
        guard texts.count == 2 else { return nil }
        let age = Decimal.parse(Array(texts[1].utf8).span)
        guard texts[1].isEmpty || age != nil else { return nil }
        self.init(levels: texts[0].split(separator: " ").map(String.init), maximumAge: age.map(Int64.init))
    }

    /// What a login lacks; nil for one that suffices.
    package enum Gap: Sendable, Equatable {
        case level
        case age
    }

    /// - Parameter now: seconds since 1970.
    package func gap(of login: AuthenticationClaims, now: Int64) -> Gap? {
        if !levels.isEmpty, !levels.contains(where: { level in login.levels.contains(where: level.isExactly) }) {
            return .level
        }
        guard let maximumAge else { return nil }
        guard let time = login.time, time <= now + login.clockSkewSeconds,
            now - time <= maximumAge + login.clockSkewSeconds
        else { return .age }
        return nil
    }
}
