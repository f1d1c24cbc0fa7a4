import Bytes
import Identity
import Model

/// What a route requires of a credential beside roles and level: its issuer, audience, scopes and claims.
struct TokenRequirement: Sendable {
    /// Names; empty for all.
    private let issuers: [String]
    private let audience: [String]
    /// The place of `aud` among the selected claims.
    private let audienceIndex: Int
    private let scopes: RoleRequirement
    /// Conditions with the place of their claim among the selected ones.
    private let claims: [(rule: ClaimRule, index: Int)]

    /// Nil for a rule that requires nothing of this kind.
    init?(_ access: AccessRule, _ selection: ClaimSelection) {
        guard !access.requiredClaims.isEmpty || !access.issuers.isEmpty || !access.scopes.isEmpty else { return nil }
        issuers = access.issuers
        audience = access.audience
        // What is not selected is absent, and refused.
        audienceIndex = selection.index(of: .audience) ?? .max
        scopes = RoleRequirement(access.scopes, selection.scopes)
        claims = access.claims.map { ($0, selection.index(of: $0.path) ?? .max) }
    }

    /// Why a credential is refused that another one of the same caller could replace, or nil. Allocates nothing.
    func mismatch(of principal: Principal) -> Reason? {
        if !issuers.isEmpty, !issuers.contains(where: principal.issuer.isExactly) { return .issuerNotAllowed }
        if !audience.isEmpty, !isForAudience(principal) { return .wrongAudience }
        return nil
    }

    /// Which right the caller lacks, or nil. Allocates nothing.
    func lacking(_ principal: Principal, path: Span<UInt8>) -> Reason? {
        if !scopes.isMet(by: principal.claims.scopes) { return .scopeRequired }
        for condition in claims {
            if condition.rule.isMet(by: principal.claims.value(at: condition.index), requested: path) { continue }
            return .claimRequired
        }
        return nil
    }

    /// What a caller lacks, a line each.
    func missing(_ principal: Principal?, _ selection: ClaimSelection, path: Span<UInt8>) -> [String] {
        var lines: [String] = []
        let issuer = principal?.issuer ?? ""
        if !issuers.isEmpty, !issuers.contains(where: issuer.isExactly) {
            lines.append("missing: issuer \(issuers.joined(separator: " or "))")
            if let principal { lines.append("held: issuer \(Evidence.quoted(principal.issuer))") }
        }
        if !audience.isEmpty, principal.map(isForAudience) != true {
            lines.append("missing: audience \(audience.joined(separator: " or "))")
            lines.append("held: aud \(TokenRequirement.text(principal?.claims.value(at: audienceIndex)))")
        }
        let held = principal?.claims.scopes ?? RoleSet()
        if !scopes.isMet(by: held) {
            let all = selection.scopes.names(of: scopes.all).map { "scope \($0)" }
            let any = scopes.any.map { "scope " + selection.scopes.names(of: $0).joined(separator: " or ") }
            lines.append("missing: \((all + [any].compactMap(\.self)).joined(separator: ", "))")
            // Scopes that no route names are not kept.
            if principal != nil { lines += Evidence.held("scopes", selection.scopes.names(of: held)) }
        }
        for (rule, index) in claims {
            if rule.isMet(by: principal?.claims.value(at: index), requested: path) { continue }
            lines.append("missing: \(rule)")
            if let principal { lines.append("held: \(TokenRequirement.text(principal.claims.value(at: index)))") }
        }
        return lines
    }

    private static func text(_ claim: JSONNode?) -> String {
        guard let claim else { return "none" }
        return claim.array.map { Evidence.list($0.map { $0.string ?? $0.onOneLine }) }
            ?? Evidence.quoted(claim.string ?? claim.onOneLine)
    }

    private func isForAudience(_ principal: Principal) -> Bool {
        guard let claim = principal.claims.value(at: audienceIndex) else { return false }
        if let text = claim.string { return audience.contains(where: text.isExactly) }
        return claim.array?.contains { $0.string.map { text in audience.contains(where: text.isExactly) } ?? false }
            ?? false
    }
}

extension AccessRule {
    /// The claims that the rule is about.
    var requiredClaims: [ClaimPath] { claims.map(\.path) + (audience.isEmpty ? [] : [.audience]) }
}

extension ClaimPath {
    static let audience = ClaimPath(literal: "aud")
}
