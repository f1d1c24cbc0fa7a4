import Bytes
import JOSE

/// How and when the holder of a credential logged in (RFC 9470), as the credential says.
package struct AuthenticationClaims: Sendable {
    /// For credentials that say nothing of it.
    package static let none = AuthenticationClaims(levels: [], time: nil)

    /// Authentication context levels: `acr`, and those that `amr` stands for.
    let levels: [String]
    /// Seconds since 1970: `auth_time`.
    let time: Int64?
    /// Tolerance for the clock of the issuer.
    let clockSkewSeconds: Int64

    package init(levels: [String], time: Int64?, clockSkewSeconds: Int64 = 0) {
        self.levels = levels
        self.time = time
        self.clockSkewSeconds = clockSkewSeconds
    }

    /// - Parameters:
    ///   - claims: of a verified token; nil if there are none.
    ///   - levels: the level that each value of `amr` stands for.
    package init(_ claims: JSONNode?, levels: [String: String], clockSkewSeconds: Int64) {
        let methods = levels.isEmpty ? [] : claims?["amr"]?.array?.compactMap(\.string) ?? []
        // Keys of a dictionary are equal to others of the same letters; levels are compared by bytes.
        let mapped = levels.filter { method, _ in methods.contains(where: method.isExactly) }.map(\.value)
        self.init(
            levels: [claims?["acr"]?.string].compactMap(\.self) + mapped, time: claims?["auth_time"]?.numericDate,
            clockSkewSeconds: clockSkewSeconds)
    }
}

/// What routes can ask of the login behind a credential. Without `acr` or `auth_time` no such requirement is met.
package struct AuthenticationContext: Sendable {
    /// Of the levels that routes accept, those of the credential.
    package let levels: RoleSet
    /// Seconds since 1970 of the login, and the tolerance for the clock that it was read from; nil if unknown.
    private let time: (login: Int64, skew: Int64)?

    init(_ claims: AuthenticationClaims, _ catalogue: RoleCatalogue) {
        levels = catalogue.roles(named: claims.levels)
        time = claims.time.map { ($0, claims.clockSkewSeconds) }
    }

    private init() {
        levels = RoleSet()
        time = nil
    }

    package static let none = AuthenticationContext()

    /// Whether the time of the login is known.
    package var isTimed: Bool { time != nil }

    /// Whether the login is known, and not older than this many seconds. A time in the future is not accepted.
    package func isRecent(_ maximumAge: Int64, now: Int64) -> Bool {
        guard let time, time.login <= now + time.skew else { return false }
        return now < end(time, maximumAge)
    }

    /// Seconds since 1970 from which on the login is older than that; nil if it is not known.
    package func end(_ maximumAge: Int64) -> Int64? { time.map { end($0, maximumAge) } }

    private func end(_ time: (login: Int64, skew: Int64), _ maximumAge: Int64) -> Int64 {
        let (end, overflows) = time.login.addingReportingOverflow(maximumAge + time.skew + 1)
        return overflows ? .max : end
    }
}
