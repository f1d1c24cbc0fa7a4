import Identity
import Model

/// How the gateway answers its own errors on a route, or without one, in the form used by the data plane.
package final class ErrorAnswers: Sendable {
    /// One answer. A class, since a refusal passes it on.
    package final class Entry: Sendable {
        package enum Piece: Sendable {
            case text([UInt8])
            case status, reason, message, path, user, issuer, roles, clientIP, requestID
            /// Index of a claim among those that principals keep.
            case claim(Int)
        }

        package let pieces: [Piece]
        package let escaping: ErrorEscaping
        /// Type of the body; empty for a redirect.
        package let contentType: [UInt8]
        /// Status of the answer; nil for that of the error.
        package let status: Int?
        /// All fields of the answer that are set by the configuration, those of the route among them.
        package let fields: RouteFields?
        let rule: ErrorAnswer

        package var isRedirect: Bool { contentType.isEmpty }

        fileprivate init(_ rule: ErrorAnswer, _ route: FieldRules?, _ claims: ClaimSelection) {
            self.rule = rule
            pieces = rule.template.pieces.map { piece in
                switch piece {
                case .text(let text): .text(Array(text.utf8))
                case .status: .status
                case .reason: .reason
                case .message: .message
                case .path: .path
                case .user: .user
                case .issuer: .issuer
                case .roles: .roles
                case .clientIP: .clientIP
                case .requestID: .requestID
                // The selection was made from these rules, too.
                case .claim(let path): .claim(claims.index(of: path) ?? 0)
                }
            }
            escaping = rule.template.escaping
            var lines = rule.fields
            lines += (route?.lines ?? []).filter { line in !rule.fields.contains { isAlias($0.name, line.name) } }
            if case .body(_, let type) = rule.content {
                contentType = Array(type.utf8)
                status = rule.status
                // The path and the caller's name are in it, and no browser must take it for another type.
                lines.removeAll { isAlias($0.name, "X-Content-Type-Options") }
                if let value = try? FieldTemplate("nosniff", constant: { _ in nil }) {
                    lines.append(FieldRules.Line(name: "X-Content-Type-Options", value: value))
                }
            } else {
                contentType = []
                status = rule.status ?? 302
            }
            fields = RouteFields(FieldRules(set: lines), claims)
        }
    }

    /// Whether errors without an answer are problem documents (RFC 9457).
    package let usesProblems: Bool
    private let entries: [Entry]

    /// - Parameter fields: of the route's responses.
    /// - Returns: nil where errors have their usual form.
    init?(_ rules: ErrorRules, fields: FieldRules?, _ claims: ClaimSelection) {
        usesProblems = rules.format == .problem
        if rules.answers.isEmpty, !usesProblems { return nil }
        entries = rules.answers.map { Entry($0, fields, claims) }
    }

    /// Those of a route, which shares the usual ones where it says nothing of errors and of fields.
    ///
    /// - Parameters:
    ///   - rules: for all routes.
    ///   - usual: made of them.
    static func of(
        _ route: RouteOptions, _ rules: ErrorRules, usual: ErrorAnswers?, _ claims: ClaimSelection
    ) -> ErrorAnswers? {
        if route.errors.isEmpty, route.responseFields == nil { return usual }
        return ErrorAnswers(route.errors.before(rules), fields: route.responseFields, claims)
    }

    /// The answer to an error: of those that fit the first for browsers or the first for programs, whichever is asked for,
    /// otherwise the first.
    ///
    /// - Parameters:
    ///   - isBrowser: whether the request prefers HTML.
    ///   - mayRedirect: whether the request can be sent elsewhere.
    package func entry(for reason: Reason, isBrowser: Bool, mayRedirect: Bool) -> Entry? {
        var first: Entry?
        for entry in entries where entry.rule.matches(reason) {
            if entry.isRedirect, !isBrowser || !mayRedirect { continue }
            if entry.rule.isForBrowsers == isBrowser { return entry }
            if first == nil { first = entry }
        }
        return first
    }
}

/// Whether two names of fields may be taken for each other.
private func isAlias(_ one: String, _ other: String) -> Bool { FieldSkeleton.of(one) == FieldSkeleton.of(other) }
