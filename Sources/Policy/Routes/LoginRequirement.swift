import Identity
import Model

/// What a route requires of the login behind a credential (RFC 9470).
struct LoginRequirement: Sendable {
    /// One of these is needed; nil for no requirement.
    private let levels: RoleSet?
    private let names: [String]
    /// Seconds; nil for no limit.
    private let maximumAge: Int64?
    /// `, acr_values="...", max_age=...`: the parameters of the challenge (RFC 9470 section 3).
    let challenge: [UInt8]
    /// The same for a login of a browser.
    let demand: RequiredLogin

    /// Nil for a rule that requires nothing of this kind.
    init?(_ access: AccessRule, _ selection: ClaimSelection) {
        guard access.asksForLogin else { return nil }
        names = access.contexts
        // Without a selection no credential has a level, so that none is enough.
        levels = names.isEmpty ? nil : selection.levels?.roles(named: names) ?? RoleSet()
        maximumAge = access.maximumAge
        demand = RequiredLogin(levels: names, maximumAge: maximumAge)
        var text = names.isEmpty ? "" : #", acr_values="\#(names.joined(separator: " "))""#
        if let maximumAge { text += ", max_age=\(maximumAge)" }
        challenge = Array(text.utf8)
    }

    /// Why another login is needed, or nil. Runs on every request, since logins age. Allocates nothing.
    func denial(of principal: Principal, now: Int64) -> Reason? {
        let login = principal.claims.authentication
        if let levels, levels.isDisjoint(with: login.levels) { return .authenticationTooWeak }
        if let maximumAge, !login.isRecent(maximumAge, now: now) { return .authenticationTooOld }
        return nil
    }

    /// Seconds since 1970 from which on the login is too old; nil for never.
    func end(_ principal: Principal) -> Int64? { maximumAge.flatMap(principal.claims.authentication.end) }

    /// What a caller lacks, a line each.
    func missing(_ principal: Principal?, now: Int64) -> [String] {
        let login = principal?.claims.authentication ?? .none
        var lines: [String] = []
        if let levels, levels.isDisjoint(with: login.levels) {
            lines.append("missing: acr \(names.joined(separator: " or "))")
        }
        if let maximumAge, !login.isRecent(maximumAge, now: now) {
            lines.append("missing: a login in the last \(maximumAge) s (auth_time)")
        }
        return lines
    }
}
